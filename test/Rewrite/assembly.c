//===- assembly.c - no vector register is spilled in a kernel -------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// REQUIRES: x86
// RUN: %clang --target=x86_64-linux-gnu -O3 -S %s -o - -fpass-plugin=%tilesmith -march=x86-64-v4 | FileCheck --implicit-check-not='{{(16|32|64)-byte.*(Spill|Reload)}}' --check-prefix=ZMM %s
// RUN: %clang --target=x86_64-linux-gnu -O3 -S %s -o - -fpass-plugin=%tilesmith -march=skylake-avx512 | FileCheck --implicit-check-not='{{(16|32|64)-byte.*(Spill|Reload)}}' --check-prefix=ZMM %s
// RUN: %clang --target=x86_64-linux-gnu -O3 -S %s -o - -fpass-plugin=%tilesmith -march=sapphirerapids | FileCheck --implicit-check-not='{{(16|32|64)-byte.*(Spill|Reload)}}' --check-prefix=ZMM %s
// RUN: %clang --target=x86_64-linux-gnu -O3 -S %s -o - -fpass-plugin=%tilesmith -march=znver4 | FileCheck --implicit-check-not='{{(16|32|64)-byte.*(Spill|Reload)}}' --check-prefix=ZMM %s
// RUN: %clang --target=x86_64-linux-gnu -O3 -S %s -o - -fpass-plugin=%tilesmith -march=haswell | FileCheck --implicit-check-not='{{(16|32|64)-byte.*(Spill|Reload)}}' --check-prefix=YMM %s
// RUN: %clang --target=x86_64-linux-gnu -O3 -S %s -o - -fpass-plugin=%tilesmith -march=x86-64-v3 | FileCheck --implicit-check-not='{{(16|32|64)-byte.*(Spill|Reload)}}' --check-prefix=YMM %s

// The k loop of the default kernel: nothing but loads, broadcasts,
// multiply-adds, prefetches and the counter's arithmetic.
// ZMM-LABEL: tilesmith.micro.24x8.{{[0-9]+}}:
// ZMM: prefetcht0
// ZMM-COUNT-48: vfmadd231pd {{.*}}%zmm
// YMM-LABEL: tilesmith.micro.12x4.{{[0-9]+}}:
// YMM: prefetcht0
// YMM-COUNT-48: vfmadd231pd {{.*}}%ymm
void gemm(long m, long n, long k, const double *a, const double *b, double *c) {
  for (long i = 0; i < m; i++)
    for (long j = 0; j < n; j++)
      for (long p = 0; p < k; p++)
        c[i * n + j] += a[i * k + p] * b[p * n + j];
}

// ZMM-LABEL: tilesmith.micro.48x8.{{[0-9]+}}:
// ZMM-COUNT-48: vfmadd231ps {{.*}}%zmm
// YMM-LABEL: tilesmith.micro.24x4.{{[0-9]+}}:
// YMM-COUNT-48: vfmadd231ps {{.*}}%ymm
void gemmf(long m, long n, long k, const float *a, const float *b, float *c) {
  for (long i = 0; i < m; i++)
    for (long j = 0; j < n; j++)
      for (long p = 0; p < k; p++)
        c[i * n + j] += a[i * k + p] * b[p * n + j];
}
