//===- bounds-driver.c - compares the nests of bounds.c -------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include <stdio.h>
#include <string.h>

typedef struct {
  const char *name;
  void (*run)(long n, long lo, long count, double *c, const double *a);
} Nest;
extern const Nest Stock[], Ours[];

// Rows before and behind the first one are there as well.
enum { Size = 200 * 40 };
static double A[Size], Expected[Size], Actual[Size];

/// Whether the loops would run through most values of their type.
static int isTooLong(const char *Name, long lo) {
  return lo < 0 && (strstr(Name, "_unsigned") || strstr(Name, "_ulong")) &&
         (strstr(Name, "to_shifted") || strstr(Name, "to_pointer") ||
          strstr(Name, "down_from_diagonal"));
}

int main(void) {
  int Runs = 0, Failures = 0;
  for (int I = 0; I < Size; I++)
    A[I] = (I * 37 % 101 - 50) / 64.0;
  for (int I = 0; Stock[I].name; I++)
    for (long n = 0; n <= 30; n++)
      for (long lo = -3; lo <= 3; lo++)
        for (long k = 0; k <= 20; k += 4) {
          if (isTooLong(Stock[I].name, lo))
            continue;
          for (int X = 0; X < Size; X++)
            Expected[X] = Actual[X] = X % 7 / 8.0;
          Stock[I].run(n, lo, k, Expected + Size / 2, A + Size / 2);
          Ours[I].run(n, lo, k, Actual + Size / 2, A + Size / 2);
          Runs++;
          if (!memcmp(Expected, Actual, sizeof Actual))
            continue;
          Failures++;
          printf("FAIL %s: n = %ld, lo = %ld, k = %ld\n", Stock[I].name, n, lo,
                 k);
        }
  printf("%d runs, %d failures\n", Runs, Failures);
  return Failures != 0;
}
