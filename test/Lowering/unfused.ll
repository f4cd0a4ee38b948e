; A product is rounded before the addition unless both carry `contract`, the
; product has this one use, and the operation is an addition.
; RUN: %opt -passes=tilesmith-lower -mtriple=x86_64-linux-gnu -mcpu=haswell -S %s | FileCheck %s

; CHECK-NOT: fmuladd

; CHECK-LABEL: define <4 x double> @strict(
; CHECK: [[P:%.*]] = fmul <4 x double>
; CHECK: fadd <4 x double> {{%.*}}, [[P]]
define <4 x double> @strict(<4 x double> %acc, <4 x double> %a, <1 x double> %b) {
  %ab = call <4 x double> @llvm.matrix.multiply.v4f64.v4f64.v1f64(<4 x double> %a, <1 x double> %b, i32 4, i32 1, i32 1)
  %sum = fadd <4 x double> %acc, %ab
  ret <4 x double> %sum
}

; CHECK-LABEL: define <4 x double> @only_multiply(
; CHECK: [[P:%.*]] = fmul nnan contract <4 x double>
; CHECK: fadd <4 x double> {{%.*}}, [[P]]
define <4 x double> @only_multiply(<4 x double> %acc, <4 x double> %a, <1 x double> %b) {
  %ab = call nnan contract <4 x double> @llvm.matrix.multiply.v4f64.v4f64.v1f64(<4 x double> %a, <1 x double> %b, i32 4, i32 1, i32 1)
  %sum = fadd <4 x double> %acc, %ab
  ret <4 x double> %sum
}

; CHECK-LABEL: define <4 x double> @only_add(
; CHECK: [[P:%.*]] = fmul <4 x double>
; CHECK: fadd contract <4 x double> {{%.*}}, [[P]]
define <4 x double> @only_add(<4 x double> %acc, <4 x double> %a, <1 x double> %b) {
  %ab = call <4 x double> @llvm.matrix.multiply.v4f64.v4f64.v1f64(<4 x double> %a, <1 x double> %b, i32 4, i32 1, i32 1)
  %sum = fadd contract <4 x double> %acc, %ab
  ret <4 x double> %sum
}

; CHECK-LABEL: define <4 x double> @subtract(
; CHECK: [[P:%.*]] = fmul contract <4 x double>
; CHECK: fsub contract <4 x double> {{%.*}}, [[P]]
define <4 x double> @subtract(<4 x double> %acc, <4 x double> %a, <1 x double> %b) {
  %ab = call contract <4 x double> @llvm.matrix.multiply.v4f64.v4f64.v1f64(<4 x double> %a, <1 x double> %b, i32 4, i32 1, i32 1)
  %difference = fsub contract <4 x double> %acc, %ab
  ret <4 x double> %difference
}

; CHECK-LABEL: define <4 x double> @two_uses(
; CHECK: [[P:%.*]] = fmul contract <4 x double>
; CHECK: fadd contract <4 x double> {{%.*}}, [[P]]
; CHECK: store <4 x double> [[P]], ptr %other
define <4 x double> @two_uses(<4 x double> %acc, <4 x double> %a, <1 x double> %b, ptr %other) {
  %ab = call contract <4 x double> @llvm.matrix.multiply.v4f64.v4f64.v1f64(<4 x double> %a, <1 x double> %b, i32 4, i32 1, i32 1)
  %sum = fadd contract <4 x double> %acc, %ab
  store <4 x double> %ab, ptr %other
  ret <4 x double> %sum
}
