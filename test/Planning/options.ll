; Options override every figure of the plan; what must be a multiple is rounded.
;
; RUN: %opt -passes='print<tilesmith-plan>' -disable-output -mtriple=x86_64 -mcpu=znver4 -tilesmith-mr=13 -tilesmith-nr=3 -tilesmith-mc=100 -tilesmith-nc=101 -tilesmith-kc=77 -tilesmith-min-work=5 %s 2>&1 | FileCheck %s --check-prefix=BLOCKS
; RUN: %opt -passes='print<tilesmith-plan>' -disable-output -mtriple=x86_64 -mcpu=znver4 -tilesmith-vector-bits=256 %s 2>&1 | FileCheck %s --check-prefix=WIDTH
; RUN: %opt -passes='print<tilesmith-plan>' -disable-output -mtriple=x86_64 -mcpu=znver4 -tilesmith-vector-bits=64 %s 2>&1 | FileCheck %s --check-prefix=NONE
; RUN: %opt -passes='print<tilesmith-plan>' -disable-output -mtriple=x86_64 -mcpu=znver4 -tilesmith-l1=16384 -tilesmith-l2=262144 -tilesmith-l3=1048576 %s 2>&1 | FileCheck %s --check-prefix=CACHES
;
; BLOCKS: 16x4 micro kernel, AVX-512
; BLOCKS-NEXT: plan: packed tile=16x4 mc=112 nc=104 kc=77 {{.*}} min-work=5{{$}}
; WIDTH: 12x8 micro kernel, AVX,
; NONE: not replaced: NoVectors
; A smaller cache, smaller blocks: half of L1 is for 8 columns of B.
; CACHES: plan: packed tile=24x8+16x8 mc={{[0-9]+}} nc={{[0-9]+}} kc=128

define void @gemm(i64 %m, i64 %n, i64 %k, ptr %A, ptr %B, ptr %C) {
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
  %pC = getelementptr double, ptr %C, i64 %ijC
  %start = load double, ptr %pC
  br label %sum
sum:
  %l = phi i64 [ 0, %columns ], [ %l.next, %sum ]
  %acc = phi double [ %start, %columns ], [ %next, %sum ]
  %ilA = add nsw i64 %iA, %l
  %pA = getelementptr double, ptr %A, i64 %ilA
  %a = load double, ptr %pA
  %lB = mul nsw i64 %l, %n
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
  %j.more = icmp ult i64 %j.next, %n
  br i1 %j.more, label %columns, label %rows.latch
rows.latch:
  %i.next = add nuw nsw i64 %i, 1
  %i.more = icmp ult i64 %i.next, %m
  br i1 %i.more, label %rows, label %exit
exit:
  ret void
}
