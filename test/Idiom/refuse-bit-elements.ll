; Elements that do not lie in memory one by one.
;
; RUN: %opt -passes='print<tilesmith-idioms>' -disable-output %s 2>&1 | FileCheck %s

; CHECK: not replaced: ElementType

define void @product(ptr noalias %a, ptr noalias %b, ptr noalias %c, i64 %n) {
entry:
  br label %i

i:
  %iv.i = phi i64 [ 0, %entry ], [ %next.i, %i.latch ]
  %row = mul i64 %iv.i, %n
  br label %j

j:
  %iv.j = phi i64 [ 0, %i ], [ %next.j, %j.latch ]
  %ij = add i64 %row, %iv.j
  %pc = getelementptr i32, ptr %c, i64 %ij
  br label %k

k:
  %iv.k = phi i64 [ 0, %j ], [ %next.k, %k ]
  %sum = phi i32 [ 0, %j ], [ %next, %k ]
  %ik = add i64 %row, %iv.k
  %pa = getelementptr i1, ptr %a, i64 %ik
  %bit = load i1, ptr %pa
  %x = zext i1 %bit to i32
  %row.b = mul i64 %iv.k, %n
  %kj = add i64 %row.b, %iv.j
  %pb = getelementptr i32, ptr %b, i64 %kj
  %y = load i32, ptr %pb
  %xy = mul i32 %x, %y
  %next = add i32 %sum, %xy
  %next.k = add nuw nsw i64 %iv.k, 1
  %k.goes.on = icmp ne i64 %next.k, %n
  br i1 %k.goes.on, label %k, label %j.latch

j.latch:
  store i32 %next, ptr %pc
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
