; Products of groups of narrow elements on AArch64: the loop over k has dot
; products by lane, and loads. (LLVM has no bfdot by lane of what is loaded.)
; REQUIRES: aarch64-registered-target
; RUN: %opt -passes=tilesmith-lower %s | opt -O3 -mcpu=generic \
; RUN:   | llc -O3 -mcpu=generic | sed -n -e '/^[us]/p' -e '/^bf/p' -e '/Inner Loop/,/b\.ne/p' \
; RUN:   | FileCheck %s --implicit-check-not='[sp' --implicit-check-not=mul \
; RUN:       --implicit-check-not='{{(mov|ins|zip|tbl|uzp|sshll|ushll)[[:space:]]+[{]? ?[vz][0-9]}}'
; RUN: %opt -passes=tilesmith-lower %s | opt -O3 -mcpu=neoverse-n2 \
; RUN:   | llc -O3 -mcpu=neoverse-n2 | sed -n -e '/^[us]/p' -e '/^bf/p' -e '/Inner Loop/,/b\.ne/p' \
; RUN:   | FileCheck %s --implicit-check-not='[sp' --implicit-check-not=mul \
; RUN:       --implicit-check-not='{{(mov|ins|zip|tbl|uzp|sshll|ushll)[[:space:]]+[{]? ?[vz][0-9]}}'
; RUN: %opt -passes=tilesmith-lower %s | opt -O3 -mcpu=neoverse-v2 \
; RUN:   | llc -O3 -mcpu=neoverse-v2 | sed -n -e '/^[us]/p' -e '/^bf/p' -e '/Inner Loop/,/b\.ne/p' \
; RUN:   | FileCheck %s --implicit-check-not='[sp' --implicit-check-not=mul \
; RUN:       --implicit-check-not='{{(mov|ins|zip|tbl|uzp|sshll|ushll)[[:space:]]+[{]? ?[vz][0-9]}}'

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i8:8:32-i16:16:32-i64:64-i128:128-n32:64-S128-Fn32"
target triple = "aarch64-unknown-linux-gnu"

; CHECK-LABEL: ss:
; CHECK:           Inner Loop Header
; CHECK-COUNT-24: sdot v{{[0-9]+}}.4s, v{{[0-9]+}}.16b, v{{[0-9]+}}.4b[
; CHECK-NOT:       dot
; CHECK:           b.ne
define void @ss(i64 %k, ptr %A, ptr %B, ptr %C, i64 %ldc) #0 {
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

; CHECK-LABEL: uu:
; CHECK:           Inner Loop Header
; CHECK-COUNT-24: udot v{{[0-9]+}}.4s, v{{[0-9]+}}.16b, v{{[0-9]+}}.4b[
; CHECK-NOT:       dot
; CHECK:           b.ne
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

; CHECK-LABEL: us:
; CHECK:           Inner Loop Header
; CHECK-COUNT-24: usdot v{{[0-9]+}}.4s, v{{[0-9]+}}.16b, v{{[0-9]+}}.4b[
; CHECK-NOT:       dot
; CHECK:           b.ne
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
; CHECK-COUNT-24: sudot v{{[0-9]+}}.4s, v{{[0-9]+}}.16b, v{{[0-9]+}}.4b[
; CHECK-NOT:       dot
; CHECK:           b.ne
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

; CHECK-LABEL: bf:
; CHECK:           Inner Loop Header
; CHECK-COUNT-24: bfdot
; CHECK-NOT:       dot
; CHECK:           b.ne
define void @bf(i64 %k, ptr %A, ptr %B, ptr %C, i64 %ldc) #0 {
entry:
  %c = call <96 x float> @llvm.matrix.column.major.load.v96f32.i64(ptr align 4 %C, i64 %ldc, i1 false, i32 12, i32 8)
  br label %loop
loop:
  %kk = phi i64 [ 0, %entry ], [ %kk.next, %loop ]
  %acc = phi <96 x float> [ %c, %entry ], [ %next, %loop ]
  %pa = getelementptr [12 x i32], ptr %A, i64 %kk
  %a = load <12 x i32>, ptr %pa, align 4
  %an = bitcast <12 x i32> %a to <24 x bfloat>
  %at = call <24 x bfloat> @llvm.matrix.transpose.v24bf16(<24 x bfloat> %an, i32 2, i32 12)
  %ax = fpext <24 x bfloat> %at to <24 x float>
  %pb = getelementptr [8 x i32], ptr %B, i64 %kk
  %b = load <8 x i32>, ptr %pb, align 4
  %bn = bitcast <8 x i32> %b to <16 x bfloat>
  %bx = fpext <16 x bfloat> %bn to <16 x float>
  %ab = call fast <96 x float> @llvm.matrix.multiply.v96f32.v24f32.v16f32(<24 x float> %ax, <16 x float> %bx, i32 12, i32 2, i32 8)
  %next = fadd fast <96 x float> %acc, %ab
  %kk.next = add i64 %kk, 1
  %more = icmp ne i64 %kk.next, %k
  br i1 %more, label %loop, label %exit, !llvm.loop !0
exit:
  call void @llvm.matrix.column.major.store.v96f32.i64(<96 x float> %next, ptr align 4 %C, i64 %ldc, i1 false, i32 12, i32 8)
  ret void
}

; CHECK-LABEL: ss_sve:
; CHECK:           Inner Loop Header
; CHECK-COUNT-24: sdot z
; CHECK-NOT:       dot
; CHECK:           b.ne
define void @ss_sve(i64 %k, ptr %A, ptr %B, ptr %C, i64 %ldc) #1 {
entry:
  %c = call <192 x i32> @llvm.matrix.column.major.load.v192i32.i64(ptr align 4 %C, i64 %ldc, i1 false, i32 24, i32 8)
  br label %loop
loop:
  %kk = phi i64 [ 0, %entry ], [ %kk.next, %loop ]
  %acc = phi <192 x i32> [ %c, %entry ], [ %next, %loop ]
  %pa = getelementptr [24 x i32], ptr %A, i64 %kk
  %a = load <24 x i32>, ptr %pa, align 4
  %an = bitcast <24 x i32> %a to <96 x i8>
  %at = call <96 x i8> @llvm.matrix.transpose.v96i8(<96 x i8> %an, i32 4, i32 24)
  %ax = sext <96 x i8> %at to <96 x i32>
  %pb = getelementptr [8 x i32], ptr %B, i64 %kk
  %b = load <8 x i32>, ptr %pb, align 4
  %bn = bitcast <8 x i32> %b to <32 x i8>
  %bx = sext <32 x i8> %bn to <32 x i32>
  %ab = call <192 x i32> @llvm.matrix.multiply.v192i32.v96i32.v32i32(<96 x i32> %ax, <32 x i32> %bx, i32 24, i32 4, i32 8)
  %next = add <192 x i32> %acc, %ab
  %kk.next = add i64 %kk, 1
  %more = icmp ne i64 %kk.next, %k
  br i1 %more, label %loop, label %exit, !llvm.loop !0
exit:
  call void @llvm.matrix.column.major.store.v192i32.i64(<192 x i32> %next, ptr align 4 %C, i64 %ldc, i1 false, i32 24, i32 8)
  ret void
}

; CHECK-LABEL: us_sve:
; CHECK:           Inner Loop Header
; CHECK-COUNT-24: usdot z
; CHECK-NOT:       dot
; CHECK:           b.ne
define void @us_sve(i64 %k, ptr %A, ptr %B, ptr %C, i64 %ldc) #1 {
entry:
  %c = call <192 x i32> @llvm.matrix.column.major.load.v192i32.i64(ptr align 4 %C, i64 %ldc, i1 false, i32 24, i32 8)
  br label %loop
loop:
  %kk = phi i64 [ 0, %entry ], [ %kk.next, %loop ]
  %acc = phi <192 x i32> [ %c, %entry ], [ %next, %loop ]
  %pa = getelementptr [24 x i32], ptr %A, i64 %kk
  %a = load <24 x i32>, ptr %pa, align 4
  %an = bitcast <24 x i32> %a to <96 x i8>
  %at = call <96 x i8> @llvm.matrix.transpose.v96i8(<96 x i8> %an, i32 4, i32 24)
  %ax = zext <96 x i8> %at to <96 x i32>
  %pb = getelementptr [8 x i32], ptr %B, i64 %kk
  %b = load <8 x i32>, ptr %pb, align 4
  %bn = bitcast <8 x i32> %b to <32 x i8>
  %bx = sext <32 x i8> %bn to <32 x i32>
  %ab = call <192 x i32> @llvm.matrix.multiply.v192i32.v96i32.v32i32(<96 x i32> %ax, <32 x i32> %bx, i32 24, i32 4, i32 8)
  %next = add <192 x i32> %acc, %ab
  %kk.next = add i64 %kk, 1
  %more = icmp ne i64 %kk.next, %k
  br i1 %more, label %loop, label %exit, !llvm.loop !0
exit:
  call void @llvm.matrix.column.major.store.v192i32.i64(<192 x i32> %next, ptr align 4 %C, i64 %ldc, i1 false, i32 24, i32 8)
  ret void
}

; CHECK-LABEL: bf_sve:
; CHECK:           Inner Loop Header
; CHECK-COUNT-24: bfdot z
; CHECK-NOT:       dot
; CHECK:           b.ne
define void @bf_sve(i64 %k, ptr %A, ptr %B, ptr %C, i64 %ldc) #1 {
entry:
  %c = call <192 x float> @llvm.matrix.column.major.load.v192f32.i64(ptr align 4 %C, i64 %ldc, i1 false, i32 24, i32 8)
  br label %loop
loop:
  %kk = phi i64 [ 0, %entry ], [ %kk.next, %loop ]
  %acc = phi <192 x float> [ %c, %entry ], [ %next, %loop ]
  %pa = getelementptr [24 x i32], ptr %A, i64 %kk
  %a = load <24 x i32>, ptr %pa, align 4
  %an = bitcast <24 x i32> %a to <48 x bfloat>
  %at = call <48 x bfloat> @llvm.matrix.transpose.v48bf16(<48 x bfloat> %an, i32 2, i32 24)
  %ax = fpext <48 x bfloat> %at to <48 x float>
  %pb = getelementptr [8 x i32], ptr %B, i64 %kk
  %b = load <8 x i32>, ptr %pb, align 4
  %bn = bitcast <8 x i32> %b to <16 x bfloat>
  %bx = fpext <16 x bfloat> %bn to <16 x float>
  %ab = call fast <192 x float> @llvm.matrix.multiply.v192f32.v48f32.v16f32(<48 x float> %ax, <16 x float> %bx, i32 24, i32 2, i32 8)
  %next = fadd fast <192 x float> %acc, %ab
  %kk.next = add i64 %kk, 1
  %more = icmp ne i64 %kk.next, %k
  br i1 %more, label %loop, label %exit, !llvm.loop !0
exit:
  call void @llvm.matrix.column.major.store.v192f32.i64(<192 x float> %next, ptr align 4 %C, i64 %ldc, i1 false, i32 24, i32 8)
  ret void
}

attributes #0 = { "target-features"="+dotprod,+i8mm,+bf16" }
attributes #1 = { vscale_range(2,16) "target-features"="+dotprod,+i8mm,+bf16,+sve" }

!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.unroll.disable"}
