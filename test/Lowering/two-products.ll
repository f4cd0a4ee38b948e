; acc + mm1 + mm2 is one chain of fused multiply-adds.
; RUN: %opt -passes=tilesmith-lower -mtriple=x86_64-linux-gnu -mcpu=haswell -S %s | FileCheck %s

; CHECK:     [[C:%.*]] = load <4 x double>, ptr %C
; CHECK:     [[A1:%.*]] = load <4 x double>, ptr %A1
; CHECK:     [[A2:%.*]] = load <4 x double>, ptr %A2
; CHECK:     [[S1:%.*]] = call contract <4 x double> @llvm.fmuladd.v4f64(<4 x double> [[A1]], <4 x double> {{%.*}}, <4 x double> [[C]])
; CHECK:     [[S2:%.*]] = call contract <4 x double> @llvm.fmuladd.v4f64(<4 x double> [[A2]], <4 x double> {{%.*}}, <4 x double> [[S1]])
; CHECK:     store <4 x double> [[S2]], ptr %C
define void @kernel(ptr %A1, ptr %A2, ptr %B, ptr %C) {
  %c = load <4 x double>, ptr %C
  %a1 = load <4 x double>, ptr %A1
  %a2 = load <4 x double>, ptr %A2
  %b = load <1 x double>, ptr %B
  %mm1 = call contract <4 x double> @llvm.matrix.multiply.v4f64.v4f64.v1f64(<4 x double> %a1, <1 x double> %b, i32 4, i32 1, i32 1)
  %mm2 = call contract <4 x double> @llvm.matrix.multiply.v4f64.v4f64.v1f64(<4 x double> %a2, <1 x double> %b, i32 4, i32 1, i32 1)
  %sum1 = fadd contract <4 x double> %c, %mm1
  %sum2 = fadd contract <4 x double> %sum1, %mm2
  store <4 x double> %sum2, ptr %C
  ret void
}
