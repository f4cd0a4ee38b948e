; A counter of an inner loop is used behind the nest, without a phi at the exits:
; it comes from in front of the nest if the kernel has run.
;
; RUN: %opt -passes='tilesmith-rewrite<min-work=1;verify>' -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; CHECK-LABEL: define i64 @f(
; CHECK: exit:
; CHECK-NEXT: [[J:%.*]] = phi i64 [ {{%.*}}, %i.latch ], [ 16, %codeRepl ]
; CHECK-NEXT: mul i64 [[J]], 3

define i64 @f(i64 %n, ptr noalias %a, ptr noalias %b, ptr noalias %c) {
entry:
  br label %i.loop

i.loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %i.latch ]
  %a.row = getelementptr [17 x float], ptr %a, i64 %i
  %c.row = getelementptr [17 x float], ptr %c, i64 %i
  br label %j.loop

j.loop:
  %j = phi i64 [ 0, %i.loop ], [ %j.next, %j.latch ]
  %b.column = getelementptr float, ptr %b, i64 %j
  br label %k.loop

k.loop:
  %k = phi i64 [ 0, %j.loop ], [ %k.next, %k.loop ]
  %sum = phi float [ 0.0, %j.loop ], [ %sum.next, %k.loop ]
  %a.at = getelementptr float, ptr %a.row, i64 %k
  %x = load float, ptr %a.at
  %b.at = getelementptr [17 x float], ptr %b.column, i64 %k
  %y = load float, ptr %b.at
  %sum.next = call float @llvm.fmuladd.f32(float %x, float %y, float %sum)
  %k.next = add nuw nsw i64 %k, 1
  %k.more = icmp ult i64 %k.next, 17
  br i1 %k.more, label %k.loop, label %j.latch

j.latch:
  %c.at = getelementptr float, ptr %c.row, i64 %j
  store float %sum.next, ptr %c.at
  %j.next = add nuw nsw i64 %j, 1
  %j.more = icmp ult i64 %j.next, 17
  br i1 %j.more, label %j.loop, label %i.latch

i.latch:
  %i.next = add nuw nsw i64 %i, 1
  %i.more = icmp ult i64 %i.next, %n
  br i1 %i.more, label %i.loop, label %exit

exit:
  %r = mul i64 %j, 3
  ret i64 %r
}

declare float @llvm.fmuladd.f32(float, float, float)
