; Elements on one side of a diagonal: each register that it may cut is accessed
; under a mask of its own; the last register is moved up, and so is its mask.
; REQUIRES: x86-registered-target
; RUN: %opt -passes=tilesmith-lower -mcpu=x86-64-v4 -S %s | FileCheck %s

target triple = "x86_64-unknown-linux-gnu"

; CHECK-LABEL: define void @half(
; CHECK:       call i64 @llvm.smax.i64(i64 %diagonal, i64 -16)
; CHECK:       call i64 @llvm.smin.i64(i64 %{{.*}}, i64 2)
; CHECK:       %[[MASK:.*]] = icmp sge <8 x i64> %{{.*}}, zeroinitializer
; CHECK:       call <8 x double> @llvm.masked.load.v8f64.p0(ptr align 8 %C, <8 x i1> %[[MASK]]
; CHECK-COUNT-3: call <8 x double> @llvm.masked.load
; CHECK:       loop:
; CHECK-NOT:   masked.load
; CHECK:       exit:
; CHECK-COUNT-4: call void @llvm.masked.store
; CHECK-NEXT:  ret void
define void @half(i64 %k, ptr %A, ptr %B, ptr %C, i64 %ldc, i64 %rows, i64 %diagonal) #0 {
entry:
  %c = call <32 x double> @llvm.matrix.column.major.load.v32f64.i64(ptr align 8 %C, i64 %ldc, i1 false, i32 16, i32 2) [ "tilesmith.rows"(i64 %rows), "tilesmith.wanted"(i64 %diagonal, i1 true, i64 16) ]
  br label %loop
loop:
  %kk = phi i64 [ 0, %entry ], [ %kk.next, %loop ]
  %acc = phi <32 x double> [ %c, %entry ], [ %next, %loop ]
  %pa = getelementptr double, ptr %A, i64 %kk
  %pb = getelementptr [2 x double], ptr %B, i64 %kk
  %a = call <16 x double> @llvm.matrix.column.major.load.v16f64.i64(ptr align 8 %pa, i64 %ldc, i1 false, i32 16, i32 1) [ "tilesmith.rows"(i64 %rows) ]
  %b = load <2 x double>, ptr %pb, align 8
  %ab = call contract <32 x double> @llvm.matrix.multiply.v32f64.v16f64.v2f64(<16 x double> %a, <2 x double> %b, i32 16, i32 1, i32 2)
  %next = fadd contract <32 x double> %acc, %ab
  %kk.next = add i64 %kk, 1
  %more = icmp ne i64 %kk.next, %k
  br i1 %more, label %loop, label %exit
exit:
  call void @llvm.matrix.column.major.store.v32f64.i64(<32 x double> %next, ptr align 8 %C, i64 %ldc, i1 false, i32 16, i32 2) [ "tilesmith.rows"(i64 %rows), "tilesmith.wanted"(i64 %diagonal, i1 true, i64 16) ]
  ret void
}

; The diagonal is in the last rows; nothing is known of rows beyond the edge.
; CHECK-LABEL: define void @last(
; CHECK:       load <8 x double>, ptr %C, align 8
; CHECK:       icmp sle <8 x i64> %{{.*}}, zeroinitializer
; CHECK:       call <8 x double> @llvm.masked.load
; CHECK:       load <8 x double>, ptr
; CHECK:       call <8 x double> @llvm.masked.load
; CHECK:       store <8 x double> %{{.*}}, ptr %C, align 8
; CHECK:       call void @llvm.masked.store
; CHECK:       store <8 x double>
; CHECK:       call void @llvm.masked.store
; CHECK-NEXT:  ret void
define void @last(ptr %A, ptr %B, ptr %C, i64 %ldc, i64 %diagonal) #0 {
  %c = call <32 x double> @llvm.matrix.column.major.load.v32f64.i64(ptr align 8 %C, i64 %ldc, i1 false, i32 16, i32 2) [ "tilesmith.wanted"(i64 %diagonal, i1 false, i64 8) ]
  %a = load <16 x double>, ptr %A, align 8
  %b = load <2 x double>, ptr %B, align 8
  %ab = call contract <32 x double> @llvm.matrix.multiply.v32f64.v16f64.v2f64(<16 x double> %a, <2 x double> %b, i32 16, i32 1, i32 2)
  %next = fadd contract <32 x double> %c, %ab
  call void @llvm.matrix.column.major.store.v32f64.i64(<32 x double> %next, ptr align 8 %C, i64 %ldc, i1 false, i32 16, i32 2) [ "tilesmith.wanted"(i64 %diagonal, i1 false, i64 8) ]
  ret void
}

attributes #0 = { "min-legal-vector-width"="512" "prefer-vector-width"="512" }
