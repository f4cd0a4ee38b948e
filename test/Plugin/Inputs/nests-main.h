//===- nests-main.h - runs the nests of a test ----------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Prints a hash of each nest's results, for several sizes, contents, and places
// of the operands.

// So many bytes that end, or begin, where nothing may be read.
static void *place(size_t Bytes, int AtEnd) {
  size_t Page = 4096, Whole = (Bytes + Page - 1) / Page * Page;
  char *All = mmap(0, Whole + 2 * Page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect(All + Page, Whole, PROT_READ | PROT_WRITE);
  return AtEnd ? All + Page + Whole - Bytes : All + Page;
}

static T element(long j, int Kind) {
  switch (Kind) {
  case 1: return (T)0.5 && j % 3 ? (T)-0.0 : 0;
  case 2: return (T)0.5 && j % 97 == 0 ? (T)INFINITY : (T)0.5 && j % 89 == 0 ? (T)NAN : (T)(j % 5 - 2);
  }
  return (T)((j * 7919 % 23 - 11) * ((T)0.5 ? 0.37 : 1));
}

// The sign and the payload of a NaN may be any.
static T plain(T V) { return isnan((double)V) ? (T)NAN : V; }

typedef void Nest(T *, const T *, const T *, const T *, const T *EXTENTS);

static void run(const char *Name, Nest *F, int m, int n, int k) {
#ifdef SIZES
#define CALL F(c, a, b, x, y)
#else
#define CALL F(c, a, b, x, y, m, n, k)
#endif
  long SizeA = (long)m * k + 3 * (m + 2) * (n + 2) + 3 * m * k,
       SizeB = (long)k * n + 27 * 8,
       SizeX = (long)m * n + m * m + 3 * (m + n) + 8,
       SizeC = 8L * m * n + m * m;
  // Overlap: C and the operand x, by so many elements.
  for (int Kind = 0; Kind < 3; ++Kind)
    for (int Overlap = -1; Overlap < 3; ++Overlap) {
      int AtEnd = Overlap == -1;
      T *a = place(SizeA * sizeof(T), AtEnd), *b = place(SizeB * sizeof(T), AtEnd),
        *y = place(SizeX * sizeof(T), AtEnd),
        *c = place((SizeC + SizeX + 8) * sizeof(T), AtEnd),
        *x = Overlap < 0 ? place(SizeX * sizeof(T), AtEnd) : c + 2 * Overlap;
      FOR(j, SizeC) c[j] = element(j + 5, 0);
      FOR(j, SizeA) a[j] = element(j, Kind);
      FOR(j, SizeB) b[j] = element(j + 1, Kind == 2 ? 0 : Kind);
      FOR(j, SizeX) x[j] = element(j + 2, 0), y[j] = element(j + 3, 0);
      errno = 0;
      CALL;
      int Error = errno;
      unsigned long Hash = 1469598103934665603;
      FOR(j, SizeC) {
        T V = plain(c[j]);
        FOR(p, (int)sizeof(T)) Hash = (Hash ^ ((unsigned char *)&V)[p]) * 1099511628211;
      }
      printf("%s %d %d %d %d %d: %lx %d\n", Name, m, n, k, Kind, Overlap, Hash, Error);
    }
}

int main(void) {
#ifdef SIZES
  SIZES
#define RUN(name) run(#name, name, M, N, K);
  ALL(RUN)
#else
  int Sizes[][3] = {{1, 1, 1}, {8, 9, 7}, {31, 33, 40}, {64, 48, 16}, {5, 130, 3}, {97, 61, 530}};
  for (int s = 0; s < 6; ++s) {
#define RUN(name) run(#name, name, Sizes[s][0], Sizes[s][1], Sizes[s][2]);
    ALL(RUN)
  }
#endif
}
