; Constant sizes below the break-even are refused; sizes that are not all known
; are left to the guard.
;
; RUN: %opt -passes='print<tilesmith-plan>' -disable-output -mtriple=x86_64 -mcpu=haswell %s 2>&1 | FileCheck %s
; RUN: %opt -passes='print<tilesmith-plan>' -disable-output -mtriple=x86_64 -mcpu=haswell -tilesmith-min-work=1 %s 2>&1 | FileCheck %s --check-prefix=ALL
; RUN: %opt -passes='print<tilesmith-plan>' -disable-output -mtriple=x86_64 -mcpu=haswell -tilesmith-min-work=100000000 %s 2>&1 | FileCheck %s --check-prefix=NONE
;
; CHECK-LABEL: 'small'
; CHECK-NEXT: not replaced: TooSmall
; CHECK-LABEL: 'large'
; CHECK-NEXT: 64x65x66: packed
; CHECK-LABEL: 'some_known'
; CHECK-NEXT: 4x5xK: packed
;
; ALL-COUNT-3: min-work=1{{$}}
;
; NONE-COUNT-2: not replaced: TooSmall
; NONE: 4x5xK: packed,
; NONE-NEXT: min-work=100000000{{$}}

define void @small(i64 %m, i64 %n, i64 %k, ptr %A, ptr %B, ptr %C) {
entry:
  br label %rows
rows:
  %i = phi i64 [ 0, %entry ], [ %i.next, %rows.latch ]
  %iA = mul nsw i64 %i, 3
  %iC = mul nsw i64 %i, 5
  br label %columns
columns:
  %j = phi i64 [ 0, %rows ], [ %j.next, %columns.latch ]
  %ijC = add nsw i64 %iC, %j
  %pC = getelementptr double, ptr %C, i64 %ijC
  %start = load double, ptr %pC
  br label %sum
sum:
  %l = phi i64 [ 0, %columns ], [ %l.next, %sum ]
  %acc = phi double [ %start, %columns ], [ %next, %sum ]
  %ilA = add nsw i64 %iA, %l
  %pA = getelementptr double, ptr %A, i64 %ilA
  %a = load double, ptr %pA
  %lB = mul nsw i64 %l, 5
  %ljB = add nsw i64 %lB, %j
  %pB = getelementptr double, ptr %B, i64 %ljB
  %b = load double, ptr %pB
  %next = call double @llvm.fmuladd.f64(double %a, double %b, double %acc)
  %l.next = add nuw nsw i64 %l, 1
  %l.more = icmp ult i64 %l.next, 3
  br i1 %l.more, label %sum, label %columns.latch
columns.latch:
  store double %next, ptr %pC
  %j.next = add nuw nsw i64 %j, 1
  %j.more = icmp ult i64 %j.next, 5
  br i1 %j.more, label %columns, label %rows.latch
rows.latch:
  %i.next = add nuw nsw i64 %i, 1
  %i.more = icmp ult i64 %i.next, 4
  br i1 %i.more, label %rows, label %exit
exit:
  ret void
}

define void @large(i64 %m, i64 %n, i64 %k, ptr %A, ptr %B, ptr %C) {
entry:
  br label %rows
rows:
  %i = phi i64 [ 0, %entry ], [ %i.next, %rows.latch ]
  %iA = mul nsw i64 %i, 66
  %iC = mul nsw i64 %i, 65
  br label %columns
columns:
  %j = phi i64 [ 0, %rows ], [ %j.next, %columns.latch ]
  %ijC = add nsw i64 %iC, %j
  %pC = getelementptr double, ptr %C, i64 %ijC
  %start = load double, ptr %pC
  br label %sum
sum:
  %l = phi i64 [ 0, %columns ], [ %l.next, %sum ]
  %acc = phi double [ %start, %columns ], [ %next, %sum ]
  %ilA = add nsw i64 %iA, %l
  %pA = getelementptr double, ptr %A, i64 %ilA
  %a = load double, ptr %pA
  %lB = mul nsw i64 %l, 65
  %ljB = add nsw i64 %lB, %j
  %pB = getelementptr double, ptr %B, i64 %ljB
  %b = load double, ptr %pB
  %next = call double @llvm.fmuladd.f64(double %a, double %b, double %acc)
  %l.next = add nuw nsw i64 %l, 1
  %l.more = icmp ult i64 %l.next, 66
  br i1 %l.more, label %sum, label %columns.latch
columns.latch:
  store double %next, ptr %pC
  %j.next = add nuw nsw i64 %j, 1
  %j.more = icmp ult i64 %j.next, 65
  br i1 %j.more, label %columns, label %rows.latch
rows.latch:
  %i.next = add nuw nsw i64 %i, 1
  %i.more = icmp ult i64 %i.next, 64
  br i1 %i.more, label %rows, label %exit
exit:
  ret void
}

define void @some_known(i64 %m, i64 %n, i64 %k, ptr %A, ptr %B, ptr %C) {
entry:
  br label %rows
rows:
  %i = phi i64 [ 0, %entry ], [ %i.next, %rows.latch ]
  %iA = mul nsw i64 %i, %k
  %iC = mul nsw i64 %i, 5
  br label %columns
columns:
  %j = phi i64 [ 0, %rows ], [ %j.next, %columns.latch ]
  %ijC = add nsw i64 %iC, %j
  %pC = getelementptr double, ptr %C, i64 %ijC
  %start = load double, ptr %pC
  br label %sum
sum:
  %l = phi i64 [ 0, %columns ], [ %l.next, %sum ]
  %acc = phi double [ %start, %columns ], [ %next, %sum ]
  %ilA = add nsw i64 %iA, %l
  %pA = getelementptr double, ptr %A, i64 %ilA
  %a = load double, ptr %pA
  %lB = mul nsw i64 %l, 5
  %ljB = add nsw i64 %lB, %j
  %pB = getelementptr double, ptr %B, i64 %ljB
  %b = load double, ptr %pB
  %next = call double @llvm.fmuladd.f64(double %a, double %b, double %acc)
  %l.next = add nuw nsw i64 %l, 1
  %l.more = icmp ult i64 %l.next, %k
  br i1 %l.more, label %sum, label %columns.latch
columns.latch:
  store double %next, ptr %pC
  %j.next = add nuw nsw i64 %j, 1
  %j.more = icmp ult i64 %j.next, 5
  br i1 %j.more, label %columns, label %rows.latch
rows.latch:
  %i.next = add nuw nsw i64 %i, 1
  %i.more = icmp ult i64 %i.next, 4
  br i1 %i.more, label %rows, label %exit
exit:
  ret void
}
