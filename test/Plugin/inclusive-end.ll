; As Rust's `for j in 0..=i`: the counter stays at the end in the last iteration, which
; might be the greatest number. In a copy of the nest, it goes on. If it is used behind
; the test, it must not.
;
; RUN: %opt -passes=tilesmith-rewrite -pass-remarks=tilesmith -pass-remarks-missed=tilesmith -S %s 2>&1 -o /dev/null | FileCheck %s
; CHECK: replaced 3-loop nest {{.*}}by SYRK f64
; CHECK: not replaced: the number of iterations of a loop cannot be computed
; CHECK-NOT: replaced

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

define void @syrk(i64 %n, i64 %k, ptr noalias %a, ptr noalias %c) {
entry:
  br label %rows

rows:
  %i = phi i64 [ 0, %entry ], [ %i.next, %rows.end ]
  %a.i = mul i64 %i, %k
  %c.i = mul i64 %i, %n
  br label %columns

columns:
  %j = phi i64 [ 0, %rows ], [ %j.next, %columns.end ]
  %at.end = icmp uge i64 %j, %i
  %before.end = xor i1 %at.end, true
  %step = zext i1 %before.end to i64
  %j.next = add nuw i64 %j, %step
  %a.j = mul i64 %j, %k
  br label %steps

steps:
  %p = phi i64 [ 0, %columns ], [ %p.next, %steps ]
  %sum = phi double [ 0.0, %columns ], [ %sum.next, %steps ]
  %at.a = add i64 %a.i, %p
  %at.b = add i64 %a.j, %p
  %ptr.a = getelementptr double, ptr %a, i64 %at.a
  %ptr.b = getelementptr double, ptr %a, i64 %at.b
  %x = load double, ptr %ptr.a
  %y = load double, ptr %ptr.b
  %xy = fmul double %x, %y
  %sum.next = fadd double %sum, %xy
  %p.next = add nuw nsw i64 %p, 1
  %steps.done = icmp eq i64 %p.next, %k
  br i1 %steps.done, label %columns.end, label %steps

columns.end:
  %at.c = add i64 %c.i, %j
  %ptr.c = getelementptr double, ptr %c, i64 %at.c
  store double %sum.next, ptr %ptr.c
  %beyond = icmp ugt i64 %j.next, %i
  %columns.done = select i1 %at.end, i1 true, i1 %beyond
  br i1 %columns.done, label %rows.end, label %columns

rows.end:
  %i.next = add nuw i64 %i, 1
  %rows.done = icmp eq i64 %i.next, %n
  br i1 %rows.done, label %exit, label %rows

exit:
  ret void
}

define void @used_behind(i64 %n, i64 %k, ptr noalias %a, ptr noalias %c) {
entry:
  br label %rows

rows:
  %i = phi i64 [ 0, %entry ], [ %i.next, %rows.end ]
  %a.i = mul i64 %i, %k
  %c.i = mul i64 %i, %n
  br label %columns

columns:
  %j = phi i64 [ 0, %rows ], [ %j.next, %columns.end ]
  %at.end = icmp uge i64 %j, %i
  %before.end = xor i1 %at.end, true
  %step = zext i1 %before.end to i64
  %j.next = add nuw i64 %j, %step
  %a.j = mul i64 %j.next, %k
  br label %steps

steps:
  %p = phi i64 [ 0, %columns ], [ %p.next, %steps ]
  %sum = phi double [ 0.0, %columns ], [ %sum.next, %steps ]
  %at.a = add i64 %a.i, %p
  %at.b = add i64 %a.j, %p
  %ptr.a = getelementptr double, ptr %a, i64 %at.a
  %ptr.b = getelementptr double, ptr %a, i64 %at.b
  %x = load double, ptr %ptr.a
  %y = load double, ptr %ptr.b
  %xy = fmul double %x, %y
  %sum.next = fadd double %sum, %xy
  %p.next = add nuw nsw i64 %p, 1
  %steps.done = icmp eq i64 %p.next, %k
  br i1 %steps.done, label %columns.end, label %steps

columns.end:
  %at.c = add i64 %c.i, %j
  %ptr.c = getelementptr double, ptr %c, i64 %at.c
  store double %sum.next, ptr %ptr.c
  %beyond = icmp ugt i64 %j.next, %i
  %columns.done = select i1 %at.end, i1 true, i1 %beyond
  br i1 %columns.done, label %rows.end, label %columns

rows.end:
  %i.next = add nuw i64 %i, 1
  %rows.done = icmp eq i64 %i.next, %n
  br i1 %rows.done, label %exit, label %rows

exit:
  ret void
}
