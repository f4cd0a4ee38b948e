; Volatile column accesses stay volatile; a volatile load of a whole vector is
; not cut.
; RUN: %opt -passes=tilesmith-lower -mtriple=x86_64-linux-gnu -mcpu=haswell -S %s | FileCheck %s

; CHECK:         load volatile <8 x double>, ptr %A
; CHECK-COUNT-2: load volatile <4 x double>, ptr {{.*}}, align 16
; CHECK-COUNT-2: store volatile <4 x double> {{.*}}, align 16
define void @kernel(ptr %A, ptr %C) {
  %a = load volatile <8 x double>, ptr %A
  %c = call <8 x double> @llvm.matrix.column.major.load.v8f64.i64(ptr align 16 %C, i64 10, i1 true, i32 8, i32 1)
  %ab = call contract <8 x double> @llvm.matrix.multiply.v8f64.v8f64.v1f64(<8 x double> %a, <1 x double> splat (double 2.0), i32 8, i32 1, i32 1)
  %sum = fadd contract <8 x double> %c, %ab
  call void @llvm.matrix.column.major.store.v8f64.i64(<8 x double> %sum, ptr align 16 %C, i64 10, i1 true, i32 8, i32 1)
  ret void
}
