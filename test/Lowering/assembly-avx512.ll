; Micro-kernels for 32 registers of 512 bits: the loop over k holds its
; fused multiply-adds, nothing is spilled, and no register is copied.
; REQUIRES: x86-registered-target
; RUN: %opt -passes=tilesmith-lower -mcpu=znver4 %s | opt -O3 -mcpu=znver4 \
; RUN:   | llc -O3 -mcpu=znver4 | FileCheck %s --implicit-check-not='(%rsp)' \
; RUN:       --implicit-check-not='{{vmov[a-z0-9]+[[:space:]]+%[xyz]mm[0-9]+, %[xyz]mm}}'
; RUN: %opt -passes=tilesmith-lower -mcpu=skylake-avx512 %s | opt -O3 -mcpu=skylake-avx512 \
; RUN:   | llc -O3 -mcpu=skylake-avx512 | FileCheck %s --implicit-check-not='(%rsp)' \
; RUN:       --implicit-check-not='{{vmov[a-z0-9]+[[:space:]]+%[xyz]mm[0-9]+, %[xyz]mm}}'
; RUN: %opt -passes=tilesmith-lower -mcpu=sapphirerapids %s | opt -O3 -mcpu=sapphirerapids \
; RUN:   | llc -O3 -mcpu=sapphirerapids | FileCheck %s --implicit-check-not='(%rsp)' \
; RUN:       --implicit-check-not='{{vmov[a-z0-9]+[[:space:]]+%[xyz]mm[0-9]+, %[xyz]mm}}'
; RUN: %opt -passes=tilesmith-lower -mcpu=x86-64-v4 %s | opt -O3 -mcpu=x86-64-v4 \
; RUN:   | llc -O3 -mcpu=x86-64-v4 | FileCheck %s --implicit-check-not='(%rsp)' \
; RUN:       --implicit-check-not='{{vmov[a-z0-9]+[[:space:]]+%[xyz]mm[0-9]+, %[xyz]mm}}'

target triple = "x86_64-unknown-linux-gnu"

; CHECK-LABEL: f64_24x8:
; CHECK:           Inner Loop Header
; CHECK-COUNT-24: vfmadd{{[0-9]+}}pd
; CHECK-NOT:       vfmadd
; CHECK:           {{jne|jb}}
define void @f64_24x8(i64 %k, ptr %A, ptr %B, ptr %C, i64 %ldc, i1 %first) #0 {
entry:
  br i1 %first, label %loop, label %resume
resume:
  %c = call <192 x double> @llvm.matrix.column.major.load.v192f64.i64(ptr align 8 %C, i64 %ldc, i1 false, i32 24, i32 8)
  br label %loop
loop:
  %kk = phi i64 [ 0, %entry ], [ 0, %resume ], [ %kk.next, %loop ]
  %acc = phi <192 x double> [ zeroinitializer, %entry ], [ %c, %resume ], [ %next, %loop ]
  %pa = getelementptr [24 x double], ptr %A, i64 %kk
  %pb = getelementptr [8 x double], ptr %B, i64 %kk
  %a = load <24 x double>, ptr %pa, align 64
  %b = load <8 x double>, ptr %pb, align 8
  %ab = call contract <192 x double> @llvm.matrix.multiply.v192f64.v24f64.v8f64(<24 x double> %a, <8 x double> %b, i32 24, i32 1, i32 8)
  %next = fadd contract <192 x double> %acc, %ab
  %kk.next = add i64 %kk, 1
  %more = icmp ne i64 %kk.next, %k
  br i1 %more, label %loop, label %exit, !llvm.loop !0
exit:
  call void @llvm.matrix.column.major.store.v192f64.i64(<192 x double> %next, ptr align 8 %C, i64 %ldc, i1 false, i32 24, i32 8)
  ret void
}

; CHECK-LABEL: f32_48x8:
; CHECK:           Inner Loop Header
; CHECK-COUNT-24: vfmadd{{[0-9]+}}ps
; CHECK-NOT:       vfmadd
; CHECK:           {{jne|jb}}
define void @f32_48x8(i64 %k, ptr %A, ptr %B, ptr %C, i64 %ldc, i1 %first) #0 {
entry:
  br i1 %first, label %loop, label %resume
resume:
  %c = call <384 x float> @llvm.matrix.column.major.load.v384f32.i64(ptr align 4 %C, i64 %ldc, i1 false, i32 48, i32 8)
  br label %loop
loop:
  %kk = phi i64 [ 0, %entry ], [ 0, %resume ], [ %kk.next, %loop ]
  %acc = phi <384 x float> [ zeroinitializer, %entry ], [ %c, %resume ], [ %next, %loop ]
  %pa = getelementptr [48 x float], ptr %A, i64 %kk
  %pb = getelementptr [8 x float], ptr %B, i64 %kk
  %a = load <48 x float>, ptr %pa, align 64
  %b = load <8 x float>, ptr %pb, align 4
  %ab = call contract <384 x float> @llvm.matrix.multiply.v384f32.v48f32.v8f32(<48 x float> %a, <8 x float> %b, i32 48, i32 1, i32 8)
  %next = fadd contract <384 x float> %acc, %ab
  %kk.next = add i64 %kk, 1
  %more = icmp ne i64 %kk.next, %k
  br i1 %more, label %loop, label %exit, !llvm.loop !0
exit:
  call void @llvm.matrix.column.major.store.v384f32.i64(<384 x float> %next, ptr align 4 %C, i64 %ldc, i1 false, i32 48, i32 8)
  ret void
}

attributes #0 = { "min-legal-vector-width"="512" "prefer-vector-width"="512" }

!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.unroll.disable"}
