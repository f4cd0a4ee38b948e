// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a network that generate.py printed, with weights and images of which a
// simple generator makes the values. Writes the results to a file, and prints
// the seconds of the fastest run:
//
//   network results [runs]

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

extern float *const weights[];
extern const long sizes[], input_size, output_size;
extern const double operations;
void infer(const float *input, float *output);

static void fill(float *x, long n, float scale) {
  static uint32_t state = 1;
  for (long i = 0; i < n; i++) {
    state = state * 1664525u + 1013904223u;
    x[i] = ((int32_t)state >> 8) * (scale / (1 << 23));
  }
}

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return now.tv_sec + 1e-9 * now.tv_nsec;
}

int main(int argc, char **argv) {
  int runs = argc > 2 ? atoi(argv[2]) : 10;
  FILE *results = argc > 1 ? fopen(argv[1], "wb") : NULL;
  if (!results)
    return 1;
  for (int i = 0; weights[i]; i++)
    fill(weights[i], sizes[i], 0.1f);
  float *input = malloc(input_size * sizeof(float));
  float *output = malloc(output_size * sizeof(float));
  double best = 1e9;
  for (int run = 0; run < runs; run++) {
    fill(input, input_size, 1);
    double start = seconds();
    infer(input, output);
    double time = seconds() - start;
    if (time < best)
      best = time;
    fwrite(output, sizeof(float), output_size, results);
  }
  fclose(results);
  printf("%.6f s, %.1f GFLOP/s\n", best, 1e-9 * operations / best);
  free(input);
  free(output);
  return 0;
}
