//===- LaneKernel.h - a product of a batch in each lane ---------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where a batch is what is adjacent in C, A and B, registers extend over the
// batch: what other kernels do with an element is done with a vector of VL
// products' elements here, and a tile is MR x NR such vectors. (Kim et al.,
// "Designing Vector-Friendly Compact BLAS and LAPACK Kernels", SC 2017.)
//
//   other outer dimensions
//     l in the batch by a chunk of some vectors
//       jc in N by nc
//         outer dimensions of K, the last one by as many as fit into kc
//           pc in K by kc         pack B, unless it is read in place
//             ic in M by mc       pack A, unless it is read in place
//               each vector of the chunk
//                 jr, ir          a tile
//
// The last vector may be ragged. Then both factors are packed, and tiles of C
// go through a buffer, so that all else knows whole vectors only.
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_KERNEL_LANEKERNEL_H
#define TILESMITH_LIB_KERNEL_LANEKERNEL_H

#include "KernelBuilder.h"

namespace tilesmith {

/// Vectors of products that are packed at once, if they fit into the caches: the
/// more, the longer are the runs that are read.
constexpr unsigned MaxLaneVectors = 4;

/// A kernel under way. Strides are in bytes; a "vector" is one of products.
class KernelBuilder::LaneKernel {
public:
  explicit LaneKernel(KernelBuilder &K)
      : K(K), B(K.B), Op(K.Op), ThePlan(K.ThePlan), VL(ThePlan.VL),
        VectorTy(llvm::FixedVectorType::get(Op.SumTy, VL)),
        VectorBytes(VL * K.Size) {}

  llvm::Function *build();

private:
  /// void tilesmith.pack.*: copies Count rows (or columns) from Src on, Steps
  /// elements each, of Lanes products, to Dst. Each vector has panels of Width
  /// rows and Depth steps, Distance behind those of the one before.
  struct PackArguments {
    llvm::Value *Dst = nullptr, *Src = nullptr;
    llvm::Value *StrideP = nullptr, *StrideK = nullptr;
    llvm::Value *Count = nullptr, *Steps = nullptr, *Depth = nullptr;
    llvm::Value *Width = nullptr, *Lanes = nullptr, *Distance = nullptr;
    llvm::Value *Scalars = nullptr;
  };
  ParameterList parametersOf(PackArguments &Arguments, const Operand &X);

  /// void tilesmith.lanes.*: a tile.
  struct TileArguments {
    struct Factors {
      llvm::Value *A = nullptr, *StrideAm = nullptr, *StrideAk = nullptr;
      llvm::Value *B = nullptr, *StrideBn = nullptr, *StrideBk = nullptr;
    };
    llvm::SmallVector<Factors, 1> Terms;
    llvm::Value *Steps = nullptr;
    llvm::Value *C = nullptr, *StrideCm = nullptr, *StrideCn = nullptr;
    llvm::Value *First = nullptr; ///< i1: block of K
    llvm::Value *Scalars = nullptr;
  };
  ParameterList parametersOf(TileArguments &Arguments);

  /// Those of a tile, column by column, or of a factor in a step.
  using Vectors = llvm::SmallVector<llvm::Value *, 16>;
  llvm::Value *addressInC(const TileArguments &Tile, unsigned I, unsigned J);
  Vectors loadC(const TileArguments &Tile, unsigned Rows, unsigned Columns);
  Vectors emitStart(const TileArguments &Tile, unsigned Rows, unsigned Columns);
  void emitSteps(const TileArguments &Tile, unsigned Rows, unsigned Columns,
                 Vectors &Sums);
  llvm::Function *buildTile(unsigned Rows, unsigned Columns);
  llvm::GlobalVariable *buildTable();

  void packElements(const Operand &X, const PackArguments &Pack,
                    llvm::Value *To, llvm::Value *From, unsigned Width);
  void emitSteps(const PackArguments &Pack, llvm::Value *To, llvm::Value *From,
                 llvm::function_ref<void(llvm::Value *, llvm::Value *)> Body);
  void packVectors(const Operand &X, const PackArguments &Pack, llvm::Value *To,
                   llvm::Value *From, llvm::Value *Rows, unsigned Vectors);
  void packLane(const Operand &X, const PackArguments &Pack, llvm::Value *To,
                llvm::Value *From, llvm::Value *Rows);
  llvm::Function *buildPack(const Operand &X);

  /// Rows of a block of A, or columns of a panel of B, cut into tiles of Width,
  /// but for the last one.
  struct Split {
    llvm::Value *Count, *Width;
  };
  /// A block of A or a panel of B, in the source or packed.
  struct Block {
    llvm::Value *Begin, *StrideP, *StrideK;
    llvm::Value *StrideTile;   ///< of rows that tiles begin with, from one on
    llvm::Value *StrideVector; ///< from one vector to the next
  };
  /// Where a factor's block is in the source, and where it is packed.
  struct Place {
    const Operand &Of;
    llvm::Value *Src, *StrideP, *StrideK;
    llvm::Value *IsInPlace = nullptr, *Dst = nullptr, *Distance = nullptr;
  };
  llvm::Value *balanced(llvm::Value *Extent, uint64_t Max);
  llvm::Value *isReadInPlace(const Macro &X, const Place &At,
                             const PackingRule &Rule, llvm::Value *Across,
                             llvm::Value *Count);
  void emitChoice(const Macro &X);
  void emitSizes(Macro &X);
  void emitPanels(Macro &X);
  void emitBlocksOfK(Macro &X, Split Columns);
  void emitBlocks(Macro &X, Split Columns, llvm::ArrayRef<Block> Panels);
  Block emitPack(const Macro &X, const Place &From, Split Tiles);
  void emitTiles(const Macro &X, Split Rows, Split Columns,
                 llvm::ArrayRef<Block> Blocks, llvm::ArrayRef<Block> Panels,
                 llvm::Value *Vector);
  void emitTile(TileArguments Tile, llvm::Value *Rows, llvm::Value *Columns,
                llvm::Value *LanesOfTile);
  void copyTile(const TileArguments &Dst, const TileArguments &Src,
                llvm::Value *Rows, llvm::Value *Columns,
                llvm::Value *LanesOfTile);

  KernelBuilder &K;
  llvm::IRBuilder<> &B;
  const Contraction &Op;
  const Plan &ThePlan;
  const unsigned VL;
  llvm::FixedVectorType *VectorTy;
  const uint64_t VectorBytes;

  /// A distance in the source of \p X, or in C.
  llvm::ConstantInt *bytesOf(const Access &X, unsigned Elements) const {
    return K.i64(Elements * K.DL.getTypeStoreSize(X.ElemTy));
  }

  llvm::GlobalVariable *Table = nullptr; ///< of tiles, by rows, then columns
  llvm::Function *AnyTile = nullptr;
  // The macro kernel's: the blocks; what a vector's packed factors of a term
  // take; how many products a chunk has, and the one under way.
  llvm::Value *MC = nullptr, *NC = nullptr, *KC = nullptr;
  llvm::Value *BytesOfA = nullptr, *BytesOfB = nullptr;
  llvm::Value *Chunk = nullptr, *Lanes = nullptr;
  llvm::AllocaInst *TileOfC = nullptr; ///< for a ragged vector
};

} // namespace tilesmith

#endif
