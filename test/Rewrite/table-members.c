//===- table-members.c - neurons with their weights and results -----------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The pointer to a row, what its sum starts from, and where that goes may be members of
// one structure. The kernel runs where results are between the pointers, and only then.
//
// RUN: %clang -O2 -fno-strict-aliasing -gline-tables-only -fpass-plugin=%tilesmith -mllvm -tilesmith-verify=1 \
// RUN:   -mllvm -tilesmith-count=1 %s %S/../../runtime/Counts.c -o %t
// RUN: rm -f %t.counts && env TILESMITH_COUNTS=%t.counts %t > %t.out && FileCheck %s < %t.counts
// RUN: %clang -O2 -fno-strict-aliasing %s -o %t.plain && %t.plain > %t.plain.out && cmp %t.out %t.plain.out

#include <stdio.h>
#include <stdlib.h>

enum { Count = 40, Steps = 50 };

struct neuron {
  double before;
  double *weights;
  double bias, result;
};

// CHECK: 1 {{.*}}table-members.c:[[#@LINE + 3]]:3: layer: GEMV f64
__attribute__((noinline)) void layer(long m, long n, struct neuron *neurons,
                                     const double *x) {
  for (long i = 0; i < m; i++) {
    double s = neurons[i].bias;
    for (long k = 0; k < n; k++)
      s += neurons[i].weights[k] * x[k];
    neurons[i].result = s;
  }
}

// Of the places below: before, result, and before of the next neuron. Biases are read.
// CHECK: 3 {{.*}}table-members.c:[[#@LINE + 3]]:3: anywhere: GEMV f64
__attribute__((noinline)) void anywhere(long m, long n, const struct neuron *neurons,
                                        char *results, const double *x) {
  for (long i = 0; i < m; i++) {
    double s = 0;
    for (long k = 0; k < n; k++)
      s += neurons[i].weights[k] * x[k];
    *(double *)(results + i * sizeof(struct neuron)) = s + neurons[i].bias;
  }
}

int main(void) {
  static struct neuron neurons[Count + 2];
  static double weights[Count + 2][Steps], x[Steps];
  for (int k = 0; k < Steps; k++)
    x[k] = rand() % 100 / 7.0;
  // In bytes, from the first neuron on: in front of the pointer, in a part of it, in it, in
  // the bias; the result; before, and the bias, of the next; the bias of the one in front.
  static const int places[] = {0, 4, 8, 12, 16, 20, 24, 32, 48, -16};
  for (int place = -1; place < 10; place++) {
    for (int i = 0; i < Count + 2; i++) {
      neurons[i] = (struct neuron){i, weights[i], rand() % 100 / 9.0, 0};
      for (int k = 0; k < Steps; k++)
        weights[i][k] = rand() % 100 / 3.0;
    }
    if (place < 0)
      layer(Count, Steps, neurons, x);
    else
      anywhere(Count, Steps, neurons + 1, (char *)(neurons + 1) + places[place], x);
    for (int i = 0; i < Count + 2; i++)
      if (place != 1 && place != 2 && place != 3)
        printf("%a %a %a\n", neurons[i].before, neurons[i].bias, neurons[i].result);
      else
        printf("%a %a\n", neurons[i].bias, neurons[i].result);
  }
  return 0;
}
