//===- Compare.c - compares what kernels and the source's loops compute ---===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Linked to a program compiled with the option compare=1. Around each product:
//
//   state = tilesmith_compare_save(C)               a copy of C
//   done = the kernel, which changes C
//   state = tilesmith_compare_restore(state, done)  a copy of the results; C is
//                                                   as it was
//   the loops of the source, which change C
//   tilesmith_compare_check(state)                  ends the program if the
//                                                   results differ
//
// Only elements of C are read and written, so other threads may work between
// them.
//
//===----------------------------------------------------------------------===//

#include <inttypes.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MaxAxes = 32 };

struct Axis {
  int64_t stride, extent; // the stride in bytes
};

struct State {
  char *first;
  struct Axis axes[MaxAxes];
  int64_t num_axes, size; // of an element
  int64_t elements;
  char *before, *results; // without gaps
};

static atomic_long Compared, NotCompared;

__attribute__((destructor)) static void print_summary(void) {
  fprintf(stderr, "tilesmith: %ld products have the bits of their loops",
          atomic_load(&Compared));
  if (atomic_load(&NotCompared))
    fprintf(stderr, "; there was no memory for %ld", atomic_load(&NotCompared));
  fputc('\n', stderr);
}

/// Where element number \p n is; its indices.
static char *address(const struct State *s, int64_t n, int64_t *indices) {
  char *result = s->first;
  for (int64_t i = 0; i < s->num_axes; i++) {
    int64_t index = n % s->axes[i].extent;
    n /= s->axes[i].extent;
    result += index * s->axes[i].stride;
    if (indices)
      indices[i] = index;
  }
  return result;
}

static char *copy_elements(const struct State *s) {
  char *copy = malloc(s->elements * s->size);
  for (int64_t n = 0; copy && n < s->elements; n++)
    memcpy(copy + n * s->size, address(s, n, NULL), s->size);
  return copy;
}

static void free_state(struct State *s) {
  free(s->before);
  free(s->results);
  free(s);
}

void *tilesmith_compare_save(void *first, const int64_t *axes, int64_t num_axes,
                             int64_t size);
void *tilesmith_compare_restore(void *state, int64_t done);
void tilesmith_compare_check(void *state, int64_t fraction, const char *name);

void *tilesmith_compare_save(void *first, const int64_t *axes, int64_t num_axes,
                             int64_t size) {
  struct State *s = num_axes <= MaxAxes ? calloc(1, sizeof *s) : NULL;
  if (s) {
    *s = (struct State){
        .first = first, .num_axes = num_axes, .size = size, .elements = 1};
    for (int64_t i = 0; i < num_axes; i++) {
      s->axes[i] = (struct Axis){axes[2 * i], axes[2 * i + 1]};
      s->elements *= s->axes[i].extent;
    }
    s->before = copy_elements(s);
    if (s->before)
      return s;
    free_state(s);
  }
  // The loops must start from what C was.
  fprintf(stderr, "tilesmith: no memory for a copy of C\n");
  abort();
}

void *tilesmith_compare_restore(void *state, int64_t done) {
  struct State *s = state;
  if (done)
    s->results = copy_elements(s);
  // What is beyond a diagonal may belong to others, and is not touched.
  for (int64_t n = 0; done && n < s->elements; n++) {
    char *now = address(s, n, NULL), *before = s->before + n * s->size;
    if (memcmp(now, before, s->size) != 0)
      memcpy(now, before, s->size);
  }
  if (s->results)
    return s;
  if (done)
    atomic_fetch_add(&NotCompared, 1);
  free_state(s);
  return NULL;
}

/// Of an element, in the byte order of the machine.
static uint64_t bits_of(const char *element, int64_t size) {
  uint8_t b1;
  uint16_t b2;
  uint32_t b4;
  uint64_t b8;
  switch (size) {
  case 1:
    return memcpy(&b1, element, 1), b1;
  case 2:
    return memcpy(&b2, element, 2), b2;
  case 4:
    return memcpy(&b4, element, 4), b4;
  default:
    return memcpy(&b8, element, 8), b8;
  }
}

/// Whether all bits of the exponent are set, and some behind it.
static bool is_nan(uint64_t bits, int64_t fraction, int64_t size) {
  if (fraction == 0)
    return false;
  uint64_t sign = (uint64_t)1 << (8 * size - 1);
  uint64_t infinity = sign - ((uint64_t)1 << fraction);
  return (bits & (sign - 1)) > infinity;
}

static void print_number(uint64_t bits, int64_t fraction) {
  double d;
  float f;
  if (fraction == 52)
    fprintf(stderr, "%a", (memcpy(&d, &bits, 8), d));
  else if (fraction == 23) {
    uint32_t low = bits;
    fprintf(stderr, "%a", (memcpy(&f, &low, 4), f));
  } else
    fprintf(stderr, "0x%" PRIx64, bits);
}

void tilesmith_compare_check(void *state, int64_t fraction, const char *name) {
  struct State *s = state;
  if (!s)
    return;
  for (int64_t n = 0; n < s->elements; n++) {
    int64_t indices[MaxAxes];
    uint64_t loops = bits_of(address(s, n, indices), s->size);
    uint64_t kernel = bits_of(s->results + n * s->size, s->size);
    // LLVM does not define which NaN comes out.
    if (loops == kernel ||
        (is_nan(loops, fraction, s->size) && is_nan(kernel, fraction, s->size)))
      continue;
    fprintf(stderr, "tilesmith: %s: C", name);
    for (int64_t i = 0; i < s->num_axes; i++)
      fprintf(stderr, "[%" PRId64 "]", indices[i]);
    fprintf(stderr, ": the loops make ");
    print_number(loops, fraction);
    fprintf(stderr, ", the kernel ");
    print_number(kernel, fraction);
    fputc('\n', stderr);
    abort();
  }
  atomic_fetch_add(&Compared, 1);
  free_state(s);
}
