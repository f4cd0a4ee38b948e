; Without `reassoc` on both, a product of two terms is summed up on its own, in
; order, and then added.
; RUN: %opt -passes=tilesmith-lower -mtriple=x86_64-linux-gnu -mcpu=haswell -S %s | FileCheck %s

; CHECK-LABEL: define void @contracted(
; CHECK:     [[A0:%.*]] = load <4 x double>, ptr %A
; CHECK:     [[P:%.*]] = fmul contract <4 x double> [[A0]],
; CHECK:     [[A1:%.*]] = load <4 x double>
; CHECK:     [[AB:%.*]] = call contract <4 x double> @llvm.fmuladd.v4f64(<4 x double> [[A1]], <4 x double> {{%.*}}, <4 x double> [[P]])
; CHECK:     [[C:%.*]] = load <4 x double>, ptr %C
; CHECK:     [[SUM:%.*]] = fadd reassoc contract <4 x double> [[C]], [[AB]]
; CHECK:     store <4 x double> [[SUM]], ptr %C
define void @contracted(ptr %A, ptr %B, ptr %C) {
  %a = load <8 x double>, ptr %A
  %b = load <2 x double>, ptr %B
  %c = load <4 x double>, ptr %C
  %ab = call contract <4 x double> @llvm.matrix.multiply.v4f64.v8f64.v2f64(<8 x double> %a, <2 x double> %b, i32 4, i32 2, i32 1)
  %sum = fadd reassoc contract <4 x double> %c, %ab
  store <4 x double> %sum, ptr %C
  ret void
}

; CHECK-LABEL: define void @strict(
; CHECK:     [[A0:%.*]] = load <4 x double>, ptr %A
; CHECK:     [[A1:%.*]] = load <4 x double>
; CHECK:     [[P0:%.*]] = fmul <4 x double> [[A0]],
; CHECK:     [[P1:%.*]] = fmul <4 x double> [[A1]],
; CHECK:     fadd <4 x double> [[P0]], [[P1]]
define void @strict(ptr %A, ptr %B, ptr %C) {
  %a = load <8 x double>, ptr %A
  %b = load <2 x double>, ptr %B
  %ab = call <4 x double> @llvm.matrix.multiply.v4f64.v8f64.v2f64(<8 x double> %a, <2 x double> %b, i32 4, i32 2, i32 1)
  store <4 x double> %ab, ptr %C
  ret void
}
