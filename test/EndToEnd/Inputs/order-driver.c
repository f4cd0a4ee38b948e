//===- order-driver.c - compares the nests of order.c ---------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// usage: order-driver STOCK OURS [NAME]
//
// Calls each nest of order.c out of two shared libraries, built without and
// with the plugin, for many sizes and places of the arrays, and compares every
// byte of memory.

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct Nest {
  const char *name, *flags;
  void (*run)(long n, long m, long ld, void *a, void *b, void *c, void *d);
};

// Four arrays, each with room for rows and columns before and behind.
enum { Room = 4096, Size = 4 * Room };
static double Before[Size], Expected[Size], Actual[Size];

// The plugin's kernels allocate; so that they cannot, sometimes.
void *__libc_malloc(size_t);
static int AllocationsFail;
void *malloc(size_t Bytes) {
  return AllocationsFail ? NULL : __libc_malloc(Bytes);
}

static uint64_t State = 1;
static unsigned next(void) {
  State = State * 6364136223846793005u + 1442695040888963407u;
  return State >> 33;
}

static void fill(int IsLong) {
  for (int I = 0; I < Size; I++) {
    double V = (int)(next() % 2001 - 1000) / 1024.0 / 3;
    int64_t Small = next() % 24;
    memcpy(&Before[I], IsLong ? (void *)&Small : (void *)&V, 8);
  }
}

// The arrays' first elements. Place 0 keeps them apart, others let them
// overlap.
static void place(int Place, long ld, long Base[4]) {
  for (int X = 0; X < 4; X++)
    Base[X] = X * Room + Room / 2;
  enum { A, B, C, D };
  switch (Place) {
  case 1:
    Base[D] = Base[C];
    break;
  case 2:
    Base[D] = Base[A];
    break;
  case 3:
    Base[D] = Base[B];
    break;
  case 4:
    Base[A] = Base[C];
    break;
  case 5:
    Base[B] = Base[C];
    break;
  case 6:
    Base[B] = Base[A];
    break;
  case 7:
    Base[D] = Base[C] + 1;
    break;
  case 8:
    Base[D] = Base[C] + 3 * ld;
    break;
  case 9:
    Base[D] = Base[A] - 2 * ld;
    break;
  case 10:
    Base[B] = Base[C] + 5 * ld + 2;
    break;
  case 11:
    Base[A] = Base[C] - ld;
    break;
  case 12:
    Base[D] = Base[B] + ld - 1;
    break;
  case 13:
    Base[D] = Base[C] - 17;
    break;
  case 14:
    Base[A] = Base[B] = Base[C] = Base[D];
    break;
  }
}
enum { Places = 15 };

static int Failures, Runs;

static int run(const struct Nest *Stock, const struct Nest *Ours, long n,
               long m, long ld, int Place) {
  long Base[4];
  place(Place, ld, Base);
  memcpy(Expected, Before, sizeof Before);
  memcpy(Actual, Before, sizeof Before);
  Stock->run(n, m, ld, Expected + Base[0], Expected + Base[1],
             Expected + Base[2], Expected + Base[3]);
  AllocationsFail = Runs % 5 == 4;
  Ours->run(n, m, ld, Actual + Base[0], Actual + Base[1], Actual + Base[2],
            Actual + Base[3]);
  AllocationsFail = 0;
  Runs++;
  if (!memcmp(Expected, Actual, sizeof Actual))
    return 1;
  printf("%s differs: n=%ld m=%ld ld=%ld place=%d\n", Stock->name, n, m, ld,
         Place);
  Failures++;
  return 0;
}

// Until the first failure.
static void runAll(const struct Nest *Stock, const struct Nest *Ours) {
  static const long Sizes[] = {0, 1, 2, 3, 5, 9, 17, 26};
  enum { NumSizes = sizeof Sizes / sizeof *Sizes };
  int IsLong = strchr(Stock->flags, 'l') != NULL;
  int Last = strchr(Stock->flags, 'o') ? Places : 1;
  fill(IsLong);
  for (int N = 0; N < NumSizes; N++)
    for (int M = 0; M < NumSizes; M++) {
      long n = Sizes[N], m = Sizes[M], Most = n > m ? n : m;
      // Rows that are wide enough, too short for their elements, and backwards.
      long Leading[] = {Most + 5, n, n - 1, n / 2, 1, 0, -Most - 3};
      for (int L = 0; L < 7; L++) {
        long ld = Leading[L];
        for (int P = 0; P < Last; P++)
          if (!run(Stock, Ours, n, m, ld, P))
            return;
        if (L >= 2 && (N + M) % 3)
          break;
      }
    }
}

int main(int Count, char **Args) {
  if (Count < 3)
    return 2;
  const struct Nest *First[2], *End[2];
  for (int I = 0; I < 2; I++) {
    void *Library = dlopen(Args[1 + I], RTLD_NOW);
    if (!Library) {
      puts(dlerror());
      return 2;
    }
    typedef const struct Nest *Getter(void);
    First[I] = ((Getter *)dlsym(Library, "first_nest"))();
    End[I] = ((Getter *)dlsym(Library, "end_of_nests"))();
  }
  int NumNests = 0;
  for (const struct Nest *Stock = First[0]; Stock != End[0]; Stock++)
    for (const struct Nest *Ours = First[1]; Ours != End[1]; Ours++)
      if (!strcmp(Stock->name, Ours->name) &&
          (Count == 3 || !strcmp(Stock->name, Args[3]))) {
        runAll(Stock, Ours);
        NumNests++;
      }
  printf("%d nests, %d runs, %d failures\n", NumNests, Runs, Failures);
  return Failures || !NumNests;
}
