; Arrays that a plain pointer cannot reach are left alone.
;
; RUN: %opt -passes='print<tilesmith-plan>' -disable-output -mtriple=x86_64 -mcpu=haswell %s 2>&1 | FileCheck %s
; CHECK: not replaced: AddressSpace: an array is not in the default address space

define void @gemm(i64 %n, ptr addrspace(1) %A, ptr addrspace(1) %B, ptr addrspace(1) %C) {
entry:
  br label %rows
rows:
  %i = phi i64 [ 0, %entry ], [ %i.next, %rows.latch ]
  %row = mul nsw i64 %i, %n
  br label %columns
columns:
  %j = phi i64 [ 0, %rows ], [ %j.next, %columns.latch ]
  %ij = add nsw i64 %row, %j
  %c.ptr = getelementptr double, ptr addrspace(1) %C, i64 %ij
  br label %sum
sum:
  %k = phi i64 [ 0, %columns ], [ %k.next, %sum ]
  %acc = phi double [ 0.0, %columns ], [ %acc.next, %sum ]
  %ik = add nsw i64 %row, %k
  %kn = mul nsw i64 %k, %n
  %kj = add nsw i64 %kn, %j
  %a.ptr = getelementptr double, ptr addrspace(1) %A, i64 %ik
  %b.ptr = getelementptr double, ptr addrspace(1) %B, i64 %kj
  %a = load double, ptr addrspace(1) %a.ptr
  %b = load double, ptr addrspace(1) %b.ptr
  %acc.next = call double @llvm.fmuladd.f64(double %a, double %b, double %acc)
  %k.next = add nuw nsw i64 %k, 1
  %k.done = icmp eq i64 %k.next, %n
  br i1 %k.done, label %columns.latch, label %sum
columns.latch:
  store double %acc.next, ptr addrspace(1) %c.ptr
  %j.next = add nuw nsw i64 %j, 1
  %j.done = icmp eq i64 %j.next, %n
  br i1 %j.done, label %rows.latch, label %columns
rows.latch:
  %i.next = add nuw nsw i64 %i, 1
  %i.done = icmp eq i64 %i.next, %n
  br i1 %i.done, label %exit, label %rows
exit:
  ret void
}
