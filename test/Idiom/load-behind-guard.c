// In a triangle whose first or last row is empty, sizes and pointers are loaded
// in the rows that are not. The guard loads them if there is such a row, and
// not otherwise.
//
// RUN: %clang -O2 -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 -Rpass=tilesmith \
// RUN:   -Rpass-missed=tilesmith %s -o %t -Xclang -verify
// RUN: %t
// RUN: %clang -O3 -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 %s -o %t
// RUN: %t
#include <stddef.h>

struct Matrices {
  long terms, ld;
  const double *a;
  double *c;
};

__attribute__((noinline)) void below(long n, const struct Matrices *all) {
  for (long i = 0; i < n; i++) // expected-remark {{replaced}}
    for (long j = 0; j < i; j++)
      for (long k = 0; k < all->terms; k++)
        all->c[i * all->ld + j] += all->a[i * all->ld + k] * all->a[j * all->ld + k];
}

__attribute__((noinline)) void above(long n, const struct Matrices *all) {
  for (long i = 0; i < n; i++) // expected-remark {{replaced}}
    for (long j = i + 1; j < n; j++)
      for (long k = 0; k < all->terms; k++)
        all->c[i * all->ld + j] += all->a[i * all->ld + k] * all->a[j * all->ld + k];
}

// The bound of the loop over i is not that of the loop over j: the first row
// may be empty.
__attribute__((noinline)) void beyond(long m, long n, const struct Matrices *all) {
  for (long i = 0; i < m; i++) // expected-remark {{replaced}}
    for (long j = i + 1; j < n; j++)
      for (long k = 0; k < all->terms; k++)
        all->c[i * all->ld + j] += all->a[i * all->ld + k] * all->a[j * all->ld + k];
}

enum { N = 50 };
static double A[N * N], C[N * N];
static volatile double Expected[N * N];
static long Wrong;

static void compare(long n, long isLower) {
  for (long i = 0; i < n; i++)
    for (long j = isLower ? 0 : i + 1; j < (isLower ? i : n); j++)
      for (long k = 0; k < N; k++)
        Expected[i * N + j] += A[i * N + k] * A[j * N + k];
  // expected-remark@-1 0-9 {{volatile}}
  for (long i = 0; i < N * N; i++)
    Wrong += C[i] != Expected[i];
}

int main(void) {
  for (long i = 0; i < N * N; i++)
    A[i] = i % 13;
  below(1, NULL);
  above(1, NULL);
  beyond(1, 1, NULL);
  beyond(1, 0, NULL);
  struct Matrices All = {N, N, A, C};
  for (long n = 2; n <= N; n += 8) {
    below(n, &All);
    compare(n, 1);
    above(n, &All);
    compare(n, 0);
    beyond(n, n, &All);
    compare(n, 0);
  }
  return Wrong != 0;
}
