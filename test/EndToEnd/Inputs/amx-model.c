/* What the instructions of AMX do, for CPUs without them: amx-model.py makes
   calls of these functions of them. A register is passed as the address of what
   it holds, which nothing changes while it is in use: there are far more places
   than registers. */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  uint8_t Row[16][64];
} Tile;

static Tile Places[4096];
static unsigned Used, Products, Requests;

static Tile *place(void) { return &Places[Used++ % 4096]; }

/* Other shapes are errors of the compiler. */
static void check(int16_t Rows, int16_t Bytes) {
  if (Rows < 1 || Rows > 16 || Bytes < 4 || Bytes > 64)
    abort();
}

Tile *model_tilezero(int16_t Rows, int16_t Bytes) {
  check(Rows, Bytes);
  return memset(place(), 0, sizeof(Tile));
}

Tile *model_tileloadd64(int16_t Rows, int16_t Bytes, const char *From,
                        int64_t Stride) {
  Tile *T = model_tilezero(Rows, Bytes);
  for (int I = 0; I < Rows; I++)
    memcpy(T->Row[I], From + I * Stride, Bytes);
  return T;
}

void model_tilestored64(int16_t Rows, int16_t Bytes, char *To, int64_t Stride,
                        const Tile *T) {
  check(Rows, Bytes);
  for (int I = 0; I < Rows; I++)
    memcpy(To + I * Stride, T->Row[I], Bytes);
}

/* Each element of A's row m, by groups, times that of B's row k. */
#define FOR_ELEMENTS(Sum, X, Y, TX, TY)                                        \
  for (int M = 0; M < Rows; M++)                                               \
    for (int N = 0; N < Bytes / 4; N++)                                        \
      for (int K = 0; K < Depth / 4; K++)                                      \
        for (int E = 0; E < (int)(4 / sizeof(TX)); E++) {                      \
          TX X;                                                                \
          TY Y;                                                                \
          memcpy(&X, A->Row[M] + K * 4 + E * sizeof X, sizeof X);              \
          memcpy(&Y, B->Row[K] + N * 4 + E * sizeof Y, sizeof Y);              \
          Sum;                                                                 \
        }

#define INTEGERS(Name, TX, TY)                                                 \
  Tile *model_##Name(int16_t Rows, int16_t Bytes, int16_t Depth,               \
                     const Tile *Before, const Tile *A, const Tile *B) {       \
    check(Rows, Bytes);                                                        \
    Tile *T = memcpy(place(), Before, sizeof(Tile));                           \
    uint32_t(*C)[16] = (void *)T;                                              \
    FOR_ELEMENTS(C[M][N] += (uint32_t)((int32_t)X * (int32_t)Y), X, Y, TX, TY) \
    Products++;                                                                \
    return T;                                                                  \
  }
INTEGERS(tdpbssd, int8_t, int8_t)
INTEGERS(tdpbsud, int8_t, uint8_t)
INTEGERS(tdpbusd, uint8_t, int8_t)
INTEGERS(tdpbuud, uint8_t, uint8_t)

/* The even and the odd elements are summed apart, then added. (Denormal numbers
   are kept here; the real ones are not.) */
#define FLOATS(Name, T2)                                                       \
  Tile *model_##Name(int16_t Rows, int16_t Bytes, int16_t Depth,               \
                     const Tile *Before, const Tile *A, const Tile *B) {       \
    check(Rows, Bytes);                                                        \
    float Apart[16][16][2] = {{{0}}};                                          \
    FOR_ELEMENTS(Apart[M][N][E] += (float)X * (float)Y, X, Y, T2, T2)          \
    Tile *T = memcpy(place(), Before, sizeof(Tile));                           \
    float(*C)[16] = (void *)T;                                                 \
    for (int M = 0; M < Rows; M++)                                             \
      for (int N = 0; N < Bytes / 4; N++)                                      \
        C[M][N] += Apart[M][N][0] + Apart[M][N][1];                            \
    Products++;                                                                \
    return T;                                                                  \
  }
FLOATS(tdpbf16ps, __bf16)
FLOATS(tdpfp16ps, _Float16)

static void report(void) {
  printf("AMX: requests %u, products %s\n", Requests, Products ? "yes" : "no");
}

/* arch_prctl: what is asked for, and 0 if it is granted. */
int64_t model_syscall(int64_t Number, int64_t Code, int64_t Feature) {
  if (Number != 158 || Code != 0x1023 || Feature != 18)
    abort();
  if (!Requests++)
    atexit(report);
  return getenv("AMX_REFUSED") ? -1 : 0;
}
