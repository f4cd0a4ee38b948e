; Element-wise operations around a multiplication follow its pieces.
; RUN: %opt -passes=tilesmith-lower -mtriple=x86_64-linux-gnu -mcpu=haswell -S %s | FileCheck %s

; CHECK:      [[P:%.*]] = fmul <4 x double>
; CHECK-NEXT: [[N:%.*]] = fneg <4 x double> [[P]]
; CHECK-NEXT: [[M:%.*]] = call <4 x double> @llvm.fma.v4f64(<4 x double> [[N]], <4 x double> [[P]], <4 x double> splat (double 1.000000e+00))
; CHECK-NEXT: [[F:%.*]] = freeze <4 x double> [[M]]
; CHECK-NEXT: [[G:%.*]] = fcmp ogt <4 x double> [[F]], zeroinitializer
; CHECK-NEXT: [[R:%.*]] = select <4 x i1> [[G]], <4 x double> [[F]], <4 x double> zeroinitializer
; CHECK-NEXT: [[S:%.*]] = select i1 %cond, <4 x double> [[R]], <4 x double> [[P]]
; CHECK-NEXT: [[T:%.*]] = fptrunc <4 x double> [[S]] to <4 x float>
; CHECK-NEXT: store <4 x float> [[T]], ptr %C, align 16
; CHECK-NEXT: ret void
define void @kernel(ptr %A, ptr %B, ptr %C, i1 %cond) {
  %a = load <4 x double>, ptr %A
  %b = load <1 x double>, ptr %B
  %ab = call <4 x double> @llvm.matrix.multiply.v4f64.v4f64.v1f64(<4 x double> %a, <1 x double> %b, i32 4, i32 1, i32 1)
  %negated = fneg <4 x double> %ab
  %fused = call <4 x double> @llvm.fma.v4f64(<4 x double> %negated, <4 x double> %ab, <4 x double> splat (double 1.0))
  %frozen = freeze <4 x double> %fused
  %positive = fcmp ogt <4 x double> %frozen, zeroinitializer
  %relu = select <4 x i1> %positive, <4 x double> %frozen, <4 x double> zeroinitializer
  %selected = select i1 %cond, <4 x double> %relu, <4 x double> %ab
  %short = fptrunc <4 x double> %selected to <4 x float>
  store <4 x float> %short, ptr %C, align 16
  ret void
}
