/* What the instructions of AMX do, for CPUs without them: amx-model.py makes
   calls of these functions of them. */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  uint8_t Row[16][64];
} Tile;

/* As ldtilecfg reads it. */
typedef struct {
  uint8_t Palette, FirstRow, Reserved[14];
  uint16_t Bytes[16];
  uint8_t Rows[16];
} Configuration;

static Tile Registers[8];
static Configuration Current;
static unsigned Products, Requests;

void model_ldtilecfg(const Configuration *From) {
  if (From->Palette != 1 || From->FirstRow)
    abort();
  Current = *From;
  memset(Registers, 0, sizeof Registers);
}

void model_tilerelease(void) { memset(&Current, 0, sizeof Current); }

/* Whole registers, and no others, are what is used. */
static Tile *reg(int8_t Number) {
  if (Number < 0 || Number > 7 || Current.Palette != 1 ||
      Current.Rows[Number] != 16 || Current.Bytes[Number] != 64)
    abort();
  return &Registers[Number];
}

void model_tilezero(int8_t To) { memset(reg(To), 0, sizeof(Tile)); }

void model_tileloadd64(int8_t To, const char *From, int64_t Stride) {
  for (int I = 0; I < 16; I++)
    memcpy(reg(To)->Row[I], From + I * Stride, 64);
}

void model_tilestored64(int8_t From, char *To, int64_t Stride) {
  for (int I = 0; I < 16; I++)
    memcpy(To + I * Stride, reg(From)->Row[I], 64);
}

/* Each element of A's row m, by groups, times that of B's row k. */
#define FOR_ELEMENTS(Sum, X, Y, TX, TY)                                        \
  for (int M = 0; M < 16; M++)                                                 \
    for (int N = 0; N < 16; N++)                                               \
      for (int K = 0; K < 16; K++)                                             \
        for (int E = 0; E < (int)(4 / sizeof(TX)); E++) {                      \
          TX X;                                                                \
          TY Y;                                                                \
          memcpy(&X, A->Row[M] + K * 4 + E * sizeof X, sizeof X);              \
          memcpy(&Y, B->Row[K] + N * 4 + E * sizeof Y, sizeof Y);              \
          Sum;                                                                 \
        }

#define INTEGERS(Name, TX, TY)                                                 \
  void model_##Name(int8_t Sums, int8_t First, int8_t Second) {                \
    const Tile *A = reg(First), *B = reg(Second);                              \
    uint32_t(*C)[16] = (void *)reg(Sums);                                      \
    FOR_ELEMENTS(C[M][N] += (uint32_t)((int32_t)X * (int32_t)Y), X, Y, TX, TY) \
    Products++;                                                                \
  }
INTEGERS(tdpbssd, int8_t, int8_t)
INTEGERS(tdpbsud, int8_t, uint8_t)
INTEGERS(tdpbusd, uint8_t, int8_t)
INTEGERS(tdpbuud, uint8_t, uint8_t)

/* The even and the odd elements are summed apart, then added. (Denormal numbers
   are kept here; the real ones are not.) */
#define FLOATS(Name, T2)                                                       \
  void model_##Name(int8_t Sums, int8_t First, int8_t Second) {                \
    const Tile *A = reg(First), *B = reg(Second);                              \
    float Apart[16][16][2] = {{{0}}};                                          \
    FOR_ELEMENTS(Apart[M][N][E] += (float)X * (float)Y, X, Y, T2, T2)          \
    float(*C)[16] = (void *)reg(Sums);                                         \
    for (int M = 0; M < 16; M++)                                               \
      for (int N = 0; N < 16; N++)                                             \
        C[M][N] += Apart[M][N][0] + Apart[M][N][1];                            \
    Products++;                                                                \
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
