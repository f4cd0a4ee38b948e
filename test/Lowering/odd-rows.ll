; The rest of a column is cut into decreasing powers of two; a single element is
; a scalar.
; RUN: %opt -passes=tilesmith-lower -mtriple=x86_64-linux-gnu -mcpu=haswell -S %s | FileCheck %s

; CHECK:      [[A0:%.*]] = load <4 x double>, ptr %A, align 32
; CHECK:      [[A4:%.*]] = load <2 x double>, ptr {{%.*}}, align 32
; CHECK:      [[A6:%.*]] = load double, ptr {{%.*}}, align 16
; CHECK:      [[B:%.*]] = load double, ptr %B, align 8
; CHECK:      [[P0:%.*]] = fmul <4 x double> [[A0]],
; CHECK-NEXT: [[P4:%.*]] = fmul <2 x double> [[A4]],
; CHECK-NEXT: [[P6:%.*]] = fmul double [[A6]], [[B]]
; CHECK:      store <4 x double> [[P0]], ptr %C, align 8
; CHECK:      store <2 x double> [[P4]], ptr {{%.*}}, align 8
; CHECK:      store double [[P6]], ptr {{%.*}}, align 8
define void @kernel(ptr %A, ptr %B, ptr %C) {
  %a = load <7 x double>, ptr %A, align 32
  %b = load <1 x double>, ptr %B, align 8
  %ab = call <7 x double> @llvm.matrix.multiply.v7f64.v7f64.v1f64(<7 x double> %a, <1 x double> %b, i32 7, i32 1, i32 1)
  store <7 x double> %ab, ptr %C, align 8
  ret void
}
