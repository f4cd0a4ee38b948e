//===- peak.c - as many FMAs as the core can do ---------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Twelve independent chains of vector FMAs which never leave the registers:
// enough to hide the latency, few enough for 16 registers. Each function does
// <rounds> times peak_<type>_flops operations.
//
//===----------------------------------------------------------------------===//

#if defined(__AVX512F__)
#define BYTES 64
#elif defined(__AVX__)
#define BYTES 32
#else
#define BYTES 16
#endif

#define CHAINS 12

#define PEAK(Type, T)                                                          \
  typedef T Vec_##Type __attribute__((vector_size(BYTES)));                    \
  const long peak_##Type##_flops = 2 * CHAINS * BYTES / sizeof(T);             \
  void peak_##Type(long Rounds, T *Out) {                                      \
    Vec_##Type X = (Vec_##Type){} + Out[0], Y = (Vec_##Type){} + Out[1];       \
    Vec_##Type Acc[CHAINS];                                                    \
    for (int I = 0; I < CHAINS; I++)                                           \
      Acc[I] = X + (T)I;                                                       \
    for (long R = 0; R < Rounds; R++)                                          \
      for (int I = 0; I < CHAINS; I++)                                         \
        Acc[I] = __builtin_elementwise_fma(Acc[I], X, Y);                      \
    for (int I = 1; I < CHAINS; I++)                                           \
      Acc[0] += Acc[I];                                                        \
    Out[2] = Acc[0][0];                                                        \
  }

PEAK(f64, double)
PEAK(f32, float)

const int peak_vector_bits = 8 * BYTES;
