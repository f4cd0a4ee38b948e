; Products that are not fused with the sum are made piece by piece, each just before
; it is needed, and so are the loads, but not behind something that may write.
; RUN: %opt -passes=tilesmith-lower -mtriple=x86_64-linux-gnu -mcpu=haswell -S %s | FileCheck %s

; CHECK-LABEL: define void @sum_of_products(
; CHECK:      loop:
; CHECK-NEXT: [[C0:%.*]] = phi <4 x double>
; CHECK-NEXT: [[C1:%.*]] = phi <4 x double>
; CHECK:      [[A2:%.*]] = load <4 x double>, ptr %A2
; CHECK-NEXT: [[Q0:%.*]] = fmul <4 x double> [[A2]],
; CHECK:      [[A1:%.*]] = load <4 x double>, ptr %A1
; CHECK-NEXT: [[P0:%.*]] = fmul <4 x double> [[A1]],
; CHECK-NEXT: [[R0:%.*]] = fadd <4 x double> [[P0]], [[Q0]]
; CHECK-NEXT: fadd <4 x double> [[C0]], [[R0]]
; CHECK-NOT:  fadd
; CHECK:      [[Q1:%.*]] = fmul <4 x double> [[A2]],
; CHECK-NOT:  fadd
; CHECK:      [[P1:%.*]] = fmul <4 x double> [[A1]],
; CHECK-NEXT: [[R1:%.*]] = fadd <4 x double> [[P1]], [[Q1]]
; CHECK-NEXT: fadd <4 x double> [[C1]], [[R1]]
; CHECK:      br i1
define void @sum_of_products(ptr %A1, ptr %A2, ptr %B1, ptr %B2, ptr %C, i1 %again) {
entry:
  %c = load <8 x double>, ptr %C
  br label %loop

loop:
  %sum = phi <8 x double> [ %c, %entry ], [ %next, %loop ]
  %a1 = load <4 x double>, ptr %A1
  %a2 = load <4 x double>, ptr %A2
  %b1 = load <2 x double>, ptr %B1
  %b2 = load <2 x double>, ptr %B2
  %p = call <8 x double> @llvm.matrix.multiply.v8f64.v4f64.v2f64(<4 x double> %a1, <2 x double> %b1, i32 4, i32 1, i32 2)
  %q = call <8 x double> @llvm.matrix.multiply.v8f64.v4f64.v2f64(<4 x double> %a2, <2 x double> %b2, i32 4, i32 1, i32 2)
  %both = fadd <8 x double> %p, %q
  %next = fadd <8 x double> %sum, %both
  br i1 %again, label %loop, label %exit

exit:
  store <8 x double> %next, ptr %C
  ret void
}

; CHECK-LABEL: define <4 x double> @write_between(
; CHECK:      [[A:%.*]] = load <4 x double>, ptr %A
; CHECK:      store i8 0, ptr %other
; CHECK:      [[P:%.*]] = fmul <4 x double> [[A]],
; CHECK:      fadd <4 x double> {{%.*}}, [[P]]
define <4 x double> @write_between(ptr %A, <1 x double> %b, <4 x double> %sum, ptr %other) {
  %a = load <4 x double>, ptr %A
  %p = call <4 x double> @llvm.matrix.multiply.v4f64.v4f64.v1f64(<4 x double> %a, <1 x double> %b, i32 4, i32 1, i32 1)
  store i8 0, ptr %other
  %next = fadd <4 x double> %sum, %p
  ret <4 x double> %next
}

; So are products that a fence keeps from being fused, as the other one is.
; CHECK-LABEL: define void @rounded_product(
; CHECK:      loop:
; CHECK:      [[C0:%.*]] = phi <4 x double>
; CHECK:      [[C1:%.*]] = phi <4 x double>
; CHECK:      [[Q0:%.*]] = fmul contract <4 x double>
; CHECK-NEXT: [[F0:%.*]] = call <4 x double> @llvm.arithmetic.fence.v4f64(<4 x double> [[Q0]])
; CHECK:      [[R0:%.*]] = call contract <4 x double> @llvm.fmuladd.v4f64({{.*}}, <4 x double> [[F0]])
; CHECK-NEXT: fadd contract <4 x double> [[C0]], [[R0]]
; CHECK:      [[Q1:%.*]] = fmul contract <4 x double>
; CHECK-NEXT: [[F1:%.*]] = call <4 x double> @llvm.arithmetic.fence.v4f64(<4 x double> [[Q1]])
; CHECK:      [[R1:%.*]] = call contract <4 x double> @llvm.fmuladd.v4f64({{.*}}, <4 x double> [[F1]])
; CHECK-NEXT: fadd contract <4 x double> [[C1]], [[R1]]
define void @rounded_product(ptr %A1, ptr %A2, ptr %B1, ptr %B2, ptr %C, i1 %again) {
entry:
  %c = load <8 x double>, ptr %C
  br label %loop

loop:
  %sum = phi <8 x double> [ %c, %entry ], [ %next, %loop ]
  %a1 = load <4 x double>, ptr %A1
  %a2 = load <4 x double>, ptr %A2
  %b1 = load <2 x double>, ptr %B1
  %b2 = load <2 x double>, ptr %B2
  %p = call contract <8 x double> @llvm.matrix.multiply.v8f64.v4f64.v2f64(<4 x double> %a1, <2 x double> %b1, i32 4, i32 1, i32 2)
  %q = call contract <8 x double> @llvm.matrix.multiply.v8f64.v4f64.v2f64(<4 x double> %a2, <2 x double> %b2, i32 4, i32 1, i32 2)
  %rounded = call <8 x double> @llvm.arithmetic.fence.v8f64(<8 x double> %q)
  %both = fadd contract <8 x double> %p, %rounded
  %next = fadd contract <8 x double> %sum, %both
  br i1 %again, label %loop, label %exit

exit:
  store <8 x double> %next, ptr %C
  ret void
}
