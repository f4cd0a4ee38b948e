; Sums start from another array, and are stored in each step, if there is a step
; at all: the copy that sets C does so in a block of its own, as none but the loop
; over k leads there.
;
; RUN: %opt -passes='tilesmith-rewrite<min-work=1;verify>' -pass-remarks=tilesmith -S -o %t.ll %s 2>&1 | FileCheck %s
; RUN: FileCheck %s --check-prefix=COPY < %t.ll
; CHECK: replaced 3-loop nest by GEMM f64

; COPY: {{^}}j.latch.loopexit{{.*}}.rest:
; COPY-NEXT: store double %start.rest, ptr %c.at.rest

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

define void @f(i64 %n, i64 %K, ptr noalias %a, ptr noalias %b, ptr noalias %start.at, ptr noalias %c) {
entry:
  %some = icmp sgt i64 %K, 0
  br label %i.loop

i.loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %i.latch ]
  %a.row = getelementptr double, ptr %a, i64 %i
  %c.row = getelementptr double, ptr %c, i64 %i
  br label %j.loop

j.loop:
  %j = phi i64 [ 0, %i.loop ], [ %j.next, %j.latch ]
  %b.at.first = getelementptr double, ptr %b, i64 %j
  br i1 %some, label %k.first, label %j.latch

k.first:
  %jn = mul nsw i64 %j, %n
  %c.at = getelementptr double, ptr %c.row, i64 %jn
  %start.here = getelementptr double, ptr %start.at, i64 %j
  %start = load double, ptr %start.here
  br label %k.loop

k.loop:
  %k = phi i64 [ 0, %k.first ], [ %k.next, %k.loop ]
  %sum = phi double [ %start, %k.first ], [ %sum.next, %k.loop ]
  %kn = mul nsw i64 %k, %n
  %a.at = getelementptr double, ptr %a.row, i64 %kn
  %x = load double, ptr %a.at
  %b.at = getelementptr double, ptr %b.at.first, i64 %kn
  %y = load double, ptr %b.at
  %sum.next = call double @llvm.fmuladd.f64(double %x, double %y, double %sum)
  store double %sum.next, ptr %c.at
  %k.next = add nuw nsw i64 %k, 1
  %k.more = icmp slt i64 %k.next, %K
  br i1 %k.more, label %k.loop, label %j.latch

j.latch:
  %j.next = add nuw nsw i64 %j, 1
  %j.more = icmp slt i64 %j.next, %n
  br i1 %j.more, label %j.loop, label %i.latch

i.latch:
  %i.next = add nuw nsw i64 %i, 1
  %i.more = icmp slt i64 %i.next, %n
  br i1 %i.more, label %i.loop, label %exit

exit:
  ret void
}

declare double @llvm.fmuladd.f64(double, double, double)
