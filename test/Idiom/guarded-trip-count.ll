; An unsigned counter in steps of three, with 32-bit subscripts: the count holds
; unless the bound is among the last values of its type, the subscripts are
; affine unless they wrap.
;
; RUN: %opt -passes='print<tilesmith-idioms>' -disable-output %s 2>&1 | FileCheck %s

; CHECK: GEMM f64
; CHECK: K: extent 1 + ((zext i32 (-1 + (3 umax %n)) to i64) /u 3)
; CHECK-DAG: guard: 32-bit unsigned index from {{.*}} does not wrap
; CHECK-DAG: guard: %n ule -3

define void @product(ptr noalias %a, ptr noalias %b, ptr noalias %c, i32 %n) {
entry:
  br label %i

i:
  %iv.i = phi i32 [ 0, %entry ], [ %next.i, %i.latch ]
  %row.a = mul i32 %iv.i, %n
  br label %j

j:
  %iv.j = phi i32 [ 0, %i ], [ %next.j, %j.latch ]
  %ij = add i32 %row.a, %iv.j
  %ij.wide = zext i32 %ij to i64
  %pc = getelementptr double, ptr %c, i64 %ij.wide
  %start = load double, ptr %pc
  br label %k

k:
  %iv.k = phi i32 [ 0, %j ], [ %next.k, %k ]
  %sum = phi double [ %start, %j ], [ %next, %k ]
  %ik = add i32 %row.a, %iv.k
  %ik.wide = zext i32 %ik to i64
  %pa = getelementptr double, ptr %a, i64 %ik.wide
  %x = load double, ptr %pa
  %row.b = mul i32 %iv.k, %n
  %kj = add i32 %row.b, %iv.j
  %kj.wide = zext i32 %kj to i64
  %pb = getelementptr double, ptr %b, i64 %kj.wide
  %y = load double, ptr %pb
  %xy = fmul double %x, %y
  %next = fadd double %sum, %xy
  %next.k = add i32 %iv.k, 3
  %k.goes.on = icmp ult i32 %next.k, %n
  br i1 %k.goes.on, label %k, label %j.latch

j.latch:
  store double %next, ptr %pc
  %next.j = add nuw nsw i32 %iv.j, 1
  %j.goes.on = icmp ne i32 %next.j, %n
  br i1 %j.goes.on, label %j, label %i.latch

i.latch:
  %next.i = add nuw nsw i32 %iv.i, 1
  %i.goes.on = icmp ne i32 %next.i, %n
  br i1 %i.goes.on, label %i, label %exit

exit:
  ret void
}
