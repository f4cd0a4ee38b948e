//===- bounds-checks.cpp - subscripts that are checked --------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The guard makes all checks of bounds at once. If one would fail, the source's
// own loops run up to there: the same elements are computed before the
// exception.
//
// RUN: %clangxx -O3 -DNAME=base -DIMPLEMENTATION -c %s -o %t.base.o
// RUN: %clangxx -O3 -DNAME=tile -DIMPLEMENTATION -c %s -o %t.tile.o -fpass-plugin=%tilesmith -Rpass=tilesmith -mllvm -tilesmith-min-work=1 2>&1 | FileCheck %s
// RUN: %clangxx -O1 -DDRIVER %s %t.base.o %t.tile.o -Wl,--wrap=malloc -o %t && %t
// CHECK-COUNT-7: replaced 3-loop nest
// CHECK-NOT: replaced 3-loop

#define CAT_(A, B) A##B
#define CAT(A, B) CAT_(A, B)
#include <cstddef>

[[noreturn]] void outOfRange();
struct Checked {
  double *data;
  size_t size;
  double &operator[](size_t i) const {
    if (i >= size)
      outOfRange();
    return data[i];
  }
};
// The leading dimension may be any number.
#define FORM(Name)                                                             \
  void CAT(NAME, Name)(size_t m, size_t n, size_t k, size_t ld, Checked a_,    \
                       Checked b_, Checked c_)
#define FORMS(X) X(Sum) X(InMemory) X(ByRows) X(Triangle) X(Asserted) X(Unwound) X(Counted)

#ifdef IMPLEMENTATION
FORM(Sum) {
  Checked a = a_, b = b_, c = c_;
  for (size_t i = 0; i < m; i++)
    for (size_t j = 0; j < n; j++) {
      double s = 0;
      for (size_t p = 0; p < k; p++)
        s += a[i * ld + p] * b[p * ld + j];
      c[i * ld + j] = s;
    }
}
FORM(InMemory) {
  Checked a = a_, b = b_, c = c_;
  for (size_t i = 0; i < m; i++)
    for (size_t j = 0; j < n; j++)
      for (size_t p = 0; p < k; p++)
        c[i * ld + j] += a[i * ld + p] * b[p * ld + j];
}
FORM(ByRows) {
  Checked a = a_, b = b_, c = c_;
  for (size_t i = 0; i < m; i++)
    for (size_t p = 0; p < k; p++)
      for (size_t j = 0; j < n; j++)
        c[i * ld + j] += a[i * ld + p] * b[p * ld + j];
}
FORM(Triangle) {
  Checked a = a_, b = b_, c = c_;
  for (size_t i = 0; i < m; i++)
    for (size_t p = 0; p < k; p++)
      for (size_t j = 0; j <= i; j++)
        c[i * ld + j] += a[i * ld + p] * b[p * ld + j];
}
FORM(Asserted) {
  Checked a = a_, b = b_, c = c_;
  for (size_t i = 0; i < m; i++)
    for (size_t j = 0; j < n; j++)
      for (size_t p = 0; p < k; p++) {
        if (n > 40)
          outOfRange();
        c[i * ld + j] += a[i * ld + p] * b[p * ld + j];
      }
}
// On its way out of the function, the exception destroys an object that looks
// at C.
void notice(Checked of) noexcept;
struct Notices {
  Checked of;
  ~Notices() { notice(of); }
};
FORM(Unwound) {
  Checked a = a_, b = b_, c = c_;
  Notices later{c};
  for (size_t i = 0; i < m; i++)
    for (size_t j = 0; j < n; j++)
      for (size_t p = 0; p < k; p++)
        c[i * ld + j] += a[i * ld + p] * b[p * ld + j];
}
// What is counted before the exception is seen after it.
extern int counted;
FORM(Counted) {
  Checked a = a_, b = b_, c = c_;
  for (size_t i = 0; i < m; i++) {
    for (size_t j = 0; j < n; j++)
      for (size_t p = 0; p < k; p++)
        c[i * ld + j] += a[i * ld + p] * b[p * ld + j];
    counted++;
  }
}
#endif

#ifdef DRIVER
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
void outOfRange() { throw 1; }
int counted;
void notice(Checked of) noexcept {
  for (size_t i = 0; i < of.size; i++)
    counted = int(counted * 31u + unsigned(of.data[i] * 1000));
}
static int allocations;
extern "C" void *__real_malloc(size_t);
extern "C" void *__wrap_malloc(size_t size) {
  allocations++;
  return __real_malloc(size);
}
enum { Max = 48, All = Max * Max };
static double a[All], b[All], from[All], memory[2][All];
static int failures;

#define DECLARE(Name)                                                          \
  void CAT(base, Name)(size_t, size_t, size_t, size_t, Checked, Checked,       \
                       Checked);                                               \
  void CAT(tile, Name)(size_t, size_t, size_t, size_t, Checked, Checked,       \
                       Checked);
FORMS(DECLARE)
typedef void Function(size_t, size_t, size_t, size_t, Checked, Checked, Checked);

static void run(const char *name, Function *base, Function *tile) {
  int taken = 0;
  for (int round = 0; round < 200; round++) {
    for (double *x : {a, b, from})
      for (int i = 0; i < All; i++)
        x[i] = drand48();
    size_t m = rand() % Max + 1, n = rand() % Max + 1, k = rand() % Max + 1;
    size_t sizes[] = {All, All, All}, ld = Max;
    if (round % 4 == 1)
      sizes[rand() % 3] = rand() % All;
    if (round % 4 == 2) // just as long as needed, or one less
      sizes[0] = (m - 1) * Max + k - rand() % 2;
    if (round % 16 == 3)
      ld = size_t(1) << (rand() % 2 ? 63 : 61), m = rand() % 8 + 1;
    bool thrown[2] = {false, false};
    int counts[2];
    for (int which = 0; which < 2; which++) {
      memcpy(memory[which], from, sizeof from);
      counted = 0;
      allocations = 0;
      try {
        (which ? tile : base)(m, n, k, ld, {a, sizes[0]}, {b, sizes[1]},
                              {memory[which], sizes[2]});
      } catch (int) {
        thrown[which] = true;
      }
      counts[which] = counted;
    }
    bool same = !memcmp(memory[0], memory[1], sizeof from) &&
                thrown[0] == thrown[1] && counts[0] == counts[1];
    taken += allocations > 0;
    if (!same) {
      failures++;
      printf("%s: %zu x %zu x %zu, round %d\n", name, m, n, k, round);
    }
  }
  // Most sizes need a buffer.
  if (taken <= 50) {
    failures++;
    printf("%s: taken %d times\n", name, taken);
  }
}

int main() {
#define RUN(Name) run(#Name, CAT(base, Name), CAT(tile, Name));
  FORMS(RUN)
  return failures != 0;
}
#endif
