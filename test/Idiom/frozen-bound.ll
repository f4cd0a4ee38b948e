; A bound that is frozen is what it was, unless that may be poison.
;
; RUN: %opt -passes='print<tilesmith-idioms>' -disable-output %s 2>&1 | FileCheck %s

; CHECK: function 'defined':
; CHECK: domain: {{m <= n|n >= m|n <= m|m >= n}}
; CHECK: function 'poison':
; CHECK-NEXT: not replaced: BoundVaries

define void @defined(ptr noalias %a, ptr noalias %c, i64 noundef %n, i64 %l) {
entry:
  %some = icmp sgt i64 %l, 0
  br i1 %some, label %i, label %exit

i:
  %iv.i = phi i64 [ 0, %entry ], [ %next.i, %i.latch ]
  %left = sub nsw i64 %n, %iv.i
  %frozen = freeze i64 %left
  %any = icmp sgt i64 %frozen, 0
  br i1 %any, label %row, label %i.latch

row:
  %end = add i64 %frozen, %iv.i
  %row.c = mul i64 %iv.i, 1000
  br label %k

k:
  %iv.k = phi i64 [ 0, %row ], [ %next.k, %k.latch ]
  %row.a = mul i64 %iv.k, 1000
  %ki = add i64 %row.a, %iv.i
  %px = getelementptr double, ptr %a, i64 %ki
  %x = load double, ptr %px
  br label %j

j:
  %iv.j = phi i64 [ %iv.i, %k ], [ %next.j, %j ]
  %kj = add i64 %row.a, %iv.j
  %py = getelementptr double, ptr %a, i64 %kj
  %y = load double, ptr %py
  %ij = add i64 %row.c, %iv.j
  %pc = getelementptr double, ptr %c, i64 %ij
  %old = load double, ptr %pc
  %xy = fmul double %x, %y
  %new = fadd double %old, %xy
  store double %new, ptr %pc
  %next.j = add i64 %iv.j, 1
  %done.j = icmp eq i64 %next.j, %end
  br i1 %done.j, label %k.latch, label %j

k.latch:
  %next.k = add i64 %iv.k, 1
  %done.k = icmp eq i64 %next.k, %l
  br i1 %done.k, label %made, label %k

made:
  br label %i.latch

i.latch:
  %next.i = add i64 %iv.i, 1
  %done.i = icmp eq i64 %next.i, 900
  br i1 %done.i, label %exit, label %i

exit:
  ret void
}

define void @poison(ptr noalias %a, ptr noalias %c, i64 %n, i64 %l) {
entry:
  %some = icmp sgt i64 %l, 0
  br i1 %some, label %i, label %exit

i:
  %iv.i = phi i64 [ 0, %entry ], [ %next.i, %i.latch ]
  %left = sub nsw i64 %n, %iv.i
  %frozen = freeze i64 %left
  %any = icmp sgt i64 %frozen, 0
  br i1 %any, label %row, label %i.latch

row:
  %end = add i64 %frozen, %iv.i
  %row.c = mul i64 %iv.i, 1000
  br label %k

k:
  %iv.k = phi i64 [ 0, %row ], [ %next.k, %k.latch ]
  %row.a = mul i64 %iv.k, 1000
  %ki = add i64 %row.a, %iv.i
  %px = getelementptr double, ptr %a, i64 %ki
  %x = load double, ptr %px
  br label %j

j:
  %iv.j = phi i64 [ %iv.i, %k ], [ %next.j, %j ]
  %kj = add i64 %row.a, %iv.j
  %py = getelementptr double, ptr %a, i64 %kj
  %y = load double, ptr %py
  %ij = add i64 %row.c, %iv.j
  %pc = getelementptr double, ptr %c, i64 %ij
  %old = load double, ptr %pc
  %xy = fmul double %x, %y
  %new = fadd double %old, %xy
  store double %new, ptr %pc
  %next.j = add i64 %iv.j, 1
  %done.j = icmp eq i64 %next.j, %end
  br i1 %done.j, label %k.latch, label %j

k.latch:
  %next.k = add i64 %iv.k, 1
  %done.k = icmp eq i64 %next.k, %l
  br i1 %done.k, label %made, label %k

made:
  br label %i.latch

i.latch:
  %next.i = add i64 %iv.i, 1
  %done.i = icmp eq i64 %next.i, 900
  br i1 %done.i, label %exit, label %i

exit:
  ret void
}
