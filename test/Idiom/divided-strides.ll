; Rows of C are as far apart as a descriptor says, in bytes. Here that is divided
; by the size of an element and multiplied again.
;
; RUN: %opt -passes='print<tilesmith-idioms>' -disable-output %s 2>&1 | FileCheck %s
; RUN: %opt -passes=tilesmith-rewrite -mtriple=x86_64-linux-gnu -mcpu=haswell -S %s | FileCheck --check-prefix=GUARD %s

; CHECK-LABEL: function 'product':
; CHECK: GEMM f64 (A row-major, B row-major, C row-major), MxNxK at run time
; CHECK: C: base %c, stride M (8 * (sext i61 (trunc i64 (%stride /u 8) to i61) to i64))<nsw>, stride N 8
; CHECK: guard: 64-bit signed index from 0 does not wrap, and steps by multiples of 8

; GUARD: [[REST:%.*]] = and i64 %stride, 7
; GUARD: icmp eq i64 [[REST]], 0

define void @product(ptr noalias %a, ptr noalias %b, ptr noalias %c, i64 %n, i64 %stride) {
entry:
  br label %i

i:
  %iv.i = phi i64 [ 0, %entry ], [ %next.i, %i.latch ]
  %row.a = mul i64 %iv.i, %n
  %bytes = mul i64 %iv.i, %stride
  %row.c = ashr i64 %bytes, 3
  br label %j

j:
  %iv.j = phi i64 [ 0, %i ], [ %next.j, %j.latch ]
  %ij = add i64 %row.c, %iv.j
  %pc = getelementptr double, ptr %c, i64 %ij
  %start = load double, ptr %pc
  br label %k

k:
  %iv.k = phi i64 [ 0, %j ], [ %next.k, %k ]
  %sum = phi double [ %start, %j ], [ %next, %k ]
  %ik = add i64 %row.a, %iv.k
  %pa = getelementptr double, ptr %a, i64 %ik
  %x = load double, ptr %pa
  %row.b = mul i64 %iv.k, %n
  %kj = add i64 %row.b, %iv.j
  %pb = getelementptr double, ptr %b, i64 %kj
  %y = load double, ptr %pb
  %xy = fmul double %x, %y
  %next = fadd double %sum, %xy
  %next.k = add nuw nsw i64 %iv.k, 1
  %k.goes.on = icmp ne i64 %next.k, %n
  br i1 %k.goes.on, label %k, label %j.latch

j.latch:
  store double %next, ptr %pc
  %next.j = add nuw nsw i64 %iv.j, 1
  %j.goes.on = icmp ne i64 %next.j, %n
  br i1 %j.goes.on, label %j, label %i.latch

i.latch:
  %next.i = add nuw nsw i64 %iv.i, 1
  %i.goes.on = icmp ne i64 %next.i, %n
  br i1 %i.goes.on, label %i, label %exit

exit:
  ret void
}

; What the sum over k left is another value in the next column.
; CHECK-LABEL: function 'after':
; CHECK: not replaced: NotAffine
define void @after(ptr noalias %a, ptr noalias %b, ptr noalias %c, i64 %n, i64 %stride) {
entry:
  br label %i

i:
  %iv.i = phi i64 [ 0, %entry ], [ %next.i, %i.latch ]
  %row.a = mul i64 %iv.i, %n
  br label %j

j:
  %iv.j = phi i64 [ 0, %i ], [ %next.j, %j.latch ]
  br label %k

k:
  %iv.k = phi i64 [ 0, %j ], [ %next.k, %k ]
  %sum = phi double [ 0.0, %j ], [ %next, %k ]
  %ik = add i64 %row.a, %iv.k
  %pa = getelementptr double, ptr %a, i64 %ik
  %x = load double, ptr %pa
  %row.b = mul i64 %iv.k, %n
  %kj = add i64 %row.b, %iv.j
  %pb = getelementptr double, ptr %b, i64 %kj
  %y = load double, ptr %pb
  %xy = fmul double %x, %y
  %next = fadd double %sum, %xy
  %bytes = mul i64 %iv.k, %stride
  %column.c = ashr i64 %bytes, 3
  %next.k = add nuw nsw i64 %iv.k, 1
  %k.goes.on = icmp ne i64 %next.k, %n
  br i1 %k.goes.on, label %k, label %j.latch

j.latch:
  %ij = add i64 %row.a, %column.c
  %pc = getelementptr double, ptr %c, i64 %ij
  store double %next, ptr %pc
  %next.j = add nuw nsw i64 %iv.j, 1
  %j.goes.on = icmp ne i64 %next.j, %n
  br i1 %j.goes.on, label %j, label %i.latch

i.latch:
  %next.i = add nuw nsw i64 %iv.i, 1
  %i.goes.on = icmp ne i64 %next.i, %n
  br i1 %i.goes.on, label %i, label %exit

exit:
  ret void
}
