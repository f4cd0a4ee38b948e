; The result of a multiplication is the left operand of a second one, and the
; right operand of a third: its pieces are used, or its elements extracted.
; RUN: %opt -passes=tilesmith-lower -mtriple=x86_64-linux-gnu -mcpu=haswell -S %s | FileCheck %s

; CHECK-LABEL: define void @left(
; CHECK:     [[AB:%.*]] = fmul <4 x double>
; CHECK-NOT: shufflevector <4 x double> [[AB]]
; CHECK:     fmul <4 x double> [[AB]],
define void @left(ptr %A, ptr %B, ptr %C) {
  %a = load <4 x double>, ptr %A
  %b = load <1 x double>, ptr %B
  %ab = call <4 x double> @llvm.matrix.multiply.v4f64.v4f64.v1f64(<4 x double> %a, <1 x double> %b, i32 4, i32 1, i32 1)
  %abb = call <4 x double> @llvm.matrix.multiply.v4f64.v4f64.v1f64(<4 x double> %ab, <1 x double> %b, i32 4, i32 1, i32 1)
  store <4 x double> %abb, ptr %C
  ret void
}

; CHECK-LABEL: define void @right(
; CHECK: [[AB:%.*]] = fmul <4 x double>
; CHECK: [[WHOLE:%.*]] = shufflevector <4 x double> poison,
; CHECK: [[AB0:%.*]] = extractelement <4 x double> [[WHOLE]], i64 0
; CHECK: fmul <4 x double> {{%.*}}, {{%.*}}
define void @right(ptr %A, ptr %B, ptr %C) {
  %a = load <4 x double>, ptr %A
  %b = load <1 x double>, ptr %B
  %ab = call <4 x double> @llvm.matrix.multiply.v4f64.v4f64.v1f64(<4 x double> %a, <1 x double> %b, i32 4, i32 1, i32 1)
  %aab = call <16 x double> @llvm.matrix.multiply.v16f64.v4f64.v4f64(<4 x double> %a, <4 x double> %ab, i32 4, i32 1, i32 4)
  store <16 x double> %aab, ptr %C
  ret void
}
