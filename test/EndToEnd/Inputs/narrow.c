/* Products of narrow factors. Compiled with NAME=Stock by clang alone and with
   NAME=Ours with the plugin; with DRIVER, the comparison of the two. Integers
   must be equal to the bit. So must floating-point sums be, but for FAST, where
   both are compared with sums in double. */

#include <stdint.h>

#ifdef SUBTRACT
#define UPDATE -=
#else
#define UPDATE +=
#endif
#define CAT_(A, B) A##B
#define CAT(A, B) CAT_(A, B)

#define INTEGERS(X)                                                            \
  X(SS, int8_t, int8_t, int32_t)                                               \
  X(UU, uint8_t, uint8_t, int32_t)                                             \
  X(US, uint8_t, int8_t, int32_t)                                              \
  X(SU, int8_t, uint8_t, int32_t)                                              \
  X(Shorts, int16_t, int16_t, int32_t)                                         \
  X(UShorts, uint16_t, uint16_t, uint32_t)                                     \
  X(Mixed, int16_t, uint8_t, int32_t)
#ifdef ONLY
#define FOR_ALL(X) ONLY(X)
#elif defined FLOATS
#define FOR_ALL(X) INTEGERS(X) FLOATS(X)
#else
#define FOR_ALL(X) INTEGERS(X)
#endif
#define BF16(X) X(BF, __bf16, __bf16, float)
#define F16(X) X(HF, _Float16, _Float16, float)
#define BOTH(X) BF16(X) F16(X)
#define HALVES(X) X(HH, _Float16, _Float16, _Float16)

/* A is i * si + k * sk, and so on: all storage orders, with constant strides
   of one. */
#define BODY(Name, Order, TA, TB, TC, IA, IB, Start, Finish)                   \
  void CAT(CAT(NAME, Order), Name)(                                            \
      long m, long n, long q, const TA *restrict a, long la,                   \
      const TB *restrict b, long lb, TC *restrict c, long lc) {                \
    for (long i = 0; i < m; i++)                                               \
      for (long j = 0; j < n; j++) {                                           \
        TC s = Start;                                                          \
        for (long k = 0; k < q; k++)                                           \
          s UPDATE (TC)a[IA] * (TC)b[IB];                                          \
        c[i * lc + j] = Finish;                                                \
      }                                                                        \
  }
#define PRODUCTS(Name, TA, TB, TC)                                             \
  BODY(Name, NN, TA, TB, TC, i *la + k, k *lb + j, c[i * lc + j], s)           \
  BODY(Name, NT, TA, TB, TC, i *la + k, j *lb + k, c[i * lc + j], s)           \
  BODY(Name, TN, TA, TB, TC, k *la + i, k *lb + j, 0, s)                       \
  BODY(Name, TT, TA, TB, TC, k *la + i, j *lb + k, 0, 3 * s - c[i * lc + j])   \
  BODY(Name, XX, TA, TB, TC, i *la + 3 * k, 3 * j + k * lb, c[i * lc + j], s)  \
  void CAT(CAT(NAME, Half), Name)(                                             \
      long m, long n, long q, const TA *restrict a, long la,                   \
      const TB *restrict b, long lb, TC *restrict c, long lc) {                \
    for (long i = 0; i < n; i++)                                               \
      for (long j = 0; j <= i; j++)                                            \
        for (long k = 0; k < q; k++)                                           \
          c[i * lc + j] UPDATE (TC)a[i * la + k] * (TC)b[j * lb + k];              \
  }

#ifndef DRIVER
FOR_ALL(PRODUCTS)
#else
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef SCALE
#define SCALE 8.0f
#endif
enum { Max = 150, Pad = 64 };
#ifndef LARGE_EVERY
#define LARGE_EVERY 16
#endif

/* Two arrays of C, with room for overruns at both ends, after the same call. */
#define COMPARE(Name, Order, TA, TB, TC)                                       \
  void CAT(CAT(Stock, Order), Name)(long, long, long, const TA *, long,        \
                                    const TB *, long, TC *, long);             \
  void CAT(CAT(Ours, Order), Name)(long, long, long, const TA *, long,         \
                                   const TB *, long, TC *, long);              \
  static int CAT(CAT(differ, Order), Name)(long m, long n, long q) {           \
    int X = #Order[0] == 'X';                                                  \
    long la = (#Order[0] == 'T' ? m : X ? 3 * q : q) + rand() % 3;             \
    long rows = #Order[0] == 'T' ? q : #Order[0] == 'H' ? n : m;               \
    int BT = #Order[1] == 'T' || #Order[0] == 'H';                             \
    long lb = (BT ? q : X ? 3 * n : n) + rand() % 3, lc = n + rand() % 3;      \
    long na = rows * la, nb = (BT ? n : q) * lb, nc = (m > n ? m : n) * lc;    \
    /* Exactly as long as needed, so that a read beyond is found. */           \
    TA *a = malloc(na * sizeof(TA) + 1);                                       \
    TB *b = malloc(nb * sizeof(TB) + 1);                                       \
    TC *c[2];                                                                  \
    for (long i = 0; i < na; i++)                                              \
      a[i] = (TA)((TA)0.5 ? real() : extreme());          \
    for (long i = 0; i < nb; i++)                                              \
      b[i] = (TB)((TB)0.5 ? real() : extreme());          \
    for (int w = 0; w < 2; w++) {                                              \
      c[w] = malloc((nc + 2 * Pad) * sizeof(TC));                              \
      for (long i = 0; i < nc + 2 * Pad; i++)                                  \
        c[w][i] = (TC)(i * 17 % 1000);                                         \
    }                                                                          \
    CAT(CAT(Stock, Order), Name)(m, n, q, a, la, b, lb, c[0] + Pad, lc);       \
    CAT(CAT(Ours, Order), Name)(m, n, q, a, la, b, lb, c[1] + Pad, lc);        \
    int Bad = memcmp(c[0], c[1], (nc + 2 * Pad) * sizeof(TC)) != 0;            \
    if (Bad && (TA)0.5 && Fast) {                                              \
      Bad = 0;                                                                 \
      /* All products are exact in float, and sums are below q * 2^18: each    \
         addition is wrong by less than q * 2^-6. */                           \
      for (long i = 0; i < nc + 2 * Pad; i++)                                  \
        Bad |= !(fabs((double)c[0][i] - (double)c[1][i]) <=                    \
                 3.0 * q * q / 64);                                         \
    }                                                                          \
    if (Bad)                                                                   \
      printf("%s %s %ldx%ldx%ld differs\n", #Name, #Order, m, n, q);           \
    free(a), free(b), free(c[0]), free(c[1]);                                  \
    return Bad;                                                                \
  }
#define COMPARE_ALL(Name, TA, TB, TC)                                          \
  COMPARE(Name, NN, TA, TB, TC)                                                \
  COMPARE(Name, NT, TA, TB, TC)                                                \
  COMPARE(Name, TN, TA, TB, TC)                                                \
  COMPARE(Name, TT, TA, TB, TC)                                                \
  COMPARE(Name, XX, TA, TB, TC)                                                \
  COMPARE(Name, Half, TA, TB, TC)

#ifdef FAST
static const int Fast = 1;
#else
static const int Fast = 0;
#endif

/* The least numbers of 8 and 16 bits, and the greatest, are frequent. */
static int extreme(void) {
  static const int Some[] = {-128, 127, 128, 255, -32768, 32767, 0};
  return rand() % 4 ? rand() : Some[rand() % 7];
}

/* Of eight bits, and of so many sizes that sums are rounded; as a half, small
   enough for sums of halves. */
static float real(void) {
  return (rand() % 255 - 127) / SCALE * (1 << rand() % 6);
}

FOR_ALL(COMPARE_ALL)

int main(void) {
  int Bad = 0;
  srand(1);
  for (int Round = 0; Round < ROUNDS; Round++) {
    /* Few are large: they take long. */
    long Limit = Round % LARGE_EVERY ? 40 : Max;
    long m = rand() % Limit, n = rand() % Limit, q = rand() % Limit;
#define CALL(Name, TA, TB, TC)                                                 \
  Bad |= CAT(differNN, Name)(m, n, q) | CAT(differNT, Name)(m, n, q) |         \
         CAT(differTN, Name)(m, n, q) | CAT(differTT, Name)(m, n, q) |         \
         CAT(differXX, Name)(m, n, q) | CAT(differHalf, Name)(m, n, q);
    FOR_ALL(CALL)
  }
  return Bad;
}
#endif
