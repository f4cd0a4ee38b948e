; Where a step is chosen element by element, each piece of a sum is made just before
; it is chosen, so that few registers are under way at a time.
; RUN: %opt -passes=tilesmith-lower -mtriple=x86_64-linux-gnu -mcpu=haswell -S %s | FileCheck %s

; CHECK-LABEL: define void @chosen(
; CHECK:      loop:
; CHECK:      [[R0:%.*]] = call contract <4 x double> @llvm.fmuladd
; CHECK-NOT:  fmuladd
; CHECK:      select <4 x i1> {{.*}}, <4 x double> [[R0]],
; CHECK-NOT:  select
; CHECK:      [[R1:%.*]] = call contract <4 x double> @llvm.fmuladd
; CHECK:      select <4 x i1> {{.*}}, <4 x double> [[R1]],
; CHECK:      br i1

; What is the same in all steps is not looked at.
; CHECK-LABEL: define void @constant(
; CHECK:      loop:
; CHECK:      call contract <4 x double> @llvm.fmuladd
; CHECK-NOT:  select
; CHECK:      call contract <4 x double> @llvm.fmuladd
; CHECK:      select
define void @chosen(ptr %A, ptr %B, ptr %C, <8 x i32> %limit, i1 %again) {
entry:
  %c = load <8 x double>, ptr %C
  br label %loop

loop:
  %sum = phi <8 x double> [ %c, %entry ], [ %next, %loop ]
  %a = load <4 x double>, ptr %A
  %b = load <2 x double>, ptr %B
  %p = call contract <8 x double> @llvm.matrix.multiply.v8f64.v4f64.v2f64(<4 x double> %a, <2 x double> %b, i32 4, i32 1, i32 2)
  %made = fadd contract <8 x double> %sum, %p
  %is = icmp sle <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 0, i32 1, i32 2, i32 3>, %limit
  %next = select <8 x i1> %is, <8 x double> %made, <8 x double> %sum
  br i1 %again, label %loop, label %exit

exit:
  store <8 x double> %next, ptr %C
  ret void
}

define void @constant(ptr %A, ptr %B, ptr %C, i1 %again) {
entry:
  %c = load <8 x double>, ptr %C
  br label %loop

loop:
  %sum = phi <8 x double> [ %c, %entry ], [ %next, %loop ]
  %a = load <4 x double>, ptr %A
  %b = load <2 x double>, ptr %B
  %p = call contract <8 x double> @llvm.matrix.multiply.v8f64.v4f64.v2f64(<4 x double> %a, <2 x double> %b, i32 4, i32 1, i32 2)
  %made = fadd contract <8 x double> %sum, %p
  %next = select <8 x i1> <i1 true, i1 false, i1 true, i1 true, i1 true, i1 true, i1 false, i1 true>, <8 x double> %made, <8 x double> %sum
  br i1 %again, label %loop, label %exit

exit:
  store <8 x double> %next, ptr %C
  ret void
}
