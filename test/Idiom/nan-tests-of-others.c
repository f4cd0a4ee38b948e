//===- nan-tests-of-others.c - a test for NaN that sums do not show --------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A complex matrix times a vector looks for NaN in its sums. That says nothing of
// other products, which may be NaN where those that are added are not.
//
// RUN: %clang --target=x86_64-linux-gnu -march=haswell -O3 -ffp-contract=off -fpass-plugin=%tilesmith -Rpass=tilesmith -c %s -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not='complex GEMV'

#define NEST(name, tested)                                                                         \
  void name(long m, long n, const double *restrict a, const double *restrict x, double *restrict y) { \
    for (long i = 0; i < m; i++) {                                                                 \
      double s = 0, t = 0;                                                                         \
      for (long k = 0; k < n; k++) {                                                               \
        double ar = a[2 * (i * n + k)], ai = a[2 * (i * n + k) + 1], xr = x[2 * k], xi = x[2 * k + 1]; \
        double re = ar * xr - ai * xi, im = ar * xi + ai * xr, u = tested;                         \
        if (__builtin_expect(u != u, 0)) {                                                                            \
          re = 1;                                                                                  \
          im = 2;                                                                                  \
        }                                                                                          \
        s += re;                                                                                   \
        t += im;                                                                                   \
      }                                                                                            \
      y[2 * i] = s;                                                                                \
      y[2 * i + 1] = t;                                                                            \
    }                                                                                              \
  }

// CHECK: nan-tests-of-others.c:[[#@LINE+1]]:1: {{.*}}complex GEMV
NEST(added, ar * xr - ai * xi)
NEST(another, ar * xr + ai * xi)
NEST(one_product, ar * ai)
NEST(another_part, ar * xi - ai * xr)
