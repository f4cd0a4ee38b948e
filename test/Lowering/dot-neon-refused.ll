; No dot products: bfdot rounds otherwise than the source, and what -ffast-math
; permits; streaming mode has no NEON; the features are those of the function.
; RUN: %opt -passes=tilesmith-lower -S %s | FileCheck %s

target triple = "aarch64-unknown-linux-gnu"

; CHECK-LABEL: @reassociated(
; CHECK-NOT: aarch64.neon
; CHECK: ret
define <16 x float> @reassociated(<4 x i32> %a, <4 x i32> %b) #0 {
  %an = bitcast <4 x i32> %a to <8 x bfloat>
  %at = call <8 x bfloat> @llvm.matrix.transpose.v8bf16(<8 x bfloat> %an, i32 2, i32 4)
  %ax = fpext <8 x bfloat> %at to <8 x float>
  %bn = bitcast <4 x i32> %b to <8 x bfloat>
  %bx = fpext <8 x bfloat> %bn to <8 x float>
  %ab = call reassoc contract <16 x float> @llvm.matrix.multiply.v16f32.v8f32.v8f32(<8 x float> %ax, <8 x float> %bx, i32 4, i32 2, i32 4)
  ret <16 x float> %ab
}

; CHECK-LABEL: @streaming(
; CHECK-NOT: aarch64.neon
; CHECK: ret
define <16 x i32> @streaming(<4 x i32> %a, <4 x i32> %b) "aarch64_pstate_sm_enabled" #0 {
  %an = bitcast <4 x i32> %a to <16 x i8>
  %at = call <16 x i8> @llvm.matrix.transpose.v16i8(<16 x i8> %an, i32 4, i32 4)
  %ax = sext <16 x i8> %at to <16 x i32>
  %bn = bitcast <4 x i32> %b to <16 x i8>
  %bx = sext <16 x i8> %bn to <16 x i32>
  %ab = call <16 x i32> @llvm.matrix.multiply.v16i32.v16i32.v16i32(<16 x i32> %ax, <16 x i32> %bx, i32 4, i32 4, i32 4)
  ret <16 x i32> %ab
}

; CHECK-LABEL: @without_i8mm(
; CHECK-NOT: aarch64.neon
; CHECK: ret
define <16 x i32> @without_i8mm(<4 x i32> %a, <4 x i32> %b) "target-features"="+dotprod" {
  %an = bitcast <4 x i32> %a to <16 x i8>
  %at = call <16 x i8> @llvm.matrix.transpose.v16i8(<16 x i8> %an, i32 4, i32 4)
  %ax = sext <16 x i8> %at to <16 x i32>
  %bn = bitcast <4 x i32> %b to <16 x i8>
  %bx = zext <16 x i8> %bn to <16 x i32>
  %ab = call <16 x i32> @llvm.matrix.multiply.v16i32.v16i32.v16i32(<16 x i32> %ax, <16 x i32> %bx, i32 4, i32 4, i32 4)
  ret <16 x i32> %ab
}

; CHECK-LABEL: @of_the_cpu(
; CHECK: @llvm.aarch64.neon.sdot
define <16 x i32> @of_the_cpu(<4 x i32> %a, <4 x i32> %b) "target-cpu"="neoverse-n1" {
  %an = bitcast <4 x i32> %a to <16 x i8>
  %at = call <16 x i8> @llvm.matrix.transpose.v16i8(<16 x i8> %an, i32 4, i32 4)
  %ax = sext <16 x i8> %at to <16 x i32>
  %bn = bitcast <4 x i32> %b to <16 x i8>
  %bx = sext <16 x i8> %bn to <16 x i32>
  %ab = call <16 x i32> @llvm.matrix.multiply.v16i32.v16i32.v16i32(<16 x i32> %ax, <16 x i32> %bx, i32 4, i32 4, i32 4)
  ret <16 x i32> %ab
}

attributes #0 = { "target-features"="+bf16,+dotprod,+sme" }
