// The block of A that is read in lines, along an index bundled with its rows:
// few slivers of B read each of its panels, so that lines are as long as
// four times the second-level cache permits. Asked for a block of A, it is that
// one. A that is adjacent along k or its rows keeps the block of any product.
//
// RUN: %clang --target=x86_64-linux-gnu -march=znver4 -fno-discard-value-names \
// RUN:   -O1 -S -emit-llvm %s -o %t.ll
// RUN: %opt -passes='tilesmith-rewrite<verify>' -S %t.ll | FileCheck %s
// RUN: %opt -passes='tilesmith-rewrite<verify;plan=mc=96>' -S %t.ll \
// RUN:   | FileCheck %s --check-prefix=ASKED

// CHECK-LABEL: define internal i1 @tilesmith.gemm(
// CHECK:         [[ISFEW:%.*]] = icmp ule i64 %N, 64
// CHECK:         select i1 [[ISFEW]], i64 524288, i64 {{[0-9]+}}
// CHECK-LABEL: define internal i1 @tilesmith.gemm.{{[0-9]+}}(
// CHECK-NOT:     524288

// ASKED-LABEL: define internal i1 @tilesmith.gemm(
// ASKED-NOT:     524288
// ASKED:       ret i1 true

// c[b][j][a] += a[a][k][b] * b[k][j]
void lines(long na, long nb, long nj, long nk, double *restrict c,
           const double *restrict a, const double *restrict b) {
  for (long ib = 0; ib < nb; ib++)
    for (long j = 0; j < nj; j++)
      for (long ia = 0; ia < na; ia++)
        for (long k = 0; k < nk; k++)
          c[(ib * nj + j) * na + ia] +=
              a[(ia * nk + k) * nb + ib] * b[k * nj + j];
}

// c[b][j][a] += a[k][b][a] * b[k][j]
void rows(long na, long nb, long nj, long nk, double *restrict c,
          const double *restrict a, const double *restrict b) {
  for (long ib = 0; ib < nb; ib++)
    for (long j = 0; j < nj; j++)
      for (long ia = 0; ia < na; ia++)
        for (long k = 0; k < nk; k++)
          c[(ib * nj + j) * na + ia] +=
              a[(k * nb + ib) * na + ia] * b[k * nj + j];
}
