//===- gemm-main.c - times gemm() -----------------------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Usage: gemm <n> <file>
//
// Prints the seconds of the fastest of several calls, and writes the result of
// the first one to <file>, so that two builds can be compared.
//
//===----------------------------------------------------------------------===//

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

void gemm(int n, const double *A, const double *B, double *C);

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

static double *matrix(int n, unsigned seed) {
  double *data = malloc(sizeof(double) * n * n);
  if (!data) {
    perror("malloc");
    exit(1);
  }
  srand(seed);
  for (long i = 0; i < (long)n * n; i++)
    data[i] = rand() / (double)RAND_MAX - 0.5;
  return data;
}

int main(int argc, char **argv) {
  if (argc != 3 || atoi(argv[1]) <= 0) {
    fprintf(stderr, "usage: %s <n> <file>\n", argv[0]);
    return 1;
  }
  int n = atoi(argv[1]);
  double *A = matrix(n, 1), *B = matrix(n, 2), *C = matrix(n, 3);

  double best = 1e30, total = 0;
  for (int call = 0; call < 3 || (total < 1 && call < 1000); call++) {
    double start = now();
    gemm(n, A, B, C);
    double seconds = now() - start;
    total += seconds;
    if (seconds < best)
      best = seconds;
    if (call == 0) {
      FILE *file = fopen(argv[2], "wb");
      if (!file ||
          fwrite(C, sizeof(double), (size_t)n * n, file) != (size_t)n * n ||
          fclose(file)) {
        perror(argv[2]);
        return 1;
      }
    }
  }
  printf("%.6f\n", best);
  free(A), free(B), free(C);
  return 0;
}
