; A product of matrices that are given by pointers to their rows, c[i][j] +=
; a[i][k] * b[j][2 * k]. The row of a is loaded in the loop over i; those of b
; and c are loaded again and again.
;
; RUN: %opt -passes='print<tilesmith-idioms>' -disable-output %s 2>&1 | FileCheck %s

; CHECK: function 'product':
; CHECK-NEXT: GEMM f64 (A table of rows, B table of columns, C table of rows), rows copied, MxNxK at run time
; CHECK-NEXT: 3 loops from depth 1
; CHECK-NEXT: M: extent 1 + (-1 + %n)
; CHECK-NEXT: N: extent 1 + (-1 + %n)
; CHECK-NEXT: K: extent 1 + (-1 + %n)
; CHECK-NEXT: C: rows from %c, by 8 with M; in each from 0, by 8 with N
; CHECK-NEXT: A: rows from %a, by 8 with M; in each from 0, by 8 with K
; CHECK-NEXT: B: rows from (8 + %b), by 24 with N; in each from 0, by 16 with K
; CHECK-NEXT: start: c
; CHECK-NEXT: update: fadd(sum, a*b) with a := a, b := b
; CHECK-NEXT: finish: sum
; CHECK-NEXT: guard: rows of C overlap neither each other nor a table
; CHECK-NEXT: guard: C does not overlap A
; CHECK-NEXT: guard: C does not overlap B
; CHECK-NOT: {{.}}

%vector = type { i64, ptr, i64 }

define void @product(ptr noalias %a, ptr noalias %b, ptr noalias %c, i64 %n) {
entry:
  br label %i

i:
  %iv.i = phi i64 [ 0, %entry ], [ %next.i, %i.latch ]
  %entry.a = getelementptr ptr, ptr %a, i64 %iv.i
  %row.a = load ptr, ptr %entry.a
  %entry.c = getelementptr ptr, ptr %c, i64 %iv.i
  br label %j

j:
  %iv.j = phi i64 [ 0, %i ], [ %next.j, %j.latch ]
  %row.c = load ptr, ptr %entry.c
  %pc = getelementptr double, ptr %row.c, i64 %iv.j
  %start = load double, ptr %pc
  br label %k

k:
  %iv.k = phi i64 [ 0, %j ], [ %next.k, %k ]
  %sum = phi double [ %start, %j ], [ %next, %k ]
  %pa = getelementptr double, ptr %row.a, i64 %iv.k
  %x = load double, ptr %pa
  %entry.b = getelementptr %vector, ptr %b, i64 %iv.j, i32 1
  %row.b = load ptr, ptr %entry.b
  %twice = shl i64 %iv.k, 1
  %pb = getelementptr double, ptr %row.b, i64 %twice
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
