// With SME, tiles are as large as its array, if that can hold the sums.
//
// REQUIRES: aarch64-registered-target
// RUN: %clang --target=aarch64-linux-gnu -march=armv9-a+sme -O2 -S -o /dev/null %s -fpass-plugin=%tilesmith -Rpass=tilesmith 2>&1 | FileCheck %s
// RUN: env TILESMITH='plan=tile=12x8' %clang --target=aarch64-linux-gnu -march=armv9-a+sme -O2 -S -o - %s -fpass-plugin=%tilesmith \
// RUN:     | FileCheck %s --check-prefix=OFF --implicit-check-not=smstart

// CHECK: [[@LINE+3]]:{{.*}} replaced {{.*}}: packed, 32x32 micro kernel, SME
// OFF: tilesmith.micro.12x8:
void added(long m, long n, long k, float *restrict c, float *a, float *b) {
  for (long i = 0; i < m; i++)
    for (long j = 0; j < n; j++)
      for (long p = 0; p < k; p++)
        c[i * n + j] += a[i * k + p] * b[p * n + j];
}

// CHECK: [[@LINE+2]]:{{.*}} replaced {{.*}}: packed, 32x32 micro kernel, SME
void set(long m, long n, long k, float *restrict c, float *a, float *b) {
  for (long i = 0; i < m; i++)
    for (long j = 0; j < n; j++) {
      float sum = 0;
      for (long p = 0; p < k; p++)
        sum += a[i * k + p] * b[p * n + j];
      c[i * n + j] = sum;
    }
}

// Sums are scaled when they are done.
// CHECK: [[@LINE+2]]:{{.*}} replaced {{.*}}: packed, 8x8 micro kernel, NEON
void scaled(long m, long n, long k, float x, float *restrict c, float *a, float *b) {
  for (long i = 0; i < m; i++)
    for (long j = 0; j < n; j++) {
      float sum = 0;
      for (long p = 0; p < k; p++)
        sum += a[i * k + p] * b[p * n + j];
      c[i * n + j] += x * sum;
    }
}

// Doubles need another feature.
// CHECK: [[@LINE+2]]:{{.*}} replaced {{.*}}: packed, 4x8 micro kernel, NEON
void doubles(long m, long n, long k, double *restrict c, double *a, double *b) {
  for (long i = 0; i < m; i++)
    for (long j = 0; j < n; j++)
      for (long p = 0; p < k; p++)
        c[i * n + j] += a[i * k + p] * b[p * n + j];
}
