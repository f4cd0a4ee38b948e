// With -ffp-contract=fast, the code generator fuses within a block only. Where
// LLVM moves a multiplication out of the addition's block, both are kept apart
// in the kernel.
//
// REQUIRES: x86
// RUN: %clang --target=x86_64-linux-gnu -mavx2 -mfma -O2 -ffp-contract=fast -S -emit-llvm \
// RUN:   -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 %s -o - | FileCheck %s
// RUN: %clang --target=x86_64-linux-gnu -mavx2 -mfma -O2 -ffp-contract=on -S -emit-llvm \
// RUN:   -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 %s -o - \
// RUN:   | FileCheck --check-prefix=ON %s

// 0.7 * 0 is known, so the multiplication moves to the end of the loop over k.
// CHECK: [[S:%.*]] = fmul contract <4 x double> {{.*}}0x3FE6666666666666
// CHECK: @llvm.arithmetic.fence.v4f64(<4 x double> [[S]])
// ON-NOT: arithmetic.fence
// ON: define {{.*}}@scaled(
// ON-NOT: arithmetic.fence
void scaled(long m, long n, long k, const double *A, const double *B, double *C) {
  for (long i = 0; i < m; i++)
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long p = 0; p < k; p++)
        s += A[i * k + p] * B[p * n + j];
      C[i * n + j] = 0.7 * s - 3 * C[i * n + j];
    }
}
