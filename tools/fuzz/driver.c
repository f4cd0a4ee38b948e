//===- driver.c - runs random programs both ways and compares bytes -------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Usage: driver <file of calls> <seconds for a call>
//
// A line of the file is a call, all in numbers:
//
//   <program> <call> <seed> <values>  <number of sizes> <size>...
//   <number of scalars> <scalar>...
//   <number of groups> (<type> <bytes> <flush to the page behind?>)...
//   <number of arrays> (<group> <bytes from its start>)...
//
// A group is memory between two inaccessible pages, with canaries on the side
// that is free. A call is made on the same bytes at the same addresses by both
// builds; then all bytes of all groups must be equal, and all notes. Where both
// have a NaN, its bits do not matter: LLVM does not say which NaN comes of an
// operation.
//
// Prints
//   KERNEL <program>                  for a call in which a kernel packed
//   FAIL <program> | <call> | <what>
//   DONE <calls> calls, <n> with allocations
//
//===----------------------------------------------------------------------===//

#define _GNU_SOURCE
#include "../../test/EndToEnd/driver.h"
#include "../../test/EndToEnd/values.h"
#include "fuzz.h"
#include <setjmp.h>
#include <signal.h>
#include <sys/time.h>

enum { MaxGroups = 16, RegionSize = 1 << 21, Canary = 512, Pool = 1 << 16 };
enum {
  Bools = U8 + 1,
  Integers128
}; // further types of groups: bytes of 0 and 1, pairs of I64
enum { PlainValues, TameValues, SpecialValues, NaNValues, ZeroValues, Modes };

struct Group {
  enum Type type;
  int stored; // the type, or a further one
  long bytes;
  int at_end;
  char *from, *to; // with the canaries
};

static struct Region regions[MaxGroups];
// Rounds to __bf16, where the compiler's library is older than that type. What
// it returns is in the low half of a register that floats are returned in.
#if defined(__x86_64__)
__attribute__((weak)) float __truncsfbf2(float f) {
  uint32_t bits;
  memcpy(&bits, &f, 4);
  bits = f != f ? 0x7FC0 : (bits + 0x7FFF + (bits >> 16 & 1)) >> 16;
  memcpy(&f, &bits, 4);
  return f;
}
#endif

static char *saved[MaxGroups], *expected[MaxGroups];
static sigjmp_buf crashed;
static volatile sig_atomic_t in_call;
static uint64_t notes, seconds = 10;

// --- What programs call
// -------------------------------------------------------

void fuzz_note(long value) { notes = (notes ^ value) * 0x9E3779B97F4A7C15 + 1; }

#define DEFINE(name, type)                                                     \
  void fuzz_read_##name(const volatile type *p) {                              \
    type v = *p;                                                               \
    long bits = 0;                                                             \
    if (v == v)                                                                \
      memcpy(&bits, &v, sizeof(v));                                            \
    fuzz_note(bits);                                                           \
  }                                                                            \
  void fuzz_write_##name(volatile type *p) {                                   \
    *p = *p * (type)3 + (type)1;                                               \
    fuzz_note(1);                                                              \
  }
FUZZ_TYPES(DEFINE)

// --- Memory
// ---------------------------------------------------------------------

static int is_float(enum Type type) {
  return type == F64 || type == F32 || type == F16 || type == BF16;
}

static int is_nan(enum Type type, const char *at) {
  uint64_t bits = 0;
  memcpy(&bits, at, size_of(type)); // little-endian, or all of it below
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  bits >>= 64 - 8 * size_of(type);
#endif
  switch (type) {
  case F64:
    return (bits & ~0ull >> 1) > 0x7FFull << 52;
  case F32:
    return (bits & 0x7FFFFFFF) > 0x7F800000;
  case F16:
    return (bits & 0x7FFF) > 0x7C00;
  case BF16:
    return (bits & 0x7FFF) > 0x7F80;
  default:
    return 0;
  }
}

/// Infinities, NaNs, denormal numbers, the largest ones, negative zero; the
/// ends of narrow types.
static void put_special(enum Type type, uint64_t r, char *to) {
  static const uint64_t F64s[] = {
      0x7FFull << 52,     0xFFFull << 52,     0x7FF8ull << 48, 1,
      0x000FFFFFFFFFFFFF, 0x7FEFFFFFFFFFFFFF, 1ull << 63,      0x10ull << 48};
  static const uint32_t F32s[] = {0x7F800000, 0xFF800000, 0x7FC00000,
                                  1,          0x007FFFFF, 0x7F7FFFFF,
                                  0x80000000, 0x00800000};
  static const uint16_t F16s[] = {0x7C00, 0xFC00, 0x7E00, 1,
                                  0x03FF, 0x7BFF, 0x8000, 0x0400};
  static const int16_t I16s[] = {INT16_MIN, INT16_MAX, INT16_MIN, -INT16_MAX,
                                 255,       256,       -129,      -1};
  static const uint8_t U8s[] = {0x80, 0x7F, 0xFF, 0x80, 0x81, 0xFF, 0x7E, 0xFE};
  static const uint16_t BF16s[] = {0x7F80, 0xFF80, 0x7FC0, 1,
                                   0x007F, 0x7F7F, 0x8000, 0x0080};
  switch (type) {
  case F64:
    memcpy(to, &F64s[r % 8], 8);
    break;
  case F32:
    memcpy(to, &F32s[r % 8], 4);
    break;
  case F16:
    memcpy(to, &F16s[r % 8], 2);
    break;
  case BF16:
    memcpy(to, &BF16s[r % 8], 2);
    break;
  case I16:
    memcpy(to, &I16s[r % 8], 2);
    break;
  case I8:
  case U8:
    memcpy(to, &U8s[r % 8], 1);
    break;
  default:
    break;
  }
}

/// A zero of any sign, most often.
static void put_zero(enum Type type, uint64_t r, char *to) {
  if (r % 8 == 0)
    return;
  memset(to, 0, size_of(type));
  int last = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 0 : size_of(type) - 1;
  to[last] = r & 8 ? (char)0x80 : 0;
}

/// Fills from a pool of values of that kind, from a place that depends on `at`.
static void fill_group(struct Group *g, int mode, uint64_t at) {
  static char *pools[16][Modes];
  size_t size = size_of(g->type);
  char **pool = &pools[g->type][mode];
  if (!*pool) {
    *pool = malloc(Pool * size);
    state = 88172645463325252ull + mode;
    fill(g->type,
         mode == TameValues  ? Tame
         : mode == NaNValues ? NaNs
                             : Mixed,
         *pool, *pool + Pool * size);
    if (mode == SpecialValues)
      for (int i = 0; i < Pool; i++)
        if (next_random() >> 20 & 1)
          i += next_random() >> 32 & 31;
        else
          put_special(g->type, next_random() >> 33, *pool + i * size);
    if (mode == ZeroValues && is_float(g->type))
      for (char *p = *pool; p < *pool + Pool * size; p += size)
        put_zero(g->type, next_random() >> 33, p);
  }
  size_t place = at * 0x9E3779B97F4A7C15 >> 50;
  for (char *p = g->from; p < g->to;) {
    size_t n = (Pool - place) * size;
    if (n > (size_t)(g->to - p))
      n = g->to - p;
    memcpy(p, *pool + place * size, n);
    p += n, place = 0;
  }
  for (char *p = g->from; g->stored == Bools && p < g->to; p++)
    *p &= 1;
  for (char *p = g->from; g->stored == Integers128 && p < g->to; p += 16) {
    int64_t low;
    memcpy(&low, p, 8);
    __int128 all = low;
    memcpy(p, &all, 16);
  }
}

// --- Calls
// ------------------------------------------------------------------------

static void on_signal(int number) {
  if (in_call)
    siglongjmp(crashed, number);
  _exit(3);
}

/// Returns the signal that ended the call, or 0.
static int call(const struct Entry *e, const struct FuzzCall *c) {
  notes = 0;
  int number = sigsetjmp(crashed, 1);
  if (!number) {
    struct itimerval limit = {.it_value.tv_sec = seconds};
    setitimer(ITIMER_REAL, &limit, 0);
    in_call = 1;
    e->run(c);
  }
  in_call = 0;
  struct itimerval off = {0};
  setitimer(ITIMER_REAL, &off, 0);
  return number;
}

static long number(char **at) { return strtol(*at, at, 10); }

static int run_line(char *line, int *allocated) {
  char *at = line;
  long program = number(&at), which = number(&at), seed = number(&at),
       mode = number(&at);
  struct FuzzCall c = {0};
  for (long n = number(&at), i = 0; i < n; i++)
    c.n[i] = number(&at);
  for (long n = number(&at), i = 0; i < n; i++)
    c.r[i] = strtod(at, &at);
  struct Group groups[MaxGroups] = {0};
  long num_groups = number(&at);
  for (int i = 0; i < num_groups; i++) {
    struct Group *g = &groups[i];
    g->stored = number(&at);
    g->type = g->stored == Bools         ? U8
              : g->stored == Integers128 ? I64
                                         : (enum Type)g->stored;
    g->bytes = number(&at), g->at_end = number(&at);
    if (g->bytes + Canary > RegionSize)
      exit(2);
    g->from = g->at_end ? regions[i].end - g->bytes - Canary : regions[i].begin;
    g->to = g->at_end ? regions[i].end : regions[i].begin + g->bytes + Canary;
    fill_group(g, mode, seed + i);
    memcpy(saved[i], g->from, g->to - g->from);
  }
  for (long n = number(&at), i = 0; i < n; i++) {
    struct Group *g = &groups[number(&at)];
    c.a[i] = g->from + (g->at_end ? Canary : 0) + number(&at);
  }

  const struct Entry *base = &base_programs[program],
                     *tile = &tile_programs[program];
  int base_signal = call(base, &c);
  uint64_t base_notes = notes;
  for (int i = 0; i < num_groups; i++) {
    memcpy(expected[i], groups[i].from, groups[i].to - groups[i].from);
    memcpy(groups[i].from, saved[i], groups[i].to - groups[i].from);
  }
  allocations = 0;
  int tile_signal = call(tile, &c);
  if (allocations > 0) {
    *allocated += 1;
    printf("KERNEL %s\n", tile->name);
  }
  if (base_signal || tile_signal) {
    printf("FAIL %s | %ld | signal %d with the plugin, %d without\n",
           tile->name, which, tile_signal, base_signal);
    return 1;
  }
  if (notes != base_notes) {
    printf("FAIL %s | %ld | other notes\n", tile->name, which);
    return 1;
  }
  for (int i = 0; i < num_groups; i++) {
    struct Group *g = &groups[i];
    size_t bytes = g->to - g->from, size = size_of(g->type);
    if (!memcmp(expected[i], g->from, bytes))
      continue;
    for (size_t at = 0; at < bytes; at += size) {
      const char *want = expected[i] + at, *got = g->from + at;
      if (!memcmp(want, got, size) ||
          (is_float(g->type) && is_nan(g->type, want) && is_nan(g->type, got)))
        continue;
      char x[40], y[40];
      print_value(g->type, want, x, sizeof(x));
      print_value(g->type, got, y, sizeof(y));
      printf("FAIL %s | %ld | group %d differs at byte %ld: %s, expected %s\n",
             tile->name, which, i, (long)at - (g->at_end ? Canary : 0), y, x);
      return 1;
    }
  }
  return 0;
}

int main(int argc, char **argv) {
  static char line[1 << 14], stack[1 << 16];
  FILE *file = argc > 1 ? fopen(argv[1], "r") : 0;
  if (!file)
    fail_hard("calls");
  if (argc > 2)
    seconds = atoi(argv[2]);
  for (int i = 0; i < MaxGroups; i++) {
    regions[i] = make_region(RegionSize);
    saved[i] = malloc(RegionSize), expected[i] = malloc(RegionSize);
    if (!regions[i].begin || !saved[i] || !expected[i])
      fail_hard("memory");
  }
  stack_t on = {.ss_sp = stack, .ss_size = sizeof(stack)};
  sigaltstack(&on, 0);
  struct sigaction action = {.sa_handler = on_signal,
                             .sa_flags = SA_ONSTACK | SA_NODEFER};
  static const int Signals[] = {SIGSEGV, SIGBUS,  SIGILL, SIGFPE,
                                SIGALRM, SIGABRT, SIGTRAP};
  for (size_t i = 0; i < sizeof(Signals) / sizeof(Signals[0]); i++)
    sigaction(Signals[i], &action, 0);
  setvbuf(stdout, 0, _IOLBF, 0);
  int calls = 0, allocated = 0, failed = 0;
  while (fgets(line, sizeof(line), file)) {
    if (failed < 200)
      failed += run_line(line, &allocated);
    calls++;
  }
  printf("DONE %d calls, %d with allocations\n", calls, allocated);
  return failed != 0;
}
