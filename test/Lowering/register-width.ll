; The width of a register comes from the attributes of the function; a target
; without vector registers computes with scalars.
; RUN: %opt -passes=tilesmith-lower -mtriple=x86_64-linux-gnu -S %s | FileCheck %s
; RUN: %opt -passes=tilesmith-lower -mtriple=aarch64-linux-gnu -S %s | FileCheck %s --check-prefix=SVE
; RUN: %opt -passes=tilesmith-lower -S %s | FileCheck %s --check-prefix=NONE

; CHECK-LABEL: define void @sse2(
; CHECK-COUNT-4: fmul <2 x double>
; NONE-LABEL: define void @sse2(
; NONE-COUNT-8: fmul double
define void @sse2(ptr %C, <8 x double> %a, <1 x double> %b) {
  %ab = call <8 x double> @llvm.matrix.multiply.v8f64.v8f64.v1f64(<8 x double> %a, <1 x double> %b, i32 8, i32 1, i32 1)
  store <8 x double> %ab, ptr %C
  ret void
}

; CHECK-LABEL: define void @avx2(
; CHECK-COUNT-2: fmul <4 x double>
define void @avx2(ptr %C, <8 x double> %a, <1 x double> %b) "target-cpu"="haswell" {
  %ab = call <8 x double> @llvm.matrix.multiply.v8f64.v8f64.v1f64(<8 x double> %a, <1 x double> %b, i32 8, i32 1, i32 1)
  store <8 x double> %ab, ptr %C
  ret void
}

; CHECK-LABEL: define void @avx512_in_halves(
; CHECK-COUNT-2: fmul <4 x double>
define void @avx512_in_halves(ptr %C, <8 x double> %a, <1 x double> %b) "target-cpu"="skylake-avx512" {
  %ab = call <8 x double> @llvm.matrix.multiply.v8f64.v8f64.v1f64(<8 x double> %a, <1 x double> %b, i32 8, i32 1, i32 1)
  store <8 x double> %ab, ptr %C
  ret void
}

; CHECK-LABEL: define void @avx512(
; CHECK: fmul <8 x double>
define void @avx512(ptr %C, <8 x double> %a, <1 x double> %b) "target-cpu"="skylake-avx512" "prefer-vector-width"="512" {
  %ab = call <8 x double> @llvm.matrix.multiply.v8f64.v8f64.v1f64(<8 x double> %a, <1 x double> %b, i32 8, i32 1, i32 1)
  store <8 x double> %ab, ptr %C
  ret void
}

; SVE-LABEL: define void @sve_in_halves(
; SVE-COUNT-4: fmul <2 x double>
define void @sve_in_halves(ptr %C, <8 x double> %a, <1 x double> %b) vscale_range(2,2) "target-features"="+sve" "prefer-vector-width"="128" {
  %ab = call <8 x double> @llvm.matrix.multiply.v8f64.v8f64.v1f64(<8 x double> %a, <1 x double> %b, i32 8, i32 1, i32 1)
  store <8 x double> %ab, ptr %C
  ret void
}
