; Rows that do not exist are kept out of tiles only: an error, never an access.
; RUN: split-file %s %t
; RUN: not %opt -passes=tilesmith-lower -S %t/alone.ll 2>&1 | FileCheck %s
; RUN: not %opt -passes=tilesmith-lower -S %t/mixed.ll 2>&1 | FileCheck %s
; RUN: not %opt -passes=tilesmith-lower -S %t/wanted.ll 2>&1 | FileCheck %s
; RUN: not %opt -passes=tilesmith-lower -S %t/moved.ll 2>&1 | FileCheck %s

; CHECK: error: {{.*}}a matrix of which not all rows or columns exist, or not all elements are wanted, must be part of a tile

;--- alone.ll
define <8 x double> @alone(ptr %p, i64 %n) {
  %v = call <8 x double> @llvm.matrix.column.major.load.v8f64.i64(ptr %p, i64 8, i1 false, i32 4, i32 2) [ "tilesmith.rows"(i64 %n) ]
  ret <8 x double> %v
}

;--- mixed.ll
; Two columns with different rows.
define void @mixed(ptr %A, ptr %B, ptr %C, i64 %n, i64 %m) {
  %a = call <8 x double> @llvm.matrix.column.major.load.v8f64.i64(ptr %A, i64 8, i1 false, i32 8, i32 1) [ "tilesmith.rows"(i64 %m) ]
  %b = load <1 x double>, ptr %B
  %ab = call <8 x double> @llvm.matrix.multiply.v8f64.v8f64.v1f64(<8 x double> %a, <1 x double> %b, i32 8, i32 1, i32 1)
  call void @llvm.matrix.column.major.store.v8f64.i64(<8 x double> %ab, ptr %C, i64 8, i1 false, i32 8, i32 1) [ "tilesmith.rows"(i64 %n) ]
  ret void
}

;--- wanted.ll
define <8 x double> @wanted(ptr %p, i64 %n) {
  %v = call <8 x double> @llvm.matrix.column.major.load.v8f64.i64(ptr %p, i64 8, i1 false, i32 4, i32 2) [ "tilesmith.wanted"(i64 %n, i1 true, i64 4) ]
  ret <8 x double> %v
}

;--- moved.ll
define <8 x double> @moved(ptr %p, i64 %n, i64 %ld) {
  %v = call <8 x double> @llvm.matrix.column.major.load.v8f64.i64(ptr %p, i64 %ld, i1 false, i32 1, i32 8) [ "tilesmith.moved"(i64 %n, i64 4) ]
  ret <8 x double> %v
}
