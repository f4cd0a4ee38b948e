; What is compared with zero may be made of the element, if only multiplied. Of two
; comparisons, one must pass: in one condition, or in two branches to the same steps.
;
; RUN: %opt -passes='print<tilesmith-idioms>' -disable-output %s 2>&1 | FileCheck %s

; CHECK: function 'scaled':
; CHECK: A: base %a, {{.*}}, not zero{{$}}
; CHECK: function 'moved':
; CHECK-NEXT: not replaced: Branch
; CHECK: function 'either':
; CHECK: A: base %a, {{.*}}, not zero{{$}}
; CHECK: base %d, {{.*}}, not zero{{$}}
; CHECK: function 'inTurn':
; CHECK: A: base %a, {{.*}}, not zero{{$}}
; CHECK: base %d, {{.*}}, not zero{{$}}
; If the steps tell which one has passed, only the first matters, and all of it.
; CHECK: function 'told':
; CHECK: A: base %a, {{.*}}, not zero{{$}}
; CHECK-NOT: not zero
; CHECK: function 'both':
; CHECK-NEXT: not replaced: Branch

define void @scaled(ptr noalias %a, ptr noalias %b, ptr noalias %c, i64 %n, double %s) {
entry:
  br label %i

i:
  %iv.i = phi i64 [ 0, %entry ], [ %next.i, %i.latch ]
  %row.a = mul i64 %iv.i, %n
  br label %k

k:
  %iv.k = phi i64 [ 0, %i ], [ %next.k, %k.latch ]
  %ik = add i64 %row.a, %iv.k
  %pa = getelementptr double, ptr %a, i64 %ik
  %x = load double, ptr %pa
  %t = fmul double %s, %x
  %test = fcmp une double %t, 0.0
  br i1 %test, label %steps, label %k.latch

steps:
  %row.b = mul i64 %iv.k, %n
  br label %j

j:
  %iv.j = phi i64 [ 0, %steps ], [ %next.j, %j ]
  %kj = add i64 %row.b, %iv.j
  %pb = getelementptr double, ptr %b, i64 %kj
  %y = load double, ptr %pb
  %ij = add i64 %row.a, %iv.j
  %pc = getelementptr double, ptr %c, i64 %ij
  %old = load double, ptr %pc
  %xy = fmul double %t, %y
  %new = fadd double %old, %xy

  store double %new, ptr %pc
  %next.j = add i64 %iv.j, 1
  %done.j = icmp eq i64 %next.j, %n
  br i1 %done.j, label %made, label %j

made:
  br label %k.latch

k.latch:
  %next.k = add i64 %iv.k, 1
  %done.k = icmp eq i64 %next.k, %n
  br i1 %done.k, label %i.latch, label %k

i.latch:
  %next.i = add i64 %iv.i, 1
  %done.i = icmp eq i64 %next.i, %n
  br i1 %done.i, label %exit, label %i

exit:
  ret void
}

define void @moved(ptr noalias %a, ptr noalias %b, ptr noalias %c, i64 %n, double %s) {
entry:
  br label %i

i:
  %iv.i = phi i64 [ 0, %entry ], [ %next.i, %i.latch ]
  %row.a = mul i64 %iv.i, %n
  br label %k

k:
  %iv.k = phi i64 [ 0, %i ], [ %next.k, %k.latch ]
  %ik = add i64 %row.a, %iv.k
  %pa = getelementptr double, ptr %a, i64 %ik
  %x = load double, ptr %pa
  %t = fadd double %s, %x
  %test = fcmp une double %t, 0.0
  br i1 %test, label %steps, label %k.latch

steps:
  %row.b = mul i64 %iv.k, %n
  br label %j

j:
  %iv.j = phi i64 [ 0, %steps ], [ %next.j, %j ]
  %kj = add i64 %row.b, %iv.j
  %pb = getelementptr double, ptr %b, i64 %kj
  %y = load double, ptr %pb
  %ij = add i64 %row.a, %iv.j
  %pc = getelementptr double, ptr %c, i64 %ij
  %old = load double, ptr %pc
  %xy = fmul double %t, %y
  %new = fadd double %old, %xy

  store double %new, ptr %pc
  %next.j = add i64 %iv.j, 1
  %done.j = icmp eq i64 %next.j, %n
  br i1 %done.j, label %made, label %j

made:
  br label %k.latch

k.latch:
  %next.k = add i64 %iv.k, 1
  %done.k = icmp eq i64 %next.k, %n
  br i1 %done.k, label %i.latch, label %k

i.latch:
  %next.i = add i64 %iv.i, 1
  %done.i = icmp eq i64 %next.i, %n
  br i1 %done.i, label %exit, label %i

exit:
  ret void
}

define void @either(ptr noalias %a, ptr noalias %b, ptr noalias %c, ptr noalias %d, ptr noalias %e, i64 %n, double %s) {
entry:
  br label %i

i:
  %iv.i = phi i64 [ 0, %entry ], [ %next.i, %i.latch ]
  %row.a = mul i64 %iv.i, %n
  br label %k

k:
  %iv.k = phi i64 [ 0, %i ], [ %next.k, %k.latch ]
  %ik = add i64 %row.a, %iv.k
  %pa = getelementptr double, ptr %a, i64 %ik
  %x = load double, ptr %pa
  %pz = getelementptr double, ptr %d, i64 %ik
  %z = load double, ptr %pz
  %one = fcmp une double %x, 0.0
  %two = fcmp une double %z, 0.0
  %test = or i1 %one, %two
  br i1 %test, label %steps, label %k.latch

steps:
  %row.b = mul i64 %iv.k, %n
  br label %j

j:
  %iv.j = phi i64 [ 0, %steps ], [ %next.j, %j ]
  %kj = add i64 %row.b, %iv.j
  %pb = getelementptr double, ptr %b, i64 %kj
  %y = load double, ptr %pb
  %ij = add i64 %row.a, %iv.j
  %pc = getelementptr double, ptr %c, i64 %ij
  %old = load double, ptr %pc
  %xy = fmul double %x, %y
  %new = fadd double %old, %xy
  %pe = getelementptr double, ptr %e, i64 %kj
  %w = load double, ptr %pe
  %zw = fmul double %z, %w
  %sum = fadd double %new, %zw
  store double %sum, ptr %pc
  %next.j = add i64 %iv.j, 1
  %done.j = icmp eq i64 %next.j, %n
  br i1 %done.j, label %made, label %j

made:
  br label %k.latch

k.latch:
  %next.k = add i64 %iv.k, 1
  %done.k = icmp eq i64 %next.k, %n
  br i1 %done.k, label %i.latch, label %k

i.latch:
  %next.i = add i64 %iv.i, 1
  %done.i = icmp eq i64 %next.i, %n
  br i1 %done.i, label %exit, label %i

exit:
  ret void
}

define void @inTurn(ptr noalias %a, ptr noalias %b, ptr noalias %c, ptr noalias %d, ptr noalias %e, i64 %n, double %s) {
entry:
  br label %i

i:
  %iv.i = phi i64 [ 0, %entry ], [ %next.i, %i.latch ]
  %row.a = mul i64 %iv.i, %n
  br label %k

k:
  %iv.k = phi i64 [ 0, %i ], [ %next.k, %k.latch ]
  %ik = add i64 %row.a, %iv.k
  %pa = getelementptr double, ptr %a, i64 %ik
  %x = load double, ptr %pa
  %pz = getelementptr double, ptr %d, i64 %ik
  %z = load double, ptr %pz
  %one = fcmp une double %x, 0.0
  br i1 %one, label %steps, label %second

second:
  %two = fcmp une double %z, 0.0
  br i1 %two, label %steps, label %k.latch

steps:
  %row.b = mul i64 %iv.k, %n
  br label %j

j:
  %iv.j = phi i64 [ 0, %steps ], [ %next.j, %j ]
  %kj = add i64 %row.b, %iv.j
  %pb = getelementptr double, ptr %b, i64 %kj
  %y = load double, ptr %pb
  %ij = add i64 %row.a, %iv.j
  %pc = getelementptr double, ptr %c, i64 %ij
  %old = load double, ptr %pc
  %xy = fmul double %x, %y
  %new = fadd double %old, %xy
  %pe = getelementptr double, ptr %e, i64 %kj
  %w = load double, ptr %pe
  %zw = fmul double %z, %w
  %sum = fadd double %new, %zw
  store double %sum, ptr %pc
  %next.j = add i64 %iv.j, 1
  %done.j = icmp eq i64 %next.j, %n
  br i1 %done.j, label %made, label %j

made:
  br label %k.latch

k.latch:
  %next.k = add i64 %iv.k, 1
  %done.k = icmp eq i64 %next.k, %n
  br i1 %done.k, label %i.latch, label %k

i.latch:
  %next.i = add i64 %iv.i, 1
  %done.i = icmp eq i64 %next.i, %n
  br i1 %done.i, label %exit, label %i

exit:
  ret void
}

define void @told(ptr noalias %a, ptr noalias %b, ptr noalias %c, ptr noalias %d, ptr noalias %e, i64 %n, double %s) {
entry:
  br label %i

i:
  %iv.i = phi i64 [ 0, %entry ], [ %next.i, %i.latch ]
  %row.a = mul i64 %iv.i, %n
  br label %k

k:
  %iv.k = phi i64 [ 0, %i ], [ %next.k, %k.latch ]
  %ik = add i64 %row.a, %iv.k
  %pa = getelementptr double, ptr %a, i64 %ik
  %x = load double, ptr %pa
  %pz = getelementptr double, ptr %d, i64 %ik
  %z = load double, ptr %pz
  %one = fcmp une double %x, 0.0
  br i1 %one, label %steps, label %second

second:
  %two = fcmp une double %z, 0.0
  br i1 %two, label %steps, label %k.latch

steps:
  %f = phi double [ %x, %k ], [ %s, %second ]
  %row.b = mul i64 %iv.k, %n
  br label %j

j:
  %iv.j = phi i64 [ 0, %steps ], [ %next.j, %j ]
  %kj = add i64 %row.b, %iv.j
  %pb = getelementptr double, ptr %b, i64 %kj
  %y = load double, ptr %pb
  %ij = add i64 %row.a, %iv.j
  %pc = getelementptr double, ptr %c, i64 %ij
  %old = load double, ptr %pc
  %xy = fmul double %f, %y
  %new = fadd double %old, %xy
  %pe = getelementptr double, ptr %e, i64 %kj
  %w = load double, ptr %pe
  %zw = fmul double %z, %w
  %sum = fadd double %new, %zw
  store double %sum, ptr %pc
  %next.j = add i64 %iv.j, 1
  %done.j = icmp eq i64 %next.j, %n
  br i1 %done.j, label %made, label %j

made:
  br label %k.latch

k.latch:
  %next.k = add i64 %iv.k, 1
  %done.k = icmp eq i64 %next.k, %n
  br i1 %done.k, label %i.latch, label %k

i.latch:
  %next.i = add i64 %iv.i, 1
  %done.i = icmp eq i64 %next.i, %n
  br i1 %done.i, label %exit, label %i

exit:
  ret void
}

define void @both(ptr noalias %a, ptr noalias %b, ptr noalias %c, ptr noalias %d, ptr noalias %e, i64 %n, double %s) {
entry:
  br label %i

i:
  %iv.i = phi i64 [ 0, %entry ], [ %next.i, %i.latch ]
  %row.a = mul i64 %iv.i, %n
  br label %k

k:
  %iv.k = phi i64 [ 0, %i ], [ %next.k, %k.latch ]
  %ik = add i64 %row.a, %iv.k
  %pa = getelementptr double, ptr %a, i64 %ik
  %x = load double, ptr %pa
  %pz = getelementptr double, ptr %d, i64 %ik
  %z = load double, ptr %pz
  %one = fcmp une double %x, 0.0
  %two = fcmp une double %z, 0.0
  %test = and i1 %one, %two
  br i1 %test, label %steps, label %k.latch

steps:
  %row.b = mul i64 %iv.k, %n
  br label %j

j:
  %iv.j = phi i64 [ 0, %steps ], [ %next.j, %j ]
  %kj = add i64 %row.b, %iv.j
  %pb = getelementptr double, ptr %b, i64 %kj
  %y = load double, ptr %pb
  %ij = add i64 %row.a, %iv.j
  %pc = getelementptr double, ptr %c, i64 %ij
  %old = load double, ptr %pc
  %xy = fmul double %x, %y
  %new = fadd double %old, %xy
  %pe = getelementptr double, ptr %e, i64 %kj
  %w = load double, ptr %pe
  %zw = fmul double %z, %w
  %sum = fadd double %new, %zw
  store double %sum, ptr %pc
  %next.j = add i64 %iv.j, 1
  %done.j = icmp eq i64 %next.j, %n
  br i1 %done.j, label %made, label %j

made:
  br label %k.latch

k.latch:
  %next.k = add i64 %iv.k, 1
  %done.k = icmp eq i64 %next.k, %n
  br i1 %done.k, label %i.latch, label %k

i.latch:
  %next.i = add i64 %iv.i, 1
  %done.i = icmp eq i64 %next.i, %n
  br i1 %done.i, label %exit, label %i

exit:
  ret void
}
