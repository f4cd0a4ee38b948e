//===- fallback-halves.c - halves behind a guard fill a register ----------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// With F16C, clang loads a half into one lane of the first register, so that the load waits
// for the sum if that is there. In functions with a guard, it is loaded into all lanes.
// REQUIRES: x86-registered-target
// DEFINE: %{asm} = %clang --target=x86_64-linux-gnu -O3 -S -o - %s
// RUN: %{asm} -march=haswell | FileCheck %s --check-prefixes=CLANG,OTHER
// RUN: %{asm} -march=haswell -fpass-plugin=%tilesmith | FileCheck %s --check-prefixes=OURS,OTHER
// RUN: %{asm} -march=znver4 -fpass-plugin=%tilesmith | FileCheck %s --check-prefix=OURS
//
// There is nothing to do for those with instructions for halves, or without F16C.
// RUN: %{asm} -march=sapphirerapids -fpass-plugin=%tilesmith | FileCheck %s --check-prefix=FP16
// RUN: %{asm} -march=x86-64-v2 -fpass-plugin=%tilesmith | FileCheck %s --check-prefix=CALLS

// CLANG-LABEL: distances:
// CLANG:       vpinsrw
// OURS-LABEL:  distances:
// OURS-NOT:    vpinsrw
// OURS:        vpbroadcastw
// OURS-NOT:    vpinsrw
// OURS:        .cfi_endproc
// FP16-LABEL:  distances:
// FP16-NOT:    vpbroadcastw
// FP16:        .cfi_endproc
// CALLS-LABEL: distances:
// CALLS:       __extendhfsf2
void distances(long m, long k, const _Float16 *restrict a,
               const _Float16 *restrict b, double *restrict c, double alpha) {
  for (long i = 0; i < m; i++)
    for (long j = i; j < m; j++) {
      double s = 0;
      for (long p = 0; p < k; p++) {
        double d = (double)a[i * k + p] - (double)b[j * k + p];
        s += d * d;
      }
      c[i * m + j] = s * alpha;
      c[j * m + i] = s * alpha;
    }
}

// Without a product, a function is compiled as it was.
// OTHER-LABEL: other:
// OTHER:       vpinsrw
void other(long n, const _Float16 *a, double *sum) {
  double s = 0;
  for (long i = 0; i < n; i++)
    s += a[3 * i];
  *sum = s;
}
