//===- level3.c - calls of the level-3 BLAS, in all their variants --------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// level3 <calls>: calls functions of CBLAS at random, always the same ones, and
// prints a hash of all elements after each.
//
//===----------------------------------------------------------------------===//

#include <stdio.h>
#include <stdlib.h>

enum {
  RowMajor = 101,
  NoTrans = 111,
  Upper = 121,
  NonUnit = 131,
  Left = 141,
  Elements = 9000
};

static unsigned long long Seed = 7;

static unsigned below(unsigned n) {
  Seed = Seed * 6364136223846793005u + 1442695040888963407u;
  return (unsigned)(Seed >> 33) % n;
}

static double value(void) { return ((int)below(2001) - 1000) / 257.0; }

static unsigned long long hash(unsigned long long h, const void *p, size_t n) {
  for (const unsigned char *b = p, *end = b + n; b < end; b++)
    h = (h ^ *b) * 1099511628211u;
  return h;
}

struct Call {
  int function, order, ta, tb, ts, th, uplo, unit, side, m, n, k, ld;
  double alpha[2], beta[2];
};

// A scalar is S, taken from an array of two T by FROM.
#define FUNCTIONS(p, T, S, FROM)                                               \
  void cblas_##p##gemm(int, int, int, int, int, int, S, T *, int, T *, int, S, \
                       T *, int);                                              \
  void cblas_##p##symm(int, int, int, int, int, S, T *, int, T *, int, S, T *, \
                       int);                                                   \
  void cblas_##p##syrk(int, int, int, int, int, S, T *, int, S, T *, int);     \
  void cblas_##p##syr2k(int, int, int, int, int, S, T *, int, T *, int, S,     \
                        T *, int);                                             \
  void cblas_##p##trmm(int, int, int, int, int, int, int, S, T *, int, T *,    \
                       int);                                                   \
  void cblas_##p##trsm(int, int, int, int, int, int, int, S, T *, int, T *,    \
                       int);                                                   \
  static unsigned long long p##call(const struct Call *c) {                    \
    static T a[Elements], b[Elements], d[Elements];                            \
    T al[2] = {(T)c->alpha[0], (T)c->alpha[1]},                                \
      be[2] = {(T)c->beta[0], (T)c->beta[1]};                                  \
    for (int i = 0; i < Elements; i++)                                         \
      a[i] = (T)value(), b[i] = (T)value(), d[i] = (T)value();                 \
    switch (c->function) {                                                     \
    case 0:                                                                    \
      cblas_##p##gemm(c->order, c->ta, c->tb, c->m, c->n, c->k, FROM(al), a,   \
                      c->ld, b, c->ld, FROM(be), d, c->ld);                    \
      break;                                                                   \
    case 1:                                                                    \
      cblas_##p##symm(c->order, c->side, c->uplo, c->m, c->n, FROM(al), a,     \
                      c->ld, b, c->ld, FROM(be), d, c->ld);                    \
      break;                                                                   \
    case 2:                                                                    \
      cblas_##p##syrk(c->order, c->uplo, c->ts, c->n, c->k, FROM(al), a,       \
                      c->ld, FROM(be), d, c->ld);                              \
      break;                                                                   \
    case 3:                                                                    \
      cblas_##p##syr2k(c->order, c->uplo, c->ts, c->n, c->k, FROM(al), a,      \
                       c->ld, b, c->ld, FROM(be), d, c->ld);                   \
      break;                                                                   \
    case 4:                                                                    \
      cblas_##p##trmm(c->order, c->side, c->uplo, c->ta, c->unit, c->m, c->n,  \
                      FROM(al), a, c->ld, d, c->ld);                           \
      break;                                                                   \
    case 5:                                                                    \
      cblas_##p##trsm(c->order, c->side, c->uplo, c->ta, c->unit, c->m, c->n,  \
                      FROM(al), a, c->ld, d, c->ld);                           \
      break;                                                                   \
      HERMITIAN_##p                                                            \
    }                                                                          \
    return hash(hash(hash(14695981039346656037u, a, sizeof a), b, sizeof b),   \
                d, sizeof d);                                                  \
  }

#define HERMITIAN(p)                                                           \
  case 6:                                                                      \
    cblas_##p##hemm(c->order, c->side, c->uplo, c->m, c->n, al, a, c->ld, b,   \
                    c->ld, be, d, c->ld);                                      \
    break;                                                                     \
  case 7:                                                                      \
    cblas_##p##herk(c->order, c->uplo, c->th, c->n, c->k, al[0], a, c->ld,     \
                    be[0], d, c->ld);                                          \
    break;                                                                     \
  case 8:                                                                      \
    cblas_##p##her2k(c->order, c->uplo, c->th, c->n, c->k, al, a, c->ld, b,    \
                     c->ld, be[0], d, c->ld);                                  \
    break;
#define HERMITIAN_FUNCTIONS(p, T)                                              \
  void cblas_##p##hemm(int, int, int, int, int, T *, T *, int, T *, int, T *,  \
                       T *, int);                                              \
  void cblas_##p##herk(int, int, int, int, int, T, T *, int, T, T *, int);     \
  void cblas_##p##her2k(int, int, int, int, int, T *, T *, int, T *, int, T,   \
                        T *, int);
#define HERMITIAN_s
#define HERMITIAN_d
#define HERMITIAN_c HERMITIAN(c)
#define HERMITIAN_z HERMITIAN(z)
#define FIRST(x) (x)[0]
#define BOTH(x) (x)

HERMITIAN_FUNCTIONS(c, float)
HERMITIAN_FUNCTIONS(z, double)
FUNCTIONS(s, float, float, FIRST)
FUNCTIONS(d, double, double, FIRST)
FUNCTIONS(c, float, float *, BOTH)
FUNCTIONS(z, double, double *, BOTH)

static int extent(void) {
  static const int of[] = {0, 1, 2, 3, 5, 8, 13, 17, 24, 33, 50, 64};
  return of[below(12)];
}

int main(int argc, char **argv) {
  static unsigned long long (*const of[])(const struct Call *) = {scall, dcall,
                                                                  ccall, zcall};
  for (int i = argc > 1 ? atoi(argv[1]) : 1000; i > 0; i--) {
    unsigned type = below(4);
    struct Call c = {.function = (int)below(type < 2 ? 6 : 9),
                     .order = RowMajor + (int)below(2)};
    c.ta = NoTrans + (int)below(3), c.tb = NoTrans + (int)below(3);
    c.ts = NoTrans + (int)below(2), c.th = NoTrans + 2 * (int)below(2);
    c.uplo = Upper + (int)below(2), c.unit = NonUnit + (int)below(2),
    c.side = Left + (int)below(2);
    c.m = extent(), c.n = extent(), c.k = extent(), c.ld = 64 + (int)below(4);
    for (int part = 0; part < 2; part++) {
      c.alpha[part] = below(2) ? (int)below(3) - 1 : value();
      c.beta[part] = below(2) ? (int)below(3) - 1 : value();
    }
    printf("%c %d: %d %d %d %d %d %d %d %d, %d %d %d %d: %016llx\n",
           "sdcz"[type], c.function, c.order, c.ta, c.tb, c.ts, c.th, c.uplo,
           c.unit, c.side, c.m, c.n, c.k, c.ld, of[type](&c));
  }
}
