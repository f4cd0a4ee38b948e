; Micro kernels for the accumulators of POWER10: the loop over k holds loads and
; outer products only, no accumulator is moved in it, and nothing is spilled.
; REQUIRES: powerpc-registered-target
; RUN: %opt -passes=tilesmith-lower -mcpu=pwr10 %s | opt -O3 -mcpu=pwr10 \
; RUN:   | llc -O3 -mcpu=pwr10 | FileCheck %s

target triple = "powerpc64le-unknown-linux-gnu"

; CHECK-LABEL:     f64_8x8:
; CHECK:             Inner Loop Header
; CHECK-NOT:         {{xxmtacc|xxmfacc|xxlor|stxv|std|ld |bctrl}}
; CHECK-COUNT-8:     xvf64gerpp
; CHECK-NOT:         {{xxmtacc|xxmfacc|xxlor|stxv|std|ld |gerpp}}
; CHECK:             bdnz
; CHECK-COUNT-8:     xxmfacc
define void @f64_8x8(i64 %k, ptr noalias %A, ptr noalias %B, ptr %C, i64 %ldc) {
entry:
  %c = call <64 x double> @llvm.matrix.column.major.load.v64f64.i64(ptr align 8 %C, i64 %ldc, i1 false, i32 8, i32 8)
  br label %loop
loop:
  %kk = phi i64 [ 0, %entry ], [ %kk.next, %loop ]
  %acc = phi <64 x double> [ %c, %entry ], [ %next, %loop ]
  %pa = getelementptr [8 x double], ptr %A, i64 %kk
  %pb = getelementptr [8 x double], ptr %B, i64 %kk
  %a = load <8 x double>, ptr %pa, align 8
  %b = load <8 x double>, ptr %pb, align 8
  %ab = call contract <64 x double> @llvm.matrix.multiply.v64f64.v8f64.v8f64(<8 x double> %a, <8 x double> %b, i32 8, i32 1, i32 8)
  %next = fadd contract <64 x double> %acc, %ab
  %kk.next = add i64 %kk, 1
  %more = icmp ne i64 %kk.next, %k
  br i1 %more, label %loop, label %exit, !llvm.loop !0
exit:
  call void @llvm.matrix.column.major.store.v64f64.i64(<64 x double> %next, ptr align 8 %C, i64 %ldc, i1 false, i32 8, i32 8)
  ret void
}

; CHECK-LABEL:     f32_16x8:
; CHECK:             Inner Loop Header
; CHECK-NOT:         {{xxmtacc|xxmfacc|xxlor|stxv|std|ld |bctrl}}
; CHECK-COUNT-8:     xvf32gerpp
; CHECK-NOT:         {{xxmtacc|xxmfacc|xxlor|stxv|std|ld |gerpp}}
; CHECK:             bdnz
; CHECK-COUNT-8:     xxmfacc
define void @f32_16x8(i64 %k, ptr noalias %A, ptr noalias %B, ptr %C, i64 %ldc) {
entry:
  %c = call <128 x float> @llvm.matrix.column.major.load.v128f32.i64(ptr align 4 %C, i64 %ldc, i1 false, i32 16, i32 8)
  br label %loop
loop:
  %kk = phi i64 [ 0, %entry ], [ %kk.next, %loop ]
  %acc = phi <128 x float> [ %c, %entry ], [ %next, %loop ]
  %pa = getelementptr [16 x float], ptr %A, i64 %kk
  %pb = getelementptr [8 x float], ptr %B, i64 %kk
  %a = load <16 x float>, ptr %pa, align 4
  %b = load <8 x float>, ptr %pb, align 4
  %ab = call contract <128 x float> @llvm.matrix.multiply.v128f32.v16f32.v8f32(<16 x float> %a, <8 x float> %b, i32 16, i32 1, i32 8)
  %next = fadd contract <128 x float> %acc, %ab
  %kk.next = add i64 %kk, 1
  %more = icmp ne i64 %kk.next, %k
  br i1 %more, label %loop, label %exit, !llvm.loop !0
exit:
  call void @llvm.matrix.column.major.store.v128f32.i64(<128 x float> %next, ptr align 4 %C, i64 %ldc, i1 false, i32 16, i32 8)
  ret void
}

; CHECK-LABEL:     f32_8x16:
; CHECK:             Inner Loop Header
; CHECK-NOT:         {{xxmtacc|xxmfacc|xxlor|stxv|std|ld |bctrl}}
; CHECK-COUNT-8:     xvf32gerpp
; CHECK-NOT:         {{xxmtacc|xxmfacc|xxlor|stxv|std|ld |gerpp}}
; CHECK:             bdnz
; CHECK-COUNT-8:     xxmfacc
define void @f32_8x16(i64 %k, ptr noalias %A, ptr noalias %B, ptr %C, i64 %ldc) {
entry:
  %c = call <128 x float> @llvm.matrix.column.major.load.v128f32.i64(ptr align 4 %C, i64 %ldc, i1 false, i32 8, i32 16)
  br label %loop
loop:
  %kk = phi i64 [ 0, %entry ], [ %kk.next, %loop ]
  %acc = phi <128 x float> [ %c, %entry ], [ %next, %loop ]
  %pa = getelementptr [8 x float], ptr %A, i64 %kk
  %pb = getelementptr [16 x float], ptr %B, i64 %kk
  %a = load <8 x float>, ptr %pa, align 4
  %b = load <16 x float>, ptr %pb, align 4
  %ab = call contract <128 x float> @llvm.matrix.multiply.v128f32.v8f32.v16f32(<8 x float> %a, <16 x float> %b, i32 8, i32 1, i32 16)
  %next = fadd contract <128 x float> %acc, %ab
  %kk.next = add i64 %kk, 1
  %more = icmp ne i64 %kk.next, %k
  br i1 %more, label %loop, label %exit, !llvm.loop !0
exit:
  call void @llvm.matrix.column.major.store.v128f32.i64(<128 x float> %next, ptr align 4 %C, i64 %ldc, i1 false, i32 8, i32 16)
  ret void
}

; CHECK-LABEL:     i8_us_16x8:
; CHECK:             Inner Loop Header
; CHECK-NOT:         {{xxmtacc|xxmfacc|xxlor|xxmrg|vmrg|stxv|std|ld |bctrl}}
; CHECK-COUNT-8:     xvi8ger4pp
; CHECK-NOT:         {{xxmtacc|xxmfacc|xxlor|xxmrg|vmrg|stxv|std|ld |pp}}
; CHECK:             bdnz
; CHECK-COUNT-8:     xxmfacc
define void @i8_us_16x8(i64 %k, ptr noalias %A, ptr noalias %B, ptr %C, i64 %ldc) {
entry:
  %c = call <128 x i32> @llvm.matrix.column.major.load.v128i32.i64(ptr align 4 %C, i64 %ldc, i1 false, i32 16, i32 8)
  br label %loop
loop:
  %kk = phi i64 [ 0, %entry ], [ %kk.next, %loop ]
  %acc = phi <128 x i32> [ %c, %entry ], [ %next, %loop ]
  %pa = getelementptr [16 x i32], ptr %A, i64 %kk
  %pb = getelementptr [8 x i32], ptr %B, i64 %kk
  %a = load <16 x i32>, ptr %pa, align 4
  %an = bitcast <16 x i32> %a to <64 x i8>
  %at = call <64 x i8> @llvm.matrix.transpose.v64i8(<64 x i8> %an, i32 4, i32 16)
  %ax = zext <64 x i8> %at to <64 x i32>
  %b = load <8 x i32>, ptr %pb, align 4
  %bn = bitcast <8 x i32> %b to <32 x i8>
  %bx = sext <32 x i8> %bn to <32 x i32>
  %ab = call <128 x i32> @llvm.matrix.multiply.v128i32.v64i32.v32i32(<64 x i32> %ax, <32 x i32> %bx, i32 16, i32 4, i32 8)
  %next = add <128 x i32> %acc, %ab
  %kk.next = add i64 %kk, 1
  %more = icmp ne i64 %kk.next, %k
  br i1 %more, label %loop, label %exit, !llvm.loop !0
exit:
  call void @llvm.matrix.column.major.store.v128i32.i64(<128 x i32> %next, ptr align 4 %C, i64 %ldc, i1 false, i32 16, i32 8)
  ret void
}

; CHECK-LABEL:     i8_su_16x8:
; CHECK:             Inner Loop Header
; CHECK-NOT:         {{xxmtacc|xxmfacc|xxlor|xxmrg|vmrg|stxv|std|ld |bctrl}}
; CHECK-COUNT-8:     xvi8ger4pp
; CHECK-NOT:         {{xxmtacc|xxmfacc|xxlor|xxmrg|vmrg|stxv|std|ld |pp}}
; CHECK:             bdnz
; CHECK-COUNT-8:     xxmfacc
define void @i8_su_16x8(i64 %k, ptr noalias %A, ptr noalias %B, ptr %C, i64 %ldc) {
entry:
  %c = call <128 x i32> @llvm.matrix.column.major.load.v128i32.i64(ptr align 4 %C, i64 %ldc, i1 false, i32 16, i32 8)
  br label %loop
loop:
  %kk = phi i64 [ 0, %entry ], [ %kk.next, %loop ]
  %acc = phi <128 x i32> [ %c, %entry ], [ %next, %loop ]
  %pa = getelementptr [16 x i32], ptr %A, i64 %kk
  %pb = getelementptr [8 x i32], ptr %B, i64 %kk
  %a = load <16 x i32>, ptr %pa, align 4
  %an = bitcast <16 x i32> %a to <64 x i8>
  %at = call <64 x i8> @llvm.matrix.transpose.v64i8(<64 x i8> %an, i32 4, i32 16)
  %ax = sext <64 x i8> %at to <64 x i32>
  %b = load <8 x i32>, ptr %pb, align 4
  %bn = bitcast <8 x i32> %b to <32 x i8>
  %bx = zext <32 x i8> %bn to <32 x i32>
  %ab = call <128 x i32> @llvm.matrix.multiply.v128i32.v64i32.v32i32(<64 x i32> %ax, <32 x i32> %bx, i32 16, i32 4, i32 8)
  %next = add <128 x i32> %acc, %ab
  %kk.next = add i64 %kk, 1
  %more = icmp ne i64 %kk.next, %k
  br i1 %more, label %loop, label %exit, !llvm.loop !0
exit:
  call void @llvm.matrix.column.major.store.v128i32.i64(<128 x i32> %next, ptr align 4 %C, i64 %ldc, i1 false, i32 16, i32 8)
  ret void
}

; CHECK-LABEL:     i16_16x8:
; CHECK:             Inner Loop Header
; CHECK-NOT:         {{xxmtacc|xxmfacc|xxlor|xxmrg|vmrg|stxv|std|ld |bctrl}}
; CHECK-COUNT-8:     xvi16ger2pp
; CHECK-NOT:         {{xxmtacc|xxmfacc|xxlor|xxmrg|vmrg|stxv|std|ld |pp}}
; CHECK:             bdnz
; CHECK-COUNT-8:     xxmfacc
define void @i16_16x8(i64 %k, ptr noalias %A, ptr noalias %B, ptr %C, i64 %ldc) {
entry:
  %c = call <128 x i32> @llvm.matrix.column.major.load.v128i32.i64(ptr align 4 %C, i64 %ldc, i1 false, i32 16, i32 8)
  br label %loop
loop:
  %kk = phi i64 [ 0, %entry ], [ %kk.next, %loop ]
  %acc = phi <128 x i32> [ %c, %entry ], [ %next, %loop ]
  %pa = getelementptr [16 x i32], ptr %A, i64 %kk
  %pb = getelementptr [8 x i32], ptr %B, i64 %kk
  %a = load <16 x i32>, ptr %pa, align 4
  %an = bitcast <16 x i32> %a to <32 x i16>
  %at = call <32 x i16> @llvm.matrix.transpose.v32i16(<32 x i16> %an, i32 2, i32 16)
  %ax = sext <32 x i16> %at to <32 x i32>
  %b = load <8 x i32>, ptr %pb, align 4
  %bn = bitcast <8 x i32> %b to <16 x i16>
  %bx = sext <16 x i16> %bn to <16 x i32>
  %ab = call <128 x i32> @llvm.matrix.multiply.v128i32.v32i32.v16i32(<32 x i32> %ax, <16 x i32> %bx, i32 16, i32 2, i32 8)
  %next = add <128 x i32> %acc, %ab
  %kk.next = add i64 %kk, 1
  %more = icmp ne i64 %kk.next, %k
  br i1 %more, label %loop, label %exit, !llvm.loop !0
exit:
  call void @llvm.matrix.column.major.store.v128i32.i64(<128 x i32> %next, ptr align 4 %C, i64 %ldc, i1 false, i32 16, i32 8)
  ret void
}

; CHECK-LABEL:     bf16_16x8:
; CHECK:             Inner Loop Header
; CHECK-NOT:         {{xxmtacc|xxmfacc|xxlor|xxmrg|vmrg|stxv|std|ld |bctrl}}
; CHECK-COUNT-8:     xvbf16ger2pp
; CHECK-NOT:         {{xxmtacc|xxmfacc|xxlor|xxmrg|vmrg|stxv|std|ld |pp}}
; CHECK:             bdnz
; CHECK-COUNT-8:     xxmfacc
define void @bf16_16x8(i64 %k, ptr noalias %A, ptr noalias %B, ptr %C, i64 %ldc) {
entry:
  %c = call <128 x float> @llvm.matrix.column.major.load.v128f32.i64(ptr align 4 %C, i64 %ldc, i1 false, i32 16, i32 8)
  br label %loop
loop:
  %kk = phi i64 [ 0, %entry ], [ %kk.next, %loop ]
  %acc = phi <128 x float> [ %c, %entry ], [ %next, %loop ]
  %pa = getelementptr [16 x i32], ptr %A, i64 %kk
  %pb = getelementptr [8 x i32], ptr %B, i64 %kk
  %a = load <16 x i32>, ptr %pa, align 4
  %an = bitcast <16 x i32> %a to <32 x bfloat>
  %at = call <32 x bfloat> @llvm.matrix.transpose.v32bf16(<32 x bfloat> %an, i32 2, i32 16)
  %ax = fpext <32 x bfloat> %at to <32 x float>
  %b = load <8 x i32>, ptr %pb, align 4
  %bn = bitcast <8 x i32> %b to <16 x bfloat>
  %bx = fpext <16 x bfloat> %bn to <16 x float>
  %ab = call reassoc <128 x float> @llvm.matrix.multiply.v128f32.v32f32.v16f32(<32 x float> %ax, <16 x float> %bx, i32 16, i32 2, i32 8)
  %next = fadd reassoc <128 x float> %acc, %ab
  %kk.next = add i64 %kk, 1
  %more = icmp ne i64 %kk.next, %k
  br i1 %more, label %loop, label %exit, !llvm.loop !0
exit:
  call void @llvm.matrix.column.major.store.v128f32.i64(<128 x float> %next, ptr align 4 %C, i64 %ldc, i1 false, i32 16, i32 8)
  ret void
}

; CHECK-LABEL:     f16_16x8:
; CHECK:             Inner Loop Header
; CHECK-NOT:         {{xxmtacc|xxmfacc|xxlor|xxmrg|vmrg|stxv|std|ld |bctrl}}
; CHECK-COUNT-8:     xvf16ger2pp
; CHECK-NOT:         {{xxmtacc|xxmfacc|xxlor|xxmrg|vmrg|stxv|std|ld |pp}}
; CHECK:             bdnz
; CHECK-COUNT-8:     xxmfacc
define void @f16_16x8(i64 %k, ptr noalias %A, ptr noalias %B, ptr %C, i64 %ldc) {
entry:
  %c = call <128 x float> @llvm.matrix.column.major.load.v128f32.i64(ptr align 4 %C, i64 %ldc, i1 false, i32 16, i32 8)
  br label %loop
loop:
  %kk = phi i64 [ 0, %entry ], [ %kk.next, %loop ]
  %acc = phi <128 x float> [ %c, %entry ], [ %next, %loop ]
  %pa = getelementptr [16 x i32], ptr %A, i64 %kk
  %pb = getelementptr [8 x i32], ptr %B, i64 %kk
  %a = load <16 x i32>, ptr %pa, align 4
  %an = bitcast <16 x i32> %a to <32 x half>
  %at = call <32 x half> @llvm.matrix.transpose.v32f16(<32 x half> %an, i32 2, i32 16)
  %ax = fpext <32 x half> %at to <32 x float>
  %b = load <8 x i32>, ptr %pb, align 4
  %bn = bitcast <8 x i32> %b to <16 x half>
  %bx = fpext <16 x half> %bn to <16 x float>
  %ab = call reassoc <128 x float> @llvm.matrix.multiply.v128f32.v32f32.v16f32(<32 x float> %ax, <16 x float> %bx, i32 16, i32 2, i32 8)
  %next = fadd reassoc <128 x float> %acc, %ab
  %kk.next = add i64 %kk, 1
  %more = icmp ne i64 %kk.next, %k
  br i1 %more, label %loop, label %exit, !llvm.loop !0
exit:
  call void @llvm.matrix.column.major.store.v128f32.i64(<128 x float> %next, ptr align 4 %C, i64 %ldc, i1 false, i32 16, i32 8)
  ret void
}

!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.unroll.disable"}
