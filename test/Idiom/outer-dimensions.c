// Of the dimensions of one kind that are not one, the product is made of those
// whose elements are nearest in C, or of the innermost, if that is not known; the
// others are outer dimensions. Of those of the sum, none may be taken out of the
// order.
//
// RUN: %clang -O1 -emit-llvm -S %s -o - | %opt -disable-output \
// RUN:   -passes='print<tilesmith-idioms>' 2>&1 | FileCheck %s

// CHECK:      GEMM f64 (A row-major, B strided, C row-major), 20x17x15 in 3 outer loops
// CHECK:      outer M: extent 1 + 23
// CHECK-NEXT: outer N: extent 1 + 27
// CHECK-NEXT: outer K: extent 1 + 11
// CHECK-NEXT: C: base {{%[a-z0-9]+}}, stride M 3808, stride N 8, outer M 76160, outer N 136{{$}}
// CHECK-NEXT: A: base {{%[a-z0-9]+}}, stride M 120, stride K 8, outer M 28800, outer K 2400{{$}}
// CHECK-NEXT: B: base {{%[a-z0-9]+}}, stride N 40320, stride K 2688, outer N 96, outer K 8{{$}}
void contraction(double c[24][20][28][17], const double a[24][12][20][15],
                 const double b[17][15][28][12]) {
  for (int h = 0; h < 24; h++)
    for (int i = 0; i < 20; i++)
      for (int l = 0; l < 28; l++)
        for (int j = 0; j < 17; j++)
          for (int p = 0; p < 12; p++)
            for (int q = 0; q < 15; q++)
              c[h][i][l][j] += a[h][p][i][q] * b[j][q][l][p];
}

// The same with another order of loops: h is the innermost one of M, but i's rows
// are nearer.
// CHECK:      GEMM f64 (A row-major, B strided, C row-major), 20x17x15 in 3 outer loops
// CHECK:      C: base {{%[a-z0-9]+}}, stride M 3808, stride N 8, outer M 76160, outer N 136{{$}}
void rows_far_apart(double c[24][20][28][17], const double a[24][12][20][15],
                    const double b[17][15][28][12]) {
  for (int i = 0; i < 20; i++)
    for (int h = 0; h < 24; h++)
      for (int l = 0; l < 28; l++)
        for (int j = 0; j < 17; j++)
          for (int p = 0; p < 12; p++)
            for (int q = 0; q < 15; q++)
              c[h][i][l][j] += a[h][p][i][q] * b[j][q][l][p];
}

// Extents at run time: a stride is shorter than its multiples.
// CHECK:      GEMM f64 (A row-major, B row-major, C row-major), MxNxK at run time in 1 outer loop
// CHECK:      C: base {{%[a-z0-9]+}}, stride M (8 * [[COLUMNS:%[a-z0-9]+]]), stride N 8, outer M (8 * {{%[a-z0-9]+}} * [[COLUMNS]]){{$}}
void at_run_time(long r, long s, long n, long k, double *restrict c, const double *a, const double *b) {
  for (long i = 0; i < r; i++)
    for (long h = 0; h < s; h++)
      for (long j = 0; j < n; j++)
        for (long l = 0; l < k; l++)
          c[(h * r + i) * n + j] += a[(i * s + h) * k + l] * b[l * n + j];
}

// The loops over p and r are one for both factors, that over q is not, but stands
// between them.
// CHECK:      GEMM f64 (A row-major, B row-major, C row-major), 20x21x14 in 2 outer loops
// CHECK:      outer K: extent 1 + 11
// CHECK-NEXT: outer K: extent 1 + 12
void sum_in_order(double c[20][21], const double a[20][13][12][14],
                  const double b[13][12][14][21]) {
  for (int i = 0; i < 20; i++)
    for (int j = 0; j < 21; j++)
      for (int p = 0; p < 12; p++)
        for (int q = 0; q < 13; q++)
          for (int r = 0; r < 14; r++)
            c[i][j] += a[i][q][p][r] * b[q][p][r][j];
}

// What moves all three is a batch.
// CHECK:      GEMM f64 (A row-major, B row-major, C row-major), 20x21x14 in 1 outer loop
// CHECK:      outer batch: extent 1 + 9
// CHECK-NEXT: C: base {{%[a-z0-9]+}}, stride M 168, stride N 8, outer batch 3360{{$}}
// CHECK-NEXT: A: base {{%[a-z0-9]+}}, stride M 112, stride K 8, outer batch 2240{{$}}
// CHECK-NEXT: B: base {{%[a-z0-9]+}}, stride N 8, stride K 168, outer batch 2352{{$}}
void batch(double c[10][20][21], const double a[10][20][14], const double b[10][14][21]) {
  for (int i = 0; i < 20; i++)
    for (int p = 0; p < 10; p++)
      for (int k = 0; k < 14; k++)
        for (int j = 0; j < 21; j++)
          c[p][i][j] += a[p][i][k] * b[p][k][j];
}
