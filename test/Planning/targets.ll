; The register tile and the blocks on different targets.
;
; RUN: %opt -passes='print<tilesmith-plan>' -disable-output -mtriple=x86_64 -mcpu=znver4 %s 2>&1 | FileCheck %s --check-prefix=ZNVER4
; RUN: %opt -passes='print<tilesmith-plan>' -disable-output -mtriple=x86_64 -mcpu=skylake-avx512 %s 2>&1 | FileCheck %s --check-prefix=SKX
; RUN: %opt -passes='print<tilesmith-plan>' -disable-output -mtriple=x86_64 -mcpu=haswell %s 2>&1 | FileCheck %s --check-prefix=HASWELL
; RUN: %opt -passes='print<tilesmith-plan>' -disable-output -mtriple=x86_64 -mcpu=znver4 -mattr=-avx512f %s 2>&1 | FileCheck %s --check-prefix=HASWELL
; RUN: %opt -passes='print<tilesmith-plan>' -disable-output -mtriple=x86_64 %s 2>&1 | FileCheck %s --check-prefix=SSE
; RUN: %opt -passes='print<tilesmith-plan>' -disable-output -mtriple=aarch64 %s 2>&1 | FileCheck %s --check-prefix=NEON
; RUN: %opt -passes='print<tilesmith-plan>' -disable-output -mtriple=powerpc64le -mcpu=pwr9 %s 2>&1 | FileCheck %s --check-prefix=VSX
; RUN: %opt -passes='print<tilesmith-plan>' -disable-output -mtriple=powerpc64le -mcpu=pwr10 %s 2>&1 | FileCheck %s --check-prefix=MMA
; RUN: %opt -passes='print<tilesmith-plan>' -disable-output -mtriple=powerpc64le -mcpu=pwr10 -mattr=-mma %s 2>&1 | FileCheck %s --check-prefix=VSX
; RUN: %opt -passes='print<tilesmith-plan>' -disable-output -mtriple=powerpc64le -mcpu=pwr10 -tilesmith-plan=tile=8x16 %s 2>&1 | FileCheck %s --check-prefix=WIDE
; RUN: %opt -passes='print<tilesmith-plan>' -disable-output -mtriple=powerpc64le -mcpu=pwr10 -tilesmith-plan=tile=24x8 %s 2>&1 | FileCheck %s --check-prefix=LARGE
; RUN: %opt -passes='print<tilesmith-plan>' -disable-output -mtriple=riscv64 %s 2>&1 | FileCheck %s --check-prefix=SCALAR
;
; ZNVER4-LABEL: 'fused_f64'
; ZNVER4-NEXT: packed, 24x8 micro kernel, AVX-512
; ZNVER4-LABEL: 'fused_f32'
; ZNVER4-NEXT: packed, 48x8 micro kernel, AVX-512
; ZNVER4-LABEL: 'separate_f64'
; ZNVER4-NEXT: packed, 24x8 micro kernel, AVX-512
; ZNVER4-LABEL: 'i32'
; ZNVER4-NEXT: packed, 48x8 micro kernel, AVX-512
;
; SKX-LABEL: 'fused_f64'
; SKX-NEXT: packed, 24x8 micro kernel, AVX-512
; SKX-LABEL: 'fused_f32'
; SKX-NEXT: packed, 48x8 micro kernel, AVX-512
; SKX-LABEL: 'separate_f64'
; SKX-NEXT: packed, 24x8 micro kernel, AVX-512
; SKX-LABEL: 'i32'
; SKX-NEXT: packed, 48x8 micro kernel, AVX-512
;
; HASWELL-LABEL: 'fused_f64'
; HASWELL-NEXT: packed, 12x4 micro kernel, AVX
; HASWELL-LABEL: 'fused_f32'
; HASWELL-NEXT: packed, 24x4 micro kernel, AVX
; HASWELL-LABEL: 'separate_f64'
; HASWELL-NEXT: packed, 8x4 micro kernel, AVX
; HASWELL-LABEL: 'i32'
; HASWELL-NEXT: packed, 16x4 micro kernel, AVX
;
; SSE-LABEL: 'fused_f64'
; SSE-NEXT: packed, 4x4 micro kernel, SSE
; SSE-LABEL: 'fused_f32'
; SSE-NEXT: packed, 8x4 micro kernel, SSE
; SSE-LABEL: 'separate_f64'
; SSE-NEXT: packed, 4x4 micro kernel, SSE
; SSE-LABEL: 'i32'
; SSE-NEXT: packed, 8x4 micro kernel, SSE
;
; NEON-LABEL: 'fused_f64'
; NEON-NEXT: packed, 6x8 micro kernel, NEON
; NEON-LABEL: 'fused_f32'
; NEON-NEXT: packed, 12x8 micro kernel, NEON
; NEON-LABEL: 'separate_f64'
; NEON-NEXT: packed, 6x8 micro kernel, NEON
; NEON-LABEL: 'i32'
; NEON-NEXT: packed, 12x8 micro kernel, NEON
;
; VSX-LABEL: 'fused_f64'
; VSX-NEXT: packed, 8x8 micro kernel, VSX
; VSX-LABEL: 'fused_f32'
; VSX-NEXT: packed, 16x8 micro kernel, VSX
; VSX-LABEL: 'separate_f64'
; VSX-NEXT: packed, 8x8 micro kernel, VSX
; VSX-LABEL: 'i32'
; VSX-NEXT: packed, 12x8 micro kernel, VSX
;
; MMA-LABEL: 'fused_f64'
; MMA-NEXT: packed, 8x8 micro kernel, MMA
; MMA: tile: 8 of 8 accumulators of 4 columns, 4 of A and 4 of B in 32 other registers; 8 multiply-adds for 8 loads
; MMA-LABEL: 'fused_f32'
; MMA-NEXT: packed, 16x8 micro kernel, MMA
; MMA: tile: 8 of 8 accumulators of 4 columns, 4 of A and 2 of B in 32 other registers; 8 multiply-adds for 6 loads
; MMA-LABEL: 'separate_f64'
; MMA-NEXT: packed, 8x8 micro kernel, VSX
; MMA-LABEL: 'i32'
; MMA-NEXT: packed, 12x8 micro kernel, VSX
;
; Doubles would take 16 accumulators.
; WIDE-LABEL: 'fused_f64'
; WIDE-NEXT: PlanRegisters
; WIDE-LABEL: 'fused_f32'
; WIDE-NEXT: packed, 8x16 micro kernel, MMA
; WIDE: tile (given): 8 of 8 accumulators of 4 columns, 2 of A and 4 of B
; WIDE-LABEL: 'separate_f64'
;
; 12 accumulators do not fit; 6 * 9 registers would, but half of them hold no
; integers.
; LARGE-LABEL: 'fused_f32'
; LARGE-NEXT: PlanRegisters
; LARGE-LABEL: 'separate_f64'
; LARGE-LABEL: 'i32'
; LARGE-NEXT: PlanRegisters
;
; SCALAR-COUNT-4: not replaced: NoVectors

define void @fused_f64(i64 %m, i64 %n, i64 %k, ptr %A, ptr %B, ptr %C) {
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

define void @fused_f32(i64 %m, i64 %n, i64 %k, ptr %A, ptr %B, ptr %C) {
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
  %pA = getelementptr float, ptr %A, i64 %ilA
  %a = load float, ptr %pA
  %lB = mul nsw i64 %l, %n
  %ljB = add nsw i64 %lB, %j
  %pB = getelementptr float, ptr %B, i64 %ljB
  %b = load float, ptr %pB
  %next = call float @llvm.fmuladd.f32(float %a, float %b, float %acc)
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

define void @separate_f64(i64 %m, i64 %n, i64 %k, ptr %A, ptr %B, ptr %C) {
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
  %ab = fmul double %a, %b
  %next = fadd double %acc, %ab
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

define void @i32(i64 %m, i64 %n, i64 %k, ptr %A, ptr %B, ptr %C) {
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
  %pC = getelementptr i32, ptr %C, i64 %ijC
  %start = load i32, ptr %pC
  br label %sum
sum:
  %l = phi i64 [ 0, %columns ], [ %l.next, %sum ]
  %acc = phi i32 [ %start, %columns ], [ %next, %sum ]
  %ilA = add nsw i64 %iA, %l
  %pA = getelementptr i32, ptr %A, i64 %ilA
  %a = load i32, ptr %pA
  %lB = mul nsw i64 %l, %n
  %ljB = add nsw i64 %lB, %j
  %pB = getelementptr i32, ptr %B, i64 %ljB
  %b = load i32, ptr %pB
  %ab = mul i32 %a, %b
  %next = add i32 %acc, %ab
  %l.next = add nuw nsw i64 %l, 1
  %l.more = icmp ult i64 %l.next, %k
  br i1 %l.more, label %sum, label %columns.latch
columns.latch:
  store i32 %next, ptr %pC
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

declare double @llvm.fmuladd.f64(double, double, double)
declare float @llvm.fmuladd.f32(float, float, float)
