; Loops on both sides of a test inside another loop: LLVM has one block behind
; both for what their last iterations store. Each gets its own, and is left behind
; its latch: what its rows start from is stored where there are no steps.
;
; RUN: %opt -passes=tilesmith-rewrite -pass-remarks=tilesmith -pass-remarks-missed=tilesmith -S %s 2>&1 -o /dev/null | FileCheck %s
; CHECK: replaced 3-loop nest {{.*}}by TRMM f64 {{.*}}, with an epilogue
; CHECK: replaced 3-loop nest {{.*}}by TRMM f64
; CHECK-NOT: replaced

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

define void @lut(i1 %unit, i64 %m, i64 %n, double %alpha, ptr noalias %a, ptr noalias %b) {
entry:
  %has.m = icmp sgt i64 %m, 0
  %has.n = icmp sgt i64 %n, 0
  %has = and i1 %has.m, %has.n
  br i1 %has, label %columns, label %exit

columns:
  %j = phi i64 [ 0, %entry ], [ %j.next, %last ]
  %j.row = mul i64 %j, %m
  %b.j = getelementptr double, ptr %b, i64 %j.row
  br i1 %unit, label %rows.unit, label %rows

rows:
  %i = phi i64 [ %i.next, %latch ], [ %m, %columns ]
  %i.next = add nsw i64 %i, -1
  %b.ij = getelementptr double, ptr %b.j, i64 %i.next
  %c = load double, ptr %b.ij
  %m.1 = add i64 %m, 1
  %i.diagonal = mul i64 %i.next, %m.1
  %a.ii = getelementptr double, ptr %a, i64 %i.diagonal
  %d = load double, ptr %a.ii
  %start = fmul double %c, %d
  %more = icmp sgt i64 %i, 1
  br i1 %more, label %before, label %last

before:
  %i.row = mul i64 %i.next, %m
  %a.i = getelementptr double, ptr %a, i64 %i.row
  br label %steps

steps:
  %k = phi i64 [ 0, %before ], [ %k.next, %steps ]
  %sum = phi double [ %start, %before ], [ %sum.next, %steps ]
  %a.ki = getelementptr double, ptr %a.i, i64 %k
  %x = load double, ptr %a.ki
  %b.kj = getelementptr double, ptr %b.j, i64 %k
  %y = load double, ptr %b.kj
  %product = fmul double %x, %y
  %sum.next = fadd double %sum, %product
  %k.next = add nuw nsw i64 %k, 1
  %k.done = icmp eq i64 %k.next, %i.next
  br i1 %k.done, label %latch, label %steps

latch:
  %scaled = fmul double %alpha, %sum.next
  store double %scaled, ptr %b.ij
  br label %rows

rows.unit:
  %u = phi i64 [ %u.next, %latch.unit ], [ %m, %columns ]
  %u.next = add nsw i64 %u, -1
  %b.uj = getelementptr double, ptr %b.j, i64 %u.next
  %c.unit = load double, ptr %b.uj
  %more.unit = icmp sgt i64 %u, 1
  br i1 %more.unit, label %before.unit, label %last

before.unit:
  %u.row = mul i64 %u.next, %m
  %a.u = getelementptr double, ptr %a, i64 %u.row
  br label %steps.unit

steps.unit:
  %l = phi i64 [ 0, %before.unit ], [ %l.next, %steps.unit ]
  %sum.unit = phi double [ %c.unit, %before.unit ], [ %sum.unit.next, %steps.unit ]
  %a.lu = getelementptr double, ptr %a.u, i64 %l
  %v = load double, ptr %a.lu
  %b.lj = getelementptr double, ptr %b.j, i64 %l
  %w = load double, ptr %b.lj
  %product.unit = fmul double %v, %w
  %sum.unit.next = fadd double %sum.unit, %product.unit
  %l.next = add nuw nsw i64 %l, 1
  %l.done = icmp eq i64 %l.next, %u.next
  br i1 %l.done, label %latch.unit, label %steps.unit

latch.unit:
  %scaled.unit = fmul double %alpha, %sum.unit.next
  store double %scaled.unit, ptr %b.uj
  br label %rows.unit

last:
  %first = phi double [ %c.unit, %rows.unit ], [ %start, %rows ]
  %at = phi ptr [ %b.uj, %rows.unit ], [ %b.ij, %rows ]
  %scaled.last = fmul double %alpha, %first
  store double %scaled.last, ptr %at
  %j.next = add nuw nsw i64 %j, 1
  %j.done = icmp eq i64 %j.next, %n
  br i1 %j.done, label %exit, label %columns

exit:
  ret void
}
