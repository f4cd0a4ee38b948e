; A fused multiply-add promises what both the product and the addition promise.
; RUN: %opt -passes=tilesmith-lower -mtriple=x86_64-linux-gnu -mcpu=haswell -S %s | FileCheck %s

; CHECK: call ninf contract <4 x double> @llvm.fmuladd
; CHECK: fneg nsz <4 x double>
define void @kernel(ptr %C, <4 x double> %a, <1 x double> %b) {
  %c = load <4 x double>, ptr %C
  %ab = call nnan ninf contract <4 x double> @llvm.matrix.multiply.v4f64.v4f64.v1f64(<4 x double> %a, <1 x double> %b, i32 4, i32 1, i32 1)
  %sum = fadd ninf nsz contract <4 x double> %c, %ab
  %negated = fneg nsz <4 x double> %sum
  store <4 x double> %negated, ptr %C
  ret void
}
