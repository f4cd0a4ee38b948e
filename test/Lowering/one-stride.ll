; One stride for columns of elements of two sizes: its multiples differ.
; REQUIRES: x86-registered-target
; RUN: %opt -passes=tilesmith-lower -mcpu=znver4 -S %s | FileCheck %s

target triple = "x86_64-unknown-linux-gnu"

; The second and the fourth column of four bytes, and of eight.
; CHECK-LABEL: @widened(
; CHECK-DAG: mul i64 %stride, 4
; CHECK-DAG: mul i64 %stride, 12
; CHECK-DAG: mul i64 %stride, 8
; CHECK-DAG: mul i64 %stride, 24
define void @widened(ptr %A, ptr %B, ptr %C, ptr %D, i64 %stride) {
  %c = call <32 x i32> @llvm.matrix.column.major.load.v32i32.i64(ptr align 4 %C, i64 %stride, i1 false, i32 8, i32 4)
  %wide = sext <32 x i32> %c to <32 x i64>
  %a = load <8 x i64>, ptr %A
  %b = load <4 x i64>, ptr %B
  %ab = call <32 x i64> @llvm.matrix.multiply.v32i64.v8i64.v4i64(<8 x i64> %a, <4 x i64> %b, i32 8, i32 1, i32 4)
  %sum = add <32 x i64> %wide, %ab
  call void @llvm.matrix.column.major.store.v32i64.i64(<32 x i64> %sum, ptr align 8 %D, i64 %stride, i1 false, i32 8, i32 4)
  ret void
}
