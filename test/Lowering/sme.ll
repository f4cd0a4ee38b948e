; With SME, a loop over k whose sums are beyond what vector registers hold is
; the call of a function in streaming mode.
; REQUIRES: aarch64-registered-target
; RUN: %opt -passes=tilesmith-lower,verify -S %s | FileCheck %s
; RUN: %opt -passes=tilesmith-lower %s | opt -O3 | llc -O3 | FileCheck %s --check-prefix=ASM

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i8:8:32-i16:16:32-i64:64-i128:128-n32:64-S128-Fn32"
target triple = "aarch64-unknown-linux-gnu"

; CHECK-LABEL: @f32(
; CHECK:      enter:
; CHECK-NEXT:   [[FROM:%.*]] = phi ptr [ null, %entry ], [ %C, %resume ]
; CHECK-NEXT:   [[LD:%.*]] = phi i64 [ 0, %entry ], [ %ldc, %resume ]
; CHECK-NEXT:   [[STEPS:%.*]] = call i64 @llvm.umax.i64(i64 %k, i64 1)
; CHECK-NEXT:   call void @tilesmith.outer.f32(ptr %A, i64 128, ptr %B, i64 96, i64 [[STEPS]], ptr [[FROM]], i64 [[LD]], ptr %C, i64 %ldc, i64 32, i64 24)
; CHECK-NEXT:   br label %exit
; CHECK:      exit:
; CHECK-NEXT:   ret void
define void @f32(i64 %k, ptr %A, ptr %B, ptr %C, i64 %ldc, i1 %first) #0 {
entry:
  br i1 %first, label %enter, label %resume
resume:
  %c = call <768 x float> @llvm.matrix.column.major.load.v768f32.i64(ptr align 4 %C, i64 %ldc, i1 false, i32 32, i32 24)
  br label %enter
enter:
  %start = phi <768 x float> [ zeroinitializer, %entry ], [ %c, %resume ]
  br label %loop
loop:
  %kk = phi i64 [ 0, %enter ], [ %kk.next, %loop ]
  %acc = phi <768 x float> [ %start, %enter ], [ %next, %loop ]
  %pa = phi ptr [ %A, %enter ], [ %pa.next, %loop ]
  %pb = phi ptr [ %B, %enter ], [ %pb.next, %loop ]
  %a = load <32 x float>, ptr %pa, align 4
  %b = load <24 x float>, ptr %pb, align 4
  %ab = call contract <768 x float> @llvm.matrix.multiply.v768f32.v32f32.v24f32(<32 x float> %a, <24 x float> %b, i32 32, i32 1, i32 24)
  %next = fadd contract <768 x float> %acc, %ab
  %pa.next = getelementptr i8, ptr %pa, i64 128
  %pb.next = getelementptr i8, ptr %pb, i64 96
  %kk.next = add i64 %kk, 1
  %more = icmp ult i64 %kk.next, %k
  br i1 %more, label %loop, label %exit
exit:
  call void @llvm.matrix.column.major.store.v768f32.i64(<768 x float> %next, ptr align 4 %C, i64 %ldc, i1 false, i32 32, i32 24)
  ret void
}

; CHECK-LABEL: @f64(
; CHECK: call void @tilesmith.outer.f64(
define void @f64(i64 %k, ptr %A, ptr %B, ptr %C, i64 %ldc, i1 %first) #0 {
entry:
  br i1 %first, label %enter, label %resume
resume:
  %c = call <256 x double> @llvm.matrix.column.major.load.v256f64.i64(ptr align 8 %C, i64 %ldc, i1 false, i32 16, i32 16)
  br label %enter
enter:
  %start = phi <256 x double> [ zeroinitializer, %entry ], [ %c, %resume ]
  br label %loop
loop:
  %kk = phi i64 [ 0, %enter ], [ %kk.next, %loop ]
  %acc = phi <256 x double> [ %start, %enter ], [ %next, %loop ]
  %pa = phi ptr [ %A, %enter ], [ %pa.next, %loop ]
  %pb = phi ptr [ %B, %enter ], [ %pb.next, %loop ]
  %a = load <16 x double>, ptr %pa, align 8
  %b = load <16 x double>, ptr %pb, align 8
  %ab = call contract <256 x double> @llvm.matrix.multiply.v256f64.v16f64.v16f64(<16 x double> %a, <16 x double> %b, i32 16, i32 1, i32 16)
  %next = fadd contract <256 x double> %acc, %ab
  %pa.next = getelementptr i8, ptr %pa, i64 128
  %pb.next = getelementptr i8, ptr %pb, i64 128
  %kk.next = add i64 %kk, 1
  %more = icmp ult i64 %kk.next, %k
  br i1 %more, label %loop, label %exit
exit:
  call void @llvm.matrix.column.major.store.v256f64.i64(<256 x double> %next, ptr align 8 %C, i64 %ldc, i1 false, i32 16, i32 16)
  ret void
}

; It is shared.
; CHECK-LABEL: @again(
; CHECK: call void @tilesmith.outer.f32(
define void @again(i64 %k, ptr %A, ptr %B, ptr %C, i64 %ldc, i1 %first) #0 {
entry:
  br i1 %first, label %enter, label %resume
resume:
  %c = call <256 x float> @llvm.matrix.column.major.load.v256f32.i64(ptr align 4 %C, i64 %ldc, i1 false, i32 16, i32 16)
  br label %enter
enter:
  %start = phi <256 x float> [ zeroinitializer, %entry ], [ %c, %resume ]
  br label %loop
loop:
  %kk = phi i64 [ 0, %enter ], [ %kk.next, %loop ]
  %acc = phi <256 x float> [ %start, %enter ], [ %next, %loop ]
  %pa = phi ptr [ %A, %enter ], [ %pa.next, %loop ]
  %pb = phi ptr [ %B, %enter ], [ %pb.next, %loop ]
  %a = load <16 x float>, ptr %pa, align 4
  %b = load <16 x float>, ptr %pb, align 4
  %ab = call contract <256 x float> @llvm.matrix.multiply.v256f32.v16f32.v16f32(<16 x float> %a, <16 x float> %b, i32 16, i32 1, i32 16)
  %next = fadd contract <256 x float> %acc, %ab
  %pa.next = getelementptr i8, ptr %pa, i64 64
  %pb.next = getelementptr i8, ptr %pb, i64 64
  %kk.next = add i64 %kk, 1
  %more = icmp ult i64 %kk.next, %k
  br i1 %more, label %loop, label %exit
exit:
  call void @llvm.matrix.column.major.store.v256f32.i64(<256 x float> %next, ptr align 4 %C, i64 %ldc, i1 false, i32 16, i32 16)
  ret void
}

; Not for doubles.
; CHECK-LABEL: @f32_only(
; CHECK-NOT: tilesmith.outer
; CHECK: ret void
define void @f32_only(i64 %k, ptr %A, ptr %B, ptr %C, i64 %ldc, i1 %first) #1 {
entry:
  br i1 %first, label %enter, label %resume
resume:
  %c = call <256 x double> @llvm.matrix.column.major.load.v256f64.i64(ptr align 8 %C, i64 %ldc, i1 false, i32 16, i32 16)
  br label %enter
enter:
  %start = phi <256 x double> [ zeroinitializer, %entry ], [ %c, %resume ]
  br label %loop
loop:
  %kk = phi i64 [ 0, %enter ], [ %kk.next, %loop ]
  %acc = phi <256 x double> [ %start, %enter ], [ %next, %loop ]
  %pa = phi ptr [ %A, %enter ], [ %pa.next, %loop ]
  %pb = phi ptr [ %B, %enter ], [ %pb.next, %loop ]
  %a = load <16 x double>, ptr %pa, align 8
  %b = load <16 x double>, ptr %pb, align 8
  %ab = call contract <256 x double> @llvm.matrix.multiply.v256f64.v16f64.v16f64(<16 x double> %a, <16 x double> %b, i32 16, i32 1, i32 16)
  %next = fadd contract <256 x double> %acc, %ab
  %pa.next = getelementptr i8, ptr %pa, i64 128
  %pb.next = getelementptr i8, ptr %pb, i64 128
  %kk.next = add i64 %kk, 1
  %more = icmp ult i64 %kk.next, %k
  br i1 %more, label %loop, label %exit
exit:
  call void @llvm.matrix.column.major.store.v256f64.i64(<256 x double> %next, ptr align 8 %C, i64 %ldc, i1 false, i32 16, i32 16)
  ret void
}

; Registers hold the sums.
; CHECK-LABEL: @few(
; CHECK-NOT: tilesmith.outer
; CHECK: ret void
define void @few(i64 %k, ptr %A, ptr %B, ptr %C, i64 %ldc, i1 %first) #0 {
entry:
  br i1 %first, label %enter, label %resume
resume:
  %c = call <96 x float> @llvm.matrix.column.major.load.v96f32.i64(ptr align 4 %C, i64 %ldc, i1 false, i32 12, i32 8)
  br label %enter
enter:
  %start = phi <96 x float> [ zeroinitializer, %entry ], [ %c, %resume ]
  br label %loop
loop:
  %kk = phi i64 [ 0, %enter ], [ %kk.next, %loop ]
  %acc = phi <96 x float> [ %start, %enter ], [ %next, %loop ]
  %pa = phi ptr [ %A, %enter ], [ %pa.next, %loop ]
  %pb = phi ptr [ %B, %enter ], [ %pb.next, %loop ]
  %a = load <12 x float>, ptr %pa, align 4
  %b = load <8 x float>, ptr %pb, align 4
  %ab = call contract <96 x float> @llvm.matrix.multiply.v96f32.v12f32.v8f32(<12 x float> %a, <8 x float> %b, i32 12, i32 1, i32 8)
  %next = fadd contract <96 x float> %acc, %ab
  %pa.next = getelementptr i8, ptr %pa, i64 48
  %pb.next = getelementptr i8, ptr %pb, i64 32
  %kk.next = add i64 %kk, 1
  %more = icmp ult i64 %kk.next, %k
  br i1 %more, label %loop, label %exit
exit:
  call void @llvm.matrix.column.major.store.v96f32.i64(<96 x float> %next, ptr align 4 %C, i64 %ldc, i1 false, i32 12, i32 8)
  ret void
}

; Products are rounded.
; CHECK-LABEL: @unfused(
; CHECK-NOT: tilesmith.outer
; CHECK: ret void
define void @unfused(i64 %k, ptr %A, ptr %B, ptr %C, i64 %ldc, i1 %first) #0 {
entry:
  br i1 %first, label %enter, label %resume
resume:
  %c = call <256 x float> @llvm.matrix.column.major.load.v256f32.i64(ptr align 4 %C, i64 %ldc, i1 false, i32 16, i32 16)
  br label %enter
enter:
  %start = phi <256 x float> [ zeroinitializer, %entry ], [ %c, %resume ]
  br label %loop
loop:
  %kk = phi i64 [ 0, %enter ], [ %kk.next, %loop ]
  %acc = phi <256 x float> [ %start, %enter ], [ %next, %loop ]
  %pa = phi ptr [ %A, %enter ], [ %pa.next, %loop ]
  %pb = phi ptr [ %B, %enter ], [ %pb.next, %loop ]
  %a = load <16 x float>, ptr %pa, align 4
  %b = load <16 x float>, ptr %pb, align 4
  %ab = call <256 x float> @llvm.matrix.multiply.v256f32.v16f32.v16f32(<16 x float> %a, <16 x float> %b, i32 16, i32 1, i32 16)
  %next = fadd <256 x float> %acc, %ab
  %pa.next = getelementptr i8, ptr %pa, i64 64
  %pb.next = getelementptr i8, ptr %pb, i64 64
  %kk.next = add i64 %kk, 1
  %more = icmp ult i64 %kk.next, %k
  br i1 %more, label %loop, label %exit
exit:
  call void @llvm.matrix.column.major.store.v256f32.i64(<256 x float> %next, ptr align 4 %C, i64 %ldc, i1 false, i32 16, i32 16)
  ret void
}

; In streaming mode already, or with an array that is the user's.
; CHECK-LABEL: @streaming(
; CHECK-NOT: tilesmith.outer
; CHECK: ret void
define void @streaming(i64 %k, ptr %A, ptr %B, ptr %C, i64 %ldc, i1 %first) "aarch64_pstate_sm_enabled" #0 {
entry:
  br i1 %first, label %enter, label %resume
resume:
  %c = call <256 x float> @llvm.matrix.column.major.load.v256f32.i64(ptr align 4 %C, i64 %ldc, i1 false, i32 16, i32 16)
  br label %enter
enter:
  %start = phi <256 x float> [ zeroinitializer, %entry ], [ %c, %resume ]
  br label %loop
loop:
  %kk = phi i64 [ 0, %enter ], [ %kk.next, %loop ]
  %acc = phi <256 x float> [ %start, %enter ], [ %next, %loop ]
  %pa = phi ptr [ %A, %enter ], [ %pa.next, %loop ]
  %pb = phi ptr [ %B, %enter ], [ %pb.next, %loop ]
  %a = load <16 x float>, ptr %pa, align 4
  %b = load <16 x float>, ptr %pb, align 4
  %ab = call contract <256 x float> @llvm.matrix.multiply.v256f32.v16f32.v16f32(<16 x float> %a, <16 x float> %b, i32 16, i32 1, i32 16)
  %next = fadd contract <256 x float> %acc, %ab
  %pa.next = getelementptr i8, ptr %pa, i64 64
  %pb.next = getelementptr i8, ptr %pb, i64 64
  %kk.next = add i64 %kk, 1
  %more = icmp ult i64 %kk.next, %k
  br i1 %more, label %loop, label %exit
exit:
  call void @llvm.matrix.column.major.store.v256f32.i64(<256 x float> %next, ptr align 4 %C, i64 %ldc, i1 false, i32 16, i32 16)
  ret void
}

; CHECK-LABEL: @array(
; CHECK-NOT: tilesmith.outer
; CHECK: ret void
define void @array(i64 %k, ptr %A, ptr %B, ptr %C, i64 %ldc, i1 %first) "aarch64_inout_za" #0 {
entry:
  br i1 %first, label %enter, label %resume
resume:
  %c = call <256 x float> @llvm.matrix.column.major.load.v256f32.i64(ptr align 4 %C, i64 %ldc, i1 false, i32 16, i32 16)
  br label %enter
enter:
  %start = phi <256 x float> [ zeroinitializer, %entry ], [ %c, %resume ]
  br label %loop
loop:
  %kk = phi i64 [ 0, %enter ], [ %kk.next, %loop ]
  %acc = phi <256 x float> [ %start, %enter ], [ %next, %loop ]
  %pa = phi ptr [ %A, %enter ], [ %pa.next, %loop ]
  %pb = phi ptr [ %B, %enter ], [ %pb.next, %loop ]
  %a = load <16 x float>, ptr %pa, align 4
  %b = load <16 x float>, ptr %pb, align 4
  %ab = call contract <256 x float> @llvm.matrix.multiply.v256f32.v16f32.v16f32(<16 x float> %a, <16 x float> %b, i32 16, i32 1, i32 16)
  %next = fadd contract <256 x float> %acc, %ab
  %pa.next = getelementptr i8, ptr %pa, i64 64
  %pb.next = getelementptr i8, ptr %pb, i64 64
  %kk.next = add i64 %kk, 1
  %more = icmp ult i64 %kk.next, %k
  br i1 %more, label %loop, label %exit
exit:
  call void @llvm.matrix.column.major.store.v256f32.i64(<256 x float> %next, ptr align 4 %C, i64 %ldc, i1 false, i32 16, i32 16)
  ret void
}

; Something else is stored in the loop.
; CHECK-LABEL: @stores(
; CHECK-NOT: tilesmith.outer
; CHECK: ret void
define void @stores(i64 %k, ptr %A, ptr %B, ptr %C, i64 %ldc, i1 %first) #0 {
entry:
  br i1 %first, label %enter, label %resume
resume:
  %c = call <256 x float> @llvm.matrix.column.major.load.v256f32.i64(ptr align 4 %C, i64 %ldc, i1 false, i32 16, i32 16)
  br label %enter
enter:
  %start = phi <256 x float> [ zeroinitializer, %entry ], [ %c, %resume ]
  br label %loop
loop:
  %kk = phi i64 [ 0, %enter ], [ %kk.next, %loop ]
  %acc = phi <256 x float> [ %start, %enter ], [ %next, %loop ]
  %pa = phi ptr [ %A, %enter ], [ %pa.next, %loop ]
  %pb = phi ptr [ %B, %enter ], [ %pb.next, %loop ]
  %a = load <16 x float>, ptr %pa, align 4
  %b = load <16 x float>, ptr %pb, align 4
  %ab = call contract <256 x float> @llvm.matrix.multiply.v256f32.v16f32.v16f32(<16 x float> %a, <16 x float> %b, i32 16, i32 1, i32 16)
  %next = fadd contract <256 x float> %acc, %ab
  %pa.next = getelementptr i8, ptr %pa, i64 64
  %pb.next = getelementptr i8, ptr %pb, i64 64
  store i64 %kk, ptr @steps
  %kk.next = add i64 %kk, 1
  %more = icmp ult i64 %kk.next, %k
  br i1 %more, label %loop, label %exit
exit:
  call void @llvm.matrix.column.major.store.v256f32.i64(<256 x float> %next, ptr align 4 %C, i64 %ldc, i1 false, i32 16, i32 16)
  ret void
}

; CHECK: define internal void @tilesmith.outer.f32({{.*}}) [[ATTRIBUTES:#[0-9]+]]
; CHECK: attributes [[ATTRIBUTES]] = { noinline nounwind {{.*}}"aarch64_pstate_sm_body"

; What a caller has left in the array is saved, by no function of a library.

; ASM-LABEL: tilesmith.outer.f32:
; ASM-NOT:   {{bl }}
; ASM:       smstart sm
; ASM:       mrs [[BLOCK:x[0-9]+]], TPIDR2_EL0
; ASM:       cbz [[BLOCK]],
; ASM:       str za[
; ASM:       msr TPIDR2_EL0, xzr
; ASM:       smstart za
; ASM:       Inner Loop Header
; ASM:       Inner Loop Header
; ASM:       Inner Loop Header
; ASM-COUNT-4: ld1w { z
; ASM-COUNT-4: fmopa za
; ASM:       b.lo
; ASM:       smstop za
; ASM:       smstop sm
; ASM-NOT:   {{bl }}
; ASM:       ret

@steps = global i64 0

attributes #0 = { "target-features"="+sme,+sme-f64f64,+sve" }
attributes #1 = { "target-features"="+sme,+sve" }
