// Bytes that are compared along k: clang's vectors hold more of them than ours,
// unless these are long.
//
// RUN: %clang -O2 -mavx2 -fpass-plugin=%tilesmith -Rpass=tilesmith \
// RUN:   -Rpass-missed=tilesmith -c %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=SHORT
// RUN: %clang -O2 -march=skylake-avx512 -mprefer-vector-width=512 -fpass-plugin=%tilesmith -Rpass=tilesmith \
// RUN:   -Rpass-missed=tilesmith -c %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=LONG
// SHORT: not replaced: clang's own vectors are as fast
// SHORT: replaced 3-loop nest by pairwise reduction i32
// LONG: replaced 3-loop nest by pairwise reduction i32
// LONG: replaced 3-loop nest by pairwise reduction i32
void columns(long n, const char *restrict a, const char *restrict b, int *restrict c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      int sum = 0;
      for (long k = 0; k < n; k++)
        sum += a[i * n + k] == b[j * n + k];
      c[i * n + j] = sum;
    }
}

void rows(long n, const char *restrict a, const char *restrict b, int *restrict c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      int sum = 0;
      for (long k = 0; k < n; k++)
        sum += a[i * n + k] == b[k * n + j];
      c[i * n + j] = sum;
    }
}
