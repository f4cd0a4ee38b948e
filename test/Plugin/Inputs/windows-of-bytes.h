//===- windows-of-bytes.h - convolutions of narrow integers -----*- C -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Words of such nests, and operands of all sizes, the least and the greatest ones
// as well. The program defines PARAMETERS.
//
//===----------------------------------------------------------------------===//

#ifndef NO_MAIN
#include "../../guarded.h"
#endif

#ifndef IMAGE
#define IMAGE unsigned char
#endif
#ifndef WEIGHT
#define WEIGHT signed char
#endif

#define FOR(i, n) for (int i = 0; i < (n); i++)
#define NEST(name, ...)                                                        \
  __attribute__((noinline)) void name(PARAMETERS) { __VA_ARGS__ }
#define RSCK w[(((long)r * R + s) * C + c) * K + k]
#define KRSC w[(((long)k * R + r) * R + s) * C + c]

#ifndef NO_MAIN
static inline void fillPixels(IMAGE *In, long Count) {
  for (long i = 0; i < Count; i++)
    In[i] = i % 7 == 3 ? 1u << (8 * sizeof(IMAGE) - 1) : i * 2654435761u >> 13;
}

static inline void fillWeights(WEIGHT *W, long Count) {
  for (long i = 0; i < Count; i++)
    W[i] = i % 5 == 2 ? 1u << (8 * sizeof(WEIGHT) - 1) : i * 2246822519u >> 11;
}
#endif
