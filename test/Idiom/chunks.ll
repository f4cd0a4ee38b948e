; Rows that are chunks of an array. How many there are is known once it is tested that
; the last one is as long as the others, where that is not so in any case.
;
; RUN: %opt -passes='print<tilesmith-idioms>' -disable-output %s 2>&1 | FileCheck %s
; CHECK: function 'exact'
; CHECK: A row-major
; CHECK: function 'any'
; CHECK: A row-major
; CHECK: function 'counted'
; CHECK: A row-major
; CHECK: function 'by_another'
; CHECK: not replaced

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; for (rest = length; rest >= n; rest -= n)
define void @exact(i64 %length, i64 %n, ptr noalias %a, ptr noalias %x, ptr noalias %y) {
entry:
  %none = icmp eq i64 %n, 0
  br i1 %none, label %exit, label %chunks

chunks:
  %i = phi i64 [ 0, %entry ], [ %i.next, %chunks.end ]
  %rest = phi i64 [ %length, %entry ], [ %rest.next, %chunks.end ]
  %row = phi ptr [ %a, %entry ], [ %row.next, %chunks.end ]
  br label %steps

steps:
  %p = phi i64 [ 0, %chunks ], [ %p.next, %steps ]
  %sum = phi double [ 0.0, %chunks ], [ %sum.next, %steps ]
  %ptr.a = getelementptr double, ptr %row, i64 %p
  %ptr.x = getelementptr double, ptr %x, i64 %p
  %v = load double, ptr %ptr.a
  %w = load double, ptr %ptr.x
  %vw = fmul double %v, %w
  %sum.next = fadd double %sum, %vw
  %p.next = add nuw nsw i64 %p, 1
  %steps.done = icmp eq i64 %p.next, %n
  br i1 %steps.done, label %chunks.end, label %steps

chunks.end:
  %ptr.y = getelementptr double, ptr %y, i64 %i
  store double %sum.next, ptr %ptr.y
  %i.next = add nuw i64 %i, 1
  %row.next = getelementptr double, ptr %row, i64 %n
  %rest.next = sub nuw i64 %rest, %n
  %done = icmp ugt i64 %n, %rest.next
  br i1 %done, label %exit, label %chunks

exit:
  ret void
}

; for (rest = length; rest != 0; rest -= min(n, rest))
define void @any(i64 %length, i64 %n, ptr noalias %a, ptr noalias %x, ptr noalias %y) {
entry:
  %none = icmp eq i64 %length, 0
  br i1 %none, label %exit, label %chunks

chunks:
  %i = phi i64 [ 0, %entry ], [ %i.next, %chunks.end ]
  %rest = phi i64 [ %length, %entry ], [ %rest.next, %chunks.end ]
  %row = phi ptr [ %a, %entry ], [ %row.next, %chunks.end ]
  %size = call i64 @llvm.umin.i64(i64 %n, i64 %rest)
  br label %steps

steps:
  %p = phi i64 [ 0, %chunks ], [ %p.next, %steps ]
  %sum = phi double [ 0.0, %chunks ], [ %sum.next, %steps ]
  %ptr.a = getelementptr double, ptr %row, i64 %p
  %ptr.x = getelementptr double, ptr %x, i64 %p
  %v = load double, ptr %ptr.a
  %w = load double, ptr %ptr.x
  %vw = fmul double %v, %w
  %sum.next = fadd double %sum, %vw
  %p.next = add nuw nsw i64 %p, 1
  %steps.done = icmp eq i64 %p.next, %size
  br i1 %steps.done, label %chunks.end, label %steps

chunks.end:
  %ptr.y = getelementptr double, ptr %y, i64 %i
  store double %sum.next, ptr %ptr.y
  %i.next = add nuw i64 %i, 1
  %row.next = getelementptr double, ptr %row, i64 %size
  %rest.next = sub nuw i64 %rest, %size
  %done = icmp eq i64 %rest.next, 0
  br i1 %done, label %exit, label %chunks

exit:
  ret void
}

; for (i = 0; i < m; ++i) for (p = 0; p < min(n, length - i * n); ++p)
define void @counted(i64 %m, i64 %length, i64 %n, ptr noalias %a, ptr noalias %x, ptr noalias %y) {
entry:
  br label %chunks

chunks:
  %i = phi i64 [ 0, %entry ], [ %i.next, %chunks.end ]
  %begin = mul i64 %i, %n
  %rest = sub nuw i64 %length, %begin
  %size = call i64 @llvm.umin.i64(i64 %n, i64 %rest)
  %row = getelementptr double, ptr %a, i64 %begin
  %empty = icmp eq i64 %size, 0
  br i1 %empty, label %chunks.end, label %steps

steps:
  %p = phi i64 [ 0, %chunks ], [ %p.next, %steps ]
  %sum = phi double [ 0.0, %chunks ], [ %sum.next, %steps ]
  %ptr.a = getelementptr double, ptr %row, i64 %p
  %ptr.x = getelementptr double, ptr %x, i64 %p
  %v = load double, ptr %ptr.a
  %w = load double, ptr %ptr.x
  %vw = fmul double %v, %w
  %sum.next = fadd double %sum, %vw
  %p.next = add nuw nsw i64 %p, 1
  %steps.done = icmp eq i64 %p.next, %size
  br i1 %steps.done, label %chunks.end, label %steps

chunks.end:
  %result = phi double [ 0.0, %chunks ], [ %sum.next, %steps ]
  %ptr.y = getelementptr double, ptr %y, i64 %i
  store double %result, ptr %ptr.y
  %i.next = add nuw i64 %i, 1
  %done = icmp eq i64 %i.next, %m
  br i1 %done, label %exit, label %chunks

exit:
  ret void
}

; What is left goes down by another number.
define void @by_another(i64 %m, i64 %length, i64 %n, i64 %d, ptr noalias %a, ptr noalias %x, ptr noalias %y) {
entry:
  br label %chunks

chunks:
  %i = phi i64 [ 0, %entry ], [ %i.next, %chunks.end ]
  %begin = mul i64 %i, %d
  %rest = sub nuw i64 %length, %begin
  %size = call i64 @llvm.umin.i64(i64 %n, i64 %rest)
  %row = getelementptr double, ptr %a, i64 %begin
  br label %steps

steps:
  %p = phi i64 [ 0, %chunks ], [ %p.next, %steps ]
  %sum = phi double [ 0.0, %chunks ], [ %sum.next, %steps ]
  %ptr.a = getelementptr double, ptr %row, i64 %p
  %ptr.x = getelementptr double, ptr %x, i64 %p
  %v = load double, ptr %ptr.a
  %w = load double, ptr %ptr.x
  %vw = fmul double %v, %w
  %sum.next = fadd double %sum, %vw
  %p.next = add nuw nsw i64 %p, 1
  %steps.done = icmp eq i64 %p.next, %size
  br i1 %steps.done, label %chunks.end, label %steps

chunks.end:
  %ptr.y = getelementptr double, ptr %y, i64 %i
  store double %sum.next, ptr %ptr.y
  %i.next = add nuw i64 %i, 1
  %done = icmp eq i64 %i.next, %m
  br i1 %done, label %exit, label %chunks

exit:
  ret void
}

declare i64 @llvm.umin.i64(i64, i64)
