; A hint says which way a branch goes: the guard tests that. Of what varies, hints mean nothing.
;
; RUN: %opt -passes='print<tilesmith-idioms>' -disable-output %s 2>&1 | FileCheck %s

; CHECK: function 'set':
; CHECK: GEMM f64
; CHECK: finish: sum
; CHECK: guard: {{.*}}%test
; CHECK: function 'add':
; CHECK: finish: {{.*}}c
; CHECK: guard: {{.*}}%test
; CHECK: function 'varies':
; CHECK-NEXT: not replaced: Branch
; CHECK: function 'none':
; CHECK-NEXT: GEMM f64
; CHECK: sums are kept apart

define void @set(ptr %a, ptr %b, ptr %c, ptr %beta, i64 %n) {
entry:
  br label %i

i:
  %iv.i = phi i64 [ 0, %entry ], [ %next.i, %i.latch ]
  %row = mul i64 %iv.i, 1000
  br label %j

j:
  %iv.j = phi i64 [ 0, %i ], [ %next.j, %j.latch ]
  %row.b = mul i64 %iv.j, 1000
  br label %k

k:
  %iv.k = phi i64 [ 0, %j ], [ %next.k, %k ]
  %sum = phi double [ 0.0, %j ], [ %new, %k ]
  %ik = add i64 %row, %iv.k
  %pa = getelementptr double, ptr %a, i64 %ik
  %x = load double, ptr %pa
  %kj = add i64 %row.b, %iv.k
  %pb = getelementptr double, ptr %b, i64 %kj
  %y = load double, ptr %pb
  %xy = fmul double %x, %y
  %new = fadd double %sum, %xy
  %next.k = add i64 %iv.k, 1
  %done.k = icmp eq i64 %next.k, %n
  br i1 %done.k, label %made, label %k

made:
  %ij = add i64 %row, %iv.j
  %pc = getelementptr double, ptr %c, i64 %ij
  %factor = load double, ptr %beta
  %test = fcmp oeq double %factor, 0.0
  br i1 %test, label %set, label %add, !tilesmith.outcome !0

set:
  store double %new, ptr %pc
  br label %j.latch

add:
  %old = load double, ptr %pc
  %scaled = fmul double %factor, %old
  %result = fadd double %new, %scaled
  store double %result, ptr %pc
  br label %j.latch

j.latch:
  %next.j = add i64 %iv.j, 1
  %done.j = icmp eq i64 %next.j, %n
  br i1 %done.j, label %i.latch, label %j

i.latch:
  %next.i = add i64 %iv.i, 1
  %done.i = icmp eq i64 %next.i, %n
  br i1 %done.i, label %exit, label %i

exit:
  ret void
}

define void @add(ptr %a, ptr %b, ptr %c, ptr %beta, i64 %n) {
entry:
  br label %i

i:
  %iv.i = phi i64 [ 0, %entry ], [ %next.i, %i.latch ]
  %row = mul i64 %iv.i, 1000
  br label %j

j:
  %iv.j = phi i64 [ 0, %i ], [ %next.j, %j.latch ]
  %row.b = mul i64 %iv.j, 1000
  br label %k

k:
  %iv.k = phi i64 [ 0, %j ], [ %next.k, %k ]
  %sum = phi double [ 0.0, %j ], [ %new, %k ]
  %ik = add i64 %row, %iv.k
  %pa = getelementptr double, ptr %a, i64 %ik
  %x = load double, ptr %pa
  %kj = add i64 %row.b, %iv.k
  %pb = getelementptr double, ptr %b, i64 %kj
  %y = load double, ptr %pb
  %xy = fmul double %x, %y
  %new = fadd double %sum, %xy
  %next.k = add i64 %iv.k, 1
  %done.k = icmp eq i64 %next.k, %n
  br i1 %done.k, label %made, label %k

made:
  %ij = add i64 %row, %iv.j
  %pc = getelementptr double, ptr %c, i64 %ij
  %factor = load double, ptr %beta
  %test = fcmp oeq double %factor, 0.0
  br i1 %test, label %set, label %add, !tilesmith.outcome !1

set:
  store double %new, ptr %pc
  br label %j.latch

add:
  %old = load double, ptr %pc
  %scaled = fmul double %factor, %old
  %result = fadd double %new, %scaled
  store double %result, ptr %pc
  br label %j.latch

j.latch:
  %next.j = add i64 %iv.j, 1
  %done.j = icmp eq i64 %next.j, %n
  br i1 %done.j, label %i.latch, label %j

i.latch:
  %next.i = add i64 %iv.i, 1
  %done.i = icmp eq i64 %next.i, %n
  br i1 %done.i, label %exit, label %i

exit:
  ret void
}

define void @varies(ptr %a, ptr %b, ptr %c, ptr %beta, i64 %n) {
entry:
  br label %i

i:
  %iv.i = phi i64 [ 0, %entry ], [ %next.i, %i.latch ]
  %row = mul i64 %iv.i, 1000
  br label %j

j:
  %iv.j = phi i64 [ 0, %i ], [ %next.j, %j.latch ]
  %row.b = mul i64 %iv.j, 1000
  br label %k

k:
  %iv.k = phi i64 [ 0, %j ], [ %next.k, %k ]
  %sum = phi double [ 0.0, %j ], [ %new, %k ]
  %ik = add i64 %row, %iv.k
  %pa = getelementptr double, ptr %a, i64 %ik
  %x = load double, ptr %pa
  %kj = add i64 %row.b, %iv.k
  %pb = getelementptr double, ptr %b, i64 %kj
  %y = load double, ptr %pb
  %xy = fmul double %x, %y
  %new = fadd double %sum, %xy
  %next.k = add i64 %iv.k, 1
  %done.k = icmp eq i64 %next.k, %n
  br i1 %done.k, label %made, label %k

made:
  %ij = add i64 %row, %iv.j
  %pc = getelementptr double, ptr %c, i64 %ij
  %factor = load double, ptr %pb
  %test = fcmp oeq double %factor, 0.0
  br i1 %test, label %set, label %add, !tilesmith.outcome !0

set:
  store double %new, ptr %pc
  br label %j.latch

add:
  %old = load double, ptr %pc
  %scaled = fmul double %factor, %old
  %result = fadd double %new, %scaled
  store double %result, ptr %pc
  br label %j.latch

j.latch:
  %next.j = add i64 %iv.j, 1
  %done.j = icmp eq i64 %next.j, %n
  br i1 %done.j, label %i.latch, label %j

i.latch:
  %next.i = add i64 %iv.i, 1
  %done.i = icmp eq i64 %next.i, %n
  br i1 %done.i, label %exit, label %i

exit:
  ret void
}

define void @none(ptr %a, ptr %b, ptr %c, ptr %beta, i64 %n) {
entry:
  br label %i

i:
  %iv.i = phi i64 [ 0, %entry ], [ %next.i, %i.latch ]
  %row = mul i64 %iv.i, 1000
  br label %j

j:
  %iv.j = phi i64 [ 0, %i ], [ %next.j, %j.latch ]
  %row.b = mul i64 %iv.j, 1000
  br label %k

k:
  %iv.k = phi i64 [ 0, %j ], [ %next.k, %k ]
  %sum = phi double [ 0.0, %j ], [ %new, %k ]
  %ik = add i64 %row, %iv.k
  %pa = getelementptr double, ptr %a, i64 %ik
  %x = load double, ptr %pa
  %kj = add i64 %row.b, %iv.k
  %pb = getelementptr double, ptr %b, i64 %kj
  %y = load double, ptr %pb
  %xy = fmul double %x, %y
  %new = fadd double %sum, %xy
  %next.k = add i64 %iv.k, 1
  %done.k = icmp eq i64 %next.k, %n
  br i1 %done.k, label %made, label %k

made:
  %ij = add i64 %row, %iv.j
  %pc = getelementptr double, ptr %c, i64 %ij
  %factor = load double, ptr %beta
  %test = fcmp oeq double %factor, 0.0
  br i1 %test, label %set, label %add

set:
  store double %new, ptr %pc
  br label %j.latch

add:
  %old = load double, ptr %pc
  %scaled = fmul double %factor, %old
  %result = fadd double %new, %scaled
  store double %result, ptr %pc
  br label %j.latch

j.latch:
  %next.j = add i64 %iv.j, 1
  %done.j = icmp eq i64 %next.j, %n
  br i1 %done.j, label %i.latch, label %j

i.latch:
  %next.i = add i64 %iv.i, 1
  %done.i = icmp eq i64 %next.i, %n
  br i1 %done.i, label %exit, label %i

exit:
  ret void
}

!0 = !{i1 true}
!1 = !{i1 false}
