// Parts of complex numbers, of whose two products one is rounded. Which one it is, in vectors and
// in what is left over of them, a trial of the passes to come shows. Here it is the same everywhere.
//
// RUN: %clang -O2 -fpass-plugin=%tilesmith -mfma -ffp-contract=fast -fcx-limited-range -Rpass=tilesmith \
// RUN:   -Rpass-missed=tilesmith -c %s -o /dev/null -Xclang -verify
//
// Where later passes are not known, it stays open.
// RUN: %clang -O2 -fpass-plugin=%tilesmith -flto -mfma -ffp-contract=fast -fcx-limited-range -Rpass=tilesmith \
// RUN:   -Rpass-missed=tilesmith -c %s -o /dev/null -Xclang -verify=lto
// REQUIRES: x86
// lto-remark@* 2 {{each part of a complex product is a sum of two products, and -ffp-contract=fast leaves open which of them is rounded; compile with -ffp-contract=on, or off in Fortran}}
void product(long n, const _Complex double *restrict a, const _Complex double *restrict b, _Complex double *restrict c) {
  for (long i = 0; i < n; i++) // expected-remark {{complex GEMM f64}}
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}
void by_rows(long n, const _Complex float *restrict a, const _Complex float *restrict b, _Complex float *restrict c) {
  for (long i = 0; i < n; i++) // expected-remark {{complex GEMM f32}}
    for (long k = 0; k < n; k++)
      for (long j = 0; j < n; j++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}
