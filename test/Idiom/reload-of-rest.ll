; A value is loaded again after each store, which may change it. Only the rest
; stores it, and does so in order: the guard does not ask whether it changes. As
; a bound, it must stay what it is.
;
; RUN: %opt -passes='print<tilesmith-idioms>' -disable-output %s 2>&1 | FileCheck %s

; CHECK-LABEL: function 'stored'
; CHECK: GEMM f64
; CHECK-NOT: guard: %first eq
; CHECK-NOT: is loaded by
; CHECK: after: store i64 %v, ptr %pe
; CHECK-NOT: is loaded by

; CHECK-LABEL: function 'bounds'
; CHECK: GEMM f64
; CHECK: guard: %first eq %again
; CHECK-NOT: guard: %first eq
; CHECK: guard: C does not overlap what is loaded by %again

define void @stored(ptr %a, ptr %b, ptr %c, ptr %e, i64 %n, ptr %limit) {
entry:
  %first = load i64, ptr %limit
  br label %i

i:
  %iv.i = phi i64 [ 0, %entry ], [ %next.i, %i.latch ]
  %scale.i = phi i64 [ %first, %entry ], [ %again, %i.latch ]
  %row.a = mul i64 %iv.i, %n
  br label %j

j:
  %iv.j = phi i64 [ 0, %i ], [ %next.j, %j.latch ]
  %scale = phi i64 [ %scale.i, %i ], [ %again, %j.latch ]
  %ij = add i64 %row.a, %iv.j
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
  %pe = getelementptr i64, ptr %e, i64 %ij
  %v = mul i64 %scale, 3
  store i64 %v, ptr %pe
  %again = load i64, ptr %limit
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

define void @bounds(ptr %a, ptr %b, ptr %c, ptr %e, i64 %n, ptr %limit) {
entry:
  %first = load i64, ptr %limit
  br label %i

i:
  %iv.i = phi i64 [ 0, %entry ], [ %next.i, %i.latch ]
  %scale.i = phi i64 [ %first, %entry ], [ %again, %i.latch ]
  %row.a = mul i64 %iv.i, %n
  br label %j

j:
  %iv.j = phi i64 [ 0, %i ], [ %next.j, %j.latch ]
  %scale = phi i64 [ %scale.i, %i ], [ %again, %j.latch ]
  %ij = add i64 %row.a, %iv.j
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
  %pe = getelementptr i64, ptr %e, i64 %ij
  %v = mul i64 %scale, 3
  store i64 %v, ptr %pe
  %again = load i64, ptr %limit
  %next.j = add nuw nsw i64 %iv.j, 1
  %j.goes.on = icmp slt i64 %next.j, %scale.i
  br i1 %j.goes.on, label %j, label %i.latch

i.latch:
  %next.i = add nuw nsw i64 %iv.i, 1
  %i.goes.on = icmp ne i64 %next.i, %n
  br i1 %i.goes.on, label %i, label %exit

exit:
  ret void
}
