; Micro-kernels for NEON: the loop over k only loads and multiplies by lanes.
; Nothing is spilled, and no register is copied or filled with one element.
; REQUIRES: aarch64-registered-target
; RUN: %opt -passes=tilesmith-lower -mcpu=generic %s | opt -O3 -mcpu=generic \
; RUN:   | llc -O3 -mcpu=generic | sed -n -e '/^f/p' -e '/Inner Loop/,/b\.ne/p' \
; RUN:   | FileCheck %s --implicit-check-not='[sp' \
; RUN:       --implicit-check-not='{{(mov|dup|ins|ld1r?)[[:space:]]+[{]? ?v[0-9]}}'
; RUN: %opt -passes=tilesmith-lower -mcpu=neoverse-n1 %s | opt -O3 -mcpu=neoverse-n1 \
; RUN:   | llc -O3 -mcpu=neoverse-n1 | sed -n -e '/^f/p' -e '/Inner Loop/,/b\.ne/p' \
; RUN:   | FileCheck %s --implicit-check-not='[sp' \
; RUN:       --implicit-check-not='{{(mov|dup|ins|ld1r?)[[:space:]]+[{]? ?v[0-9]}}'
; RUN: %opt -passes=tilesmith-lower -mcpu=neoverse-v2 %s | opt -O3 -mcpu=neoverse-v2 \
; RUN:   | llc -O3 -mcpu=neoverse-v2 | sed -n -e '/^f/p' -e '/Inner Loop/,/b\.ne/p' \
; RUN:   | FileCheck %s --implicit-check-not='[sp' \
; RUN:       --implicit-check-not='{{(mov|dup|ins|ld1r?)[[:space:]]+[{]? ?v[0-9]}}'

target triple = "aarch64-unknown-linux-gnu"

; CHECK-LABEL: f64_6x8:
; CHECK:           Inner Loop Header
; CHECK-COUNT-24: fmla v{{[0-9]+\.2d, v[0-9]+\.2d, v[0-9]+\.d}}[
; CHECK-NOT:       fmla
; CHECK:           b.ne
define void @f64_6x8(i64 %k, ptr %A, ptr %B, ptr %C, i64 %ldc) {
entry:
  %c = call <48 x double> @llvm.matrix.column.major.load.v48f64.i64(ptr align 8 %C, i64 %ldc, i1 false, i32 6, i32 8)
  br label %loop
loop:
  %kk = phi i64 [ 0, %entry ], [ %kk.next, %loop ]
  %acc = phi <48 x double> [ %c, %entry ], [ %next, %loop ]
  %pa = getelementptr [6 x double], ptr %A, i64 %kk
  %a = load <6 x double>, ptr %pa, align 8
  %pb = getelementptr [8 x double], ptr %B, i64 %kk
  %b = load <8 x double>, ptr %pb, align 8
  %ab = call contract <48 x double> @llvm.matrix.multiply.v48f64.v6f64.v8f64(<6 x double> %a, <8 x double> %b, i32 6, i32 1, i32 8)
  %next = fadd contract <48 x double> %acc, %ab
  %kk.next = add i64 %kk, 1
  %more = icmp ne i64 %kk.next, %k
  br i1 %more, label %loop, label %exit, !llvm.loop !0
exit:
  call void @llvm.matrix.column.major.store.v48f64.i64(<48 x double> %next, ptr align 8 %C, i64 %ldc, i1 false, i32 6, i32 8)
  ret void
}

; CHECK-LABEL: f32_12x8:
; CHECK:           Inner Loop Header
; CHECK-COUNT-24: fmla v{{[0-9]+\.4s, v[0-9]+\.4s, v[0-9]+\.s}}[
; CHECK-NOT:       fmla
; CHECK:           b.ne
define void @f32_12x8(i64 %k, ptr %A, ptr %B, ptr %C, i64 %ldc) {
entry:
  %c = call <96 x float> @llvm.matrix.column.major.load.v96f32.i64(ptr align 4 %C, i64 %ldc, i1 false, i32 12, i32 8)
  br label %loop
loop:
  %kk = phi i64 [ 0, %entry ], [ %kk.next, %loop ]
  %acc = phi <96 x float> [ %c, %entry ], [ %next, %loop ]
  %pa = getelementptr [12 x float], ptr %A, i64 %kk
  %a = load <12 x float>, ptr %pa, align 4
  %pb = getelementptr [8 x float], ptr %B, i64 %kk
  %b = load <8 x float>, ptr %pb, align 4
  %ab = call contract <96 x float> @llvm.matrix.multiply.v96f32.v12f32.v8f32(<12 x float> %a, <8 x float> %b, i32 12, i32 1, i32 8)
  %next = fadd contract <96 x float> %acc, %ab
  %kk.next = add i64 %kk, 1
  %more = icmp ne i64 %kk.next, %k
  br i1 %more, label %loop, label %exit, !llvm.loop !0
exit:
  call void @llvm.matrix.column.major.store.v96f32.i64(<96 x float> %next, ptr align 4 %C, i64 %ldc, i1 false, i32 12, i32 8)
  ret void
}

; CHECK-LABEL: f32_8x12:
; CHECK:           Inner Loop Header
; CHECK-COUNT-24: fmla v{{[0-9]+\.4s, v[0-9]+\.4s, v[0-9]+\.s}}[
; CHECK-NOT:       fmla
; CHECK:           b.ne
define void @f32_8x12(i64 %k, ptr %A, ptr %B, ptr %C, i64 %ldc) {
entry:
  %c = call <96 x float> @llvm.matrix.column.major.load.v96f32.i64(ptr align 4 %C, i64 %ldc, i1 false, i32 8, i32 12)
  br label %loop
loop:
  %kk = phi i64 [ 0, %entry ], [ %kk.next, %loop ]
  %acc = phi <96 x float> [ %c, %entry ], [ %next, %loop ]
  %pa = getelementptr [8 x float], ptr %A, i64 %kk
  %a = load <8 x float>, ptr %pa, align 4
  %pb = getelementptr [12 x float], ptr %B, i64 %kk
  %b = load <12 x float>, ptr %pb, align 4
  %ab = call contract <96 x float> @llvm.matrix.multiply.v96f32.v8f32.v12f32(<8 x float> %a, <12 x float> %b, i32 8, i32 1, i32 12)
  %next = fadd contract <96 x float> %acc, %ab
  %kk.next = add i64 %kk, 1
  %more = icmp ne i64 %kk.next, %k
  br i1 %more, label %loop, label %exit, !llvm.loop !0
exit:
  call void @llvm.matrix.column.major.store.v96f32.i64(<96 x float> %next, ptr align 4 %C, i64 %ldc, i1 false, i32 8, i32 12)
  ret void
}

; CHECK-LABEL: f64_6x8_strided:
; CHECK:           Inner Loop Header
; CHECK-COUNT-24: fmla v{{[0-9]+\.2d, v[0-9]+\.2d, v[0-9]+\.d}}[
; CHECK-NOT:       fmla
; CHECK:           b.ne
define void @f64_6x8_strided(i64 %k, ptr %A, ptr %B, ptr %C, i64 %ldc, i64 %ldb) {
entry:
  %c = call <48 x double> @llvm.matrix.column.major.load.v48f64.i64(ptr align 8 %C, i64 %ldc, i1 false, i32 6, i32 8)
  br label %loop
loop:
  %kk = phi i64 [ 0, %entry ], [ %kk.next, %loop ]
  %acc = phi <48 x double> [ %c, %entry ], [ %next, %loop ]
  %pa = getelementptr [6 x double], ptr %A, i64 %kk
  %a = load <6 x double>, ptr %pa, align 8
  %first = getelementptr double, ptr %B, i64 4
  %pb = getelementptr double, ptr %first, i64 %kk
  %b = call <8 x double> @llvm.matrix.column.major.load.v8f64.i64(ptr align 8 %pb, i64 %ldb, i1 false, i32 1, i32 8)
  %ab = call contract <48 x double> @llvm.matrix.multiply.v48f64.v6f64.v8f64(<6 x double> %a, <8 x double> %b, i32 6, i32 1, i32 8)
  %next = fadd contract <48 x double> %acc, %ab
  %kk.next = add i64 %kk, 1
  %more = icmp ne i64 %kk.next, %k
  br i1 %more, label %loop, label %exit, !llvm.loop !0
exit:
  call void @llvm.matrix.column.major.store.v48f64.i64(<48 x double> %next, ptr align 8 %C, i64 %ldc, i1 false, i32 6, i32 8)
  ret void
}

!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.unroll.disable"}
