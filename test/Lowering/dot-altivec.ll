; Products of groups of narrow elements on POWER9: the loop over k has vmsum, and
; loads. The signed factor of two comes first. POWER10 has accumulators instead.
; REQUIRES: powerpc-registered-target
; RUN: %opt -passes=tilesmith-lower %s | opt -O3 -mcpu=pwr9 \
; RUN:   | llc -O3 -mcpu=pwr9 | sed -n -e '/^[ush]/p' -e '/Inner Loop/,/bdnz/p' \
; RUN:   | FileCheck %s --implicit-check-not='{{(vmulu|stxv|lxv .*\(1\))}}'
; RUN: %opt -passes=tilesmith-lower -S %s | FileCheck %s --check-prefix=IR
; RUN: sed -e 's/pwr9/pwr10/' %s | %opt -passes=tilesmith-lower -S | FileCheck %s --check-prefix=MMA
; MMA: @llvm.ppc.mma.xvi8ger4pp
; MMA-NOT: vmsum

target datalayout = "e-m:e-Fn32-i64:64-i128:128-n32:64-S128-v256:256:256-v512:512:512"
target triple = "powerpc64le-unknown-linux-gnu"

; CHECK-LABEL: us:
; CHECK:           Inner Loop Header
; CHECK-COUNT-24: vmsummbm
; CHECK-NOT:       vmsum
; CHECK:           bdnz
; IR-LABEL: @us(
; IR-DAG: [[B:%.*]] = bitcast <4 x i32> %.splat to <16 x i8>
; IR-DAG: [[A:%.*]] = bitcast <4 x i32> %a{{.*}} to <16 x i8>
; IR: call <4 x i32> @llvm.ppc.altivec.vmsummbm(<16 x i8> [[B]], <16 x i8> [[A]], <4 x i32>
define void @us(i64 %k, ptr %A, ptr %B, ptr %C, i64 %ldc) #0 {
entry:
  %c = call <96 x i32> @llvm.matrix.column.major.load.v96i32.i64(ptr align 4 %C, i64 %ldc, i1 false, i32 12, i32 8)
  br label %loop
loop:
  %kk = phi i64 [ 0, %entry ], [ %kk.next, %loop ]
  %acc = phi <96 x i32> [ %c, %entry ], [ %next, %loop ]
  %pa = getelementptr [12 x i32], ptr %A, i64 %kk
  %a = load <12 x i32>, ptr %pa, align 4
  %an = bitcast <12 x i32> %a to <48 x i8>
  %at = call <48 x i8> @llvm.matrix.transpose.v48i8(<48 x i8> %an, i32 4, i32 12)
  %ax = zext <48 x i8> %at to <48 x i32>
  %pb = getelementptr [8 x i32], ptr %B, i64 %kk
  %b = load <8 x i32>, ptr %pb, align 4
  %bn = bitcast <8 x i32> %b to <32 x i8>
  %bx = sext <32 x i8> %bn to <32 x i32>
  %ab = call <96 x i32> @llvm.matrix.multiply.v96i32.v48i32.v32i32(<48 x i32> %ax, <32 x i32> %bx, i32 12, i32 4, i32 8)
  %next = add <96 x i32> %acc, %ab
  %kk.next = add i64 %kk, 1
  %more = icmp ne i64 %kk.next, %k
  br i1 %more, label %loop, label %exit, !llvm.loop !0
exit:
  call void @llvm.matrix.column.major.store.v96i32.i64(<96 x i32> %next, ptr align 4 %C, i64 %ldc, i1 false, i32 12, i32 8)
  ret void
}

; CHECK-LABEL: su:
; CHECK:           Inner Loop Header
; CHECK-COUNT-24: vmsummbm
; CHECK-NOT:       vmsum
; CHECK:           bdnz
; IR-LABEL: @su(
; IR-DAG: [[B:%.*]] = bitcast <4 x i32> %.splat to <16 x i8>
; IR-DAG: [[A:%.*]] = bitcast <4 x i32> %a{{.*}} to <16 x i8>
; IR: call <4 x i32> @llvm.ppc.altivec.vmsummbm(<16 x i8> [[A]], <16 x i8> [[B]], <4 x i32>
define void @su(i64 %k, ptr %A, ptr %B, ptr %C, i64 %ldc) #0 {
entry:
  %c = call <96 x i32> @llvm.matrix.column.major.load.v96i32.i64(ptr align 4 %C, i64 %ldc, i1 false, i32 12, i32 8)
  br label %loop
loop:
  %kk = phi i64 [ 0, %entry ], [ %kk.next, %loop ]
  %acc = phi <96 x i32> [ %c, %entry ], [ %next, %loop ]
  %pa = getelementptr [12 x i32], ptr %A, i64 %kk
  %a = load <12 x i32>, ptr %pa, align 4
  %an = bitcast <12 x i32> %a to <48 x i8>
  %at = call <48 x i8> @llvm.matrix.transpose.v48i8(<48 x i8> %an, i32 4, i32 12)
  %ax = sext <48 x i8> %at to <48 x i32>
  %pb = getelementptr [8 x i32], ptr %B, i64 %kk
  %b = load <8 x i32>, ptr %pb, align 4
  %bn = bitcast <8 x i32> %b to <32 x i8>
  %bx = zext <32 x i8> %bn to <32 x i32>
  %ab = call <96 x i32> @llvm.matrix.multiply.v96i32.v48i32.v32i32(<48 x i32> %ax, <32 x i32> %bx, i32 12, i32 4, i32 8)
  %next = add <96 x i32> %acc, %ab
  %kk.next = add i64 %kk, 1
  %more = icmp ne i64 %kk.next, %k
  br i1 %more, label %loop, label %exit, !llvm.loop !0
exit:
  call void @llvm.matrix.column.major.store.v96i32.i64(<96 x i32> %next, ptr align 4 %C, i64 %ldc, i1 false, i32 12, i32 8)
  ret void
}

; CHECK-LABEL: uu:
; CHECK:           Inner Loop Header
; CHECK-COUNT-24: vmsumubm
; CHECK-NOT:       vmsum
; CHECK:           bdnz
; IR-LABEL: @uu(
define void @uu(i64 %k, ptr %A, ptr %B, ptr %C, i64 %ldc) #0 {
entry:
  %c = call <96 x i32> @llvm.matrix.column.major.load.v96i32.i64(ptr align 4 %C, i64 %ldc, i1 false, i32 12, i32 8)
  br label %loop
loop:
  %kk = phi i64 [ 0, %entry ], [ %kk.next, %loop ]
  %acc = phi <96 x i32> [ %c, %entry ], [ %next, %loop ]
  %pa = getelementptr [12 x i32], ptr %A, i64 %kk
  %a = load <12 x i32>, ptr %pa, align 4
  %an = bitcast <12 x i32> %a to <48 x i8>
  %at = call <48 x i8> @llvm.matrix.transpose.v48i8(<48 x i8> %an, i32 4, i32 12)
  %ax = zext <48 x i8> %at to <48 x i32>
  %pb = getelementptr [8 x i32], ptr %B, i64 %kk
  %b = load <8 x i32>, ptr %pb, align 4
  %bn = bitcast <8 x i32> %b to <32 x i8>
  %bx = zext <32 x i8> %bn to <32 x i32>
  %ab = call <96 x i32> @llvm.matrix.multiply.v96i32.v48i32.v32i32(<48 x i32> %ax, <32 x i32> %bx, i32 12, i32 4, i32 8)
  %next = add <96 x i32> %acc, %ab
  %kk.next = add i64 %kk, 1
  %more = icmp ne i64 %kk.next, %k
  br i1 %more, label %loop, label %exit, !llvm.loop !0
exit:
  call void @llvm.matrix.column.major.store.v96i32.i64(<96 x i32> %next, ptr align 4 %C, i64 %ldc, i1 false, i32 12, i32 8)
  ret void
}

; CHECK-LABEL: hh:
; CHECK:           Inner Loop Header
; CHECK-COUNT-24: vmsumshm
; CHECK-NOT:       vmsum
; CHECK:           bdnz
; IR-LABEL: @hh(
define void @hh(i64 %k, ptr %A, ptr %B, ptr %C, i64 %ldc) #0 {
entry:
  %c = call <96 x i32> @llvm.matrix.column.major.load.v96i32.i64(ptr align 4 %C, i64 %ldc, i1 false, i32 12, i32 8)
  br label %loop
loop:
  %kk = phi i64 [ 0, %entry ], [ %kk.next, %loop ]
  %acc = phi <96 x i32> [ %c, %entry ], [ %next, %loop ]
  %pa = getelementptr [12 x i32], ptr %A, i64 %kk
  %a = load <12 x i32>, ptr %pa, align 4
  %an = bitcast <12 x i32> %a to <24 x i16>
  %at = call <24 x i16> @llvm.matrix.transpose.v24i16(<24 x i16> %an, i32 2, i32 12)
  %ax = sext <24 x i16> %at to <24 x i32>
  %pb = getelementptr [8 x i32], ptr %B, i64 %kk
  %b = load <8 x i32>, ptr %pb, align 4
  %bn = bitcast <8 x i32> %b to <16 x i16>
  %bx = sext <16 x i16> %bn to <16 x i32>
  %ab = call <96 x i32> @llvm.matrix.multiply.v96i32.v24i32.v16i32(<24 x i32> %ax, <16 x i32> %bx, i32 12, i32 2, i32 8)
  %next = add <96 x i32> %acc, %ab
  %kk.next = add i64 %kk, 1
  %more = icmp ne i64 %kk.next, %k
  br i1 %more, label %loop, label %exit, !llvm.loop !0
exit:
  call void @llvm.matrix.column.major.store.v96i32.i64(<96 x i32> %next, ptr align 4 %C, i64 %ldc, i1 false, i32 12, i32 8)
  ret void
}

; CHECK-LABEL: hu:
; CHECK:           Inner Loop Header
; CHECK-COUNT-24: vmsumuhm
; CHECK-NOT:       vmsum
; CHECK:           bdnz
; IR-LABEL: @hu(
define void @hu(i64 %k, ptr %A, ptr %B, ptr %C, i64 %ldc) #0 {
entry:
  %c = call <96 x i32> @llvm.matrix.column.major.load.v96i32.i64(ptr align 4 %C, i64 %ldc, i1 false, i32 12, i32 8)
  br label %loop
loop:
  %kk = phi i64 [ 0, %entry ], [ %kk.next, %loop ]
  %acc = phi <96 x i32> [ %c, %entry ], [ %next, %loop ]
  %pa = getelementptr [12 x i32], ptr %A, i64 %kk
  %a = load <12 x i32>, ptr %pa, align 4
  %an = bitcast <12 x i32> %a to <24 x i16>
  %at = call <24 x i16> @llvm.matrix.transpose.v24i16(<24 x i16> %an, i32 2, i32 12)
  %ax = zext <24 x i16> %at to <24 x i32>
  %pb = getelementptr [8 x i32], ptr %B, i64 %kk
  %b = load <8 x i32>, ptr %pb, align 4
  %bn = bitcast <8 x i32> %b to <16 x i16>
  %bx = zext <16 x i16> %bn to <16 x i32>
  %ab = call <96 x i32> @llvm.matrix.multiply.v96i32.v24i32.v16i32(<24 x i32> %ax, <16 x i32> %bx, i32 12, i32 2, i32 8)
  %next = add <96 x i32> %acc, %ab
  %kk.next = add i64 %kk, 1
  %more = icmp ne i64 %kk.next, %k
  br i1 %more, label %loop, label %exit, !llvm.loop !0
exit:
  call void @llvm.matrix.column.major.store.v96i32.i64(<96 x i32> %next, ptr align 4 %C, i64 %ldc, i1 false, i32 12, i32 8)
  ret void
}

attributes #0 = { "target-cpu"="pwr9" }

!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.unroll.disable"}
