//===- Counts.c - prints how often fast paths were taken ------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Linked to a program compiled with the option count=1: when that ends, a line
//
//   <runs> <file>:<line>:<column>: <function>: <operation>
//
// for each replaced nest, and an empty one, are appended to the file that the
// environment variable TILESMITH_COUNTS names. Without it, nothing is done.
//
//===----------------------------------------------------------------------===//

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct Counter {
  const char *name;
  uintptr_t runs;
};

// Of the section that the counters are in; null if there are none.
extern const struct Counter __start_tilesmith_counts[]
    __attribute__((weak, visibility("hidden")));
extern const struct Counter __stop_tilesmith_counts[]
    __attribute__((weak, visibility("hidden")));

__attribute__((destructor)) static void print_counts(void) {
  const char *path = getenv("TILESMITH_COUNTS");
  FILE *file = path ? fopen(path, "a") : NULL;
  if (!file)
    return;
  const struct Counter *end = __stop_tilesmith_counts;
  for (const struct Counter *c = __start_tilesmith_counts; c != end; c++)
    fprintf(file, "%lu %s\n", (unsigned long)c->runs, c->name);
  fputc('\n', file);
  fclose(file);
}
