// Sums of halves are computed as they are, in whole vectors, where the target
// does so; elsewhere, the remark says what to do.
//
// REQUIRES: x86
// RUN: %clang --target=x86_64-linux-gnu -march=sapphirerapids -O3 -S %s -o - -fpass-plugin=%tilesmith \
// RUN:     -Rpass=tilesmith 2>&1 | FileCheck %s --check-prefix=FP16
// RUN: %clang --target=x86_64-linux-gnu -march=x86-64-v3 -O3 -S %s -o /dev/null -fpass-plugin=%tilesmith \
// RUN:     -Rpass-missed=tilesmith 2>&1 | FileCheck %s --check-prefix=NONE

// FP16: remark: {{.*}} GEMM f16 {{.*}} 96x8 micro kernel, AVX-512 [
// FP16: vfmadd231ph {{.*}}%zmm
// NONE: not replaced: the target does not compute with vectors of half precision
void half(int m, int n, int k, const _Float16 *restrict a,
          const _Float16 *restrict b, _Float16 *restrict c) {
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      _Float16 sum = 0;
      for (int p = 0; p < k; ++p)
        sum += a[(long)i * k + p] * b[(long)p * n + j];
      c[(long)i * n + j] = sum;
    }
}
