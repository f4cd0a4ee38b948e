// fma() rounds once, whether or not the target has an instruction for it.
//
// REQUIRES: x86
// RUN: %clang --target=x86_64-linux-gnu -march=x86-64 -O2 -S -emit-llvm \
// RUN:   -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 %s -o - | FileCheck %s

// CHECK-NOT: fmuladd
// CHECK: call {{.*}}<2 x double> @llvm.fma.v2f64(
// CHECK-NOT: fmuladd
void product(long m, long n, long k, const double *A, const double *B, double *C) {
  for (long i = 0; i < m; i++)
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long p = 0; p < k; p++)
        s = __builtin_fma(A[i * k + p], B[p * n + j], s);
      C[i * n + j] = s;
    }
}
