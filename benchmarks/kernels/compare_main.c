//===- compare_main.c - two shared objects of compare.c, in turn ----------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// compare_main OLD.so NEW.so SECONDS MxNxK...: for each nest and shape, a
// line with the nest, its type, the shape, the speed of OLD in GFLOP/s, and the
// time of OLD divided by that of NEW: the median of rounds in which both run in
// turn for SECONDS each. Their results must be equal, bit by bit.
//
//===----------------------------------------------------------------------===//

#include "compare.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { Rounds = 9 };

struct Shape {
  long M, N, K;
};

struct Buffers {
  void *A, *B, *C, *Start;
  size_t Bytes; ///< of C
};

static double now(void) {
  struct timespec T;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &T);
  return T.tv_sec + 1e-9 * T.tv_nsec;
}

static const struct Nest *nestsOf(const char *Path) {
  void *Handle = dlopen(Path, RTLD_NOW | RTLD_LOCAL);
  const struct Nest *Nests = Handle ? dlsym(Handle, "nests") : NULL;
  if (!Nests) {
    fprintf(stderr, "%s: %s\n", Path, dlerror());
    exit(1);
  }
  return Nests;
}

static void *filled(size_t Count, char Type) {
  size_t Size = Type == 'd' ? 8 : Type == 'b' ? 1 : 4;
  void *Result = aligned_alloc(64, (Count * Size + 127) / 64 * 64);
  for (size_t I = 0; I < Count; ++I) {
    int V = (int)((I * 7 + I / 13) % 11) - 5;
    if (Type == 'd')
      ((double *)Result)[I] = V * 0.25;
    else if (Type == 'f')
      ((float *)Result)[I] = V * 0.25f;
    else if (Type == 'i')
      ((int *)Result)[I] = V;
    else
      ((signed char *)Result)[I] = V;
  }
  return Result;
}

/// Seconds of each call. C is set back before the first one.
static double run(const struct Nest *Nest, struct Shape S,
                  const struct Buffers *X, long Calls) {
  memcpy(X->C, X->Start, X->Bytes);
  double Begin = now();
  for (long I = 0; I < Calls; ++I)
    Nest->Function(S.M, S.N, S.K, X->A, X->B, X->C);
  return (now() - Begin) / Calls;
}

static int ascending(const void *X, const void *Y) {
  double A = *(const double *)X, B = *(const double *)Y;
  return (A > B) - (A < B);
}

static int compare(const struct Nest *Old, const struct Nest *New,
                   struct Shape S, double Seconds) {
  if (!strcmp(Old->Name, "trmm"))
    S.K = S.M;
  if (!strcmp(Old->Name, "syrk"))
    S.N = S.M;
  char Factor = Old->Type == 'i' ? 'b' : Old->Type;
  struct Buffers X = {
      filled(S.M * S.K, Factor), filled(S.K * S.N, Factor),
      filled(S.M * S.N, Old->Type), filled(S.M * S.N, Old->Type),
      S.M * S.N * (Old->Type == 'd' ? 8 : 4)};
  void *Expected = malloc(X.Bytes);
  run(Old, S, &X, 1);
  memcpy(Expected, X.C, X.Bytes);
  double Once = run(New, S, &X, 1);
  int Differs = memcmp(Expected, X.C, X.Bytes) != 0;
  long Calls = 1 + (long)(Seconds / (Once + 1e-9));
  Calls = 1 + (long)(Seconds / (run(New, S, &X, Calls) + 1e-9));
  double Ratios[Rounds], Best = 1e9;
  for (int I = 0; I < Rounds; ++I) {
    double T = run(Old, S, &X, Calls);
    Ratios[I] = T / run(New, S, &X, Calls);
    Best = T < Best ? T : Best;
  }
  qsort(Ratios, Rounds, sizeof(double), ascending);
  double Work = 2.0 * S.M * S.N * S.K;
  if (!strcmp(Old->Name, "trmm") || !strcmp(Old->Name, "syrk"))
    Work /= 2;
  printf("%s %c %ldx%ldx%ld %.2f %.3f%s\n", Old->Name, Old->Type, S.M, S.N, S.K,
         1e-9 * Work / Best, Ratios[Rounds / 2], Differs ? " DIFFERS" : "");
  fflush(stdout);
  free(Expected);
  free(X.A), free(X.B), free(X.C), free(X.Start);
  return Differs;
}

int main(int Count, char **Args) {
  if (Count < 5)
    return 2;
  const struct Nest *Old = nestsOf(Args[1]), *New = nestsOf(Args[2]);
  double Seconds = atof(Args[3]);
  int Wrong = 0;
  for (int I = 4; I < Count; ++I)
    for (int J = 0; Old[J].Name; ++J) {
      struct Shape S;
      if (sscanf(Args[I], "%ldx%ldx%ld", &S.M, &S.N, &S.K) == 3)
        Wrong |= compare(&Old[J], &New[J], S, Seconds);
    }
  return Wrong;
}
