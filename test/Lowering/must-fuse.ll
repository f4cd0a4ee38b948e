; A product that the source fuses with llvm.fma is fused on targets without such
; an instruction, too, where llvm.fmuladd would round it.
; RUN: %opt -passes=tilesmith-lower -mtriple=x86_64-linux-gnu -S %s | FileCheck %s

; CHECK-LABEL: define <4 x double> @strict(
; CHECK: call contract <2 x double> @llvm.fma.v2f64(
; CHECK: call contract <2 x double> @llvm.fma.v2f64(
; CHECK-NOT: fmuladd
; CHECK: ret
define <4 x double> @strict(<4 x double> %acc, <4 x double> %a, <1 x double> %b) {
  %ab = call contract <4 x double> @llvm.matrix.multiply.v4f64.v4f64.v1f64(<4 x double> %a, <1 x double> %b, i32 4, i32 1, i32 1) "tilesmith-fma"
  %sum = fadd contract <4 x double> %acc, %ab
  ret <4 x double> %sum
}

; CHECK-LABEL: define <4 x double> @fence(
; CHECK-COUNT-2: call <2 x double> @llvm.arithmetic.fence.v2f64(
; CHECK: ret
define <4 x double> @fence(<4 x double> %acc, <4 x double> %a, <1 x double> %b) {
  %ab = call contract <4 x double> @llvm.matrix.multiply.v4f64.v4f64.v1f64(<4 x double> %a, <1 x double> %b, i32 4, i32 1, i32 1)
  %rounded = call <4 x double> @llvm.arithmetic.fence.v4f64(<4 x double> %ab)
  %sum = fadd contract <4 x double> %acc, %rounded
  ret <4 x double> %sum
}
