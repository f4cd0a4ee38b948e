//===- Plan.h - how a contraction will be computed --------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Goto's algorithm (Goto, van de Geijn, "Anatomy of High-Performance Matrix
// Multiplication", 2008), with the names of BLIS:
//
//   for jc in N by nc                        the panel of B in the L3 cache
//     for pc in K by kc    pack B: kc x nc
//       for ic in M by mc  pack A: mc x kc   the block of A in the L2 cache
//         for jr in nc by nr                 the sliver of B in the L1 cache
//           for ir in mc by mr
//             micro kernel: C[mr x nr] += A[mr x kc] * B[kc x nr]
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_PLANNING_PLAN_H
#define TILESMITH_PLANNING_PLAN_H

#include "tilesmith/Idiom/Nest.h"
#include "tilesmith/Idiom/Reason.h"
#include "tilesmith/Planning/Library.h"
#include "tilesmith/Planning/Scheme.h"
#include "tilesmith/Planning/TargetModel.h"
#include "tilesmith/Target/Engine.h"
#include <memory>
#include <variant>
#include <vector>

namespace tilesmith {

struct CPULevel;

/// Whether a matrix times a vector has known extents of a few rows or steps: it
/// is best unrolled.
bool isFewRowsOrSteps(const Contraction &Op);

/// How much of the stack a kernel may copy factors to: threads may have 16 KiB.
constexpr uint64_t MaxStackBytes = 4096;

/// Factors that stay narrow, as an instruction adds several of their products
/// at a time.
struct NarrowPlan {
  NarrowProduct Packed; ///< with the types that are packed; A's and B's is one
  /// The sign bit of A's elements is flipped, for an instruction that wants
  /// another sign than A has; the sums are corrected.
  bool FlipsA = false;
  /// The products are subtracted: they are added to sums that are negated until
  /// all steps of a block are made.
  bool Subtracts = false;
};

/// Several indices of rows, of columns and of steps are seen as one. C is a plain
/// matrix along them; of a factor that is not, as the image of a convolution, no
/// stride tells where its elements are, so they are gathered when it is packed.
struct Gathering {
  /// Sums with so many steps of one index need not be gathered: a block of K of
  /// their own is deep enough. (Measured on Zen 5.)
  static constexpr uint64_t ManySteps = 64;
  /// The outer dimensions, by their numbers in Contraction::Outer, that follow
  /// M, N and K, the nearest first. Those of K are all there are.
  PerDim<llvm::SmallVector<unsigned, 2>> Chains;
  /// Whether a factor is gathered: A, B. Others seem to be plain.
  bool OfA = false, OfB = false;
  /// Whether what seems to be plain is known to be, so that the kernel need not
  /// test that.
  bool IsKnown = false;

  bool contains(unsigned Outer) const {
    return llvm::any_of(Chains, [&](llvm::ArrayRef<unsigned> Chain) {
      return llvm::is_contained(Chain, Outer);
    });
  }
};

/// How a product is computed: by calls of a library, or by a kernel. Then the
/// scheme says everything: MR, NR, MC, NC and KC are those above.
struct Plan : Scheme {
  /// Other nests of the function may use the same micro kernels.
  bool SharesKernels = false;
  /// For tests: if not empty, the program counts how often it is run, under this
  /// name.
  std::string CountedAs;
  /// If not empty, the program prints at its end which path the nest took, under
  /// this name.
  std::string ProfiledAs;
  /// If not empty, the program compares what the kernel and the source's loops
  /// compute, and says under this name where it differs.
  std::string ComparedAs;
  /// It is for the nest mirrored, so that the register tile's rows are adjacent
  /// in C.
  bool Mirrored = false;
  /// The calls of a library that compute it; unset for a kernel of our own.
  std::optional<LibraryCalls> Library;
  /// Why there are none, if a library was asked for.
  Refused NoLibrary;
  /// The outer dimension, by its number in Contraction::Outer, of which several
  /// values are in one block together with M, N or K.
  PerDim<std::optional<unsigned>> Bundled;
  /// Lanes, filter: the batch, by its number there, of which registers hold VL
  /// values.
  std::optional<unsigned> LaneIndex;
  /// Filter: the least of these values, as registers take as long with fewer.
  uint64_t MinLanes = 1;
  /// Filter: registers go on in the next row, which is adjacent.
  bool JoinsRows = false;
  std::optional<Gathering> Gathered;
  /// Gathered: the break-even's extents, of all indices that are seen as one, and its
  /// elements of C. The kernel tests them.
  PerDim<uint64_t> MinJoined{1, 1, 1};
  uint64_t MinJoinedElements = 1;
  /// These elements, if C has one row.
  uint64_t MinOfOneRow = 1;
  /// Gathered, where windows have more taps than there are places, most of them
  /// beyond a border: the least elements of C for each tap, and the most taps for
  /// each place; zero for any.
  uint64_t MinSumsPerTap = 0, MaxTapsPerPlace = 0;
  /// Filter: the least of M where neighbours in C are apart in the image.
  uint64_t MinApart = 1;
  /// Filter: neighbours that registers of R rows must have, as part of what R + Extra
  /// rows of registers hold; zero for any. Where they are adjacent in the image, and
  /// where they are apart.
  struct Filling {
    uint64_t Sixteenths = 0, Extra = 0;
  };
  Filling Adjacent, Apart;
  Scheme Requested; ///< by the user and the tuning table
  /// If there is a tuning table: the nest's key, and that of its entry, if it
  /// has one.
  std::string NestKey, EntryKey;
  Refused NotTuned; ///< why the entry is not used
  std::optional<NarrowPlan> Narrow;
  /// What multiplies.
  const tilesmith::Engine *Engine = &getVectorRegisters();
  unsigned VectorBits = 0; ///< of the engine's registers
  unsigned VL = 0;         ///< elements in one; MR is a multiple of it
  std::string VectorName;
  /// TargetModel's.
  unsigned MaskedBits = 0;
  unsigned VectorRegisters = 0;
  StepNeeds Needs; ///< of a step, besides the sums
  /// Code is kept small where that costs little speed.
  bool IsCompact = false;
  /// Tiles of fewer columns than NR have kernels of a multiple of so many. Where
  /// they have fewer, the last columns are moved up, and made twice; or panels are
  /// filled up with zeros.
  unsigned ColumnStep = 1;
  /// What is done where the system does not permit the engine, or a batch is
  /// shorter than a register.
  std::shared_ptr<const Plan> Fallback;
  uint64_t CacheLine = 64;
  /// A factor of more bytes is taken to come from beyond the first-level cache.
  uint64_t NearBytes = 0;
  /// Stream: how the columns of a matrix of more than so many bytes go by.
  struct Sweep {
    uint64_t Beyond;
    unsigned Columns; ///< at a time
    uint64_t Ahead;   ///< bytes from what is loaded to what is prefetched
  };
  /// Those of larger matrices first.
  llvm::SmallVector<Sweep, 2> Sweeps;
  /// Stream: a matrix in the second-level cache is left to the source's loops, which
  /// go by its columns, too, if C begins where a line does.
  bool LeavesNear = false;
  /// A factor of so many bytes is taken to come from beyond the second-level
  /// cache.
  uint64_t FarBytes = 0;
  /// A matrix of more bytes is taken to come from memory.
  uint64_t MemoryBytes = 0;
  /// The elements of a block of A that is read in lines, along an index that is
  /// bundled with its rows; zero if nothing but MC and KC decides.
  uint64_t MaxLineElements = 0;

  /// Steps of a tile of so many rows and columns that one round of a loop may
  /// make without more registers than there are.
  unsigned stepsAtOnce(const Contraction &Op, unsigned Rows,
                       unsigned Columns) const;
  /// Whether a small kernel for \p View keeps the columns of A for all steps in
  /// registers while those of C go by.
  bool keepsA(const Contraction &View) const;
  /// Whether a small kernel for \p View can transpose A of \p T, which is not
  /// adjacent along M, panel by panel without loops, as these would take longer
  /// than what they do.
  bool isTransposedInRegisters(const Contraction &View, const Term &T) const;

  /// Products with few columns of C are computed as the mirrored one, which
  /// reads factors in place. Its tiles have rows that are adjacent in C: they
  /// are transposed in registers where they are loaded and stored.
  bool TurnsTiles = false;

  /// What is done if C has few columns, or rows: stream kernels through which
  /// the other factor goes, the narrowest one first. They see the nest mirrored
  /// if they say so.
  std::vector<std::shared_ptr<const Plan>> Thin;
  /// Stream: how many columns C has at most. If it has fewer, one is computed
  /// several times.
  unsigned Width = 1;

  /// The CPUs that it is for; null: those of the nest's function.
  const CPULevel *Level = nullptr;
  /// TargetModel's: whose attributes the kernel's functions have.
  const llvm::Function *AttributeSource = nullptr;
  /// If there are kernels for several CPUs: their plans, the best first. The
  /// last one is this one, but for the break-even: this has the smallest.
  std::vector<Plan> Dispatched;

  /// Shorter segments are left to clang.
  static constexpr unsigned LeastStepsOfSegment = 8;
  /// Steps over k that are one element of a packed panel.
  unsigned groupSteps() const { return Narrow ? Narrow->Packed.steps() : 1; }
  /// Gathered: so many steps of one index are left to a packed kernel.
  uint64_t manySteps() const { return Gathering::ManySteps * groupSteps(); }
  /// Panels have a multiple of so many steps.
  unsigned depthMultiple() const {
    return Narrow ? Narrow->Packed.steps() * Engine->PanelEdge : 1;
  }
  /// Whether a loop over k has room for prefetches of sums: where registers are
  /// long, a step takes some dozen cycles in which little else begins.
  bool prefetchesInLoop() const {
    return VectorBits >= 512 && Engine->HasSumsInVectors;
  }
  /// Panels are squares (TileRegisters.h).
  bool inSquares() const { return Engine->PanelEdge > 1; }

  /// Whether elements of \p X can be loaded and stored under a mask.
  bool canMask(const Access &X) const {
    return MaskedBits && X.ElemTy->getScalarSizeInBits() >= MaskedBits;
  }
  bool isTuned() const { return !EntryKey.empty() && !NotTuned; }
  /// Whether what computes \p View may ask for memory.
  bool mayAllocate(const Nest &View) const {
    return !Library &&
           !((isSmall() || isStreamed() || isFilter()) && Dispatched.empty() &&
             !View.Source.ToScratch && !View.Op.fillsMatrices() &&
             !(isStreamed() && View.Op.isTestedForNaN()));
  }
  /// Filter: whether all lanes are beyond a border of the image, or none is, and the nest
  /// makes no step with a zero, so that steps are left out without masks. (Where it makes
  /// some, the same product would stand in several blocks, of which LLVM may make one:
  /// what is fused would be undecided.)
  bool hasWholeRows(const Contraction &Op) const;
  /// Stream: how many adjacent steps of a row are loaded together. So many
  /// registers hold them for VL rows, and are transposed.
  unsigned stepsOfPiece(const Contraction &Op) const;
  /// Whether a matrix that goes by is used in its other direction at the same time,
  /// if the nest does.
  bool makesTransposed(const Contraction &Op) const;
  /// The same of all kernels that may be called.
  bool allMakeTransposed(const Contraction &Op) const;
  /// What the kernel makes of the rest of \p View: the store of a use of the sums; null
  /// if there is none.
  const llvm::Instruction *madeOfRest(const Contraction &View) const;
  /// Whether tiles of \p View go straight to C: then there is a short path for
  /// products of a single block.
  bool hasDirectPath(const Contraction &View) const;
  /// Whether groups of B, which is gathered, are in memory as they would be packed,
  /// so that micro kernels can read them where they are. Corrections for a flipped
  /// sign bit are computed of what is packed.
  bool keepsGroups(const Access &B) const {
    return Gathered && Gathered->OfB && Narrow && !Narrow->FlipsA &&
           B.ElemTy == Narrow->Packed.B.Ty;
  }
  /// Whether the steps of what is gathered may be no whole groups.
  bool mayHaveRaggedGroups(const Contraction &View) const;
  /// Whether both factors are copied with whole groups of steps then.
  bool fillsGroups(const Contraction &View) const;
  /// Whether there are micro kernels that keep to the wanted half of C. Those
  /// that begin and end with arithmetic would be long.
  bool cutsTiles(const Contraction &View) const;

  /// Whether a call of the kernel is made for all values of outer dimension
  /// \p Outer of \p View, so that they count as work: a batch is made product by
  /// product, unless it is in lanes, or of a filter.
  bool countsAsWork(const Contraction &View, unsigned Outer) const {
    return !View.Outer[Outer].isBatch() || LaneIndex == Outer || isFilter();
  }

  /// "AVX-512", "AVX-512 VNNI"
  std::string instructions() const;
  /// "packed, 24x8 micro kernel, AVX-512" or "cblas_dgemm(RowMajor, NoTrans,
  /// Trans)"
  std::string summary() const;
  void print(llvm::raw_ostream &OS) const;
};

/// Whether a micro kernel could take the elements of a factor as they are,
/// along rows of a tile (\p P is M) or along its columns (N).
bool canReadInPlace(const Access &X, const Expression &Map, bool IsC, Dim P,
                    const Contraction &Of);

/// A nest, mirrored if its plan wants it so, and how it is computed. What comes
/// after planning knows no other view.
struct PlannedNest {
  Nest View;
  Plan ThePlan;
};

/// Decides how \p Found will be computed, or why it will not be. What the scheme
/// of the options says is done so, then what the tuning table says, if it can
/// be, then what other options say.
std::variant<PlannedNest, Refusal>
makePlan(const Nest &Found, const TargetModel &Target, const Options &Opts);

/// A plan for another \p Target of what \p Planned computes by a kernel.
std::variant<Plan, Refusal> planAgain(const PlannedNest &Planned,
                                      const TargetModel &Target,
                                      const Options &Opts);

/// Why \p Planned, made of the others, is as it is: a line for each choice.
void explain(const PlannedNest &Planned, const TargetModel &Target,
             const Options &Opts, llvm::raw_ostream &OS);

} // namespace tilesmith

#endif
