; Registers hold more of the shorter type; the product may be the left operand
; of the addition.
; RUN: %opt -passes=tilesmith-lower -mtriple=x86_64-linux-gnu -mcpu=haswell -S %s | FileCheck %s

; CHECK-LABEL: define void @kernel(
; CHECK:     [[A:%.*]] = load <8 x float>, ptr %A, align 4
; CHECK:     [[B0:%.*]] = load float, ptr %B, align 4
; CHECK:     [[B1:%.*]] = load float
; CHECK:     [[C0:%.*]] = load <8 x float>, ptr %C, align 4
; CHECK:     [[C1:%.*]] = load <8 x float>
; CHECK:     insertelement <8 x float> poison, float [[B0]], i64 0
; CHECK:     call contract <8 x float> @llvm.fmuladd.v8f32(<8 x float> [[A]], <8 x float> {{%.*}}, <8 x float> [[C0]])
; CHECK:     insertelement <8 x float> poison, float [[B1]], i64 0
; CHECK:     call contract <8 x float> @llvm.fmuladd.v8f32(<8 x float> [[A]], <8 x float> {{%.*}}, <8 x float> [[C1]])
; CHECK-NOT: fadd

define void @kernel(ptr %A, ptr %B, ptr %C) {
  %a = load <8 x float>, ptr %A, align 4
  %b = load <2 x float>, ptr %B, align 4
  %c = load <16 x float>, ptr %C, align 4
  %ab = call contract <16 x float> @llvm.matrix.multiply.v16f32.v8f32.v2f32(<8 x float> %a, <2 x float> %b, i32 8, i32 1, i32 2)
  %sum = fadd contract <16 x float> %ab, %c
  store <16 x float> %sum, ptr %C, align 4
  ret void
}
