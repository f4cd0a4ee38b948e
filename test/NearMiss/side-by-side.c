//===- side-by-side.c - two sums of two products each ---------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// clang adds both parts of a complex number at once, also where they lie in arrays of
// their own: one addition a step. With `double`, two kernels, each of which reads both
// matrices, are slower for some sizes.

// RUN: %python %S/../Plugin/Inputs/same_object.py %clang %tilesmith %s -march=native
// RUN: %python %S/Inputs/reasons.py %clang %tilesmith %s -march=native

// EXPECT VectorizedSum: a Fourier transform by tables
void transform(int n, const double *re, const double *im, const double *cosines, const double *sines, double *out) {
  for (int k = 0; k < n; k++) {
    double sr = 0, si = 0;
    for (int t = 0; t < n; t++) {
      sr += re[t] * cosines[k * n + t] + im[t] * sines[k * n + t];
      si += im[t] * cosines[k * n + t] - re[t] * sines[k * n + t];
    }
    out[2 * k] = sr;
    out[2 * k + 1] = si;
  }
}
