; Types of elements that no kernel is for: a remark, and no change.
;
; DEFINE: %{type} =
; DEFINE: %{add} = fadd
; DEFINE: %{mul} = fmul
; DEFINE: %{ptr} = ptr
; DEFINE: %{make} = sed -e 's/TYPE/%{type}/g' -e 's/POINTER/%{ptr}/g' -e 's/ADD/%{add}/' -e 's/MUL/%{mul}/' %s
; DEFINE: %{check} = %{make} | %opt -passes='tilesmith<min-work=1;verify>' -pass-remarks=tilesmith -pass-remarks-missed=tilesmith -S -o %t.after.ll 2>&1 | FileCheck %s --check-prefix
; DEFINE: %{same} = %{make} | %opt -passes=verify -S -o %t.before.ll && diff %t.before.ll %t.after.ll
;
; REDEFINE: %{type} = half
; RUN: %{check} HALF && %{same}
; REDEFINE: %{type} = bfloat
; RUN: %{check} TYPE && %{same}
; REDEFINE: %{type} = x86_fp80
; RUN: %{check} LONG && %{same}
; REDEFINE: %{type} = fp128
; RUN: %{check} LONG && %{same}
; REDEFINE: %{type} = ppc_fp128
; RUN: %{check} LONG && %{same}
; REDEFINE: %{type} = <4 x float>
; RUN: %{check} VECTOR && %{same}
; REDEFINE: %{type} = <vscale x 2 x double>
; RUN: %{check} TYPE && %{same}
; REDEFINE: %{type} = double
; REDEFINE: %{ptr} = ptr addrspace(1)
; RUN: %{check} SPACE && %{same}
; REDEFINE: %{type} = i1
; REDEFINE: %{ptr} = ptr
; REDEFINE: %{add} = add
; REDEFINE: %{mul} = mul
; RUN: %{check} BITS && %{same}
; REDEFINE: %{type} = i7
; RUN: %{check} TYPE && %{same}
; REDEFINE: %{type} = i24
; RUN: %{check} TYPE && %{same}
; REDEFINE: %{type} = i33
; RUN: %{check} TYPE && %{same}
; REDEFINE: %{type} = i128
; RUN: %{check} TYPE && %{same}
; REDEFINE: %{type} = i256
; RUN: %{check} TYPE && %{same}
; REDEFINE: %{type} = <2 x i32>
; RUN: %{check} VECTOR && %{same}
; HALF: not replaced: the target does not compute with vectors of half precision
; TYPE: not replaced: the element type is not
; LONG: not replaced: the sum is a 'long double'
; VECTOR: not replaced: the loops compute with vectors
; SPACE: not replaced: an array is not in the default address space
; A product of bits is an 'and'.
; BITS: not replaced

target triple = "x86_64-unknown-linux-gnu"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
define void @f(i64 %n, POINTER noalias %a, POINTER noalias %b, POINTER noalias %c) {
entry:
  br label %i.loop
i.loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %i.latch ]
  %in = mul nsw i64 %i, %n
  br label %j.loop
j.loop:
  %j = phi i64 [ 0, %i.loop ], [ %j.next, %j.latch ]
  %c.x = add nsw i64 %in, %j
  %c.at = getelementptr TYPE, POINTER %c, i64 %c.x
  %start = load TYPE, POINTER %c.at
  br label %k.loop
k.loop:
  %k = phi i64 [ 0, %j.loop ], [ %k.next, %k.loop ]
  %sum = phi TYPE [ %start, %j.loop ], [ %sum.next, %k.loop ]
  %a.x = add nsw i64 %in, %k
  %a.at = getelementptr TYPE, POINTER %a, i64 %a.x
  %x = load TYPE, POINTER %a.at
  %kn = mul nsw i64 %k, %n
  %b.x = add nsw i64 %kn, %j
  %b.at = getelementptr TYPE, POINTER %b, i64 %b.x
  %y = load TYPE, POINTER %b.at
  %xy = MUL TYPE %x, %y
  %sum.next = ADD TYPE %sum, %xy
  %k.next = add nuw nsw i64 %k, 1
  %k.more = icmp slt i64 %k.next, %n
  br i1 %k.more, label %k.loop, label %j.latch
j.latch:
  store TYPE %sum.next, POINTER %c.at
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
