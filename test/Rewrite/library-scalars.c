//===- library-scalars.c - what becomes of alpha and beta -----------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// RUN: %clang -O1 -ffast-math -fno-discard-value-names -S -emit-llvm %s -o %t.ll
// RUN: %opt -passes='tilesmith-rewrite<strategy=blas;verify>' -S %t.ll | FileCheck %s --implicit-check-not=fcmp

#define FOR(i, n) for (long i = 0; i < n; i++)
#define HEAD(Name)                                                             \
  void Name(long m, long n, long p, double alpha, double beta, double gamma,   \
            const double *a, const double *b, double *c)
#define C c[i * n + j]
#define AB a[i * p + k] * b[k * n + j]

// CHECK-LABEL: define internal i1 @accumulate.tilesmith(
// CHECK: call void @cblas_dgemm({{.*}}, double 1.000000e+00, ptr %{{.}}, {{.*}}, double 1.000000e+00, ptr %c, i32 %{{.*}})
HEAD(accumulate) {
  FOR(i, m) FOR(j, n) FOR(k, p) C += AB;
}

// CHECK-LABEL: define internal i1 @subtract.tilesmith(
// CHECK: call void @cblas_dgemm({{.*}}, double -1.000000e+00, ptr %{{.}}, {{.*}}, double 1.000000e+00, ptr %c, i32 %{{.*}})
HEAD(subtract) {
  FOR(i, m) FOR(j, n) FOR(k, p) C -= AB;
}

// CHECK-LABEL: define internal i1 @overwrite.tilesmith(
// CHECK: call void @cblas_dgemm({{.*}}, double 1.000000e+00, ptr %{{.}}, {{.*}}, double 0.000000e+00, ptr %c, i32 %{{.*}})
HEAD(overwrite) {
  FOR(i, m) FOR(j, n) {
    C = 0;
    FOR(k, p) C += AB;
  }
}

// CHECK-LABEL: define internal i1 @scaled.tilesmith(
// CHECK: call void @cblas_dgemm({{.*}}, double %alpha, ptr %{{.}}, {{.*}}, double %beta, ptr %c, i32 %{{.*}})
HEAD(scaled) {
  FOR(i, m) FOR(j, n) {
    C *= beta;
    FOR(k, p) C += alpha * AB;
  }
}

// CHECK-LABEL: define internal i1 @scaledAfterwards.tilesmith(
// CHECK: call void @cblas_dgemm({{.*}}, double %alpha, ptr %{{.}}, {{.*}}, double %beta, ptr %c, i32 %{{.*}})
HEAD(scaledAfterwards) {
  FOR(i, m) FOR(j, n) {
    double sum = 0;
    FOR(k, p) sum += AB;
    C = alpha * sum + beta * C;
  }
}

// A factor on A, one on the sum, and C twice.
// CHECK-LABEL: define internal i1 @everywhere.tilesmith(
// CHECK-DAG: %[[ALPHA:.*]] = fmul double %{{alpha|gamma}}, %{{alpha|gamma}}
// CHECK-DAG: %[[PART:.*]] = fmul double %{{beta|gamma}}, %{{beta|gamma}}
// CHECK-DAG: %[[BETA:.*]] = fadd double %[[PART]], %beta
// CHECK: call void @cblas_dgemm({{.*}}, double %[[ALPHA]], ptr %{{.}}, {{.*}}, double %[[BETA]], ptr %c, i32 %{{.*}})
HEAD(everywhere) {
  FOR(i, m) FOR(j, n) {
    double sum = beta * C;
    FOR(k, p) sum += alpha * AB;
    C = gamma * sum + beta * C;
  }
}

// Two terms: the first call scales C.
// CHECK-LABEL: define internal i1 @twoTerms.tilesmith(
// CHECK: call void @cblas_dgemm({{.*}}, double %alpha, ptr %{{.}}, {{.*}}, double %beta, ptr %c, i32 %{{.*}})
// CHECK: call void @cblas_dgemm({{.*}}, double %alpha, ptr %{{.}}, {{.*}}, double 1.000000e+00, ptr %c, i32 %{{.*}})
HEAD(twoTerms) {
  FOR(i, m) FOR(j, n) {
    double sum = 0;
    FOR(k, p) sum += AB + b[i * p + k] * a[k * n + j];
    C = alpha * sum + beta * C;
  }
}

// The triangle of C is square.
// CHECK-LABEL: define internal i1 @symmetric.tilesmith(
// CHECK: call void @cblas_dsyrk(i32 {{10[12]}}, i32 {{12[12]}}, i32 {{11[12]}}, i32 %{{.*}}, i32 %{{.*}}, double %alpha, ptr %a, i32 %{{.*}}, double %beta, ptr %c, i32 %{{.*}})
HEAD(symmetric) {
  FOR(i, n) FOR(j, i + 1) {
    double sum = 0;
    FOR(k, p) sum += a[i * p + k] * a[j * p + k];
    C = alpha * sum + beta * C;
  }
}

// CHECK-LABEL: define internal i1 @symmetric2.tilesmith(
// CHECK: call void @cblas_dsyr2k(i32 {{10[12]}}, i32 {{12[12]}}, i32 {{11[12]}}, i32 %{{.*}}, i32 %{{.*}}, double %alpha, ptr %{{[ab]}}, i32 %{{.*}}, ptr %{{[ab]}}, i32 %{{.*}}, double %beta, ptr %c, i32 %{{.*}})
HEAD(symmetric2) {
  FOR(i, n) FOR(j, i + 1) {
    double sum = 0;
    FOR(k, p) sum += a[i * p + k] * b[j * p + k] + b[i * p + k] * a[j * p + k];
    C = alpha * sum + beta * C;
  }
}
