; A tile that lies in memory row by row: lines are loaded, transposed in
; registers, and stored. If not all exist, those of the last register are moved
; up. Elements of a line that are skipped are not stored.
; REQUIRES: x86-registered-target
; RUN: split-file %s %t
; RUN: %opt -passes=tilesmith-lower -mcpu=x86-64-v4 -S %t/tiles.ll | FileCheck %s
; RUN: not %opt -passes=tilesmith-lower -S %t/alone.ll 2>&1 | FileCheck %s --check-prefix=ERROR

;--- tiles.ll
target triple = "x86_64-unknown-linux-gnu"

; CHECK-LABEL:    define void @half(
; CHECK:          sub i64 %rows, 8
; CHECK-COUNT-16: load <4 x double>, ptr
; CHECK-COUNT-16: shufflevector <8 x double> %{{.*}}, <8 x double> %{{.*}}, <8 x i32>
; CHECK:          loop:
; CHECK-COUNT-8:  phi <8 x double>
; CHECK:          exit:
; CHECK:          %[[MASK:.*]] = icmp uge <4 x i64> <i64 0, i64 1, i64 2, i64 3>, %
; CHECK-COUNT-16: call void @llvm.masked.store.v4f64.p0(<4 x double> %{{.*}}, ptr align 8 %{{.*}}, <4 x i1> %[[MASK]])
; CHECK-NEXT:     ret void
define void @half(i64 %k, ptr %A, ptr %B, ptr %C, i64 %ldc, i64 %rows, i64 %shared) #0 {
entry:
  %lines = call <64 x double> @llvm.matrix.column.major.load.v64f64.i64(ptr align 8 %C, i64 %ldc, i1 false, i32 4, i32 16) [ "tilesmith.columns"(i64 %rows) ]
  %c = call <64 x double> @llvm.matrix.transpose.v64f64(<64 x double> %lines, i32 4, i32 16)
  br label %loop
loop:
  %kk = phi i64 [ 0, %entry ], [ %kk.next, %loop ]
  %acc = phi <64 x double> [ %c, %entry ], [ %next, %loop ]
  %pa = getelementptr double, ptr %A, i64 %kk
  %pb = getelementptr [4 x double], ptr %B, i64 %kk
  %a = call <16 x double> @llvm.matrix.column.major.load.v16f64.i64(ptr align 8 %pa, i64 %ldc, i1 false, i32 16, i32 1) [ "tilesmith.rows"(i64 %rows) ]
  %b = load <4 x double>, ptr %pb, align 8
  %ab = call contract <64 x double> @llvm.matrix.multiply.v64f64.v16f64.v4f64(<16 x double> %a, <4 x double> %b, i32 16, i32 1, i32 4)
  %next = fadd contract <64 x double> %acc, %ab
  %kk.next = add i64 %kk, 1
  %more = icmp ne i64 %kk.next, %k
  br i1 %more, label %loop, label %exit
exit:
  %turned = call <64 x double> @llvm.matrix.transpose.v64f64(<64 x double> %next, i32 16, i32 4)
  call void @llvm.matrix.column.major.store.v64f64.i64(<64 x double> %turned, ptr align 8 %C, i64 %ldc, i1 false, i32 4, i32 16) [ "tilesmith.columns"(i64 %rows), "tilesmith.skipped"(i64 %shared) ]
  ret void
}

; All rows exist, and all elements are stored.
; CHECK-LABEL:   define void @whole(
; CHECK-NOT:     sub
; CHECK-COUNT-8: load <8 x double>, ptr %{{.*}}, align 8
; CHECK-NOT:     masked
; CHECK-COUNT-8: store <8 x double> %{{.*}}, ptr %{{.*}}, align 8
; CHECK-NEXT:    ret void
define void @whole(ptr %A, ptr %B, ptr %C, i64 %ldc) #0 {
  %lines = call <64 x double> @llvm.matrix.column.major.load.v64f64.i64(ptr align 8 %C, i64 %ldc, i1 false, i32 8, i32 8) [ "tilesmith.columns"(i64 8) ]
  %c = call <64 x double> @llvm.matrix.transpose.v64f64(<64 x double> %lines, i32 8, i32 8)
  %a = load <8 x double>, ptr %A, align 8
  %b = load <8 x double>, ptr %B, align 8
  %ab = call contract <64 x double> @llvm.matrix.multiply.v64f64.v8f64.v8f64(<8 x double> %a, <8 x double> %b, i32 8, i32 1, i32 8)
  %next = fadd contract <64 x double> %c, %ab
  %turned = call <64 x double> @llvm.matrix.transpose.v64f64(<64 x double> %next, i32 8, i32 8)
  call void @llvm.matrix.column.major.store.v64f64.i64(<64 x double> %turned, ptr align 8 %C, i64 %ldc, i1 false, i32 8, i32 8) [ "tilesmith.columns"(i64 8) ]
  ret void
}

attributes #0 = { "prefer-vector-width"="512" }

; Lines that do not exist are kept out of tiles only: an error, never an access.
; ERROR: error: {{.*}}a matrix of which not all rows or columns exist, or not all elements are wanted, must be part of a tile
;--- alone.ll
define <8 x double> @alone(ptr %p, i64 %n) {
  %v = call <8 x double> @llvm.matrix.column.major.load.v8f64.i64(ptr %p, i64 8, i1 false, i32 4, i32 2) [ "tilesmith.columns"(i64 %n) ]
  ret <8 x double> %v
}
