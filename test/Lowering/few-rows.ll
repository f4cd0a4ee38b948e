; A product with one row is computed as one with one column, in vectors along n;
; if its terms may be added in any order, vectors along k are an alternative.
; RUN: %opt -passes=tilesmith-lower -mtriple=x86_64-linux-gnu -mcpu=haswell -S %s | FileCheck %s

; B is transposed: four columns of 4, no scalar multiplication.
; CHECK-LABEL: define void @row(
; CHECK-COUNT-8: shufflevector <4 x double>
; CHECK-NOT:     fmul contract double
; CHECK:         fmul contract <4 x double>
; CHECK-COUNT-3: call contract <4 x double> @llvm.fmuladd.v4f64
; CHECK:         store <4 x double>
; CHECK:         ret void
define void @row(ptr %A, ptr %B, ptr noalias %C) {
  %a = load <4 x double>, ptr %A, align 8
  %b = load <16 x double>, ptr %B, align 8
  %ab = call contract <4 x double> @llvm.matrix.multiply.v4f64.v4f64.v16f64(<4 x double> %a, <16 x double> %b, i32 1, i32 4, i32 4)
  store <4 x double> %ab, ptr %C, align 8
  ret void
}

; A matrix that is transposed already is used as it is.
; CHECK-LABEL: define void @row_of_transposed(
; CHECK-NOT:     shufflevector <4 x double> {{%[^,]*}}, <4 x double> %
; CHECK:         ret void
define void @row_of_transposed(ptr %A, ptr %B, ptr noalias %C) {
  %a = load <4 x double>, ptr %A, align 8
  %b = load <16 x double>, ptr %B, align 8
  %t = call <16 x double> @llvm.matrix.transpose.v16f64(<16 x double> %b, i32 4, i32 4)
  %ab = call contract <4 x double> @llvm.matrix.multiply.v4f64.v4f64.v16f64(<4 x double> %a, <16 x double> %t, i32 1, i32 4, i32 4)
  store <4 x double> %ab, ptr %C, align 8
  ret void
}

; The terms beyond the last whole register leave the other lanes as they are.
; CHECK-LABEL: define void @inner(
; CHECK:         fmul reassoc contract <8 x float>
; CHECK-COUNT-2: call reassoc contract <8 x float> @llvm.fmuladd.v8f32
; CHECK-NEXT:    shufflevector <8 x float> {{.*}}, <8 x i32> <i32 0, i32 1, i32 2, i32 11, i32 12, i32 13, i32 14, i32 15>
; CHECK:         call reassoc contract float @llvm.vector.reduce.fadd.v8f32(float -0.000000e+00,
; CHECK:         ret void
define void @inner(ptr %A, ptr %B, ptr noalias %C) {
  %a = load <19 x float>, ptr %A, align 4
  %b = load <19 x float>, ptr %B, align 4
  %ab = call reassoc contract <1 x float> @llvm.matrix.multiply.v1f32.v19f32.v19f32(<19 x float> %a, <19 x float> %b, i32 1, i32 19, i32 1)
  store <1 x float> %ab, ptr %C, align 4
  ret void
}

; Without the flag, in order.
; CHECK-LABEL: define void @inner_in_order(
; CHECK-NOT:     reduce
; CHECK-NOT:     fadd <8 x float>
; CHECK:         ret void
define void @inner_in_order(ptr %A, ptr %B, ptr noalias %C) {
  %a = load <19 x float>, ptr %A, align 4
  %b = load <19 x float>, ptr %B, align 4
  %ab = call contract <1 x float> @llvm.matrix.multiply.v1f32.v19f32.v19f32(<19 x float> %a, <19 x float> %b, i32 1, i32 19, i32 1)
  store <1 x float> %ab, ptr %C, align 4
  ret void
}

; Integers may be added in any order: four sums of eight lanes each.
; CHECK-LABEL: define void @integers(
; CHECK-NOT:     mul i32
; CHECK:         mul <8 x i32>
; CHECK:         ret void
define void @integers(ptr %A, ptr %B, ptr noalias %C) {
  %a = load <32 x i32>, ptr %A, align 4
  %b = load <128 x i32>, ptr %B, align 4
  %ab = call <4 x i32> @llvm.matrix.multiply.v4i32.v32i32.v128i32(<32 x i32> %a, <128 x i32> %b, i32 1, i32 32, i32 4)
  store <4 x i32> %ab, ptr %C, align 4
  ret void
}
