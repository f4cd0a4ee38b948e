; A phi of the result of an invoke cannot be cut: no place on the edge dominates
; the phi. It is cut after the phi instead.
; RUN: %opt -passes=tilesmith-lower,verify -mtriple=x86_64-linux-gnu -mcpu=haswell -S %s | FileCheck %s

declare <8 x double> @produce()
declare i32 @__gxx_personality_v0(...)

; CHECK:      [[A:%.*]] = phi <8 x double>
; CHECK-NEXT: shufflevector <8 x double> [[A]], {{.*}} <i32 0, i32 1, i32 2, i32 3>
; CHECK-NEXT: shufflevector <8 x double> [[A]], {{.*}} <i32 4, i32 5, i32 6, i32 7>
define <8 x double> @kernel(i1 %cond, <8 x double> %x, <1 x double> %b) personality ptr @__gxx_personality_v0 {
entry:
  br i1 %cond, label %call, label %join
call:
  %v = invoke <8 x double> @produce() to label %join unwind label %unwind
join:
  %a = phi <8 x double> [ %x, %entry ], [ %v, %call ]
  %ab = call <8 x double> @llvm.matrix.multiply.v8f64.v8f64.v1f64(<8 x double> %a, <1 x double> %b, i32 8, i32 1, i32 1)
  ret <8 x double> %ab
unwind:
  %pad = landingpad { ptr, i32 } cleanup
  resume { ptr, i32 } %pad
}
