; With `reassoc` on both, the terms of the product continue the sum. Then their
; order is decided.
; RUN: %opt -passes=tilesmith-lower -mtriple=x86_64-linux-gnu -mcpu=haswell -S %s | FileCheck %s

; CHECK:     [[A0:%.*]] = load <4 x double>, ptr %A
; CHECK:     [[A1:%.*]] = load <4 x double>
; CHECK:     [[C:%.*]] = load <4 x double>, ptr %C
; CHECK-NOT: fmul
; CHECK:     [[S0:%.*]] = call contract <4 x double> @llvm.fmuladd.v4f64(<4 x double> [[A0]], <4 x double> {{%.*}}, <4 x double> [[C]])
; CHECK:     [[S1:%.*]] = call contract <4 x double> @llvm.fmuladd.v4f64(<4 x double> [[A1]], <4 x double> {{%.*}}, <4 x double> [[S0]])
; CHECK-NOT: fadd
; CHECK:     store <4 x double> [[S1]], ptr %C
define void @kernel(ptr %A, ptr %B, ptr %C) {
  %a = load <8 x double>, ptr %A
  %b = load <2 x double>, ptr %B
  %c = load <4 x double>, ptr %C
  %ab = call reassoc contract <4 x double> @llvm.matrix.multiply.v4f64.v8f64.v2f64(<8 x double> %a, <2 x double> %b, i32 4, i32 2, i32 1)
  %sum = fadd reassoc contract <4 x double> %c, %ab
  store <4 x double> %sum, ptr %C
  ret void
}
