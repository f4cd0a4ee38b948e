//===- paths.h - matrices of T, as of paths ---------------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FOR(i) for (long i = 0; i < n; i++)

static unsigned state = 1;
static unsigned draw(void) {
  state = state * 1664525u + 1013904223u;
  return state >> 8;
}
static const int IsReal = (T)0.5 != 0;
static T element(int kind) {
  switch (kind) {
  case 0:
    return (T)(draw() % 1000);
  case 1: // negative cycles
    return (T)((int)(draw() % 1000) - 30);
  case 2: // many paths that do not exist
    return draw() % 3 ? (T)(draw() % 50) : IsReal ? (T)INFINITY : (T)9999;
  case 3:
    return draw() % 2 ? (T)-0.0 : draw() % 13 ? (T)0 : (T)(draw() % 9);
  case 4:
    if (IsReal)
      return draw() % 97 == 0 ? (T)NAN : draw() % 53 == 0 ? (T)-INFINITY : (T)(draw() * 1e-4);
    return (T)(draw() * 977u);
  case 5: // few paths that exist: most lines are left out
    return draw() % 100 < 3 ? (T)(draw() % 50) : (T)9999;
  }
  return 0;
}

static void fill(T *d, long elements, int kind) {
  for (long i = 0; i < elements; i++)
    d[i] = element(kind);
}
// The sign and the payload of a NaN are anything.
static void print(const char *what, const T *d, long elements) {
  unsigned long hash = 14695981039346656037u;
  for (long i = 0; i < elements; i++) {
    unsigned char bytes[sizeof(T)];
    memcpy(bytes, &d[i], sizeof(T));
    if (isnan((double)d[i]))
      memset(bytes, 0xff, sizeof(T));
    for (unsigned b = 0; b < sizeof(T); b++)
      hash = (hash ^ bytes[b]) * 1099511628211u;
  }
  printf("%s %lx\n", what, hash);
}

// Runs f on a matrix d of the n, ld, elements and kind at hand.
#define RUN(f)                                                                                                         \
  fill(d, elements, kind);                                                                                             \
  f(n, ld, (void *)d);                                                                                                 \
  print(#f, d, elements);
