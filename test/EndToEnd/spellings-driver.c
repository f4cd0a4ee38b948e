//===- spellings-driver.c - runs each spelling both ways ------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Usage: spellings-driver [case text]
//
// Every array lies in a region of its own between two inaccessible pages, as in
// driver.c, with canaries before and behind it and in the padding of its rows.
// Both builds get the same bytes at the same addresses; afterwards everything in
// all regions must be equal. With a case text, only cases that contain it are run.
//
// Prints a line per failure:
//   FAIL <spelling> | <case> | <what>
//
//===----------------------------------------------------------------------===//

#define _GNU_SOURCE
#include "driver.h"
#include "values.h"
#include <setjmp.h>
#include <signal.h>

enum { RegionSize = 1 << 23, Canary = 512, MaxFailures = 3, MaxArrays = 8 };

/// One call of a spelling.
struct Case {
  char text[96];
  long size[5]; // M, N, K, P, Q
  int pad;      // leading dimension minus row length, if the form leaves it open
  int at_end;   // flush to the page behind (1) or in front (0)
  int inside;   // if not 0, the first array starts inside the array of this number,
  long offset;  // so many elements from its start
};

static struct Region regions[MaxArrays];
static char *saved[MaxArrays], *expected[MaxArrays];
static int quick, no_memory, failures, calls;
static const char *only_case;
static sigjmp_buf crashed;
static volatile sig_atomic_t in_call;

static void on_signal(int number) {
  if (in_call)
    siglongjmp(crashed, number);
  _exit(3);
}

static void report(const struct Spelling *s, const struct Case *c, const char *what) {
  printf("FAIL %s | %s | %s\n", s->name, c->text, what);
  failures++;
}

/// Runs one of the builds; a signal becomes a failure.
static int run(const struct Spelling *s, int plugin, const struct Case *c, struct Call *call) {
  int number = sigsetjmp(crashed, 1);
  if (number) {
    in_call = allocations_fail = 0;
    char what[80];
    snprintf(what, sizeof(what), "signal %d in the build %s the plugin", number,
             plugin ? "with" : "without");
    report(s, c, what);
    return 0;
  }
  allocations_fail = plugin && no_memory;
  in_call = 1;
  s->run(call);
  in_call = allocations_fail = 0;
  return 1;
}

/// Says where an array differs first.
static void compare(const struct Spelling *s, const struct Case *c, const struct Array *a, long ld,
                    const char *data, const char *want, const char *from, const char *to) {
  size_t size = size_of(a->type);
  for (const char *at = from; at < to; at += size, want += size) {
    if (equal(a->type, want, at))
      continue;
    char what[200], x[40], y[40];
    print_value(a->type, want, x, sizeof(x));
    print_value(a->type, at, y, sizeof(y));
    long element = (at - data) / (long)size;
    snprintf(what, sizeof(what), "%s differs at element %ld (row %ld, column %ld; ld %ld): %s, expected %s",
             a->name, element, element / ld, element % ld, ld, y, x);
    report(s, c, what);
    return;
  }
}

static void run_case(const struct Spelling *base, const struct Spelling *tile, const struct Case *c) {
  // Exact in float, and not the neutral elements, except in turn.
  static const double Reals[][2] = {{1.25, -0.75}, {-3, 0.5}, {1, 1}, {0.3125, 1}, {1, 0}};
  static const int Integers[][2] = {{3, -2}, {-1, 2}, {1, 1}, {2, 1}, {1, 0}};
  if (failures >= MaxFailures || (only_case && !strstr(c->text, only_case)))
    return;
  char alpha[8], beta[8];
  int which = c->inside ? 2 : calls % 5;
  put_scalar(base->type, Reals[which][0], Integers[which][0], alpha);
  put_scalar(base->type, Reals[which][1], Integers[which][1], beta);
  struct Call call = {c->size[0], c->size[1], c->size[2], c->size[3], c->size[4], alpha, beta};
  struct Array arrays[MaxArrays + 1] = {{0}};
  base->arrays(&call, arrays);
  char *from[MaxArrays], *to[MaxArrays];
  int n = 0;
  state = 88172645463325252ull + calls;
  for (; arrays[n].name; n++) {
    struct Array *a = &arrays[n];
    long rows = 1, columns = a->extent[a->dimensions - 1];
    for (int d = 0; d + 1 < a->dimensions; d++)
      rows *= a->extent[d] < 0 ? 0 : a->extent[d];
    long ld = base->ld > 0 ? base->ld : columns + (base->ld < 0 ? -base->ld : c->pad);
    call.ld[n] = ld > 0 ? ld : 1;
    long bytes = rows && columns > 0 ? ((rows - 1) * call.ld[n] + columns) * size_of(a->type) : 0;
    struct Region r = regions[n];
    if (bytes + 2 * Canary > RegionSize) {
      fprintf(stderr, "%s, %s: does not fit into a region\n", base->name, c->text);
      exit(2);
    }
    call.data[n] = c->at_end ? r.end - bytes : r.begin;
    from[n] = c->at_end ? r.end - bytes - Canary : r.begin;
    to[n] = from[n] + bytes + Canary;
  }
  if (c->inside) { // within the bytes of the other array's region, whichever side is free
    long bytes = to[0] - from[0] - Canary, other = c->inside;
    long shift = c->offset * (long)size_of(arrays[0].type);
    char *p = (char *)call.data[other] + (c->at_end ? -shift : shift);
    if (p + bytes > regions[other].end)
      p = regions[other].end - bytes;
    call.data[0] = p;
    if (from[other] > p)
      from[other] = p;
    if (to[other] < p + bytes)
      to[other] = p + bytes;
  }
  for (int i = 0; i < n; i++) {
    fill(arrays[i].type, c->inside || base->flags & TAME ? Tame : Mixed, from[i], to[i]);
    memcpy(saved[i], from[i], to[i] - from[i]);
  }
  int ok = run(base, 0, c, &call);
  for (int i = 0; i < n; i++) {
    memcpy(expected[i], from[i], to[i] - from[i]);
    memcpy(from[i], saved[i], to[i] - from[i]);
  }
  ok = ok && run(tile, 1, c, &call);
  calls++;
  for (int i = 0; ok && i < n; i++)
    if (memcmp(expected[i], from[i], to[i] - from[i]))
      compare(tile, c, &arrays[i], call.ld[i], call.data[i], expected[i], from[i], to[i]);
}

static void run_spelling(const struct Spelling *base, const struct Spelling *tile) {
  // Registers hold 24 rows and 8 columns, or less; small blocks 40, 48 and 24; the
  // tiles of some forms 64.
  static const long Sizes[][5] = {
      {0, 0, 0, 0, 0},   {1, 1, 1, 1, 1},    {2, 3, 1, 2, 1},    {3, 2, 5, 1, 3},
      {5, 7, 4, 2, 2},   {8, 8, 8, 3, 1},    {13, 9, 11, 2, 3},  {17, 33, 25, 3, 2},
      {32, 26, 40, 1, 2},{49, 50, 51, 2, 1}, {71, 97, 65, 1, 2}, {1, 60, 9, 2, 3},
      {60, 1, 9, 3, 2},  {50, 40, 1, 2, 2},  {0, 5, 6, 2, 2},    {12, 0, 5, 2, 2},
      {9, 10, 0, 2, 2},  {130, 19, 30, 1, 1}, {6, 7, 10, 21, 1}, {9, 5, 20, 35, 1},
      {3, 4, 2, 40, 2},  {41, 3, 37, 1, 2},  {2, 40, 39, 2, 1}, {37, 7, 90, 1, 1}};
  static const int Pads[] = {0, 1, 3, 0, 5};
  static const long Offsets[] = {0, 1, 9, 40};
  failures = 0;
  int constant = base->size[0] != 0;
  for (int i = 0; i < (constant ? 2 : (int)(sizeof(Sizes) / sizeof(Sizes[0]))); i++) {
    struct Case c = {.pad = Pads[i % 5], .at_end = i % 2};
    memcpy(c.size, constant ? base->size : Sizes[i], sizeof(c.size));
    snprintf(c.text, sizeof(c.text), "size %ldx%ldx%ldx%ldx%ld pad %d%s", c.size[0], c.size[1],
             c.size[2], c.size[3], c.size[4], c.pad, c.at_end ? " at the end" : "");
    run_case(base, tile, &c);
  }
  if (!(base->flags & MAY_ALIAS))
    return;
  struct Array arrays[MaxArrays + 1] = {{0}};
  base->arrays(&(struct Call){1, 1, 1, 1, 1}, arrays);
  for (int other = 1; arrays[other].name; other++)
    for (int i = 0; i < 4 && arrays[other].type == arrays[0].type; i++) {
      struct Case c = {.size = {24, 21, 22, 2, 2}, .inside = other, .offset = Offsets[i], .at_end = i % 2};
      if (constant)
        memcpy(c.size, base->size, sizeof(c.size));
      snprintf(c.text, sizeof(c.text), "%s inside %s at %ld", arrays[0].name, arrays[other].name,
               c.offset);
      run_case(base, tile, &c);
    }
}

int main(int argc, char **argv) {
  for (int i = 1; i < argc; i++)
    if (!strcmp(argv[i], "--no-memory"))
      no_memory = 1;
    else if (!strcmp(argv[i], "--fast-math"))
      fast_math = 1;
    else if (!strcmp(argv[i], "--quick"))
      quick = 1;
    else
      only_case = argv[i];
  for (int i = 0; i < MaxArrays; i++) {
    regions[i] = make_region(RegionSize);
    saved[i] = malloc(RegionSize), expected[i] = malloc(RegionSize);
    if (!regions[i].begin || !saved[i] || !expected[i])
      fail_hard("memory");
  }
  signal(SIGSEGV, on_signal);
  signal(SIGBUS, on_signal);
  signal(SIGILL, on_signal);
  signal(SIGFPE, on_signal);
  setvbuf(stdout, 0, _IOLBF, 0);
  int failed = 0, forms = 0;
  for (; base_spellings[forms].name; forms++) {
    printf("RUN %s\n", tile_spellings[forms].name);
    run_spelling(&base_spellings[forms], &tile_spellings[forms]);
    failed += failures != 0;
  }
  printf("DONE %d forms, %d calls, %d forms failed\n", forms, calls, failed);
  return failed != 0;
}
