//===- Packing.cpp - copying blocks into panels ---------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block of `count` rows (of A) or columns (of B) and K steps is cut into
// panels of W = PanelWidth of them. In a panel, the W elements of each step are
// adjacent:
//
//   dst[panel*W*K + k*W + x] = Map(src[(panel*W + x), k])
//
// The last panel is as wide as the micro kernel that reads it, and filled up
// with zeros. A panel is made strip by strip, a strip being a register wide;
// where the source is adjacent along k, squares are transposed in registers.
// Nothing outside the block is read.
//
//===----------------------------------------------------------------------===//

#include "KernelBuilder.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace tilesmith {

namespace {

/// Transposes the square matrix with these rows, in place, by swapping the
/// off-diagonal halves of ever smaller squares.
void transpose(IRBuilderBase &B, MutableArrayRef<Value *> Rows) {
  unsigned Width = Rows.size();
  for (unsigned Half = Width / 2; Half; Half /= 2) {
    SmallVector<int, 16> Low(Width), High(Width);
    for (unsigned I = 0; I < Width; ++I) {
      bool FromSecond = I & Half;
      Low[I] = FromSecond ? Width + I - Half : I;
      High[I] = FromSecond ? Width + I : I + Half;
    }
    for (unsigned I = 0; I < Width; ++I) {
      if (I & Half)
        continue;
      Value *X = Rows[I], *Y = Rows[I + Half];
      Rows[I] = B.CreateShuffleVector(X, Y, Low);
      Rows[I + Half] = B.CreateShuffleVector(X, Y, High);
    }
  }
}

} // namespace

Value *KernelBuilder::mapped(const Operand &X, Function &Pack, Value *Elements,
                             unsigned Width) {
  return evaluate(X.Map, Pack, Width, [&](Value *, Leaf) { return Elements; });
}

/// Strips element by element: steps from KBegin on, elements XBegin to XEnd,
/// those from Valid on being zero.
void KernelBuilder::emitElementwise(const Operand &X, Function &Pack,
                                    Value *Dst, Value *Src, Value *Ld,
                                    Value *KBegin, Value *XBegin, Value *XEnd,
                                    Value *Valid) {
  Value *StrideP = arg(Pack, "sP"), *StrideK = arg(Pack, "sK");
  Value *Read = umin(XEnd, Valid);
  emitLoop(KBegin, arg(Pack, "K"), i64(1), "k.rest", [&](Value *Step) {
    Value *DstRow = element(Dst, B.CreateMul(Step, Ld));
    Value *SrcRow = offset(Src, Step, StrideK);
    emitLoop(XBegin, Read, i64(1), "element", [&](Value *I) {
      Value *V = B.CreateAlignedLoad(X.X.ElemTy, offset(SrcRow, I, StrideP),
                                     X.X.Alignment);
      B.CreateAlignedStore(mapped(X, Pack, V, 0), element(DstRow, I),
                           Align(Size));
    });
    emitLoop(Read, XEnd, i64(1), "zero", [&](Value *I) {
      B.CreateAlignedStore(Constant::getNullValue(Op.SumTy), element(DstRow, I),
                           Align(Size));
    });
  });
}

/// Panels whose elements are all valid and adjacent in the source: a few steps
/// of all panels at a time, so that rows of the source are read from end to
/// end.
void KernelBuilder::emitWholePanels(const Operand &X, Function &Pack,
                                    Value *Count) {
  constexpr unsigned StepsAtATime = 8;
  Value *Steps = arg(Pack, "K");
  auto *PieceTy = FixedVectorType::get(X.X.ElemTy, stripWidth(X));
  uint64_t SrcSize = DL.getTypeStoreSize(X.X.ElemTy);
  emitLoop(i64(0), Steps, i64(StepsAtATime), "steps", [&](Value *Begin) {
    Value *End = umin(B.CreateAdd(Begin, i64(StepsAtATime)), Steps);
    emitLoop(i64(0), Count, i64(X.PanelWidth), "panel", [&](Value *Panel) {
      Value *Dst = element(arg(Pack, "dst"), B.CreateMul(Panel, Steps));
      Value *Src = offset(arg(Pack, "src"), Panel, i64(SrcSize));
      emitLoop(Begin, End, i64(1), "step", [&](Value *Step) {
        Value *From = offset(Src, Step, arg(Pack, "sK"));
        Value *To = element(Dst, B.CreateMul(Step, i64(X.PanelWidth)));
        for (unsigned I = 0; I < X.PanelWidth; I += stripWidth(X)) {
          Value *V = B.CreateAlignedLoad(
              PieceTy, B.CreatePtrAdd(From, i64(I * SrcSize)), X.X.Alignment);
          B.CreateAlignedStore(mapped(X, Pack, V, stripWidth(X)),
                               B.CreatePtrAdd(To, i64(I * Size)), Align(Size));
        }
      });
    });
  });
}

/// A strip of which all elements are valid, and adjacent along k in the source.
void KernelBuilder::emitTransposedStrip(const Operand &X, Function &Pack,
                                        Value *Dst, Value *Src, Value *Ld) {
  unsigned Width = stripWidth(X);
  Value *StrideP = arg(Pack, "sP"), *StrideK = arg(Pack, "sK");
  Value *Steps = arg(Pack, "K");
  auto *SrcTy = FixedVectorType::get(X.X.ElemTy, Width);
  Value *Whole = B.CreateAnd(Steps, i64(~uint64_t(Width - 1)));
  emitLoop(i64(0), Whole, i64(Width), "square", [&](Value *Step) {
    Value *Corner = offset(Src, Step, StrideK);
    SmallVector<Value *, 16> Rows;
    for (unsigned I = 0; I < Width; ++I) {
      Value *Row = B.CreateAlignedLoad(SrcTy, offset(Corner, i64(I), StrideP),
                                       X.X.Alignment);
      Rows.push_back(mapped(X, Pack, Row, Width));
    }
    transpose(B, Rows);
    for (unsigned I = 0; I < Width; ++I)
      B.CreateAlignedStore(
          Rows[I], element(Dst, B.CreateMul(B.CreateAdd(Step, i64(I)), Ld)),
          Align(Size));
  });
  emitElementwise(X, Pack, Dst, Src, Ld, Whole, i64(0), i64(Width), i64(Width));
}

/// A strip of which all elements are valid, and adjacent in the source.
void KernelBuilder::emitCopiedStrip(const Operand &X, Function &Pack,
                                    Value *Dst, Value *Src, Value *Ld) {
  auto *SrcTy = FixedVectorType::get(X.X.ElemTy, stripWidth(X));
  emitLoop(i64(0), arg(Pack, "K"), i64(1), "step", [&](Value *Step) {
    Value *V = B.CreateAlignedLoad(SrcTy, offset(Src, Step, arg(Pack, "sK")),
                                   X.X.Alignment);
    B.CreateAlignedStore(mapped(X, Pack, V, stripWidth(X)),
                         element(Dst, B.CreateMul(Step, Ld)), Align(Size));
  });
}

/// One panel: \p Width elements per step, of which \p Valid exist.
void KernelBuilder::emitPanel(const Operand &X, Function &Pack, Value *Dst,
                              Value *Src, Value *Valid, Value *Width) {
  Value *Strip = i64(stripWidth(X));
  emitLoop(i64(0), Width, Strip, "strip", [&](Value *Begin) {
    Value *End = B.CreateAdd(Begin, Strip);
    auto Elementwise = [&] {
      emitElementwise(X, Pack, Dst, Src, Width, i64(0), Begin, umin(End, Width),
                      Valid);
    };
    if (stripWidth(X) < 2 || !(X.X.isUnit(X.P, DL) || X.X.isUnit(K, DL)))
      return Elementwise();
    auto Vectors = [&] {
      Value *To = element(Dst, Begin);
      Value *From = offset(Src, Begin, arg(Pack, "sP"));
      if (X.X.isUnit(X.P, DL))
        emitCopiedStrip(X, Pack, To, From, Width);
      else
        emitTransposedStrip(X, Pack, To, From, Width);
    };
    emitIf(B.CreateICmpULE(End, Valid), "whole", Vectors, Elementwise);
  });
}

Function *KernelBuilder::buildPack(const Operand &X) {
  Function *F = createFunction(X.Name, B.getVoidTy(),
                               {{"dst", Ptr},
                                {"src", Ptr},
                                {"sP", I64},
                                {"sK", I64},
                                {"count", I64},
                                {"K", I64}});
  arg(*F, "dst")->addAttr(Attribute::NoAlias);
  arg(*F, "src")->addAttr(Attribute::NoAlias);
  arg(*F, "src")->addAttr(Attribute::ReadOnly);
  Value *Count = arg(*F, "count");
  bool IsA = X.P == M;
  Split Panels = IsA ? splitRows(Count)
                     : Split{alignDown(Count, X.PanelWidth), i64(X.PanelWidth)};
  auto EmitPanels = [&](Value *From, Value *To, Value *Step) {
    emitLoop(From, To, Step, "panel", [&](Value *Begin) {
      Value *Valid = umin(B.CreateSub(To, Begin), Step);
      Value *Dst = element(arg(*F, "dst"), B.CreateMul(Begin, arg(*F, "K")));
      Value *Src = offset(arg(*F, "src"), Begin, arg(*F, "sP"));
      emitPanel(X, *F, Dst, Src, Valid,
                IsA ? paddedRows(Valid) : paddedColumns(Valid));
    });
  };
  if (X.X.isUnit(X.P, DL))
    emitWholePanels(X, *F, Panels.Regular);
  else
    EmitPanels(i64(0), Panels.Regular, i64(X.PanelWidth));
  EmitPanels(Panels.Regular, Count, Panels.Step);
  B.CreateRetVoid();
  return F;
}

} // namespace tilesmith
