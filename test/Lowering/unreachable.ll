; Code that is never reached goes away, with its llvm.matrix.* and its cycles.
; RUN: %opt -passes=tilesmith-lower -S %s | FileCheck %s

; CHECK-NOT: call {{.*}} @llvm.matrix
; CHECK:     ret void
; CHECK-NOT: dead:
define void @kernel(<4 x double> %a, <1 x double> %b) {
  ret void
dead:
  %acc = phi <4 x double> [ %next, %dead ]
  %ab = call <4 x double> @llvm.matrix.multiply.v4f64.v4f64.v1f64(<4 x double> %a, <1 x double> %b, i32 4, i32 1, i32 1)
  %next = fadd <4 x double> %acc, %ab
  br label %dead
}
