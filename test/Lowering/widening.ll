; Casts are repeated on the pieces, on the scalars of B too.
; RUN: %opt -passes=tilesmith-lower -mtriple=x86_64-linux-gnu -mcpu=haswell -S %s | FileCheck %s

; CHECK-LABEL: define void @kernel(
; CHECK:      [[A:%.*]] = load <8 x i8>, ptr %A
; CHECK-NEXT: [[B:%.*]] = load i8, ptr %B
; CHECK-NEXT: [[AX:%.*]] = sext <8 x i8> [[A]] to <8 x i32>
; CHECK-NEXT: [[BX:%.*]] = zext i8 [[B]] to i32
; CHECK-NEXT: insertelement <8 x i32> poison, i32 [[BX]], i64 0
; CHECK:      [[P:%.*]] = mul <8 x i32> [[AX]],
; CHECK-NEXT: store <8 x i32> [[P]], ptr %C

define void @kernel(ptr %A, ptr %B, ptr %C) {
  %a = load <8 x i8>, ptr %A
  %b = load <1 x i8>, ptr %B
  %ax = sext <8 x i8> %a to <8 x i32>
  %bx = zext <1 x i8> %b to <1 x i32>
  %ab = call <8 x i32> @llvm.matrix.multiply.v8i32.v8i32.v1i32(<8 x i32> %ax, <1 x i32> %bx, i32 8, i32 1, i32 1)
  store <8 x i32> %ab, ptr %C
  ret void
}
