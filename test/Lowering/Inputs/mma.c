// Runs the kernels of execute-mma.ll without a C library: exits with the line
// of the first that is wrong.

static unsigned state = 1;
static int value(void) {
  state = state * 1664525u + 1013904223u;
  return (int)(state >> 24) - 128;
}

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
