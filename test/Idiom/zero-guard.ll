; A factor whose elements are compared with zero says so. If a step that is left out changes
; nothing, as with integers, only whole rows and columns of zeros matter; but not if the step
; decides where the next one is.
;
; RUN: %opt -passes='print<tilesmith-idioms>' -disable-output %s 2>&1 | FileCheck %s

; CHECK: function 'numbers':
; CHECK: A: base %a, {{.*}}, not zero{{$}}
; CHECK: function 'integers':
; CHECK: A: base %a, {{.*}}, not all zero in a row or column
; CHECK: function 'counted':
; CHECK: A: base %a, {{.*}}, not zero{{$}}

define void @numbers(ptr noalias %a, ptr noalias %b, ptr noalias %c, i64 %n) {
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
  %test = fcmp une double %x, 0.0
  %row.b = mul i64 %iv.k, %n
  br i1 %test, label %j, label %k.latch

j:
  %iv.j = phi i64 [ 0, %k ], [ %next.j, %j ]
  %kj = add i64 %row.b, %iv.j
  %pb = getelementptr double, ptr %b, i64 %kj
  %y = load double, ptr %pb
  %ij = add i64 %row.a, %iv.j
  %pc = getelementptr double, ptr %c, i64 %ij
  %old = load double, ptr %pc
  %xy = fmul double %x, %y
  %new = fadd double %old, %xy
  store double %new, ptr %pc
  %next.j = add i64 %iv.j, 1
  %done.j = icmp eq i64 %next.j, %n
  br i1 %done.j, label %made.one, label %j

made.one:
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

define void @integers(ptr noalias %a, ptr noalias %b, ptr noalias %c, i64 %n) {
entry:
  br label %i

i:
  %iv.i = phi i64 [ 0, %entry ], [ %next.i, %i.latch ]
  %row.a = mul i64 %iv.i, %n
  br label %k

k:
  %iv.k = phi i64 [ 0, %i ], [ %next.k, %k.latch ]
  %ik = add i64 %row.a, %iv.k
  %pa = getelementptr i32, ptr %a, i64 %ik
  %x = load i32, ptr %pa
  %test = icmp ne i32 %x, 0
  %row.b = mul i64 %iv.k, %n
  br i1 %test, label %j, label %k.latch

j:
  %iv.j = phi i64 [ 0, %k ], [ %next.j, %j ]
  %kj = add i64 %row.b, %iv.j
  %pb = getelementptr i32, ptr %b, i64 %kj
  %y = load i32, ptr %pb
  %ij = add i64 %row.a, %iv.j
  %pc = getelementptr i32, ptr %c, i64 %ij
  %old = load i32, ptr %pc
  %xy = mul i32 %x, %y
  %new = add i32 %old, %xy
  store i32 %new, ptr %pc
  %next.j = add i64 %iv.j, 1
  %done.j = icmp eq i64 %next.j, %n
  br i1 %done.j, label %made.one, label %j

made.one:
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

define void @counted(ptr noalias %a, ptr noalias %b, ptr noalias %c, i64 %n) {
entry:
  br label %i

i:
  %iv.i = phi i64 [ 0, %entry ], [ %next.i, %i.latch ]
  %row.a = mul i64 %iv.i, %n
  br label %k

k:
  %iv.k = phi i64 [ 0, %i ], [ %next.k, %k.latch ]
  %made = phi i64 [ 0, %i ], [ %made.next, %k.latch ]
  %ik = add i64 %row.a, %iv.k
  %pa = getelementptr i32, ptr %a, i64 %ik
  %x = load i32, ptr %pa
  %test = icmp ne i32 %x, 0
  %row.b = mul i64 %made, %n
  br i1 %test, label %j, label %k.latch

j:
  %iv.j = phi i64 [ 0, %k ], [ %next.j, %j ]
  %kj = add i64 %row.b, %iv.j
  %pb = getelementptr i32, ptr %b, i64 %kj
  %y = load i32, ptr %pb
  %ij = add i64 %row.a, %iv.j
  %pc = getelementptr i32, ptr %c, i64 %ij
  %old = load i32, ptr %pc
  %xy = mul i32 %x, %y
  %new = add i32 %old, %xy
  store i32 %new, ptr %pc
  %next.j = add i64 %iv.j, 1
  %done.j = icmp eq i64 %next.j, %n
  br i1 %done.j, label %made.one, label %j

made.one:
  %made.more = add i64 %made, 1
  br label %k.latch

k.latch:
  %made.next = phi i64 [ %made, %k ], [ %made.more, %made.one ]
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
