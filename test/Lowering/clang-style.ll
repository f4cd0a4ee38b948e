; Code of clang's matrix extension: the transposition is left to LLVM's own
; pass, the multiplication around it is cut.
; RUN: %opt -passes=tilesmith-lower -mtriple=x86_64-linux-gnu -mcpu=haswell -S %s | FileCheck %s

; CHECK-LABEL: define void @at_times_b(
; CHECK-NOT: @llvm.matrix
; CHECK:     fmul contract <4 x double>
; CHECK:     call contract <4 x double> @llvm.fmuladd.v4f64
; CHECK-NOT: call {{.*}} @llvm.matrix
; CHECK:     ret void
define void @at_times_b(ptr %A, ptr %B, ptr %C) {
  %a = call <16 x double> @llvm.matrix.column.major.load.v16f64.i64(ptr align 8 %A, i64 4, i1 false, i32 4, i32 4)
  %b = call <16 x double> @llvm.matrix.column.major.load.v16f64.i64(ptr align 8 %B, i64 4, i1 false, i32 4, i32 4)
  %at = call <16 x double> @llvm.matrix.transpose.v16f64(<16 x double> %a, i32 4, i32 4)
  %ab = call contract <16 x double> @llvm.matrix.multiply.v16f64.v16f64.v16f64(<16 x double> %at, <16 x double> %b, i32 4, i32 4, i32 4)
  call void @llvm.matrix.column.major.store.v16f64.i64(<16 x double> %ab, ptr align 8 %C, i64 4, i1 false, i32 4, i32 4)
  ret void
}

; CHECK-LABEL: define void @transpose_only(
; CHECK-NOT: call {{.*}} @llvm.matrix
; CHECK:     ret void
define void @transpose_only(ptr %A) {
  %a = load <6 x float>, ptr %A
  %at = call <6 x float> @llvm.matrix.transpose.v6f32(<6 x float> %a, i32 2, i32 3)
  store <6 x float> %at, ptr %A
  ret void
}

; No register tile is made of elements that are not addressable.
; CHECK-LABEL: define void @odd_type(
; CHECK-NOT: call {{.*}} @llvm.matrix
; CHECK:     ret void
define void @odd_type(ptr %C, <4 x i7> %a, <1 x i7> %b) {
  %ab = call <4 x i7> @llvm.matrix.multiply.v4i7.v4i7.v1i7(<4 x i7> %a, <1 x i7> %b, i32 4, i32 1, i32 1)
  store <4 x i7> %ab, ptr %C
  ret void
}
