// Parts of complex numbers are every second element. They are packed, and copied from C and
// to it, by vectors. Nothing behind the last element is touched: it ends with a page. The
// elements in between are not stored.
//
// REQUIRES: x86
// DEFINE: %{flags} = -O2 -march=native
// DEFINE: %{base} = %clang %{flags} -DNAME=base -DIMPLEMENTATION -c %s -o %t.base.o
// DEFINE: %{tile} = %clang %{flags} -DNAME=tile -DIMPLEMENTATION -c %s -o %t.tile.o -fpass-plugin=%tilesmith \
// DEFINE:   -Rpass=tilesmith -mllvm -tilesmith-min-work=1 2>&1 | FileCheck %s
// DEFINE: %{run} = %clang -O1 %{flags} -DDRIVER %s %t.base.o %t.tile.o -o %t && %t
// RUN: %{base} && %{tile} && %{run}
// REDEFINE: %{flags} = -O2 -march=x86-64-v3
// RUN: %{base} && %{tile} && %{run}
// REDEFINE: %{flags} = -O2 -march=native -DT=float
// RUN: %{base} && %{tile} && %{run}
// REDEFINE: %{flags} = -O2 -march=x86-64-v3 -DT=float
// RUN: %{base} && %{tile} && %{run}
// REDEFINE: %{flags} = -O2 -DT=float
// RUN: %{base} && %{tile} && %{run}
// CHECK-COUNT-4: replaced 3-loop nest
#ifndef T
#define T double
#endif
typedef T _Complex Z;
#define CAT_(A, B) A##B
#define CAT(A, B) CAT_(A, B)
#define FORMS(X) X(rows) X(columns) X(real) X(lower)

#ifdef IMPLEMENTATION
void CAT(NAME, rows)(long m, long n, long k, const Z *a, const Z *b, Z *c) {
  for (long i = 0; i < m; i++)
    for (long j = 0; j < n; j++)
      for (long p = 0; p < k; p++)
        c[i * n + j] += a[i * k + p] * b[p * n + j];
}
void CAT(NAME, columns)(long m, long n, long k, const Z *a, const Z *b, Z *c) {
  for (long j = 0; j < n; j++)
    for (long i = 0; i < m; i++) {
      Z s = 0;
      for (long p = 0; p < k; p++)
        s += ~a[i * k + p] * b[p + j * k];
      c[i + j * m] = s;
    }
}
// The imaginary parts are somebody else's.
void CAT(NAME, real)(long m, long n, long k, const Z *a, const Z *b, Z *c) {
  for (long i = 0; i < m; i++)
    for (long j = 0; j < n; j++)
      for (long p = 0; p < k; p++)
        __real__ c[i * n + j] += __real__ a[i + p * m] * __imag__ b[p + j * k];
}
void CAT(NAME, lower)(long m, long n, long k, const Z *a, const Z *b, Z *c) {
  for (long i = 0; i < n && i < m; i++)
    for (long j = 0; j <= i; j++)
      for (long p = 0; p < k; p++)
        __imag__ c[i * n + j] += __imag__ a[i * k + p] * __imag__ b[p * n + j];
}
#else
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef void Form(long, long, long, const Z *, const Z *, Z *);
#define DECLARE(F) Form base##F, tile##F;
#define LIST(F) {#F, base##F, tile##F},
FORMS(DECLARE)
static const struct {
  const char *name;
  Form *base, *tile;
} forms[] = {FORMS(LIST)};

enum { MOST = 70, PAGES = 4 * MOST * MOST * sizeof(Z) };
static Z *endOfPage(long count) {
  static char *pages[4];
  static int next;
  char **page = &pages[next++ % 4];
  if (!*page) {
    long size = (PAGES / getpagesize() + 1) * getpagesize();
    *page = mmap(0, size + getpagesize(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    *page += size;
    mprotect(*page, getpagesize(), PROT_NONE);
  }
  return (Z *)*page - count;
}
static void fill(Z *x, long count, int seed) {
  for (long i = 0; i < 2 * count; i++)
    ((T *)x)[i] = ((i * 37 + seed) % 101) * (T)0.1 - 5;
}

int main(void) {
  long sizes[][3] = {{1, 1, 1},    {1, 5, 3},    {2, 7, 16},  {3, 16, 17}, {16, 3, 33},  {17, 17, 2},  {31, 8, 15},
                     {32, 33, 31}, {33, 32, 64}, {64, 65, 9}, {65, 64, 5}, {70, 70, 70}, {15, 63, 47}, {48, 9, 70}};
  for (unsigned f = 0; f < sizeof forms / sizeof *forms; f++)
    for (unsigned s = 0; s < sizeof sizes / sizeof *sizes; s++) {
      long m = sizes[s][0], n = sizes[s][1], k = sizes[s][2];
      Z *a = endOfPage(m * k), *b = endOfPage(k * n), *c = endOfPage(m * n), *d = endOfPage(m * n);
      fill(a, m * k, 1), fill(b, k * n, 5), fill(c, m * n, 9), fill(d, m * n, 9);
      forms[f].base(m, n, k, a, b, c);
      forms[f].tile(m, n, k, a, b, d);
      if (memcmp(c, d, m * n * sizeof(Z)))
        return printf("%s: other results for %ld x %ld x %ld\n", forms[f].name, m, n, k);
    }
  return 0;
}
#endif
