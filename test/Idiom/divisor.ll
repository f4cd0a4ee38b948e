; A trip count that is a quotient: the guard divides by nothing that may be zero,
; as the divisor may be where the nest is not entered.
;
; RUN: %opt -passes='print<tilesmith-idioms>' -disable-output %s 2>&1 | FileCheck %s
; RUN: %opt -passes=tilesmith-rewrite -mtriple=x86_64-linux-gnu -mcpu=haswell -S %s | FileCheck --check-prefix=GUARD %s

; CHECK: GEMM f64 (A row-major, B row-major, C row-major), MxNxK at run time
; CHECK: guard: %by ne 0

; GUARD: [[BY:%.*]] = freeze i64 %by
; GUARD: [[POSITIVE:%.*]] = call i64 @llvm.umax.i64(i64 [[BY]], i64 1)
; GUARD: udiv i64 %length, [[POSITIVE]]

define void @product(ptr noalias %a, ptr noalias %b, ptr noalias %c, i64 %n, i64 %length, i64 %by) {
entry:
  %none = icmp ult i64 %length, %by
  br i1 %none, label %exit, label %enter

enter:
  %rows = udiv i64 %length, %by
  br label %i

i:
  %iv.i = phi i64 [ 0, %enter ], [ %next.i, %i.latch ]
  %row.a = mul i64 %iv.i, %n
  br label %j

j:
  %iv.j = phi i64 [ 0, %i ], [ %next.j, %j.latch ]
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
  %next.j = add nuw nsw i64 %iv.j, 1
  %j.goes.on = icmp ne i64 %next.j, %n
  br i1 %j.goes.on, label %j, label %i.latch

i.latch:
  %next.i = add nuw nsw i64 %iv.i, 1
  %i.goes.on = icmp ult i64 %next.i, %rows
  br i1 %i.goes.on, label %i, label %exit

exit:
  ret void
}

; The quotient is a value of the last row that is used after the nest.

; CHECK: function 'quotient'
; CHECK: GEMM f64 (A row-major, B row-major, C row-major), MxNxK at run time
; CHECK: guard: %by ne 0

define i64 @quotient(ptr noalias %a, ptr noalias %b, ptr noalias %c, i64 %n, i64 %by) {
entry:
  br label %i

i:
  %iv.i = phi i64 [ 0, %entry ], [ %next.i, %i.latch ]
  %row.a = mul i64 %iv.i, %n
  br label %j

j:
  %iv.j = phi i64 [ 0, %i ], [ %next.j, %j.latch ]
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
  %next.j = add nuw nsw i64 %iv.j, 1
  %j.goes.on = icmp ne i64 %next.j, %n
  br i1 %j.goes.on, label %j, label %i.latch

i.latch:
  %quotient = udiv i64 %iv.i, %by
  %next.i = add nuw nsw i64 %iv.i, 1
  %i.goes.on = icmp ult i64 %next.i, %n
  br i1 %i.goes.on, label %i, label %exit

exit:
  ret i64 %quotient
}
