//===- LaneTiles.cpp - tiles and panels of vectors of products ------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaneKernel.h"

using namespace llvm;

namespace tilesmith {

ParameterList KernelBuilder::LaneKernel::parametersOf(PackArguments &Arguments,
                                                      const Operand &X) {
  ParameterList List;
  List.add(Arguments.Dst, K.Ptr, "dst");
  List.add(Arguments.Src, K.Ptr, "src");
  List.add(Arguments.StrideP, K.I64, "sP");
  List.add(Arguments.StrideK, K.I64, "sK");
  List.add(Arguments.Count, K.I64, "count");
  List.add(Arguments.Steps, K.I64, "K");
  List.add(Arguments.Depth, K.I64, "depth");
  List.add(Arguments.Width, K.I64, "width");
  List.add(Arguments.Lanes, K.I64, "lanes");
  List.add(Arguments.Distance, K.I64, "distance");
  if (!invariantsOf(&X.Map).empty())
    List.add(Arguments.Scalars, K.Ptr, "scalars");
  return List;
}

ParameterList
KernelBuilder::LaneKernel::parametersOf(TileArguments &Arguments) {
  ParameterList List;
  Arguments.Terms.resize(Op.Terms.size());
  for (auto [I, T] : enumerate(Arguments.Terms)) {
    List.add(T.A, K.Ptr, "A" + Twine(I));
    List.add(T.StrideAm, K.I64, "sAm" + Twine(I));
    List.add(T.StrideAk, K.I64, "sAk" + Twine(I));
    List.add(T.B, K.Ptr, "B" + Twine(I));
    List.add(T.StrideBn, K.I64, "sBn" + Twine(I));
    List.add(T.StrideBk, K.I64, "sBk" + Twine(I));
  }
  List.add(Arguments.Steps, K.I64, "K");
  List.add(Arguments.C, K.Ptr, "C");
  List.add(Arguments.StrideCm, K.I64, "sCm");
  List.add(Arguments.StrideCn, K.I64, "sCn");
  List.add(Arguments.First, B.getInt1Ty(), "first");
  if (!K.Invariants.empty())
    List.add(Arguments.Scalars, K.Ptr, "scalars");
  return List;
}

//===-- A tile ------------------------------------------------------------===//

/// Where the tile's vector \p I of column \p J is in C.
Value *KernelBuilder::LaneKernel::addressInC(const TileArguments &Tile,
                                             unsigned I, unsigned J) {
  Value *Column = K.offset(Tile.C, K.i64(J), Tile.StrideCn);
  return K.offset(Column, K.i64(I), Tile.StrideCm);
}

/// The vectors of C, column by column.
KernelBuilder::LaneKernel::Vectors
KernelBuilder::LaneKernel::loadC(const TileArguments &Tile, unsigned Rows,
                                 unsigned Columns) {
  Vectors Loaded;
  for (unsigned J = 0; J < Columns; ++J)
    for (unsigned I = 0; I < Rows; ++I)
      Loaded.push_back(
          B.CreateAlignedLoad(FixedVectorType::get(Op.C.ElemTy, VL),
                              addressInC(Tile, I, J), Op.C.Alignment, "c"));
  return Loaded;
}

/// What the sums of a block of K start from.
KernelBuilder::LaneKernel::Vectors
KernelBuilder::LaneKernel::emitStart(const TileArguments &Tile, unsigned Rows,
                                     unsigned Columns) {
  auto Start = [&] {
    Vectors Result(Rows * Columns);
    if (Op.Start.uses(Leaf::C))
      Result = loadC(Tile, Rows, Columns);
    for (Value *&V : Result)
      V = K.evaluate(Op.Start, Tile.Scalars, VL, V, nullptr);
    return Result;
  };
  // Else there is one block only, or all are alike.
  if (K.resumesFromC() || !K.SumsInC)
    return Start();
  Vectors Started, Resumed;
  BasicBlock *StartBB = nullptr, *ResumeBB = nullptr;
  K.emitIf(
      Tile.First, "start",
      [&] {
        Started = Start();
        StartBB = B.GetInsertBlock();
      },
      [&] {
        Resumed = loadC(Tile, Rows, Columns);
        ResumeBB = B.GetInsertBlock();
      });
  for (auto [First, Later] : zip_equal(Started, Resumed)) {
    PHINode *Either = B.CreatePHI(VectorTy, 2, "initial");
    Either->addIncoming(First, StartBB);
    Either->addIncoming(Later, ResumeBB);
    First = Either;
  }
  return Started;
}

/// The loop over the steps.
void KernelBuilder::LaneKernel::emitSteps(const TileArguments &Tile,
                                          unsigned Rows, unsigned Columns,
                                          Vectors &Sums) {
  constexpr unsigned MultiplyAdds = 32; // some, to hide the loop's own work
  BasicBlock *Before = B.GetInsertBlock();
  Function *F = Before->getParent();
  BasicBlock *Loop = BasicBlock::Create(K.Ctx, "k", F),
             *Done = BasicBlock::Create(K.Ctx, "done", F);
  B.CreateBr(Loop);
  B.SetInsertPoint(Loop);
  auto Phi = [&](Value *Initial, const Twine &Name) {
    PHINode *Carried = B.CreatePHI(Initial->getType(), 2, Name);
    Carried->addIncoming(Initial, Before);
    return Carried;
  };
  PHINode *Step = Phi(K.i64(0), "step");
  SmallVector<PHINode *, 2> Streams;
  for (const TileArguments::Factors &T : Tile.Terms) {
    Streams.push_back(Phi(T.A, "a.ptr"));
    Streams.push_back(Phi(T.B, "b.ptr"));
  }
  SmallVector<PHINode *, 16> Carried;
  for (Value *Sum : Sums)
    Carried.push_back(Phi(Sum, "sum"));

  auto Load = [&](Value *From, unsigned Count, Value *Stride, StringRef Name) {
    Vectors Loaded;
    for (unsigned I = 0; I < Count; ++I)
      Loaded.push_back(B.CreateAlignedLoad(
          VectorTy, K.offset(From, K.i64(I), Stride), K.ElemAlign, Name));
    return Loaded;
  };
  SmallVector<Vectors, 1> A, Bs;
  for (auto [I, T] : enumerate(Tile.Terms)) {
    A.push_back(Load(Streams[2 * I], Rows, T.StrideAm, "a"));
    Bs.push_back(Load(Streams[2 * I + 1], Columns, T.StrideBn, "b"));
  }
  for (unsigned J = 0; J < Columns; ++J)
    for (unsigned I = 0; I < Rows; ++I) {
      Vectors OfA, OfB;
      for (unsigned T = 0; T < Op.Terms.size(); ++T) {
        OfA.push_back(A[T][I]);
        OfB.push_back(Bs[T][J]);
      }
      Value *&Sum = Sums[J * Rows + I];
      Sum = K.emitVectorStep(Tile.Scalars, Carried[J * Rows + I], OfA, OfB);
    }

  for (auto [Sum, Next] : zip_equal(Carried, Sums))
    Sum->addIncoming(Next, Loop);
  for (auto [I, T] : enumerate(Tile.Terms)) {
    Value *NextA = B.CreatePtrAdd(Streams[2 * I], T.StrideAk);
    Value *NextB = B.CreatePtrAdd(Streams[2 * I + 1], T.StrideBk);
    Streams[2 * I]->addIncoming(NextA, Loop);
    Streams[2 * I + 1]->addIncoming(NextB, Loop);
  }
  Value *NextStep = B.CreateNUWAdd(Step, K.i64(1));
  Step->addIncoming(NextStep, Loop);
  BranchInst *Latch =
      B.CreateCondBr(B.CreateICmpULT(NextStep, Tile.Steps), Loop, Done);
  K.setLoopHints(*Latch, std::clamp(MultiplyAdds / (Rows * Columns), 1u, 4u));
  B.SetInsertPoint(Done);
}

Function *KernelBuilder::LaneKernel::buildTile(unsigned Rows,
                                               unsigned Columns) {
  TileArguments Tile;
  Function *F =
      K.createFunction(("lanes." + Twine(Rows) + "x" + Twine(Columns)).str(),
                       B.getVoidTy(), parametersOf(Tile));
  F->addFnAttr(Attribute::NoImplicitFloat);
  for (const TileArguments::Factors &T : Tile.Terms)
    for (Value *Factor : {T.A, T.B}) {
      cast<Argument>(Factor)->addAttr(Attribute::NoAlias);
      cast<Argument>(Factor)->addAttr(Attribute::ReadOnly);
    }
  Vectors Sums = emitStart(Tile, Rows, Columns);
  emitSteps(Tile, Rows, Columns, Sums);
  Vectors Old(Sums.size());
  if (Op.Finish.uses(Leaf::C))
    Old = loadC(Tile, Rows, Columns);
  for (unsigned J = 0; J < Columns; ++J)
    for (unsigned I = 0; I < Rows; ++I) {
      unsigned At = J * Rows + I;
      Value *Final = K.evaluate(Op.Finish, Tile.Scalars, VL, Old[At], Sums[At]);
      B.CreateAlignedStore(Final, addressInC(Tile, I, J), Op.C.Alignment);
    }
  B.CreateRetVoid();
  return K.unify(F);
}

GlobalVariable *KernelBuilder::LaneKernel::buildTable() {
  SmallVector<Constant *, 16> Tiles;
  for (unsigned Rows = 1; Rows <= ThePlan.MR; ++Rows)
    for (unsigned Columns = 1; Columns <= ThePlan.NR; ++Columns)
      Tiles.push_back(AnyTile = buildTile(Rows, Columns));
  return K.tableOf(Tiles);
}

//===-- Packing -----------------------------------------------------------===//

/// Copies so many elements, or one if \p Width is 0, with the arithmetic that the
/// source does on them.
void KernelBuilder::LaneKernel::packElements(const Operand &X,
                                             const PackArguments &Pack,
                                             Value *To, Value *From,
                                             unsigned Width) {
  Type *Ty = X.X.ElemTy;
  if (Width)
    Ty = FixedVectorType::get(Ty, Width);
  Value *Elements = B.CreateAlignedLoad(Ty, From, X.X.Alignment);
  Elements = K.elements(X.Map, Pack.Scalars, Width, Elements);
  B.CreateAlignedStore(Elements, To, K.ElemAlign);
}

/// Body(where a step is in a panel, and in the source) for each step.
void KernelBuilder::LaneKernel::emitSteps(
    const PackArguments &Pack, Value *To, Value *From,
    function_ref<void(Value *, Value *)> Body) {
  K.emitLoop(K.i64(0), Pack.Steps, K.i64(1), "k", [&](Value *Step) {
    Value *Packed = B.CreateMul(Step, Pack.Width);
    Value *ToStep = K.offset(To, Packed, K.i64(VectorBytes));
    Body(ToStep, K.offset(From, Step, Pack.StrideK));
  });
}

/// So many vectors of a panel.
void KernelBuilder::LaneKernel::packVectors(const Operand &X,
                                            const PackArguments &Pack,
                                            Value *To, Value *From, Value *Rows,
                                            unsigned Vectors) {
  auto PackRow = [&](Value *To, Value *From, Value *P) {
    To = K.offset(To, P, K.i64(VectorBytes));
    From = K.offset(From, P, Pack.StrideP);
    for (unsigned V = 0; V < Vectors; ++V) {
      Value *ToVector = K.offset(To, K.i64(V), Pack.Distance);
      packElements(X, Pack, ToVector,
                   B.CreatePtrAdd(From, bytesOf(X.X, V * VL)), VL);
    }
  };
  auto PackWhole = [&](Value *To, Value *From) {
    for (unsigned P = 0; P < X.PanelWidth; ++P)
      PackRow(To, From, K.i64(P));
  };
  auto PackSome = [&](Value *To, Value *From) {
    K.emitLoop(K.i64(0), Rows, K.i64(1), "p",
               [&](Value *P) { PackRow(To, From, P); });
  };
  Value *IsWhole = B.CreateICmpEQ(Rows, K.i64(X.PanelWidth));
  K.emitIf(
      IsWhole, "whole", [&] { emitSteps(Pack, To, From, PackWhole); },
      [&] { emitSteps(Pack, To, From, PackSome); });
}

/// One lane of a panel.
void KernelBuilder::LaneKernel::packLane(const Operand &X,
                                         const PackArguments &Pack, Value *To,
                                         Value *From, Value *Rows) {
  emitSteps(Pack, To, From, [&](Value *To, Value *From) {
    K.emitLoop(K.i64(0), Rows, K.i64(1), "p", [&](Value *P) {
      Value *ToRow = K.offset(To, P, K.i64(VectorBytes));
      packElements(X, Pack, ToRow, K.offset(From, P, Pack.StrideP),
                   /*Width=*/0);
    });
  });
}

Function *KernelBuilder::LaneKernel::buildPack(const Operand &X) {
  PackArguments Pack;
  Function *F = K.createFunction(X.Name, B.getVoidTy(), parametersOf(Pack, X));
  cast<Argument>(Pack.Dst)->addAttr(Attribute::NoAlias);
  Value *Whole = B.CreateUDiv(Pack.Lanes, K.i64(VL));
  Value *Rest = B.CreateURem(Pack.Lanes, K.i64(VL));
  K.emitLoop(K.i64(0), Pack.Count, Pack.Width, "panel", [&](Value *Begin) {
    Value *Rows = K.umin(B.CreateSub(Pack.Count, Begin), Pack.Width);
    Value *Panel =
        K.offset(Pack.Dst, B.CreateMul(Begin, Pack.Depth), K.i64(VectorBytes));
    Value *Src = K.offset(Pack.Src, Begin, Pack.StrideP);
    auto PackAll = [&] {
      packVectors(X, Pack, Panel, Src, Rows, MaxLaneVectors);
    };
    auto PackEach = [&] {
      K.emitLoop(K.i64(0), Whole, K.i64(1), "vector", [&](Value *V) {
        Value *To = K.offset(Panel, V, Pack.Distance);
        packVectors(X, Pack, To, K.offset(Src, V, bytesOf(X.X, VL)), Rows, 1);
      });
    };
    K.emitIf(B.CreateICmpEQ(Whole, K.i64(MaxLaneVectors)), "chunk", PackAll,
             PackEach);
    Value *Last = K.offset(Panel, Whole, Pack.Distance);
    Value *LastSrc = K.offset(Src, Whole, bytesOf(X.X, VL));
    K.emitLoop(K.i64(0), Rest, K.i64(1), "lane", [&](Value *Lane) {
      Value *To = K.offset(Last, Lane, K.i64(K.Size));
      packLane(X, Pack, To, K.offset(LastSrc, Lane, bytesOf(X.X, 1)), Rows);
    });
  });
  B.CreateRetVoid();
  return K.unify(F);
}

} // namespace tilesmith
