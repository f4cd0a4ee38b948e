//===- dispatch-narrow.c - levels of which products of narrow factors make use -===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// AMX wants its own bits of leaf 7, and a system that saves its registers.
//
// DEFINE: %{compile} = %clang -Ofast -S -emit-llvm %s -o - -fpass-plugin=%tilesmith -mllvm -tilesmith-verify=1 \
// DEFINE:   -mllvm -tilesmith-dispatch=cpu -Rpass=tilesmith
// REQUIRES: x86-registered-target
// RUN: %{compile} --target=x86_64-linux-gnu 2>&1 | FileCheck %s --dump-input=never --check-prefix=X86
// RUN: %{compile} --target=x86_64-linux-gnu -mno-amx-tile 2>&1 | FileCheck %s --dump-input=never --check-prefix=FORBIDDEN
// RUN: %{compile} --target=aarch64-linux-gnu 2>&1 | FileCheck %s --dump-input=never --check-prefix=ARM

// X86: GEMM i32 {{.*}} SSE pmaddwd, dispatched: AMX, AVX-512 VNNI, AVX-512 pmaddwd, AVX VNNI, AVX pmaddwd, SSE pmaddwd [
// X86: GEMM f32 {{.*}} SSE, dispatched: AMX, AVX-512 BF16, AVX-512, AVX, SSE [
// X86-LABEL: @tilesmith.cpu.detect(
// X86-DAG: and i32 %{{.*}}, 393446
// X86-DAG: and i32 %{{.*}}, 54525952
// FORBIDDEN: dispatched: AVX-512 VNNI
// FORBIDDEN: dispatched: AVX-512 BF16
// FORBIDDEN-NOT: @tilesmith.gemm.x86-64-v4-amx

// ARM: GEMM i32 {{.*}} NEON, dispatched: NEON MMLA, SVE dot product (sve512), SVE dot product (sve256), NEON dot product, NEON [
// ARM: GEMM f32 {{.*}} NEON, dispatched: SME, NEON MMLA, SVE (sve512), SVE (sve256), NEON [
// ARM-LABEL: @tilesmith.cpu.detect(
// ARM: and i64 %{{.*}}, 8192

void integers(long n, const signed char *a, const signed char *b, int *c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}

void floats(long n, const __bf16 *a, const __bf16 *b, float *c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i * n + j] += (float)a[i * n + k] * (float)b[k * n + j];
}
