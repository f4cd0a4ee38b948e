; Groups of narrow elements on POWER10, in both byte orders: exactly the sums of
; three loops. Two bytes of the same kind are not for the unit.
; REQUIRES: qemu-ppc64le, qemu-ppc64, lld
; RUN: %opt -passes=tilesmith-lower -mtriple=powerpc64le-linux-gnu -mcpu=pwr10 %s -o %t.le.bc
; RUN: %clang --target=powerpc64le-linux-gnu -mcpu=pwr10 -O2 -c %t.le.bc -o %t.le.o
; RUN: %clang --target=powerpc64le-linux-gnu -mcpu=pwr10 -O1 -fno-vectorize -ffreestanding -DGROUPS -c %S/Inputs/mma.c -o %t.le-main.o
; RUN: %lld %t.le.o %t.le-main.o -o %t.le
; RUN: qemu-ppc64le -cpu power10 %t.le
;
; RUN: %opt -passes=tilesmith-lower -mtriple=powerpc64-linux-gnu -mcpu=pwr10 %s -o %t.be.bc
; RUN: %clang --target=powerpc64-linux-gnu -mabi=elfv2 -mcpu=pwr10 -O2 -c %t.be.bc -o %t.be.o
; RUN: %clang --target=powerpc64-linux-gnu -mabi=elfv2 -mcpu=pwr10 -O1 -fno-vectorize -ffreestanding -DGROUPS -c %S/Inputs/mma.c -o %t.be-main.o
; RUN: %lld %t.be.o %t.be-main.o -o %t.be
; RUN: qemu-ppc64 -cpu power10 %t.be
;
; RUN: llvm-dis < %t.le.bc | FileCheck %s
; RUN: llvm-dis < %t.be.bc | FileCheck %s
; CHECK-LABEL: @i8_us_16x8(
; CHECK-COUNT-8: mma.xvi8ger4pp
; CHECK-NOT: mma.xvi8ger4pp
; CHECK-LABEL: @i8_su_16x8(
; CHECK-COUNT-8: mma.xvi8ger4pp
; CHECK-NOT: mma.xvi8ger4pp
; CHECK-LABEL: @i8_su_6x5(
; CHECK-COUNT-4: mma.xvi8ger4pp
; CHECK-NOT: mma.xvi8ger4pp
; CHECK-LABEL: @i16_16x8(
; CHECK-COUNT-8: mma.xvi16ger2pp
; CHECK-NOT: mma.xvi16ger2pp
; CHECK-LABEL: @bf16_16x8(
; CHECK-COUNT-8: mma.xvbf16ger2pp
; CHECK-NOT: mma.xvbf16ger2pp
; CHECK-LABEL: @f16_16x8(
; CHECK-COUNT-8: mma.xvf16ger2pp
; CHECK-NOT: mma.xvf16ger2pp
; CHECK-LABEL: @f16_7x3(
; CHECK-COUNT-3: mma.xvf16ger2pp
; CHECK-NOT: mma.xvf16ger2pp
; CHECK-LABEL: @i4_16x8(
; CHECK-COUNT-8: mma.xvi4ger8pp
; CHECK-LABEL: @i8_ss_8x8(
; CHECK-NOT: mma
; CHECK-LABEL: @u16_8x8(
; CHECK-NOT: mma
; CHECK: ret void

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

define void @i8_su_6x5(i64 %k, ptr noalias %A, ptr noalias %B, ptr %C, i64 %ldc) {
entry:
  %c = call <30 x i32> @llvm.matrix.column.major.load.v30i32.i64(ptr align 4 %C, i64 %ldc, i1 false, i32 6, i32 5)
  br label %loop
loop:
  %kk = phi i64 [ 0, %entry ], [ %kk.next, %loop ]
  %acc = phi <30 x i32> [ %c, %entry ], [ %next, %loop ]
  %pa = getelementptr [6 x i32], ptr %A, i64 %kk
  %pb = getelementptr [5 x i32], ptr %B, i64 %kk
  %a = load <6 x i32>, ptr %pa, align 4
  %an = bitcast <6 x i32> %a to <24 x i8>
  %at = call <24 x i8> @llvm.matrix.transpose.v24i8(<24 x i8> %an, i32 4, i32 6)
  %ax = sext <24 x i8> %at to <24 x i32>
  %b = load <5 x i32>, ptr %pb, align 4
  %bn = bitcast <5 x i32> %b to <20 x i8>
  %bx = zext <20 x i8> %bn to <20 x i32>
  %ab = call <30 x i32> @llvm.matrix.multiply.v30i32.v24i32.v20i32(<24 x i32> %ax, <20 x i32> %bx, i32 6, i32 4, i32 5)
  %next = add <30 x i32> %acc, %ab
  %kk.next = add i64 %kk, 1
  %more = icmp ne i64 %kk.next, %k
  br i1 %more, label %loop, label %exit, !llvm.loop !0
exit:
  call void @llvm.matrix.column.major.store.v30i32.i64(<30 x i32> %next, ptr align 4 %C, i64 %ldc, i1 false, i32 6, i32 5)
  ret void
}

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

define void @f16_7x3(i64 %k, ptr noalias %A, ptr noalias %B, ptr %C, i64 %ldc) {
entry:
  %c = call <21 x float> @llvm.matrix.column.major.load.v21f32.i64(ptr align 4 %C, i64 %ldc, i1 false, i32 7, i32 3)
  br label %loop
loop:
  %kk = phi i64 [ 0, %entry ], [ %kk.next, %loop ]
  %acc = phi <21 x float> [ %c, %entry ], [ %next, %loop ]
  %pa = getelementptr [7 x i32], ptr %A, i64 %kk
  %pb = getelementptr [3 x i32], ptr %B, i64 %kk
  %a = load <7 x i32>, ptr %pa, align 4
  %an = bitcast <7 x i32> %a to <14 x half>
  %at = call <14 x half> @llvm.matrix.transpose.v14f16(<14 x half> %an, i32 2, i32 7)
  %ax = fpext <14 x half> %at to <14 x float>
  %b = load <3 x i32>, ptr %pb, align 4
  %bn = bitcast <3 x i32> %b to <6 x half>
  %bx = fpext <6 x half> %bn to <6 x float>
  %ab = call reassoc <21 x float> @llvm.matrix.multiply.v21f32.v14f32.v6f32(<14 x float> %ax, <6 x float> %bx, i32 7, i32 2, i32 3)
  %next = fadd reassoc <21 x float> %acc, %ab
  %kk.next = add i64 %kk, 1
  %more = icmp ne i64 %kk.next, %k
  br i1 %more, label %loop, label %exit, !llvm.loop !0
exit:
  call void @llvm.matrix.column.major.store.v21f32.i64(<21 x float> %next, ptr align 4 %C, i64 %ldc, i1 false, i32 7, i32 3)
  ret void
}

define void @i4_16x8(i64 %k, ptr noalias %A, ptr noalias %B, ptr %C, i64 %ldc) {
entry:
  %c = call <128 x i32> @llvm.matrix.column.major.load.v128i32.i64(ptr align 4 %C, i64 %ldc, i1 false, i32 16, i32 8)
  br label %loop
loop:
  %kk = phi i64 [ 0, %entry ], [ %kk.next, %loop ]
  %acc = phi <128 x i32> [ %c, %entry ], [ %next, %loop ]
  %pa = getelementptr [16 x i32], ptr %A, i64 %kk
  %pb = getelementptr [8 x i32], ptr %B, i64 %kk
  %a = load <16 x i32>, ptr %pa, align 4
  %an = bitcast <16 x i32> %a to <128 x i4>
  %at = call <128 x i4> @llvm.matrix.transpose.v128i4(<128 x i4> %an, i32 8, i32 16)
  %ax = sext <128 x i4> %at to <128 x i32>
  %b = load <8 x i32>, ptr %pb, align 4
  %bn = bitcast <8 x i32> %b to <64 x i4>
  %bx = sext <64 x i4> %bn to <64 x i32>
  %ab = call <128 x i32> @llvm.matrix.multiply.v128i32.v128i32.v64i32(<128 x i32> %ax, <64 x i32> %bx, i32 16, i32 8, i32 8)
  %next = add <128 x i32> %acc, %ab
  %kk.next = add i64 %kk, 1
  %more = icmp ne i64 %kk.next, %k
  br i1 %more, label %loop, label %exit, !llvm.loop !0
exit:
  call void @llvm.matrix.column.major.store.v128i32.i64(<128 x i32> %next, ptr align 4 %C, i64 %ldc, i1 false, i32 16, i32 8)
  ret void
}

define void @i8_ss_8x8(i64 %k, ptr noalias %A, ptr noalias %B, ptr %C, i64 %ldc) {
entry:
  %c = call <64 x i32> @llvm.matrix.column.major.load.v64i32.i64(ptr align 4 %C, i64 %ldc, i1 false, i32 8, i32 8)
  br label %loop
loop:
  %kk = phi i64 [ 0, %entry ], [ %kk.next, %loop ]
  %acc = phi <64 x i32> [ %c, %entry ], [ %next, %loop ]
  %pa = getelementptr [8 x i32], ptr %A, i64 %kk
  %pb = getelementptr [8 x i32], ptr %B, i64 %kk
  %a = load <8 x i32>, ptr %pa, align 4
  %an = bitcast <8 x i32> %a to <32 x i8>
  %at = call <32 x i8> @llvm.matrix.transpose.v32i8(<32 x i8> %an, i32 4, i32 8)
  %ax = sext <32 x i8> %at to <32 x i32>
  %b = load <8 x i32>, ptr %pb, align 4
  %bn = bitcast <8 x i32> %b to <32 x i8>
  %bx = sext <32 x i8> %bn to <32 x i32>
  %ab = call <64 x i32> @llvm.matrix.multiply.v64i32.v32i32.v32i32(<32 x i32> %ax, <32 x i32> %bx, i32 8, i32 4, i32 8)
  %next = add <64 x i32> %acc, %ab
  %kk.next = add i64 %kk, 1
  %more = icmp ne i64 %kk.next, %k
  br i1 %more, label %loop, label %exit, !llvm.loop !0
exit:
  call void @llvm.matrix.column.major.store.v64i32.i64(<64 x i32> %next, ptr align 4 %C, i64 %ldc, i1 false, i32 8, i32 8)
  ret void
}

define void @u16_8x8(i64 %k, ptr noalias %A, ptr noalias %B, ptr %C, i64 %ldc) {
entry:
  %c = call <64 x i32> @llvm.matrix.column.major.load.v64i32.i64(ptr align 4 %C, i64 %ldc, i1 false, i32 8, i32 8)
  br label %loop
loop:
  %kk = phi i64 [ 0, %entry ], [ %kk.next, %loop ]
  %acc = phi <64 x i32> [ %c, %entry ], [ %next, %loop ]
  %pa = getelementptr [8 x i32], ptr %A, i64 %kk
  %pb = getelementptr [8 x i32], ptr %B, i64 %kk
  %a = load <8 x i32>, ptr %pa, align 4
  %an = bitcast <8 x i32> %a to <16 x i16>
  %at = call <16 x i16> @llvm.matrix.transpose.v16i16(<16 x i16> %an, i32 2, i32 8)
  %ax = zext <16 x i16> %at to <16 x i32>
  %b = load <8 x i32>, ptr %pb, align 4
  %bn = bitcast <8 x i32> %b to <16 x i16>
  %bx = zext <16 x i16> %bn to <16 x i32>
  %ab = call <64 x i32> @llvm.matrix.multiply.v64i32.v16i32.v16i32(<16 x i32> %ax, <16 x i32> %bx, i32 8, i32 2, i32 8)
  %next = add <64 x i32> %acc, %ab
  %kk.next = add i64 %kk, 1
  %more = icmp ne i64 %kk.next, %k
  br i1 %more, label %loop, label %exit, !llvm.loop !0
exit:
  call void @llvm.matrix.column.major.store.v64i32.i64(<64 x i32> %next, ptr align 4 %C, i64 %ldc, i1 false, i32 8, i32 8)
  ret void
}

!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.unroll.disable"}
