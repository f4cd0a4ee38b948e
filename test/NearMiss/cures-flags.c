//===- cures-flags.c - near misses that depend on flags -------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each is compiled with the flags in front of it, and then with what one gets by doing what the remark says.

// REQUIRES: x86-registered-target
// RUN: %python %S/Inputs/flags.py %clang %tilesmith %s

#define FOR(i, n) for (long i = 0; i < n; i++)

// EXPECT SharedCounter: counters that all threads share
// FLAGS -fopenmp
void counters(int n, double *c, const double *a, const double *b) {
  int i, j, k;
#pragma omp parallel for
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++)
      for (k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}
// CURED -fopenmp
void counters(int n, double *c, const double *a, const double *b) {
  int i, j, k;
#pragma omp parallel for private(j, k)
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++)
      for (k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}

// EXPECT SharedCounter: the same, declared where they are used
// FLAGS -fopenmp
void inner_counters(int n, double *c, const double *a, const double *b) {
  int k;
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double s = 0;
      for (k = 0; k < n; k++)
        s += a[i * n + k] * b[k * n + j];
      c[i * n + j] = s;
    }
}
// CURED -fopenmp
void inner_counters(int n, double *c, const double *a, const double *b) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double s = 0;
      for (int k = 0; k < n; k++)
        s += a[i * n + k] * b[k * n + j];
      c[i * n + j] = s;
    }
}

// EXPECT MixedFusion: constant sizes, with any fusion
// FLAGS -march=haswell -ffp-contract=fast
void constant(double a[restrict 24][24], double b[restrict 24][24], double c[restrict 24][24]) {
  FOR(i, 24) FOR(j, 24) FOR(k, 24) c[i][j] += a[i][k] * b[k][j];
}
// CURED -march=haswell

// EXPECT MixedFusion: two steps at a time
// FLAGS -march=haswell -ffp-contract=fast
void two_steps(long n, const double *restrict a, const double *restrict b, double *restrict c) {
  FOR(i, n) FOR(j, n) {
    double s = 0;
    for (long k = 0; k < n; k += 2) {
      s += a[i * n + k] * b[j * n + k];
      s += a[i * n + k + 1] * b[j * n + k + 1];
    }
    c[i * n + j] = s;
  }
}
// CURED -march=haswell -ffp-contract=on

// EXPECT MixedFusion: a padded image, with any fusion
// FLAGS -march=haswell -ffp-contract=fast
void padded(long channels, long h, long w, const float *restrict x, const float *restrict taps, float *restrict y) {
  FOR(o, channels) FOR(i, h) FOR(j, w) {
    float s = 0;
    FOR(c, channels) FOR(p, 3) FOR(q, 3) {
      long u = i + p - 1, v = j + q - 1;
      if (u >= 0 && u < h && v >= 0 && v < w)
        s += x[(c * h + u) * w + v] * taps[((o * channels + c) * 3 + p) * 3 + q];
    }
    y[(o * h + i) * w + j] = s;
  }
}
// CURED -march=haswell

// EXPECT ComplexOrder: complex numbers, with any fusion, which the linker's passes choose
// FLAGS -flto -march=haswell -fcx-limited-range -ffp-contract=fast
void complex_numbers(long n, _Complex double *restrict a, _Complex double *restrict b, _Complex double *restrict c) {
  FOR(i, n) FOR(j, n) FOR(k, n) c[i * n + j] += a[i * n + k] * b[k * n + j];
}
// CURED -flto -march=haswell -fcx-limited-range -ffp-contract=on

// EXPECT LibraryOrder: without -ffast-math
// FLAGS -mllvm -tilesmith-strategy=blas
void order(long n, const double *a, const double *b, double *c) {
  FOR(i, n) FOR(j, n) FOR(k, n) c[i * n + j] += a[i * n + k] * b[k * n + j];
}
// CURED -mllvm -tilesmith-strategy=blas -ffast-math

// EXPECT LibraryFusion: fusion is forbidden
// FLAGS -mllvm -tilesmith-strategy=blas -ffast-math -ffp-contract=off
void fusion(long n, const double *a, const double *b, double *c) {
  FOR(i, n) FOR(j, n) FOR(k, n) c[i * n + j] += a[i * n + k] * b[k * n + j];
}
// CURED -mllvm -tilesmith-strategy=blas -ffast-math -ffp-contract=fast

// EXPECT LibraryType: integers
// FLAGS -mllvm -tilesmith-strategy=blas
void integers(long n, const int *a, const int *b, int *c) {
  FOR(i, n) FOR(j, n) FOR(k, n) c[i * n + j] += a[i * n + k] * b[k * n + j];
}
// CURED -mllvm -tilesmith-strategy=eigen

// EXPECT LibraryType: sums are wider than factors
// FLAGS -mllvm -tilesmith-strategy=blas -ffast-math
void wider(long n, const float *a, const float *b, double *c) {
  FOR(i, n) FOR(j, n) FOR(k, n) c[i * n + j] += (double)a[i * n + k] * b[k * n + j];
}
// CURED -mllvm -tilesmith-strategy=blas -ffast-math
void wider(long n, const double *a, const double *b, double *c) {
  FOR(i, n) FOR(j, n) FOR(k, n) c[i * n + j] += a[i * n + k] * b[k * n + j];
}

// EXPECT LibraryArithmetic: sums start from another value
// FLAGS -mllvm -tilesmith-strategy=blas -ffast-math
void start(long n, double from, const double *restrict a, const double *restrict b, double *restrict c) {
  FOR(i, n) FOR(j, n) {
    double s = from;
    FOR(k, n) s += a[i * n + k] * b[k * n + j];
    c[i * n + j] = s;
  }
}
// CURED -mllvm -tilesmith-strategy=blas -ffast-math
void start(long n, double from, const double *restrict a, const double *restrict b, double *restrict c) {
  FOR(i, n * n) c[i] = from;
  FOR(i, n) FOR(j, n) FOR(k, n) c[i * n + j] += a[i * n + k] * b[k * n + j];
}

// EXPECT LibraryDomain: a triangle that is not A times its transpose
// FLAGS -mllvm -tilesmith-strategy=blas -ffast-math
void triangle(long n, const double *a, const double *b, double *c) {
  FOR(i, n) FOR(j, i + 1) FOR(k, n) c[i * n + j] += a[i * n + k] * b[j * n + k];
}
// CURED -ffast-math

// EXPECT LibraryStrides: every second element
// FLAGS -mllvm -tilesmith-strategy=blas -ffast-math
void strides(long n, const double *a, const double *b, double *c) {
  FOR(i, n) FOR(j, n) FOR(k, n) c[i * n + j] += a[2 * (i * n + k)] * b[k * n + j];
}
// CURED -mllvm -tilesmith-strategy=blas -ffast-math
void strides(long n, const double *a, const double *b, double *c) {
  FOR(i, n) FOR(j, n) FOR(k, n) c[i * n + j] += a[i * n + k] * b[k * n + j];
}

// EXPECT LibraryName: a function has the library's name
// FLAGS -mllvm -tilesmith-strategy=blas -ffast-math
void cblas_dgemm(void) {}
void own_name(long n, const double *a, const double *b, double *c) {
  FOR(i, n) FOR(j, n) FOR(k, n) c[i * n + j] += a[i * n + k] * b[k * n + j];
}
// CURED -ffast-math

// EXPECT PlanTile: rows that are no whole registers
// FLAGS -march=znver4 -mllvm "-tilesmith-plan=tile=12x8"
void plan(long n, const double *a, const double *b, double *c) {
  FOR(i, n) FOR(j, n) FOR(k, n) c[i * n + j] += a[i * n + k] * b[k * n + j];
}
// CURED -march=znver4 -mllvm "-tilesmith-plan=tile=16x8"

// EXPECT PlanRegisters: a tile that is too large
// FLAGS -march=haswell -mllvm "-tilesmith-plan=tile=24x8"
void plan(long n, const double *a, const double *b, double *c) {
  FOR(i, n) FOR(j, n) FOR(k, n) c[i * n + j] += a[i * n + k] * b[k * n + j];
}
// CURED -march=haswell -mllvm "-tilesmith-plan=tile=12x4"

// EXPECT PlanBlocks: blocks of a tile that is not given
// FLAGS -march=znver4 -mllvm "-tilesmith-plan=mc=100"
void plan(long n, const double *a, const double *b, double *c) {
  FOR(i, n) FOR(j, n) FOR(k, n) c[i * n + j] += a[i * n + k] * b[k * n + j];
}
// CURED -march=znver4 -mllvm "-tilesmith-plan=tile=16x8 mc=96"

// EXPECT PlanEdge: masks that the CPU has not
// FLAGS -march=nehalem -mllvm "-tilesmith-plan=edge=mask"
void plan(long n, const double *a, const double *b, double *c) {
  FOR(i, n) FOR(j, n) FOR(k, n) c[i * n + j] += a[i * n + k] * b[k * n + j];
}
// CURED -march=nehalem

// EXPECT PlanSecondTile: a second tile that does not go with the first
// FLAGS -march=znver4 -mprefer-vector-width=512 -mllvm "-tilesmith-plan=tile=24x8+24x4"
void plan(long n, const double *a, const double *b, double *c) {
  FOR(i, n) FOR(j, n) FOR(k, n) c[i * n + j] += a[i * n + k] * b[k * n + j];
}
// CURED -march=znver4 -mprefer-vector-width=512 -mllvm "-tilesmith-plan=tile=24x8+16x8"

// EXPECT PlanNotSmall: sizes that only run time knows
// FLAGS -mllvm -tilesmith-plan=small
void plan(long n, const double *a, const double *b, double *c) {
  FOR(i, n) FOR(j, n) FOR(k, n) c[i * n + j] += a[i * n + k] * b[k * n + j];
}
// CURED -mllvm -tilesmith-plan=small
void plan(const double *restrict a, const double *restrict b, double *restrict c) {
  FOR(i, 32) FOR(j, 32) FOR(k, 32) c[i * 32 + j] += a[i * 32 + k] * b[k * 32 + j];
}

// EXPECT PlanNoStream: a product of two matrices
// FLAGS -mllvm -tilesmith-plan=stream
void plan(long n, const double *a, const double *b, double *c) {
  FOR(i, n) FOR(j, n) FOR(k, n) c[i * n + j] += a[i * n + k] * b[k * n + j];
}
// CURED

// EXPECT PlanNoFilter: a convolution that sums over channels
// FLAGS -mllvm -tilesmith-plan=filter
void plan(long n, const double *a, const double *b, double *c) {
  FOR(i, n) FOR(j, n) FOR(k, n) c[i * n + j] += a[i * n + k] * b[k * n + j];
}
// CURED

// EXPECT PlanNoBorders: a convolution with padding
// FLAGS -mllvm -tilesmith-plan=packed
void plan(long channels, long h, long w, long r, const float *restrict x, const float *restrict taps,
          float *restrict y) {
  FOR(o, channels) FOR(i, h) FOR(j, w) {
    float s = 0;
    FOR(c, channels) FOR(p, r) FOR(q, r) {
      long u = i + p - 1, v = j + q - 1;
      if (u >= 0 && u < h && v >= 0 && v < w)
        s += x[(c * h + u) * w + v] * taps[((o * channels + c) * r + p) * r + q];
    }
    y[(o * h + i) * w + j] = s;
  }
}
// CURED -mllvm -tilesmith-plan=gathered

// EXPECT PlanNoLanes: a single product
// FLAGS -mllvm -tilesmith-plan=lanes
void plan(long n, const double *a, const double *b, double *c) {
  FOR(i, n) FOR(j, n) FOR(k, n) c[i * n + j] += a[i * n + k] * b[k * n + j];
}
// CURED

// EXPECT PlanNotGathered: a plain product
// FLAGS -mllvm -tilesmith-plan=gathered
void plan(long n, const double *a, const double *b, double *c) {
  FOR(i, n) FOR(j, n) FOR(k, n) c[i * n + j] += a[i * n + k] * b[k * n + j];
}
// CURED

// EXPECT PlanGroup: groups of floats
// FLAGS -mllvm "-tilesmith-plan=group=4"
void plan(long n, const float *a, const float *b, float *c) {
  FOR(i, n) FOR(j, n) FOR(k, n) c[i * n + j] += a[i * n + k] * b[k * n + j];
}
// CURED

// EXPECT NoMalloc: a program without a library
// FLAGS -ffreestanding
void no_malloc(long n, const double *a, const double *b, double *c) {
  FOR(i, n) FOR(j, n) FOR(k, n) c[i * n + j] += a[i * n + k] * b[k * n + j];
}
// CURED -ffreestanding
void no_malloc(const double *restrict a, const double *restrict b, double *restrict c) {
  FOR(i, 32) FOR(j, 32) FOR(k, 32) c[i * 32 + j] += a[i * 32 + k] * b[k * 32 + j];
}

// EXPECT DebugBuild: a build to be debugged
// FLAGS -Og
void debugged(long n, const double *a, const double *b, double *c) {
  FOR(i, n) FOR(j, n) FOR(k, n) c[i * n + j] += a[i * n + k] * b[k * n + j];
}
// CURED -O1

// EXPECT Instrumented: a build that counts
// FLAGS -fprofile-instr-generate
void counted(long n, const double *a, const double *b, double *c) {
  FOR(i, n) FOR(j, n) FOR(k, n) c[i * n + j] += a[i * n + k] * b[k * n + j];
}
// CURED

// EXPECT NoVectors: no vector registers
// FLAGS -mgeneral-regs-only
void without_vectors(long n, const long *a, const long *b, long *c) {
  FOR(i, n) FOR(j, n) FOR(k, n) c[i * n + j] += a[i * n + k] * b[k * n + j];
}
// CURED
