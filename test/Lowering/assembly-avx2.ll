; Micro-kernels for 16 registers of 256 bits: the loop over k holds its
; fused multiply-adds, nothing is spilled, and no register is copied.
; REQUIRES: x86-registered-target
; RUN: %opt -passes=tilesmith-lower -mcpu=haswell %s | opt -O3 -mcpu=haswell \
; RUN:   | llc -O3 -mcpu=haswell | FileCheck %s --implicit-check-not='(%rsp)' \
; RUN:       --implicit-check-not='{{vmov[a-z0-9]+[[:space:]]+%[xyz]mm[0-9]+, %[xyz]mm}}'
; RUN: %opt -passes=tilesmith-lower -mcpu=znver3 %s | opt -O3 -mcpu=znver3 \
; RUN:   | llc -O3 -mcpu=znver3 | FileCheck %s --implicit-check-not='(%rsp)' \
; RUN:       --implicit-check-not='{{vmov[a-z0-9]+[[:space:]]+%[xyz]mm[0-9]+, %[xyz]mm}}'
; RUN: %opt -passes=tilesmith-lower -mcpu=x86-64-v3 %s | opt -O3 -mcpu=x86-64-v3 \
; RUN:   | llc -O3 -mcpu=x86-64-v3 | FileCheck %s --implicit-check-not='(%rsp)' \
; RUN:       --implicit-check-not='{{vmov[a-z0-9]+[[:space:]]+%[xyz]mm[0-9]+, %[xyz]mm}}'

target triple = "x86_64-unknown-linux-gnu"

; CHECK-LABEL: f64_12x4:
; CHECK:           Inner Loop Header
; CHECK-COUNT-12: vfmadd{{[0-9]+}}pd
; CHECK-NOT:       vfmadd
; CHECK:           {{jne|jb}}
define void @f64_12x4(i64 %k, ptr %A, ptr %B, ptr %C, i64 %ldc, i1 %first) #0 {
entry:
  br i1 %first, label %loop, label %resume
resume:
  %c = call <48 x double> @llvm.matrix.column.major.load.v48f64.i64(ptr align 8 %C, i64 %ldc, i1 false, i32 12, i32 4)
  br label %loop
loop:
  %kk = phi i64 [ 0, %entry ], [ 0, %resume ], [ %kk.next, %loop ]
  %acc = phi <48 x double> [ zeroinitializer, %entry ], [ %c, %resume ], [ %next, %loop ]
  %pa = getelementptr [12 x double], ptr %A, i64 %kk
  %pb = getelementptr [4 x double], ptr %B, i64 %kk
  %a = load <12 x double>, ptr %pa, align 64
  %b = load <4 x double>, ptr %pb, align 8
  %ab = call contract <48 x double> @llvm.matrix.multiply.v48f64.v12f64.v4f64(<12 x double> %a, <4 x double> %b, i32 12, i32 1, i32 4)
  %next = fadd contract <48 x double> %acc, %ab
  %kk.next = add i64 %kk, 1
  %more = icmp ne i64 %kk.next, %k
  br i1 %more, label %loop, label %exit, !llvm.loop !0
exit:
  call void @llvm.matrix.column.major.store.v48f64.i64(<48 x double> %next, ptr align 8 %C, i64 %ldc, i1 false, i32 12, i32 4)
  ret void
}

; CHECK-LABEL: f32_24x4:
; CHECK:           Inner Loop Header
; CHECK-COUNT-12: vfmadd{{[0-9]+}}ps
; CHECK-NOT:       vfmadd
; CHECK:           {{jne|jb}}
define void @f32_24x4(i64 %k, ptr %A, ptr %B, ptr %C, i64 %ldc, i1 %first) #0 {
entry:
  br i1 %first, label %loop, label %resume
resume:
  %c = call <96 x float> @llvm.matrix.column.major.load.v96f32.i64(ptr align 4 %C, i64 %ldc, i1 false, i32 24, i32 4)
  br label %loop
loop:
  %kk = phi i64 [ 0, %entry ], [ 0, %resume ], [ %kk.next, %loop ]
  %acc = phi <96 x float> [ zeroinitializer, %entry ], [ %c, %resume ], [ %next, %loop ]
  %pa = getelementptr [24 x float], ptr %A, i64 %kk
  %pb = getelementptr [4 x float], ptr %B, i64 %kk
  %a = load <24 x float>, ptr %pa, align 64
  %b = load <4 x float>, ptr %pb, align 4
  %ab = call contract <96 x float> @llvm.matrix.multiply.v96f32.v24f32.v4f32(<24 x float> %a, <4 x float> %b, i32 24, i32 1, i32 4)
  %next = fadd contract <96 x float> %acc, %ab
  %kk.next = add i64 %kk, 1
  %more = icmp ne i64 %kk.next, %k
  br i1 %more, label %loop, label %exit, !llvm.loop !0
exit:
  call void @llvm.matrix.column.major.store.v96f32.i64(<96 x float> %next, ptr align 4 %C, i64 %ldc, i1 false, i32 24, i32 4)
  ret void
}

attributes #0 = { "min-legal-vector-width"="256" "prefer-vector-width"="256" }

!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.unroll.disable"}
