; A column of which not all rows exist: its last register is moved up, or, if it
; is the only one, accessed under a mask.
; REQUIRES: x86-registered-target
; RUN: %opt -passes=tilesmith-lower -mcpu=x86-64-v4 -S %s | FileCheck %s

target triple = "x86_64-unknown-linux-gnu"

; CHECK-LABEL: define void @several(
; CHECK:       %[[#FIRST:]] = sub i64 %rows, 8
; CHECK:       getelementptr double, ptr %C, i64 %[[#FIRST]]
; CHECK-NOT:   masked
; CHECK:       ret void
define void @several(i64 %k, ptr %A, ptr %B, ptr %C, i64 %ldc, i64 %rows) #0 {
entry:
  %c = call <32 x double> @llvm.matrix.column.major.load.v32f64.i64(ptr align 8 %C, i64 %ldc, i1 false, i32 16, i32 2) [ "tilesmith.rows"(i64 %rows) ]
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
  call void @llvm.matrix.column.major.store.v32f64.i64(<32 x double> %next, ptr align 8 %C, i64 %ldc, i1 false, i32 16, i32 2) [ "tilesmith.rows"(i64 %rows) ]
  ret void
}

; CHECK-LABEL: define void @one(
; CHECK:       %[[MASK:.*]] = icmp ult <8 x i64> <i64 0, i64 1, {{.*}}>, %
; CHECK:       call <8 x double> @llvm.masked.load.v8f64.p0(ptr align 8 %C, <8 x i1> %[[MASK]]
; CHECK:       loop:
; CHECK:       call <8 x double> @llvm.masked.load.v8f64.p0(ptr align 8 %{{.*}}, <8 x i1> %[[MASK]]
; CHECK:       call void @llvm.masked.store.v8f64.p0(<8 x double> %{{.*}}, ptr align 8 %C, <8 x i1> %[[MASK]])
define void @one(i64 %k, ptr %A, ptr %B, ptr %C, i64 %ldc, i64 %rows) #0 {
entry:
  %c = call <8 x double> @llvm.matrix.column.major.load.v8f64.i64(ptr align 8 %C, i64 %ldc, i1 false, i32 8, i32 1) [ "tilesmith.rows"(i64 %rows) ]
  br label %loop
loop:
  %kk = phi i64 [ 0, %entry ], [ %kk.next, %loop ]
  %acc = phi <8 x double> [ %c, %entry ], [ %next, %loop ]
  %pa = getelementptr double, ptr %A, i64 %kk
  %pb = getelementptr double, ptr %B, i64 %kk
  %a = call <8 x double> @llvm.matrix.column.major.load.v8f64.i64(ptr align 8 %pa, i64 %ldc, i1 false, i32 8, i32 1) [ "tilesmith.rows"(i64 %rows) ]
  %b = load <1 x double>, ptr %pb, align 8
  %ab = call contract <8 x double> @llvm.matrix.multiply.v8f64.v8f64.v1f64(<8 x double> %a, <1 x double> %b, i32 8, i32 1, i32 1)
  %next = fadd contract <8 x double> %acc, %ab
  %kk.next = add i64 %kk, 1
  %more = icmp ne i64 %kk.next, %k
  br i1 %more, label %loop, label %exit
exit:
  call void @llvm.matrix.column.major.store.v8f64.i64(<8 x double> %next, ptr align 8 %C, i64 %ldc, i1 false, i32 8, i32 1) [ "tilesmith.rows"(i64 %rows) ]
  ret void
}

attributes #0 = { "min-legal-vector-width"="512" "prefer-vector-width"="512" }
