; Integers multiply and add; the addition always continues with the terms of the
; product, and loses nuw and nsw, which the longer sum need not fulfil.
; RUN: %opt -passes=tilesmith-lower -mtriple=x86_64-linux-gnu -mcpu=haswell -S %s | FileCheck %s

; CHECK-LABEL: define void @kernel(
; CHECK:      [[A0:%.*]] = load <8 x i32>, ptr %A
; CHECK:      [[A1:%.*]] = load <8 x i32>
; CHECK:      [[C:%.*]] = load <8 x i32>, ptr %C
; CHECK:      [[P0:%.*]] = mul <8 x i32> [[A0]],
; CHECK-NEXT: [[S0:%.*]] = add <8 x i32> [[C]], [[P0]]
; CHECK:      [[P1:%.*]] = mul <8 x i32> [[A1]],
; CHECK-NEXT: [[S1:%.*]] = add <8 x i32> [[S0]], [[P1]]
; CHECK:      store <8 x i32> [[S1]], ptr %C

define void @kernel(ptr %A, ptr %B, ptr %C) {
  %a = load <16 x i32>, ptr %A
  %b = load <2 x i32>, ptr %B
  %c = load <8 x i32>, ptr %C
  %ab = call <8 x i32> @llvm.matrix.multiply.v8i32.v16i32.v2i32(<16 x i32> %a, <2 x i32> %b, i32 8, i32 2, i32 1)
  %sum = add nsw <8 x i32> %c, %ab
  store <8 x i32> %sum, ptr %C
  ret void
}
