// What mirrored elements take up is as large as the matrix, and no larger: an
// array right behind it does not overlap.
//
// RUN: %clang -O3 -fpass-plugin=%tilesmith -mllvm -tilesmith-verify=1 -S -emit-llvm \
// RUN:   -o - %s | FileCheck %s
//
// CHECK-LABEL: @covariance.tilesmith(
// CHECK-NOT: 159{{[0-9]+}}
// CHECK: add {{.*}} 80000
// CHECK-NOT: 159{{[0-9]+}}
// CHECK: call i1 @tilesmith.gemm(
void covariance(double c[100][100], double a[300][100]) {
  for (int i = 0; i < 100; i++)
    for (int j = i; j < 100; j++) {
      c[i][j] = 0;
      for (int k = 0; k < 300; k++)
        c[i][j] += a[k][i] * a[k][j];
      c[i][j] /= 299;
      c[j][i] = c[i][j];
    }
}
