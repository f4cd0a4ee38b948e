; If not all columns of a tile exist, its last ones are moved up: they end where
; those that exist do, and so do the elements of the row that they are made of.
; How far that is does not depend on the step.
; REQUIRES: x86-registered-target
; RUN: %opt -passes=tilesmith-lower -mtriple=x86_64-linux-gnu -mcpu=znver4 -S %s | FileCheck %s

; CHECK-LABEL: define void @kernel(
; CHECK:      entry:
; CHECK-NEXT: [[FIRSTC:%.*]] = sub i64 %columns, 2
; CHECK-NEXT: [[DC:%.*]] = mul i64 [[FIRSTC]], %sc
; CHECK-NEXT: [[FIRSTB:%.*]] = sub i64 %columns, 2
; CHECK-NEXT: [[DB:%.*]] = mul i64 [[FIRSTB]], %sb
; CHECK-NEXT: [[C2:%.*]] = getelementptr i8, ptr %C, i64 [[DC]]
; CHECK-NEXT: load <8 x double>, ptr %C, align 8
; CHECK-NEXT: [[C1:%.*]] = getelementptr i8, ptr %C, i64 %sc
; CHECK-NEXT: load <8 x double>, ptr [[C1]], align 8
; CHECK-NEXT: load <8 x double>, ptr [[C2]], align 8
; CHECK-NEXT: [[C3:%.*]] = getelementptr i8, ptr [[C2]], i64 %sc
; CHECK-NEXT: load <8 x double>, ptr [[C3]], align 8
; CHECK:      loop:
; CHECK:      [[B2:%.*]] = getelementptr i8, ptr %pb, i64 [[DB]]
; CHECK-NEXT: load double, ptr %pb, align 8
; CHECK-NEXT: [[B1:%.*]] = getelementptr i8, ptr %pb, i64 %sb
; CHECK-NEXT: load double, ptr [[B1]], align 8
; CHECK-NEXT: load double, ptr [[B2]], align 8
; CHECK-NEXT: [[B3:%.*]] = getelementptr i8, ptr [[B2]], i64 %sb
; CHECK-NEXT: load double, ptr [[B3]], align 8
; CHECK-COUNT-4: call contract <8 x double> @llvm.fmuladd
; CHECK:      done:
; CHECK-COUNT-4: store <8 x double>
; CHECK-NEXT: ret void
define void @kernel(i64 %k, ptr %A, ptr %B, i64 %sb, ptr %C, i64 %sc, i64 %columns) {
entry:
  %ldc = sdiv exact i64 %sc, 8
  %ldb = sdiv exact i64 %sb, 8
  %c = call <32 x double> @llvm.matrix.column.major.load.v32f64.i64(ptr align 8 %C, i64 %ldc, i1 false, i32 8, i32 4) [ "tilesmith.moved"(i64 %columns, i64 2) ]
  br label %loop
loop:
  %step = phi i64 [ 0, %entry ], [ %next.step, %loop ]
  %acc = phi <32 x double> [ %c, %entry ], [ %next, %loop ]
  %pa = getelementptr [8 x double], ptr %A, i64 %step
  %pb = getelementptr double, ptr %B, i64 %step
  %a = load <8 x double>, ptr %pa, align 8
  %b = call <4 x double> @llvm.matrix.column.major.load.v4f64.i64(ptr align 8 %pb, i64 %ldb, i1 false, i32 1, i32 4) [ "tilesmith.moved"(i64 %columns, i64 2) ]
  %ab = call contract <32 x double> @llvm.matrix.multiply.v32f64.v8f64.v4f64(<8 x double> %a, <4 x double> %b, i32 8, i32 1, i32 4)
  %next = fadd contract <32 x double> %acc, %ab
  %next.step = add nuw i64 %step, 1
  %more = icmp ult i64 %next.step, %k
  br i1 %more, label %loop, label %done
done:
  call void @llvm.matrix.column.major.store.v32f64.i64(<32 x double> %next, ptr align 8 %C, i64 %ldc, i1 false, i32 8, i32 4) [ "tilesmith.moved"(i64 %columns, i64 2) ]
  ret void
}
