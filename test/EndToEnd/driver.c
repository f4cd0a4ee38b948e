//===- driver.c - runs each form both ways and compares bytes -------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Usage: driver [--fast-math] [--quick] [--no-memory] [case text]
//
// Every operand lies in a region of its own between two inaccessible pages,
// flush to the first or to the last, with canaries on the other side and in the
// padding of its rows. A call is made on the same bytes at the same addresses
// by both builds, and afterwards everything in all regions must be equal.
//
// --fast-math compares with a tolerance, --quick leaves out large sizes, and
// --no-memory lets every allocation in the build with the plugin fail. With a
// case text, only cases that contain it are run.
//
// Prints a line per failure:
//   FAIL <form> | <case> | <what>
//
//===----------------------------------------------------------------------===//

#define _GNU_SOURCE
#include "driver.h"
#include "values.h"
#include <setjmp.h>
#include <signal.h>

enum { RegionSize = 1 << 20, Canary = 512, MaxFailures = 3 };
enum Operand { OpC, OpA, OpB };
static const char *const OperandNames[] = {"C", "A", "B"};

/// One call of a form.
struct Case {
  char text[96];
  long M, N, K;
  long pad[3];  // of C, A, B: leading dimension minus row length
  long ld[3];   // if not zero, the leading dimension instead
  int at_end;   // flush to the page behind (1) or in front (0)
  int null_ptr; // empty operands are null pointers
  int overlap;  // 0: none; 1, 2: C starts inside A, B; 3: B is A
  long offset;  // of C from A or B then, in elements
};

static struct Region regions[3];
static char *saved[3], *expected[3];
static int quick, no_memory, failures, calls;
static const char *only_case;
static sigjmp_buf crashed;
static volatile sig_atomic_t in_call;

static void on_signal(int number) {
  if (in_call)
    siglongjmp(crashed, number);
  _exit(3);
}

// --- One call ---------------------------------------------------------------

static void report(const struct Form *form, const struct Case *c,
                   const char *what) {
  printf("FAIL %s | %s | %s\n", form->name, c->text, what);
  failures++;
}

/// Calls one of the builds, form[0] or form[1]; a signal becomes a failure.
static int call(const struct Form *const form[2], int build,
                const struct Case *c, char *const p[3], const long ld[3]) {
  // Exact in float, and not the neutral elements, except in turn.
  static const double Reals[][2] = {
      {1.25, -0.75}, {-3, 0.5}, {1, 1}, {0.3125, 1}, {1, 0}};
  static const int Integers[][2] = {{3, -2}, {-1, 2}, {1, 1}, {2, 1}, {1, 0}};
  int which = c->overlap ? 2 : calls % 5;
  char alpha[8], beta[8];
  double sign = fast_math ? -1 : 1;
  put_scalar(form[0]->type, Reals[which][0] * (Reals[which][0] < 0 ? sign : 1),
             Integers[which][0], alpha);
  put_scalar(form[0]->type, Reals[which][1] * (Reals[which][1] < 0 ? sign : 1),
             Integers[which][1], beta);
  int number = sigsetjmp(crashed, 1);
  if (number) {
    in_call = allocations_fail = 0;
    char what[80];
    snprintf(what, sizeof(what), "signal %d in the build %s the plugin", number,
             build ? "with" : "without");
    report(form[1], c, what);
    return 0;
  }
  allocations_fail = build && no_memory;
  in_call = 1;
  form[build]->run(c->M, c->N, c->K, alpha, beta, p[OpA], ld[OpA], p[OpB],
                   ld[OpB], p[OpC], ld[OpC]);
  in_call = allocations_fail = 0;
  return 1;
}

static void run_case(const struct Form *base, const struct Form *tile,
                     const struct Case *c) {
  if (failures >= MaxFailures || (only_case && !strstr(c->text, only_case)))
    return;
  const long extents[3][2] = {{c->M, c->N}, {c->M, c->K}, {c->K, c->N}};
  size_t size = size_of(base->type);
  char *p[3], *from[3], *to[3];
  long ld[3];
  for (int o = 0; o < 3; o++) {
    long rows = extents[o][base->layout[o] == 'c'],
         columns = extents[o][base->layout[o] == 'r'];
    if (rows < 0)
      rows = 0;
    if (columns < 0)
      columns = 0;
    ld[o] = c->ld[o]      ? c->ld[o]
            : base->ld[o] ? base->ld[o]
                          : columns + c->pad[o];
    if (!c->ld[o] && ld[o] == 0)
      ld[o] = 1;
    // Elements before and after the first one that the operand reaches to.
    long last = rows && columns ? (rows - 1) * ld[o] : 0;
    long before = last < 0 ? -last : 0, after = rows && columns ? columns : 0;
    if (last > 0)
      after += last;
    if ((before + after) * size + Canary + Canary > RegionSize) {
      fprintf(stderr, "%s: does not fit into a region\n", c->text);
      exit(2);
    }
    struct Region r = regions[o];
    p[o] = c->at_end ? r.end - after * size : r.begin + before * size;
    from[o] = p[o] - before * size - Canary;
    to[o] = p[o] + after * size + Canary;
    if (c->null_ptr && before + after == 0)
      p[o] = 0;
  }
  if (c->overlap == 3) {
    p[OpB] = p[OpA];
  } else if (c->overlap) {
    // Within the bytes of the other operand's region, whichever side is free.
    int other = c->overlap == 1 ? OpA : OpB;
    long bytes = to[OpC] - from[OpC];
    p[OpC] = p[other] + (c->at_end ? -c->offset : c->offset) * (long)size;
    if (p[OpC] + bytes > regions[other].end)
      p[OpC] = regions[other].end - bytes;
    from[other] -= bytes, to[other] += bytes + c->offset * size;
  }
  state = 88172645463325252ull + calls;
  for (int o = 0; o < 3; o++) {
    if (from[o] < regions[o].begin)
      from[o] = regions[o].begin;
    if (to[o] > regions[o].end)
      to[o] = regions[o].end;
    int tame = c->overlap || c->ld[OpC];
    int nan = o == OpC && (base->flags & OVERWRITES_C) && calls % 2 && !tame &&
              !fast_math;
    fill(base->type, tame ? Tame : nan ? NaNs : Mixed, from[o], to[o]);
    memcpy(saved[o], from[o], to[o] - from[o]);
  }

  const struct Form *forms[] = {base, tile};
  int ok = call(forms, 0, c, p, ld);
  for (int o = 0; o < 3; o++) {
    memcpy(expected[o], from[o], to[o] - from[o]);
    memcpy(from[o], saved[o], to[o] - from[o]);
  }
  ok = ok && call(forms, 1, c, p, ld);
  calls++;
  for (int o = 0; ok && o < 3; o++) {
    if (!memcmp(expected[o], from[o], to[o] - from[o]))
      continue;
    for (char *at = from[o]; at < to[o]; at += size) {
      const char *want = expected[o] + (at - from[o]);
      if (equal(base->type, want, at))
        continue;
      char what[200], x[40], y[40];
      print_value(base->type, want, x, sizeof(x));
      print_value(base->type, at, y, sizeof(y));
      long element = p[o] ? (at - p[o]) / (long)size : -1;
      snprintf(what, sizeof(what),
               "%s differs at byte %ld (line %ld, place %ld; ld %ld): %s, "
               "expected %s",
               OperandNames[o], element * (long)size, element / ld[o],
               element % ld[o], ld[o], y, x);
      report(tile, c, what);
      break;
    }
  }
}

// --- All calls of a form ----------------------------------------------------

static void run_sizes(const struct Form *base, const struct Form *tile,
                      const long (*sizes)[3], int n) {
  static const long Pads[] = {0, 1, 3, 8, 0, 5};
  for (int i = 0; i < n; i++) {
    struct Case c = {
        .M = sizes[i][0], .N = sizes[i][1], .K = sizes[i][2], .at_end = i % 2};
    if ((quick && !base->size[0] && c.M * c.N * c.K > 40000) ||
        ((base->flags & CHAIN) && c.K > 200))
      continue;
    for (int o = 0; o < 3; o++)
      c.pad[o] = Pads[(i + i / 2 * o) % 6];
    snprintf(c.text, sizeof(c.text), "size %ldx%ldx%ld", c.M, c.N, c.K);
    run_case(base, tile, &c);
  }
}

static void run_empty(const struct Form *base, const struct Form *tile) {
  for (int zero = 1; zero < 8; zero++) {
    struct Case c = {
        .M = zero & 1 ? 0 : 9, .N = zero & 2 ? 0 : 10, .K = zero & 4 ? 0 : 11};
    c.null_ptr = 1;
    snprintf(c.text, sizeof(c.text), "null pointers %ldx%ldx%ld", c.M, c.N,
             c.K);
    run_case(base, tile, &c);
    if (!(base->flags & SIGNED_INDEX) || (base->flags & (VLA | CHAIN)))
      continue;
    c.M = c.M ? c.M : -3, c.N = c.N ? c.N : -1, c.K = c.K ? c.K : -100;
    snprintf(c.text, sizeof(c.text), "negative extents %ldx%ldx%ld", c.M, c.N,
             c.K);
    run_case(base, tile, &c);
  }
}

static void run_aliasing(const struct Form *base, const struct Form *tile) {
  static const long Sizes[][3] = {{24, 24, 24}, {17, 8, 9}, {33, 20, 7}};
  static const long Offsets[] = {0, 1, 8, 23, 40, 200};
  if (!(base->flags & MAY_ALIAS))
    return;
  for (int s = 0; s < 3; s++)
    for (int other = 1; other <= 3; other++)
      for (int i = 0; i < (other == 3 ? 1 : 6); i++) {
        struct Case c = {
            .overlap = other, .offset = Offsets[i], .at_end = i % 2};
        c.M = Sizes[s][0], c.N = Sizes[s][1], c.K = Sizes[s][2];
        if (other == 3)
          c.N = c.K = c.M; // so that A and B have the same shape
        if (base->size[0]) {
          if (other == 3 || s)
            continue;
          c.M = base->size[0], c.N = base->size[1], c.K = base->size[2];
        }
        if (other == 3)
          snprintf(c.text, sizeof(c.text), "B is A %ldx%ldx%ld", c.M, c.N, c.K);
        else
          snprintf(c.text, sizeof(c.text), "C inside %s at %ld %ldx%ldx%ld",
                   OperandNames[other], c.offset, c.M, c.N, c.K);
        run_case(base, tile, &c);
      }
}

/// Rows of an operand that overlap each other, or go backwards.
static void run_odd_ld(const struct Form *base, const struct Form *tile) {
  if (!(base->flags & ANY_LD) || base->size[0])
    return;
  static const long Lds[] = {1, 2, 5, 19, -1, -23, -40};
  for (int o = 0; o < 3; o++)
    for (int i = 0; i < (base->flags & SIGNED_INDEX ? 7 : 4); i++) {
      struct Case c = {.M = 20, .N = 21, .K = 22, .at_end = i % 2};
      c.ld[o] = Lds[i];
      snprintf(c.text, sizeof(c.text), "ld%s = %ld 20x21x22", OperandNames[o],
               Lds[i]);
      run_case(base, tile, &c);
    }
}

/// Leading dimensions just below 2^32: in unsigned arithmetic row r starts r
/// elements-and-a-bit before 2^32, at the far end of a huge, sparse region.
static void run_wrapping(const struct Form *base, const struct Form *tile) {
  enum { M = 24, N = 21, K = 22, Near = 1 << 12 };
  if (!(base->flags & WRAPS) || quick)
    return;
  static struct Region huge[2];
  size_t size = size_of(base->type), bytes = ((1ull << 32) + Near) * size;
  for (int o = 0; o < 2; o++)
    if (!huge[o].begin)
      huge[o] = make_region(((1ull << 32) + Near) * 8);
  if (!huge[0].begin || !huge[1].begin)
    return; // no address space for it here
  struct Case c = {.text = "wrapping indices 24x21x22", .M = M, .N = N, .K = K};
  if (only_case && !strstr(c.text, only_case))
    return;
  static char keep[2][2][2 * Near * 8], want[2][2][2 * Near * 8];
  char *p[3] = {huge[OpC].begin, huge[OpA].begin, regions[OpB].begin};
  long ld[3] = {(1ll << 32) - 30, (1ll << 32) - 31, 40};
  const struct Form *forms[] = {base, tile};
  state = 1;
  fill(base->type, Mixed, regions[OpB].begin,
       regions[OpB].begin + 64 * 64 * size);
  for (int build = 0; build < 2; build++) {
    for (int o = 0; o < 2; o++) {
      char *part[2] = {p[o], p[o] + bytes - 2 * Near * size};
      for (int side = 0; side < 2; side++)
        if (build == 0) {
          fill(base->type, Mixed, part[side], part[side] + 2 * Near * size);
          memcpy(keep[o][side], part[side], 2 * Near * size);
        } else {
          memcpy(want[o][side], part[side], 2 * Near * size);
          memcpy(part[side], keep[o][side], 2 * Near * size);
        }
    }
    if (!call(forms, build, &c, p, ld))
      return;
  }
  calls++;
  for (int o = 0; o < 2; o++)
    for (int side = 0; side < 2; side++) {
      char *part = side ? p[o] + bytes - 2 * Near * size : p[o];
      for (size_t at = 0; at < 2 * Near * size; at += size)
        if (!equal(base->type, want[o][side] + at, part + at)) {
          report(tile, &c, o ? "A differs" : "C differs");
          return;
        }
    }
}

static void run_form(const struct Form *base, const struct Form *tile) {
  static const long Square[] = {0,  1,  2,  3,  5,  7,  8,  13, 16,  17,
                                24, 31, 32, 33, 48, 64, 65, 97, 100, 130};
  static const long Skewed[][3] = {
      {1, 130, 7},   {130, 1, 7},   {7, 130, 1},   {3, 200, 5},   {200, 3, 5},
      {5, 3, 200},   {64, 8, 300},  {8, 64, 300},  {256, 16, 16}, {16, 256, 33},
      {31, 37, 401}, {13, 17, 600}, {10, 9, 1100}, {500, 9, 12},  {5, 4100, 3},
      {41, 3, 37},   {2, 40, 39},   {37, 7, 530},  {100, 0, 7},   {12, 12, 0},
      {0, 12, 12}};
  enum { NumSquare = sizeof(Square) / sizeof(Square[0]) };
  failures = 0;
  if (base->size[0]) {
    long again[4][3];
    for (int i = 0; i < 4; i++)
      memcpy(again[i], base->size, sizeof(again[i]));
    run_sizes(base, tile, again, 4);
  } else {
    long squares[NumSquare][3];
    for (int i = 0; i < NumSquare; i++)
      squares[i][0] = squares[i][1] = squares[i][2] = Square[i];
    run_sizes(base, tile, squares, NumSquare);
    run_sizes(base, tile, Skewed, sizeof(Skewed) / sizeof(Skewed[0]));
    run_empty(base, tile);
  }
  run_aliasing(base, tile);
  run_odd_ld(base, tile);
  run_wrapping(base, tile);
}

int main(int argc, char **argv) {
  for (int i = 1; i < argc; i++)
    if (!strcmp(argv[i], "--fast-math"))
      fast_math = 1;
    else if (!strcmp(argv[i], "--quick"))
      quick = 1;
    else if (!strcmp(argv[i], "--no-memory"))
      no_memory = 1;
    else
      only_case = argv[i];
  for (int o = 0; o < 3; o++) {
    regions[o] = make_region(RegionSize);
    saved[o] = malloc(RegionSize), expected[o] = malloc(RegionSize);
    if (!regions[o].begin || !saved[o] || !expected[o])
      fail_hard("memory");
  }
  signal(SIGSEGV, on_signal);
  signal(SIGBUS, on_signal);
  signal(SIGILL, on_signal);
  signal(SIGFPE, on_signal);
  setvbuf(stdout, 0, _IOLBF, 0);
  int failed = 0, forms = 0;
  for (; base_forms[forms].name; forms++) {
    if (no_memory && base_forms[forms].flags & CHAIN)
      continue; // allocates its own operands
    printf("RUN %s\n", tile_forms[forms].name);
    run_form(&base_forms[forms], &tile_forms[forms]);
    failed += failures != 0;
  }
  printf("DONE %d forms, %d calls, %d forms failed\n", forms, calls, failed);
  return failed != 0;
}
