//===- BlockedSteps.cpp - steps over one square matrix, in blocks ---------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   for k, i, j                                      (Floyd and Warshall)
//     D[i][j] = f(D[i][j], D[i][k], D[k][j]);
//
// Step k changes row k and column k, which it reads. Element (i, j) finds
// D[i][k] as it was before the step if j <= k, as it is after the step if not;
// likewise D[k][j] by i. That is so whichever of the loops over i and j is the outer one.
// With both states of row and column k in panels, the elements of a step may be
// computed in any order:
//
//   for blocks of k
//     for k of the block
//       panels of k = row and column k, before and after the step
//       for (i, j) in the rows and columns of the block     from the panels
//     for the four parts of the matrix before and behind the block
//       for i, k of the block, j                            from the panels
//
// In each of the four parts, it is always the same states that are read, so each
// is a sum over k of its own, which recognition finds.
//
// If a test of D[i][k] in front of the loop over j leaves out most lines of a block,
// its steps are made as in the source.
//
//===----------------------------------------------------------------------===//

#include "tilesmith/Rewrite/BlockedSteps.h"
#include "Companion.h"
#include "SquareStep.h"
#include "StepLoops.h"
#include "tilesmith/Kernel/Kernel.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace tilesmith {

namespace {

class Blocker : StepLoops {
public:
  Blocker(const SquareSteps &Of)
      : StepLoops(*Of.Store), Of(Of), F(*Of.Store->getFunction()),
        ElemTy(Of.Store->getValueOperand()->getType()),
        Bytes(F.getDataLayout().getTypeStoreSize(ElemTy)),
        BlockSize(Of.HasTests && !Of.Beside ? 64 : 32), DT(F) {
    if (Of.Beside)
      Beside.emplace(Of, static_cast<StepLoops &>(*this));
  }

  BlockedSteps run(BasicBlock &After) {
    moveTo(Of.Root->getLoopPreheader()->getTerminator());
    // Small matrices are in a hurry.
    MDNode *Unlikely =
        F.hasProfileData()
            ? nullptr
            : MDBuilder(F.getContext()).createUnlikelyBranchWeights();
    Value *IsLarge = B.CreateICmpSGE(Of.Size, i64(Of.MinSize));
    Instruction *Enter = emitIf(B.CreateFreeze(IsLarge), Unlikely);
    BasicBlock *First = Enter->getParent();
    moveTo(Enter);
    Value *MayRun = areDistinct(Of.RowStride, Of.ColumnStride, Of.Size, Bytes);
    if (Beside)
      MayRun = B.CreateAnd(MayRun, Beside->isApart());
    if (Of.Passes)
      MayRun = B.CreateAnd(MayRun, Of.Passes);
    moveTo(emitIf(B.CreateFreeze(MayRun)));
    if (Of.Bound)
      moveTo(emitIf(B.CreateIsNull(countBeyond(*Of.Bound))));
    Type *SizeTy = F.getDataLayout().getIntPtrType(F.getContext());
    Value *Panels = B.CreateMul(Of.Size, i64(NumPanels * BlockSize * Bytes));
    Value *All =
        Beside ? B.CreateAdd(Panels, Beside->memory(BlockSize)) : Panels;
    Memory = callMalloc(B, *F.getParent(), B.CreateTrunc(All, SizeTy));
    Instruction *Done = emitIf(B.CreateIsNotNull(Memory));
    moveTo(Done);
    if (Beside)
      Beside->setMemory(B.CreatePtrAdd(Memory, Panels), BlockSize);
    emitLoop(
        i64(0), Of.Size,
        [&](Value *First) {
          Value *Next = B.CreateAdd(First, i64(BlockSize));
          Value *IsLast = B.CreateICmpSGT(Next, Of.Size);
          emitBlock({First, B.CreateSelect(IsLast, Of.Size, Next)});
        },
        BlockSize);
    callFree(B, *F.getParent(), Memory);
    Done->setSuccessor(0, &After);
    return {First, Innermost};
  }

private:
  /// Of the rows and the columns of a block.
  enum Panel { OldRow, NewRow, OldColumn, NewColumn, NumPanels };

  /// In 32 bits, which is enough, and as wide as most elements: vectors of them
  /// are compared.
  Value *isUpTo(Value *Index, Value *K) {
    return B.CreateICmpSLE(B.CreateTrunc(Index, B.getInt32Ty()),
                           B.CreateTrunc(K, B.getInt32Ty()));
  }

  Value *addressInMatrix(Value *Row, Value *Column) {
    Value *InColumn = B.CreatePtrAdd(Of.Base, B.CreateMul(Row, Of.RowStride));
    return B.CreatePtrAdd(InColumn, B.CreateMul(Column, Of.ColumnStride));
  }

  /// The line of a panel for a step of a block.
  Value *lineOf(Value *Which, Value *Step) {
    Value *Line = B.CreateAdd(B.CreateMul(Which, i64(BlockSize)), Step);
    return B.CreatePtrAdd(Memory,
                          B.CreateMul(B.CreateMul(Line, Of.Size), i64(Bytes)));
  }
  Value *lineOf(Panel Which, Value *Step) { return lineOf(i64(Which), Step); }

  Value *addressInLine(Value *Line, Value *Index) {
    return B.CreatePtrAdd(Line, B.CreateMul(Index, i64(Bytes)));
  }
  Value *loadFrom(Value *Line, Value *Index) {
    return B.CreateLoad(ElemTy, addressInLine(Line, Index));
  }
  void storeTo(Value *Line, Value *Index, Value *V) {
    B.CreateStore(V, addressInLine(Line, Index));
  }

  Value *loadElement(Value *Address) {
    LoadInst *Load = B.CreateAlignedLoad(ElemTy, Address, Of.Store->getAlign());
    Load->setAAMetadata(Of.Store->getAAMetadata());
    return Load;
  }
  Value *loadElement(Value *Row, Value *Column) {
    return loadElement(addressInMatrix(Row, Column));
  }

  /// What an element is after a step.
  Value *after(const ElementsOfStep &Elements) {
    SquareStep Step(Of, DT, B, Elements);
    Value *IsStored = Step.isStored(), *Stored = Step.stored();
    return IsStored ? B.CreateSelect(IsStored, Stored, Elements.Element)
                    : Stored;
  }

  void storeElement(Value *V, Value *Address) {
    Instruction *Store = B.Insert(Of.Store->clone());
    Store->setOperand(0, V);
    Store->setOperand(1, Address);
  }

  /// \p StoreBeside, if there is a companion, where the element is stored.
  void emitUpdate(Value *Row, Value *Column, Value *OfColumn, Value *OfRow,
                  function_ref<void()> StoreBeside = nullptr) {
    Value *Address = addressInMatrix(Row, Column);
    SquareStep Step(Of, DT, B, {loadElement(Address), OfColumn, OfRow});
    Value *IsStored = Step.isStored(), *Stored = Step.stored();
    Instruction *Here = &*B.GetInsertPoint();
    if (IsStored)
      moveTo(emitIf(IsStored));
    storeElement(Stored, Address);
    if (Beside)
      StoreBeside();
    moveTo(Here);
  }

  /// What a step finds of its row or column: \p Before it where \p IsBefore, or where
  /// that \p IsKept for a line, and \p After it elsewhere.
  Value *found(bool IsKept, Value *IsBefore, Value *Before, Value *After) {
    return IsKept ? Before : B.CreateSelect(IsBefore, Before, After);
  }

  /// Step \p K, the \p Step-th of the block: its row and column, before and
  /// after.
  void emitPanels(Value *K, Value *Step) {
    Value *Corner = loadElement(K, K),
          *NewCorner = after({Corner, Corner, Corner});
    auto CornerFor = [&](Value *Index, bool IsKept) {
      return found(IsKept, isUpTo(Index, K), Corner, NewCorner);
    };
    Value *Old = lineOf(OldRow, Step), *New = lineOf(NewRow, Step);
    emitLoop(i64(0), Of.Size, [&](Value *J) {
      Value *Element = loadElement(K, J);
      storeTo(Old, J, Element);
      storeTo(New, J, after({Element, CornerFor(J, Of.ColumnIsKept), Element}));
    });
    Old = lineOf(OldColumn, Step), New = lineOf(NewColumn, Step);
    emitLoop(i64(0), Of.Size, [&](Value *I) {
      Value *Element = loadElement(I, K);
      storeTo(Old, I, Element);
      storeTo(New, I, after({Element, Element, CornerFor(I, Of.RowIsKept)}));
    });
  }

  /// Step \p K for a part of the matrix that row and column k may cross.
  void emitStep(Value *K, Value *Step, Range Rows, Range Columns,
                function_ref<void(Value *, Value *)> StoreBeside) {
    Value *Old = lineOf(OldRow, Step), *New = lineOf(NewRow, Step);
    Value *OldOf = lineOf(OldColumn, Step), *NewOf = lineOf(NewColumn, Step);
    Instruction *Here = &*B.GetInsertPoint();
    moveTo(emitIf(B.CreateICmpSLT(Columns.Begin, Columns.End)));
    emitLoopIfAny(Rows, [&](Value *I) {
      Value *Line = found(Of.RowIsKept, B.CreateICmpSLE(I, K), Old, New);
      Value *Before = loadFrom(OldOf, I), *After = loadFrom(NewOf, I);
      auto Update = [&](Value *J) {
        Value *OfColumn = found(Of.ColumnIsKept, isUpTo(J, K), Before, After);
        emitUpdate(I, J, OfColumn, loadFrom(Line, J),
                   [&] { StoreBeside(I, J); });
      };
      // With a companion, that is what pays.
      emitLoop(Columns.Begin, Columns.End, Update, 1,
               Beside ? Iterations::InVectors : Iterations::Parallel);
    });
    moveTo(Here);
  }

  /// The same for the rows of \p Block, and then for the columns of the other rows.
  void emitStepOfBlock(Value *K, Value *Step, Range Block) {
    Range All{i64(0), Of.Size},
        Others[] = {{i64(0), Block.Begin}, {Block.End, Of.Size}};
    auto Store = [&](Value *I, Value *J) { Beside->storeBeside(K, I, J); };
    auto Emit = [&](Range Rows, Range Columns) {
      emitStep(K, Step, Rows, Columns, Store);
    };
    // Lines whose own step has been made stay as they are.
    auto Note = [&](Range Rows, Range Columns) {
      Notes In = Beside->ofLines(Block.Begin);
      Value *V = Beside->numberOf(Step);
      emitStep(K, Step, Rows, Columns,
               [&](Value *I, Value *J) { Beside->store(In, I, J, V); });
    };
    Range Done{Block.Begin, K}, Rest{K, Block.End};
    if (Beside && Beside->kind() == Companion::OfRow) {
      Note(Done, All);
      Emit(Rest, All);
    } else if (Beside && Beside->kind() == Companion::OfColumn) {
      Emit(Block, Others[0]);
      Note(All, Done);
      Emit(All, Rest);
      return Emit(Block, Others[1]);
    } else {
      Emit(Block, All);
    }
    for (Range Rows : Others)
      Emit(Rows, Block);
  }

  /// Whether a line is made of which D[i][k] is \p OfColumn.
  Value *isLineMade(Value *OfColumn) {
    return SquareStep(Of, DT, B, {nullptr, OfColumn, nullptr}).isLineMade();
  }

  /// A loop over \p Over that adds what \p Added says to \p Sum.
  Value *emitSum(Range Over, Value *Sum, function_ref<Value *(Value *)> Added,
                 int64_t Step = 1) {
    BasicBlock *Before = B.GetInsertBlock();
    PHINode *Phi = nullptr;
    emitLoop(
        Over.Begin, Over.End,
        [&](Value *Index) {
          Phi = B.CreatePHI(Sum->getType(), 2, "sum");
          Phi->addIncoming(Sum, Before);
          Sum = B.CreateAdd(Phi, Added(Index));
        },
        Step);
    Phi->addIncoming(Sum, cast<Instruction>(Sum)->getParent());
    return Sum;
  }

  /// How many elements are beyond \p Bound.
  Value *countBeyond(const ElementBound &Bound) {
    Range All{i64(0), Of.Size};
    return emitSum(All, i64(0), [&](Value *I) {
      return emitSum(All, i64(0), [&](Value *J) {
        Value *Is = B.CreateCmp(Bound.Beyond, loadElement(I, J), Bound.Limit);
        return B.CreateZExt(Is, B.getInt64Ty());
      });
    });
  }

  /// Whether so few lines of \p Block are made, as far as some rows tell in front of it,
  /// that those are faster one by one. (Measured on Zen 4, with AVX-512.)
  Value *areLinesFew(Range Block) {
    constexpr int64_t Sample =
        7; // where there is little to do, counting takes long
    auto CountInRow = [&](Value *I) {
      return emitSum(Block, i64(0), [&](Value *K) {
        return B.CreateZExt(isLineMade(loadElement(I, K)), B.getInt64Ty());
      });
    };
    Value *Made = emitSum({i64(0), Of.Size}, i64(0), CountInRow, Sample);
    Value *Rows =
        B.CreateUDiv(B.CreateAdd(Of.Size, i64(Sample - 1)), i64(Sample));
    Value *All = B.CreateMul(Rows, B.CreateSub(Block.End, Block.Begin));
    auto IsBelow = [&](int64_t N) { return B.CreateICmpSLT(Of.Size, i64(N)); };
    Value *Eighths = B.CreateSelect(
        IsBelow(64), i64(6), B.CreateSelect(IsBelow(128), i64(4), i64(2)));
    return B.CreateICmpSLT(B.CreateMul(Made, i64(8)),
                           B.CreateMul(All, Eighths));
  }

  /// Step \p K as the source makes it.
  void emitLines(Value *K) {
    emitLoop(i64(0), Of.Size, [&](Value *I) {
      Value *Kept = loadElement(I, K);
      Instruction *Here = &*B.GetInsertPoint();
      moveTo(emitIf(isLineMade(Kept)));
      emitLoop(i64(0), Of.Size, [&](Value *J) {
        Value *OfColumn = Of.ColumnIsKept ? Kept : loadElement(I, K);
        emitUpdate(I, J, OfColumn, loadElement(K, J),
                   [&] { Beside->storeBeside(K, I, J); });
      });
      moveTo(Here);
    });
  }

  /// The steps of \p Block, in another order if that is faster.
  void emitBlock(Range Block) {
    if (!Of.Line)
      return emitReordered(Block);
    Value *AreFew = areLinesFew(Block);
    Instruction *Here = &*B.GetInsertPoint(), *IfFew, *IfMany;
    SplitBlockAndInsertIfThenElse(AreFew, Here, &IfFew, &IfMany);
    moveTo(IfFew);
    emitLoop(Block.Begin, Block.End, [&](Value *K) { emitLines(K); });
    moveTo(IfMany);
    emitReordered(Block);
    moveTo(Here);
  }

  void emitReordered(Range Block) {
    std::optional<Range> Rows, Columns; ///< of which there are notes
    Range All{i64(0), Of.Size};
    if (Beside && Beside->kind() != Companion::OfStep) {
      bool OfRow = Beside->kind() == Companion::OfRow;
      Rows = OfRow ? Block : All;
      Columns = OfRow ? All : Block;
      Beside->clear(Beside->ofLines(Block.Begin), *Rows, *Columns);
    }
    emitLoop(Block.Begin, Block.End, [&](Value *K) {
      Value *Step = B.CreateSub(K, Block.Begin);
      emitPanels(K, Step);
      emitStepOfBlock(K, Step, Block);
    });
    emitLoop(i64(0), i64(4), [&](Value *Part) { emitPart(Part, Block); });
    if (Rows)
      Beside->storeNoted(Beside->ofLines(Block.Begin), Block.Begin, *Rows,
                         *Columns, Iterations::InOrder);
  }

  /// Before the block in rows, columns, or both, or behind it.
  void emitPart(Value *Part, Range Block) {
    auto PartOf = [&](Value *IsBehind) {
      return Range{B.CreateSelect(IsBehind, Block.End, i64(0)),
                   B.CreateSelect(IsBehind, Of.Size, Block.Begin)};
    };
    Value *IsBelow = B.CreateICmpUGE(Part, i64(2));
    Value *IsRight = B.CreateTrunc(Part, B.getInt1Ty());
    Range Rows = PartOf(IsBelow), Columns = PartOf(IsRight);
    Value *RowPanel = B.CreateSelect(
        IsBelow, i64(Of.RowIsKept ? OldRow : NewRow), i64(OldRow));
    Value *ColumnPanel = B.CreateSelect(
        IsRight, i64(Of.ColumnIsKept ? OldColumn : NewColumn), i64(OldColumn));
    Value *IsAny = B.CreateAnd(B.CreateICmpSLT(Rows.Begin, Rows.End),
                               B.CreateICmpSLT(Columns.Begin, Columns.End));
    Instruction *Here = &*B.GetInsertPoint();
    moveTo(emitIf(IsAny));
    Value *OfRows = lineOf(RowPanel, i64(0));
    Value *OfColumns = lineOf(ColumnPanel, i64(0));
    Value *Steps = B.CreateSub(Block.End, Block.Begin);
    if (Beside)
      emitNotedSums(Rows, Columns, OfRows, OfColumns, Block);
    else
      emitSums(Rows, Columns, OfRows, OfColumns, Steps);
    moveTo(Here);
  }

  void emitSums(Range Rows, Range Columns, Value *OfRows, Value *OfColumns,
                Value *Steps) {
    emitLoop(Rows.Begin, Rows.End, [&](Value *I) {
      emitLoop(i64(0), Steps, [&](Value *Step) {
        Value *Line = B.CreateMul(Step, Of.Size);
        Value *OfColumn = loadFrom(OfColumns, B.CreateAdd(Line, I));
        emitLoop(Columns.Begin, Columns.End, [&](Value *J) {
          Innermost = B.GetInsertBlock();
          emitUpdate(I, J, OfColumn, loadFrom(OfRows, B.CreateAdd(Line, J)));
        });
      });
    });
  }

  /// The same with notes for the companion, row by row. Elements stay in registers for
  /// some steps, in vectors that LLVM makes of the innermost loop.
  void emitNotedSums(Range Rows, Range Columns, Value *OfRows, Value *OfColumns,
                     Range Block) {
    constexpr int64_t Together = 8;
    Value *Steps = B.CreateSub(Block.End, Block.Begin);
    Value *Whole = B.CreateAnd(Steps, i64(-Together));
    emitLoop(Rows.Begin, Rows.End, [&](Value *I) {
      Notes In = Beside->ofRow(I);
      Range Row{I, B.CreateAdd(I, i64(1))};
      Beside->clear(In, Row, Columns);
      auto EmitSteps = [&](Value *Step, int64_t Count) {
        emitNotedSteps(I, Columns, OfRows, OfColumns, Step, Count, In);
      };
      emitLoopIfAny(
          {i64(0), Whole}, [&](Value *Step) { EmitSteps(Step, Together); },
          Together);
      emitLoopIfAny({Whole, Steps}, [&](Value *Step) { EmitSteps(Step, 1); });
      Beside->storeNoted(In, Block.Begin, Row, Columns, Iterations::Parallel);
    });
  }

  /// \p Count steps from \p First on for row \p I.
  void emitNotedSteps(Value *I, Range Columns, Value *OfRows, Value *OfColumns,
                      Value *First, int64_t Count, const Notes &In) {
    struct Step {
      Value *Line, *OfColumn, *Number;
    };
    SmallVector<Step, 8> Steps;
    for (int64_t N = 0; N < Count; ++N) {
      Value *Index = B.CreateAdd(First, i64(N));
      Value *Line = B.CreateMul(Index, Of.Size);
      Steps.push_back({Line, loadFrom(OfColumns, B.CreateAdd(Line, I)),
                       Beside->numberOf(Index)});
    }
    auto Update = [&](Value *J) {
      Innermost = B.GetInsertBlock();
      Value *Address = addressInMatrix(I, J);
      Value *Element = loadElement(Address);
      Value *Before = Beside->load(In, I, J), *Note = Before;
      for (const Step &S : Steps) {
        SquareStep Made(
            Of, DT, B,
            {Element, S.OfColumn, loadFrom(OfRows, B.CreateAdd(S.Line, J))});
        Value *IsStored = Made.isStored();
        Element = B.CreateSelect(IsStored, Made.stored(), Element);
        Note = B.CreateSelect(IsStored, S.Number, Note);
      }
      Instruction *Here = &*B.GetInsertPoint();
      moveTo(emitIf(B.CreateICmpNE(Note, Before)));
      storeElement(Element, Address);
      Beside->store(In, I, J, Note);
      moveTo(Here);
    };
    emitLoop(Columns.Begin, Columns.End, Update, 1, Iterations::InVectors);
  }

  const SquareSteps &Of;
  Function &F;
  Type *ElemTy;
  int64_t Bytes;
  /// Elements of the sums that may stay as they are are compared once a block. With a
  /// companion, steps are made in the same way in lines of the block and elsewhere, but
  /// for one by one in lines.
  int64_t BlockSize;
  DominatorTree DT; ///< as it was: of the source's loops
  std::optional<CompanionBlocks> Beside;
  Value *Memory = nullptr;
  BasicBlock *Innermost = nullptr;
};

} // namespace

BlockedSteps blockSteps(const SquareSteps &Steps, BasicBlock &After) {
  return Blocker(Steps).run(After);
}

} // namespace tilesmith
