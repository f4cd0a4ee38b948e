// Triangles counted down: their bounds are what ScalarEvolution makes of the
// first and the last element of a row, the greater one or the less.
//
// RUN: %clang -O2 %s -o %t.stock && %t.stock > %t.expected
// DEFINE: %{options} = -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 -mllvm -tilesmith-verify=1
// RUN: %clang -O2 %{options} -DEXPECT_KERNELS -Wl,--wrap=malloc -Rpass=tilesmith -Rpass-missed=tilesmith %s -o %t.ours \
// RUN:   -Xclang -verify
// RUN: %t.ours > %t.got && cmp %t.expected %t.got
// RUN: %clang -O3 %{options} -DEXPECT_KERNELS -Wl,--wrap=malloc %s -o %t.ours
// RUN: %t.ours > %t.got && cmp %t.expected %t.got
#include <stdio.h>
#include <stdlib.h>

#ifdef EXPECT_KERNELS
static int kernels;
void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size) {
  ++kernels;
  return __real_malloc(size);
}
#endif

typedef void Product(int n, int l, int beta, const signed char *a, const short *b, int *c);
#define PRODUCT(Name) \
  __attribute__((noinline)) static void Name(int n, int l, int beta, const signed char *a, const short *b, int *c)

// The row is set to zero by a memset from its last byte on, as it were.
PRODUCT(zeros) {
  for (int i = n; i-- > 0;) { // expected-remark {{triangular GEMM}}
    for (int j = i + 1; j-- > 0;)
      c[i * n + j] = 0;
    for (int k = l; k-- > 0;)
      for (int j = i + 1; j-- > 0;)
        c[i * n + j] += a[i * l + k] * b[k * n + j];
  }
}

// What is added to a zero is still added: C need not be read.
PRODUCT(added_to_zeros) {
  for (int i = n; i-- > 0;) { // expected-remark {{triangular GEMM}}
    for (int j = i + 1; j-- > 0;)
      c[i * n + j] = 0;
    for (int j = i + 1; j-- > 0;) {
      int s = 0;
      for (int k = l; k-- > 0;)
        s += a[i * l + k] * b[k * n + j];
      c[i * n + j] += 3 * s;
    }
  }
}

// Columns are scaled one by one, which rows far apart do not hinder.
PRODUCT(scaled_columns) {
  for (int j = n; j-- > 0;) { // expected-remark {{triangular GEMM}}
    for (int i = n; i-- > j;)
      c[i * n + j] *= beta;
    for (int i = n; i-- > j;) {
      int s = 0;
      for (int k = l; k-- > 0;)
        s += a[i * l + k] * b[k * n + j];
      c[i * n + j] += s;
    }
  }
}

PRODUCT(scaled_columns_up) {
  for (int j = 0; j < n; j++) { // expected-remark {{triangular GEMM}}
    for (int i = 0; i <= j; i++)
      c[i * n + j] *= beta;
    for (int i = 0; i <= j; i++) {
      int s = 0;
      for (int k = 0; k < l; k++)
        s += a[i * l + k] * b[k * n + j];
      c[i * n + j] += s;
    }
  }
}

// The last row is empty, and the subscripts are unsigned: their steps are a row
// and an element back.
PRODUCT(unsigned_subscripts) {
  for (unsigned k = l; k-- > 0;) // expected-remark {{triangular GEMM}}
    for (unsigned j = n; j-- > 0;)
      for (unsigned i = j; i-- > 0;)
        c[i * n + j] += a[i * l + k] * b[k * n + j];
}

// In place, from the last column on.
PRODUCT(columns_in_place) {
  for (long i = n; i-- > 0;) // expected-remark {{TRMM}}
    for (long j = n; j-- > 0;)
      for (long k = j; k-- > 0;)
        c[i * n + j] += c[i * n + k] * a[k * n + j];
}

int main(void) {
  enum { N = 40 };
  static signed char a[N * N];
  static short b[N * N];
  static int c[N * N];
  Product *all[] = {zeros,           added_to_zeros,      scaled_columns,
                    scaled_columns_up, unsigned_subscripts, columns_in_place};
  unsigned seed = 1;
  for (int p = 0; p < 6; p++) {
    for (int n = 0; n < N; n++)
      for (int l = 0; l < N; l += 1 + l / 2) {
        for (int x = 0; x < N * N; x++) {
          a[x] = (seed = seed * 1664525 + 1013904223) >> 24;
          b[x] = seed >> 8, c[x] = seed;
        }
#ifdef EXPECT_KERNELS
        kernels = 0;
#endif
        all[p](n, p == 5 ? n : l, 7, a, b, c);
#ifdef EXPECT_KERNELS
        if (n == N - 1 && l > 20 && !kernels)
          return p + 1;
#endif
        fwrite(c, sizeof c, 1, stdout);
      }
  }
}
