// Runs the kernels of execute-mma.ll, or with GROUPS those of
// execute-mma-groups.ll, without a C library: exits with the line of the first
// that is wrong.

static unsigned state = 1;
static int value(void) {
  state = state * 1664525u + 1013904223u;
  return (int)(state >> 24) - 128;
}

#ifndef GROUPS
// C of MR rows in columns MR + 2 apart; rows between must keep their values.
#define TEST(NAME, T, MR, NR, STEPS, K, START, FACTOR)                         \
  void NAME(long, const T *, const T *, T *, long);                            \
  {                                                                            \
    static T a[MR * STEPS], b[NR * STEPS], c[(MR + 2) * NR], d[(MR + 2) * NR]; \
    for (int i = 0; i < MR * STEPS; ++i)                                       \
      a[i] = value() / (T)7;                                                   \
    for (int i = 0; i < NR * STEPS; ++i)                                       \
      b[i] = value() / (T)3;                                                   \
    for (int i = 0; i < (MR + 2) * NR; ++i)                                    \
      d[i] = c[i] = value() / (T)11;                                           \
    NAME(K, a, b, c, MR + 2);                                                  \
    for (int j = 0; j < NR; ++j)                                               \
      for (int i = 0; i < MR; ++i) {                                           \
        T *sum = &d[j * (MR + 2) + i];                                         \
        *sum = START ? *sum : 0;                                               \
        for (int k = 0; k < STEPS; ++k)                                        \
          *sum = __builtin_elementwise_fma(a[k * MR + i], b[k * NR + j], *sum);\
        *sum *= FACTOR;                                                        \
      }                                                                        \
    for (unsigned i = 0; i < sizeof c; ++i)                                    \
      if (((char *)c)[i] != ((char *)d)[i])                                    \
        return __LINE__;                                                       \
  }
#endif

#ifdef GROUPS

// Numbers that all types have: exactly representable, and so are their sums.
static int to_i8(int v) { return (signed char)v; }
static int to_u8(int v) { return (unsigned char)v; }
static int to_i16(int v) { return (short)(v * 253); }
static int to_u16(int v) { return (unsigned short)(v * 253); }
static unsigned bits(float f) { return __builtin_bit_cast(unsigned, f); }
static unsigned short to_bf16(int v) { return bits(v) >> 16; }
static unsigned short to_f16(int v) { // of up to 11 bits
  return v ? (bits(v) >> 16 & 0x8000) | ((bits(v) >> 13 & 0x3ffff) - (112 << 10)) : 0;
}
static int identity(int v) { return v; }

// C of MR rows in columns MR + 2 apart; factors in groups of G.
#define TEST(NAME, T, W, G, MR, NR, STORE_A, VALUE_A, STORE_B, VALUE_B)        \
  void NAME(long, const T *, const T *, W *, long);                            \
  {                                                                            \
    enum { GROUPS_OF = 5, K = GROUPS_OF * G };                                 \
    static int a[MR * K], b[NR * K];                                           \
    static T pa[MR * K], pb[NR * K];                                           \
    static W c[(MR + 2) * NR], d[(MR + 2) * NR];                               \
    for (int k = 0; k < K; ++k) {                                              \
      for (int i = 0; i < MR; ++i) {                                           \
        int v = value();                                                       \
        a[k * MR + i] = VALUE_A(v);                                            \
        pa[(k / G * MR + i) * G + k % G] = STORE_A(v);                         \
      }                                                                        \
      for (int j = 0; j < NR; ++j) {                                           \
        int v = value();                                                       \
        b[k * NR + j] = VALUE_B(v);                                            \
        pb[(k / G * NR + j) * G + k % G] = STORE_B(v);                         \
      }                                                                        \
    }                                                                          \
    for (int i = 0; i < (MR + 2) * NR; ++i)                                    \
      d[i] = c[i] = value();                                                   \
    NAME(GROUPS_OF, pa, pb, c, MR + 2);                                        \
    for (int j = 0; j < NR; ++j)                                               \
      for (int i = 0; i < MR; ++i)                                             \
        for (int k = 0; k < K; ++k)                                            \
          d[j * (MR + 2) + i] += (W)(int)((unsigned)a[k * MR + i] * b[k * NR + j]); \
    for (unsigned i = 0; i < sizeof c; ++i)                                    \
      if (((char *)c)[i] != ((char *)d)[i])                                    \
        return __LINE__;                                                       \
  }

// Of nibbles: bytes of two equal ones.
static unsigned char to_2i4(int v) { return (v & 15) * 17; }
static int to_i4(int v) { return ((v & 15) ^ 8) - 8; }
static int twice_i4(int v) { return 2 * to_i4(v); }

static int test(void) {
  TEST(i4_16x8, unsigned char, unsigned, 4, 16, 8, to_2i4, to_i4, to_2i4, twice_i4)
  TEST(i8_us_16x8, unsigned char, unsigned, 4, 16, 8, to_u8, to_u8, to_i8, to_i8)
  TEST(i8_su_16x8, unsigned char, unsigned, 4, 16, 8, to_i8, to_i8, to_u8, to_u8)
  TEST(i8_su_6x5, unsigned char, unsigned, 4, 6, 5, to_i8, to_i8, to_u8, to_u8)
  TEST(i16_16x8, short, unsigned, 2, 16, 8, to_i16, to_i16, to_i16, to_i16)
  TEST(bf16_16x8, unsigned short, float, 2, 16, 8, to_bf16, identity, to_bf16, identity)
  TEST(f16_16x8, unsigned short, float, 2, 16, 8, to_f16, identity, to_f16, identity)
  TEST(f16_7x3, unsigned short, float, 2, 7, 3, to_f16, identity, to_f16, identity)
  TEST(i8_ss_8x8, unsigned char, unsigned, 4, 8, 8, to_i8, to_i8, to_i8, to_i8)
  TEST(u16_8x8, unsigned short, unsigned, 2, 8, 8, to_u16, to_u16, to_u16, to_u16)
  return 0;
}

#else

static int test(void) {
  TEST(f64_8x8, double, 8, 8, 9, 9, 1, 1)
  TEST(f32_16x8, float, 16, 8, 9, 9, 1, 1)
  TEST(f32_7x5, float, 7, 5, 9, 9, 1, 1)
  TEST(f64_3x3, double, 3, 3, 9, 9, 1, 1)
  TEST(f32_12x12_of_9, float, 12, 12, 9, 9, 0, 1)
  TEST(f64_first_or_resumed, double, 4, 8, 9, 9, 1, 1)
  TEST(f64_first_or_resumed, double, 4, 8, 9, -9, 0, -1)
  return 0;
}

#endif

void run(void) {
  register long call __asm__("r0") = 1; // exit
  register long status __asm__("r3") = test() & 255;
  __asm__ volatile("sc" : : "r"(call), "r"(status) : "memory");
}

// The table of contents in r2, and a stack frame.
__asm__(".globl _start\n"
        "_start:\n"
        "  bcl 20, 31, 1f\n"
        "1: mflr 12\n"
        "  addis 2, 12, .TOC.-1b@ha\n"
        "  addi 2, 2, .TOC.-1b@l\n"
        "  stdu 1, -128(1)\n"
        "  bl run\n"
        "  nop\n");
