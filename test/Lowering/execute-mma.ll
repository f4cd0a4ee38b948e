; The same as three loops make, bit by bit, on POWER10: tiles that fill
; accumulators, and such that do not, in both byte orders.
; REQUIRES: qemu-ppc64le, qemu-ppc64, lld
; RUN: %opt -passes=tilesmith-lower -mtriple=powerpc64le-linux-gnu -mcpu=pwr10 %s -o %t.le.bc
; RUN: %clang --target=powerpc64le-linux-gnu -mcpu=pwr10 -O2 -c %t.le.bc -o %t.le.o
; RUN: %clang --target=powerpc64le-linux-gnu -mcpu=pwr10 -O1 -fno-vectorize -ffreestanding -c %S/Inputs/mma.c -o %t.le-main.o
; RUN: %lld %t.le.o %t.le-main.o -o %t.le
; RUN: qemu-ppc64le -cpu power10 %t.le
;
; RUN: %opt -passes=tilesmith-lower -mtriple=powerpc64-linux-gnu -mcpu=pwr10 %s -o %t.be.bc
; RUN: %clang --target=powerpc64-linux-gnu -mabi=elfv2 -mcpu=pwr10 -O2 -c %t.be.bc -o %t.be.o
; RUN: %clang --target=powerpc64-linux-gnu -mabi=elfv2 -mcpu=pwr10 -O1 -fno-vectorize -ffreestanding -c %S/Inputs/mma.c -o %t.be-main.o
; RUN: %lld %t.be.o %t.be-main.o -o %t.be
; RUN: qemu-ppc64 -cpu power10 %t.be
;
; RUN: llvm-dis < %t.le.bc | FileCheck %s
; RUN: llvm-dis < %t.be.bc | FileCheck %s
; CHECK-LABEL: @f64_8x8
; CHECK-COUNT-8: mma.xvf64gerpp
; CHECK-LABEL: @f32_16x8
; CHECK-COUNT-8: mma.xvf32gerpp
; CHECK-LABEL: @f32_7x5
; CHECK-COUNT-6: mma.xvf32gerpp
; CHECK-LABEL: @f64_3x3
; CHECK-COUNT-2: mma.xvf64gerpp
; CHECK-LABEL: @f32_12x12_of_9
; CHECK-COUNT-9: call <512 x i1> @llvm.ppc.mma.xvf32ger(
; CHECK-LABEL: @f64_first_or_resumed
; CHECK-COUNT-4: mma.xvf64gerpp

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

define void @f32_7x5(i64 %k, ptr noalias %A, ptr noalias %B, ptr %C, i64 %ldc) {
entry:
  %c = call <35 x float> @llvm.matrix.column.major.load.v35f32.i64(ptr align 4 %C, i64 %ldc, i1 false, i32 7, i32 5)
  br label %loop
loop:
  %kk = phi i64 [ 0, %entry ], [ %kk.next, %loop ]
  %acc = phi <35 x float> [ %c, %entry ], [ %next, %loop ]
  %pa = getelementptr [7 x float], ptr %A, i64 %kk
  %pb = getelementptr [5 x float], ptr %B, i64 %kk
  %a = load <7 x float>, ptr %pa, align 4
  %b = load <5 x float>, ptr %pb, align 4
  %ab = call contract <35 x float> @llvm.matrix.multiply.v35f32.v7f32.v5f32(<7 x float> %a, <5 x float> %b, i32 7, i32 1, i32 5)
  %next = fadd contract <35 x float> %acc, %ab
  %kk.next = add i64 %kk, 1
  %more = icmp ne i64 %kk.next, %k
  br i1 %more, label %loop, label %exit, !llvm.loop !0
exit:
  call void @llvm.matrix.column.major.store.v35f32.i64(<35 x float> %next, ptr align 4 %C, i64 %ldc, i1 false, i32 7, i32 5)
  ret void
}

define void @f64_3x3(i64 %k, ptr noalias %A, ptr noalias %B, ptr %C, i64 %ldc) {
entry:
  %c = call <9 x double> @llvm.matrix.column.major.load.v9f64.i64(ptr align 8 %C, i64 %ldc, i1 false, i32 3, i32 3)
  br label %loop
loop:
  %kk = phi i64 [ 0, %entry ], [ %kk.next, %loop ]
  %acc = phi <9 x double> [ %c, %entry ], [ %next, %loop ]
  %pa = getelementptr [3 x double], ptr %A, i64 %kk
  %pb = getelementptr [3 x double], ptr %B, i64 %kk
  %a = load <3 x double>, ptr %pa, align 8
  %b = load <3 x double>, ptr %pb, align 8
  %ab = call contract <9 x double> @llvm.matrix.multiply.v9f64.v3f64.v3f64(<3 x double> %a, <3 x double> %b, i32 3, i32 1, i32 3)
  %next = fadd contract <9 x double> %acc, %ab
  %kk.next = add i64 %kk, 1
  %more = icmp ne i64 %kk.next, %k
  br i1 %more, label %loop, label %exit, !llvm.loop !0
exit:
  call void @llvm.matrix.column.major.store.v9f64.i64(<9 x double> %next, ptr align 8 %C, i64 %ldc, i1 false, i32 3, i32 3)
  ret void
}

; More than eight accumulators, and no loop: a few after the other.
define void @f32_12x12_of_9(i64 %k, ptr noalias %A, ptr noalias %B, ptr %C, i64 %ldc) {
  %a = load <108 x float>, ptr %A, align 4
  %bt = load <108 x float>, ptr %B, align 4
  %b = call <108 x float> @llvm.matrix.transpose.v108f32(<108 x float> %bt, i32 12, i32 9)
  %ab = call contract <144 x float> @llvm.matrix.multiply.v144f32.v108f32.v108f32(<108 x float> %a, <108 x float> %b, i32 12, i32 9, i32 12)
  call void @llvm.matrix.column.major.store.v144f32.i64(<144 x float> %ab, ptr align 4 %C, i64 %ldc, i1 false, i32 12, i32 12)
  ret void
}

; Sums start from zero, or go on; they are wanted twice.
define void @f64_first_or_resumed(i64 %k, ptr noalias %A, ptr noalias %B, ptr %C, i64 %ldc) {
entry:
  %first = icmp slt i64 %k, 0
  %steps = call i64 @llvm.abs.i64(i64 %k, i1 true)
  br i1 %first, label %enter, label %resume
resume:
  %c = call <32 x double> @llvm.matrix.column.major.load.v32f64.i64(ptr align 8 %C, i64 %ldc, i1 false, i32 4, i32 8)
  br label %enter
enter:
  %start = phi <32 x double> [ zeroinitializer, %entry ], [ %c, %resume ]
  br label %loop
loop:
  %kk = phi i64 [ 0, %enter ], [ %kk.next, %loop ]
  %acc = phi <32 x double> [ %start, %enter ], [ %next, %loop ]
  %pa = getelementptr [4 x double], ptr %A, i64 %kk
  %pb = getelementptr [8 x double], ptr %B, i64 %kk
  %a = load <4 x double>, ptr %pa, align 8
  %b = load <8 x double>, ptr %pb, align 8
  %ab = call contract <32 x double> @llvm.matrix.multiply.v32f64.v4f64.v8f64(<4 x double> %a, <8 x double> %b, i32 4, i32 1, i32 8)
  %next = fadd contract <32 x double> %acc, %ab
  %kk.next = add i64 %kk, 1
  %more = icmp ne i64 %kk.next, %steps
  br i1 %more, label %loop, label %exit
exit:
  %result = phi <32 x double> [ %next, %loop ]
  br i1 %first, label %negate, label %store
negate:
  %negated = fneg <32 x double> %result
  br label %store
store:
  %out = phi <32 x double> [ %result, %exit ], [ %negated, %negate ]
  call void @llvm.matrix.column.major.store.v32f64.i64(<32 x double> %out, ptr align 8 %C, i64 %ldc, i1 false, i32 4, i32 8)
  ret void
}
!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.unroll.disable"}
