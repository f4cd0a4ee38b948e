; What is loaded and stored at one place is likely to be loaded again soon. So
; the rest of a column is moved in parts, without a mask: a store under a mask
; cannot be forwarded to a load.
; RUN: %opt -passes=tilesmith-lower -mtriple=x86_64-linux-gnu -mcpu=haswell -S %s | FileCheck %s
; RUN: %opt -passes=tilesmith-lower -mtriple=x86_64-linux-gnu -mcpu=znver4 -mattr=-prefer-256-bit -S %s | FileCheck %s

; CHECK-LABEL: define void @update(
; CHECK-NOT:   @llvm.masked{{.*}}ptr align 8 %C
; CHECK:       load <2 x double>, ptr %C, align 8
; CHECK:       [[AT:%.*]] = getelementptr double, ptr %C, i64 2
; CHECK:       load double, ptr [[AT]], align 8
; CHECK:       [[A:%.*]] = call <4 x double> @llvm.masked.load.v4f64.p0(ptr align 8 %A, <4 x i1> <i1 true, i1 true, i1 true, i1 false>
; CHECK:       [[S:%.*]] = call contract <4 x double> @llvm.fmuladd.v4f64(<4 x double> [[A]],
; CHECK:       [[LOW:%.*]] = shufflevector <4 x double> [[S]], <4 x double> poison, <2 x i32> <i32 0, i32 1>
; CHECK-NEXT:  store <2 x double> [[LOW]], ptr %C, align 8
; CHECK:       [[HIGH:%.*]] = extractelement <4 x double> [[S]], i64 2
; CHECK:       store double [[HIGH]], ptr {{%.*}}, align 8
; CHECK-NOT:   store
; CHECK:       ret void
define void @update(ptr %A, ptr %B, ptr %C) {
  %c = call <3 x double> @llvm.matrix.column.major.load.v3f64.i64(ptr align 8 %C, i64 3, i1 false, i32 3, i32 1)
  %a = load <3 x double>, ptr %A, align 8
  %b = load <1 x double>, ptr %B, align 8
  %ab = call contract <3 x double> @llvm.matrix.multiply.v3f64.v3f64.v1f64(<3 x double> %a, <1 x double> %b, i32 3, i32 1, i32 1)
  %sum = fadd contract <3 x double> %c, %ab
  call void @llvm.matrix.column.major.store.v3f64.i64(<3 x double> %sum, ptr align 8 %C, i64 3, i1 false, i32 3, i32 1)
  ret void
}
