; C += A*B, of halves, with -ffast-math. clang has no such type on POWER.
target triple = "powerpc64le-unknown-linux-gnu"

define void @NAME(i64 %m, i64 %n, i64 %k, ptr noalias %A, ptr noalias %B, ptr noalias %C) "target-cpu"="pwr10" {
entry:
  br label %rows
rows:
  %i = phi i64 [ 0, %entry ], [ %i.next, %rows.latch ]
  %iA = mul nsw i64 %i, %k
  %iC = mul nsw i64 %i, %n
  br label %columns
columns:
  %j = phi i64 [ 0, %rows ], [ %j.next, %columns.latch ]
  %ijC = add nsw i64 %iC, %j
  %pC = getelementptr float, ptr %C, i64 %ijC
  %start = load float, ptr %pC
  br label %sum
sum:
  %l = phi i64 [ 0, %columns ], [ %l.next, %sum ]
  %acc = phi float [ %start, %columns ], [ %next, %sum ]
  %ilA = add nsw i64 %iA, %l
  %pA = getelementptr half, ptr %A, i64 %ilA
  %a = load half, ptr %pA
  %ax = fpext half %a to float
  %lB = mul nsw i64 %l, %n
  %ljB = add nsw i64 %lB, %j
  %pB = getelementptr half, ptr %B, i64 %ljB
  %b = load half, ptr %pB
  %bx = fpext half %b to float
  %ab = fmul fast float %ax, %bx
  %next = fadd fast float %acc, %ab
  %l.next = add nuw nsw i64 %l, 1
  %l.more = icmp ult i64 %l.next, %k
  br i1 %l.more, label %sum, label %columns.latch
columns.latch:
  store float %next, ptr %pC
  %j.next = add nuw nsw i64 %j, 1
  %j.more = icmp ult i64 %j.next, %n
  br i1 %j.more, label %columns, label %rows.latch
rows.latch:
  %i.next = add nuw nsw i64 %i, 1
  %i.more = icmp ult i64 %i.next, %m
  br i1 %i.more, label %rows, label %exit
exit:
  ret void
}
