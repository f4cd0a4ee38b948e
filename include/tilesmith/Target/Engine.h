//===- Engine.h - what multiplies -------------------------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An engine is one kind of instructions that multiply and add, with the
// registers that hold the sums. One object, in a file of its own, answers what
// Planning and Kernel ask: what it is for, which tile fills it, how packed
// panels are laid out for it, and whether the system must permit it. Lowering
// finds its instructions through the same object. Engines.def lists them.
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_TARGET_ENGINE_H
#define TILESMITH_TARGET_ENGINE_H

#include "tilesmith/Target/KernelFamily.h"
#include "tilesmith/Target/NarrowProduct.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/FMF.h"
#include <optional>

namespace llvm {
class IRBuilderBase;
class Module;
class raw_ostream;
} // namespace llvm

namespace tilesmith {

class DotProducts;
class MatrixUnit;

/// The products of a nest, as a kernel would ask for them.
struct EngineRequest {
  const llvm::Function &F; ///< whose code uses the engine
  llvm::Type *SumTy;
  /// Factors that may stay narrow, as they would be packed; else they are
  /// widened to SumTy.
  std::optional<NarrowProduct> Narrow = {};
  bool FlipsA = false; ///< the sums are corrected for a flipped sign bit of A
  llvm::FastMathFlags Flags = {}; ///< that all products have
  unsigned Terms = 1;             ///< products of a step
  bool AreProducts = true;        ///< that are added up, and nothing else
  bool AreFused = false;  ///< each is fused with its addition, in a chain
  bool KeepsSums = false; ///< sums start from C or zero, and are what is stored
  bool MayPack = true;    ///< both factors, whatever their extents are
  unsigned VectorBits = 0; ///< of the target's vector registers
  /// The extents, if they are known; else the largest number.
  uint64_t Rows = UINT64_MAX, Columns = UINT64_MAX, Steps = UINT64_MAX;

  /// The narrow product with groups of so many bits.
  NarrowProduct inGroups(unsigned Bits) const {
    NarrowProduct Result = *Narrow;
    Result.GroupBits = Bits;
    return Result;
  }
};

/// Rows and columns of a register tile, in elements.
struct TileShape {
  unsigned Rows = 0, Columns = 0;
};

/// \p Best, or what is \p Wanted of it where that is not zero: whole registers of
/// \p VL rows, and columns that are a power of two.
TileShape asWanted(TileShape Best, TileShape Wanted, unsigned VL);

/// What a tile has besides the engine.
struct RegisterBudget {
  unsigned VL;        ///< elements of a vector register
  unsigned Registers; ///< vector registers
  StepNeeds Needs;
};

class Engine {
public:
  const llvm::StringRef Name; ///< for remarks: "MMA"; empty for plain vectors
  /// The bits of the steps over k that are one element of a packed panel; 0 if
  /// it takes elements as wide as sums.
  const unsigned GroupBits;
  /// Panels are squares of so many elements, and those of B are transposed; 1:
  /// they are columns.
  const unsigned PanelEdge;
  /// Sums are in the target's vector registers.
  const bool HasSumsInVectors;
  /// There are kernels for tiles of fewer registers and columns, and with
  /// masks; else panels are padded.
  const bool HasEdgeTiles;

  virtual ~Engine() = default;
  Engine(const Engine &) = delete;
  Engine &operator=(const Engine &) = delete;

  /// Whether it makes these products, as the source does, and that is worth it.
  virtual bool suits(const EngineRequest &Of) const = 0;
  /// The bits of the registers that it uses for them, or of a row of one.
  virtual unsigned registerBits(const EngineRequest &Of) const {
    return Of.VectorBits;
  }
  /// Steps over k that one instruction makes.
  unsigned steps(const EngineRequest &Of) const {
    return GroupBits && Of.Narrow ? Of.inGroups(GroupBits).steps() * PanelEdge
                                  : 1;
  }

  /// The tile that fills it, as near to \p Wanted as it can be where that is
  /// not zero.
  virtual TileShape chooseTile(const RegisterBudget &Of,
                               TileShape Wanted) const = 0;
  /// Whether it holds the sums of such a tile.
  virtual bool holds(TileShape Tile, const RegisterBudget &Of) const = 0;
  /// Multiply-adds in a step of such a tile.
  virtual unsigned multiplyAdds(TileShape Tile, unsigned VL) const;
  /// Registers for a step besides the sums and the elements of A.
  virtual unsigned temporaries() const { return 1; }
  /// It gives products, which are added by other instructions.
  virtual bool needsSeparateAdd() const { return false; }
  /// It takes a row of B from a register, so that elements which are not
  /// adjacent must be gathered.
  virtual bool takesRowsOfB() const { return false; }
  /// Rows of B must be adjacent, so they are packed.
  virtual bool needsPackedB() const { return false; }

  /// i1 (): whether the process may use it now. Null if it always may.
  /// \p AttributeSource: a function that calls it.
  virtual llvm::Function *
  permission(llvm::Module &Mod, const llvm::Function &AttributeSource) const {
    return nullptr;
  }
  bool needsPermission() const { return NeedsPermission; }
  /// What registers need before the micro kernels of a block, and after them. Calls
  /// of functions that are not ours may undo the first.
  virtual void emitConfiguration(llvm::IRBuilderBase &B) const {}
  virtual void emitRelease(llvm::IRBuilderBase &B) const {}

  /// What holds a tile, and what a step of it costs. \p LoadsOfA: registers of
  /// A that are loaded in each step.
  virtual void explain(TileShape Tile, const RegisterBudget &Of,
                       unsigned LoadsOfA, llvm::raw_ostream &OS) const = 0;

  /// What Lowering asks: the same object, if it is one of these.
  virtual const MatrixUnit *asMatrixUnit() const { return nullptr; }
  virtual const DotProducts *asDotProducts() const { return nullptr; }

protected:
  struct Traits {
    llvm::StringRef Name;
    unsigned GroupBits = 0;
    unsigned PanelEdge = 1;
    bool HasSumsInVectors = false;
    bool HasEdgeTiles = true;
    bool NeedsPermission = false;
  };
  explicit Engine(const Traits &T)
      : Name(T.Name), GroupBits(T.GroupBits), PanelEdge(T.PanelEdge),
        HasSumsInVectors(T.HasSumsInVectors), HasEdgeTiles(T.HasEdgeTiles),
        NeedsPermission(T.NeedsPermission) {}

private:
  const bool NeedsPermission;
};

/// All of them, in the order of Engines.def.
llvm::ArrayRef<const Engine *> engines();

#define ENGINE(Name) const Engine &get##Name();
#include "tilesmith/Target/Engines.def"

} // namespace tilesmith

#endif
