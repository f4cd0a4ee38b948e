// Of a strict triangle, the last row and the first column are empty: the last
// row of A and the first column of B, which nothing reads, may be missing.
//
// RUN: %clang -O2 -DNAME=base -DIMPLEMENTATION -c %s -o %t.base.o
// RUN: %clang -O2 -DNAME=tile -DIMPLEMENTATION -c %s -o %t.tile.o \
// RUN:   -fpass-plugin=%tilesmith -Rpass=tilesmith \
// RUN:   -mllvm -tilesmith-min-work=1 -mllvm -tilesmith-read-a=1 \
// RUN:   -mllvm -tilesmith-read-b=1 2>&1 | FileCheck %s
// RUN: %clang -O1 -DDRIVER %s %t.base.o %t.tile.o -o %t && %t
// CHECK-COUNT-2: triangular GEMM f64

#define CAT_(A, B) A##B
#define CAT(A, B) CAT_(A, B)
typedef void Triangle(long n, const double *a, const double *b, double *c);

#ifdef IMPLEMENTATION
void CAT(NAME, Upper)(long n, const double *a, const double *b, double *c) {
  for (long i = 0; i < n; i++)
    for (long j = i + 1; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[(j - 1) * n + k];
}
void CAT(NAME, Lower)(long n, const double *a, const double *b, double *c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < i; j++)
      for (long k = 0; k < n; k++)
        c[i * n + j] += a[(i - 1) * n + k] * b[j * n + k];
}
#endif

#ifdef DRIVER
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
Triangle baseUpper, tileUpper, baseLower, tileLower;
enum { Max = 75, Page = 1 << 16 };
static double c[2][Max * Max];

/// Memory between two inaccessible pages, of which what is at one end or at the
/// other is given away.
static double *between(long count, int at_end) {
  char *all = mmap(0, 4 * Page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect(all + Page, 2 * Page, PROT_READ | PROT_WRITE);
  double *begin = (double *)(all + Page), *end = (double *)(all + 3 * Page);
  for (double *p = begin; p < end; p++)
    *p = drand48();
  return at_end ? end - count : begin;
}

int main(void) {
  for (long n = 1; n <= Max; n++)
    for (int at_end = 0; at_end < 2; at_end++) {
      long used = (n - 1) * n;
      const double *a = between(used, at_end), *b = between(used, at_end);
      baseUpper(n, a, b, c[0]);
      tileUpper(n, a, b, c[1]);
      baseLower(n, a, b, c[0]);
      tileLower(n, a, b, c[1]);
      if (memcmp(c[0], c[1], sizeof c[0]))
        return 1;
    }
  return 0;
}
#endif
