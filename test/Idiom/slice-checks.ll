; The ends of a row that is a slice: both are sums of counters, one must not be beyond
; the other, and the second not beyond the array. What must hold is tested in front,
; for all rows at once.
;
; RUN: %opt -passes='print<tilesmith-idioms>' -disable-output %s 2>&1 | FileCheck %s
; RUN: %opt -passes=tilesmith-rewrite -pass-remarks=tilesmith -pass-remarks-missed=tilesmith -S %s 2>&1 -o /dev/null | FileCheck --check-prefix=REMARK %s
; CHECK: function 'rows'
; CHECK: A row-major
; CHECK: function 'of_element'
; CHECK: not replaced: EarlyExit
; REMARK: replaced 2-loop nest {{.*}}by GEMV f64
; REMARK: not replaced: the loop can be left early
; REMARK-NOT: replaced

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare void @panic(i64, i64) noreturn

define void @rows(i64 %m, i64 %k, ptr noalias %a, i64 %a.length, ptr noalias %x, ptr noalias %y) {
entry:
  br label %rows

rows:
  %i = phi i64 [ 0, %entry ], [ %i.next, %rows.end ]
  %i.next = add nuw nsw i64 %i, 1
  %begin = mul i64 %i, %k
  %end = mul i64 %i.next, %k
  %turned = icmp ult i64 %end, %begin
  %beyond = icmp ugt i64 %end, %a.length
  %fails = or i1 %turned, %beyond
  br i1 %fails, label %fail, label %row

row:
  %a.i = getelementptr double, ptr %a, i64 %begin
  br label %steps

steps:
  %p = phi i64 [ 0, %row ], [ %p.next, %steps ]
  %sum = phi double [ 0.0, %row ], [ %sum.next, %steps ]
  %ptr.a = getelementptr double, ptr %a.i, i64 %p
  %ptr.x = getelementptr double, ptr %x, i64 %p
  %v = load double, ptr %ptr.a
  %w = load double, ptr %ptr.x
  %vw = fmul double %v, %w
  %sum.next = fadd double %sum, %vw
  %p.next = add nuw nsw i64 %p, 1
  %steps.done = icmp eq i64 %p.next, %k
  br i1 %steps.done, label %rows.end, label %steps

rows.end:
  %ptr.y = getelementptr double, ptr %y, i64 %i
  store double %sum.next, ptr %ptr.y
  %rows.done = icmp eq i64 %i.next, %m
  br i1 %rows.done, label %exit, label %rows

fail:
  call void @panic(i64 %begin, i64 %end)
  unreachable

exit:
  ret void
}

; Where a row begins is read from memory.
define void @of_element(i64 %m, i64 %k, ptr noalias %a, i64 %a.length, ptr noalias %x, ptr noalias %y, ptr noalias %ends) {
entry:
  br label %rows

rows:
  %i = phi i64 [ 0, %entry ], [ %i.next, %rows.end ]
  %i.next = add nuw nsw i64 %i, 1
  %begin = mul i64 %i, %k
  %ptr.end = getelementptr i64, ptr %ends, i64 %i
  %end = load i64, ptr %ptr.end
  %turned = icmp ult i64 %end, %begin
  br i1 %turned, label %fail, label %row

row:
  %a.i = getelementptr double, ptr %a, i64 %begin
  br label %steps

steps:
  %p = phi i64 [ 0, %row ], [ %p.next, %steps ]
  %sum = phi double [ 0.0, %row ], [ %sum.next, %steps ]
  %ptr.a = getelementptr double, ptr %a.i, i64 %p
  %ptr.x = getelementptr double, ptr %x, i64 %p
  %v = load double, ptr %ptr.a
  %w = load double, ptr %ptr.x
  %vw = fmul double %v, %w
  %sum.next = fadd double %sum, %vw
  %p.next = add nuw nsw i64 %p, 1
  %steps.done = icmp eq i64 %p.next, %k
  br i1 %steps.done, label %rows.end, label %steps

rows.end:
  %ptr.y = getelementptr double, ptr %y, i64 %i
  store double %sum.next, ptr %ptr.y
  %rows.done = icmp eq i64 %i.next, %m
  br i1 %rows.done, label %exit, label %rows

fail:
  call void @panic(i64 %begin, i64 %end)
  unreachable

exit:
  ret void
}
