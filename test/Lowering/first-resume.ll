; The accumulator starts from zero or from C, is scaled by alpha at the end, and
; goes back to C column by column, keeping the alignment that is known.
; RUN: %opt -passes=tilesmith-lower -mtriple=x86_64-linux-gnu -mcpu=haswell -S %s | FileCheck %s

; CHECK-LABEL: define void @kernel(
; CHECK-NEXT: entry:
; CHECK-NEXT: [[D:%.*]] = mul i64 %ldc, 8
; CHECK:      resume:
; CHECK-NEXT: [[C0:%.*]] = load <4 x double>, ptr %C, align 32
; CHECK-NEXT: [[PC1:%.*]] = getelementptr i8, ptr %C, i64 [[D]]
; CHECK-NEXT: [[C1:%.*]] = load <4 x double>, ptr [[PC1]], align 8
; CHECK:      loop:
; CHECK:      phi <4 x double> [ zeroinitializer, %entry ], [ [[C0]], %resume ], [ [[N0:%.*]], %loop ]
; CHECK-NEXT: phi <4 x double> [ zeroinitializer, %entry ], [ [[C1]], %resume ], [ [[N1:%.*]], %loop ]
; CHECK:      exit:
; CHECK:      [[ALPHA:%.*]] = shufflevector <4 x double> {{.*}} zeroinitializer
; CHECK-NEXT: [[S0:%.*]] = fmul <4 x double> [[N0]], [[ALPHA]]
; CHECK-NEXT: [[S1:%.*]] = fmul <4 x double> [[N1]], [[ALPHA]]
; CHECK-NEXT: store <4 x double> [[S0]], ptr %C, align 32
; CHECK:      store <4 x double> [[S1]], ptr {{%.*}}, align 8
; CHECK-NEXT: ret void

define void @kernel(i64 %k, ptr %A, ptr %B, ptr %C, i64 %ldc, double %alpha, i1 %first) {
entry:
  br i1 %first, label %loop, label %resume
resume:
  %c = call <8 x double> @llvm.matrix.column.major.load.v8f64.i64(ptr align 32 %C, i64 %ldc, i1 false, i32 4, i32 2)
  br label %loop
loop:
  %kk = phi i64 [ 0, %entry ], [ 0, %resume ], [ %kk.next, %loop ]
  %acc = phi <8 x double> [ zeroinitializer, %entry ], [ %c, %resume ], [ %next, %loop ]
  %pa = getelementptr [4 x double], ptr %A, i64 %kk
  %pb = getelementptr [2 x double], ptr %B, i64 %kk
  %a = load <4 x double>, ptr %pa, align 32
  %b = load <2 x double>, ptr %pb, align 8
  %ab = call contract <8 x double> @llvm.matrix.multiply.v8f64.v4f64.v2f64(<4 x double> %a, <2 x double> %b, i32 4, i32 1, i32 2)
  %next = fadd contract <8 x double> %acc, %ab
  %kk.next = add i64 %kk, 1
  %more = icmp ult i64 %kk.next, %k
  br i1 %more, label %loop, label %exit
exit:
  %ins = insertelement <8 x double> poison, double %alpha, i64 0
  %splat = shufflevector <8 x double> %ins, <8 x double> poison, <8 x i32> zeroinitializer
  %scaled = fmul <8 x double> %next, %splat
  call void @llvm.matrix.column.major.store.v8f64.i64(<8 x double> %scaled, ptr align 32 %C, i64 %ldc, i1 false, i32 4, i32 2)
  ret void
}
