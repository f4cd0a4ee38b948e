// Masked parts of rows of __bf16 are loaded as integers: without AVX512-BF16,
// LLVM would call conversions of the run-time library, one for each element.
//
// REQUIRES: x86-registered-target
// RUN: %clang --target=x86_64-linux-gnu -march=x86-64-v4 -O3 -S %s -o - -fpass-plugin=%tilesmith | FileCheck %s
// CHECK: {{^.?tilesmith.pack}}
// CHECK-NOT: __truncsfbf2

void rows(int m, int n, int k, const __bf16 *a, const __bf16 *b, float *c) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++)
      for (int p = 0; p < k; p++)
        c[i * n + j] += (float)a[i * k + p] * (float)b[p * n + j];
}

void columns(int m, int n, int k, const __bf16 *a, const __bf16 *b, float *c) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++)
      for (int p = 0; p < k; p++)
        c[i * n + j] += (float)a[p * m + i] * (float)b[j * k + p];
}
