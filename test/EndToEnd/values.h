//===- values.h - operands of the drivers -----------------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What both drivers need: memory between inaccessible pages, allocations that
// fail when they are told to, and elements to fill, compare and print.
//
//===----------------------------------------------------------------------===//

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int fast_math, allocations_fail;
static long allocations;

struct Region {
  char *begin, *end;
};

static void fail_hard(const char *what) {
  perror(what);
  exit(2);
}

static struct Region make_region(size_t size) {
  size_t page = sysconf(_SC_PAGESIZE);
  char *all = mmap(0, size + 2 * page, PROT_NONE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  struct Region r = {all + page, all + page + size};
  if (all == MAP_FAILED)
    return (struct Region){0, 0};
  if (mprotect(r.begin, size, PROT_READ | PROT_WRITE))
    fail_hard("mprotect");
  return r;
}

// The linker's --wrap sends the forms' allocations here.
void *__real_malloc(size_t);
void *__real_aligned_alloc(size_t, size_t);
int __real_posix_memalign(void **, size_t, size_t);
void *__wrap_malloc(size_t size) {
  allocations++;
  return allocations_fail ? 0 : __real_malloc(size);
}
void *__wrap_aligned_alloc(size_t alignment, size_t size) {
  return allocations_fail ? 0 : __real_aligned_alloc(alignment, size);
}
int __wrap_posix_memalign(void **to, size_t alignment, size_t size) {
  return allocations_fail ? 12 : __real_posix_memalign(to, alignment, size);
}

// --- Values -----------------------------------------------------------------

static uint64_t state;
static uint64_t next_random(void) {
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return state * 0x2545F4914F6CDD1D;
}

static size_t size_of(enum Type t) {
  static const size_t Sizes[] = {8, 4, 4, 8, 4, 8, 2, 2, 2, 1, 1};
  return Sizes[t];
}

enum Values { Mixed, Tame, NaNs };

/// Mixed: floats of many magnitudes, so that another order of summation shows;
/// whole range of the unsigned types. Tame: for products that feed on their own
/// results. Any --fast-math value is positive, so that nothing cancels.
static void put_random(enum Type type, enum Values values, void *to) {
  uint64_t r = next_random();
  double fraction = 1 + (double)(r >> 12) / (double)(1ull << 52);
  int exponent = values == Tame ? -6 + (int)(r % 4) : -10 + (int)(r % 21);
  double sign = r & 0x800 ? -1 : 1;
  if (fast_math)
    sign = 1, exponent = values == Tame ? -6 : 0;
  double d = sign * fraction;
  for (; exponent > 0; exponent--)
    d *= 2;
  for (; exponent < 0; exponent++)
    d /= 2;
  if (!fast_math && r % 61 == 0)
    d = sign * 0.0;
  int64_t i = (int64_t)(r >> 33) % 19 - 9;
  if (values == Tame)
    i = r % 16 ? 0 : sign;
  switch (type) {
  case F64:
    *(double *)to = values == NaNs ? __builtin_nan("") : d;
    break;
  case F32:
    *(float *)to = values == NaNs ? __builtin_nanf("") : (float)d;
    break;
  case I32:
    *(int32_t *)to = i;
    break;
  case I64:
    *(int64_t *)to = i;
    break;
  case U32:
    *(uint32_t *)to = r;
    break;
  case U64:
    *(uint64_t *)to = r;
    break;
  case F16: // 10 bits of fraction behind the exponent
  case BF16: { // 7 bits
    if (values != Tame)
      exponent = (int)(r % 7) - 3;
    int bits = type == F16 ? 10 : 7;
    *(uint16_t *)to = (sign < 0) << 15 | (exponent + (type == F16 ? 15 : 127)) << bits |
                      (r >> 40 & ((1 << bits) - 1));
    break;
  }
  case I16:
    *(int16_t *)to = i;
    break;
  case I8:
    *(int8_t *)to = i;
    break;
  case U8:
    *(uint8_t *)to = i & 15;
    break;
  }
}

static void fill(enum Type type, enum Values values, char *begin, char *end) {
  for (; begin < end; begin += size_of(type))
    put_random(type, values, begin);
}

static void put_scalar(enum Type type, double real, int integer, void *to) {
  switch (type) {
  case F64:
    *(double *)to = real;
    break;
  case F32:
    *(float *)to = (float)real;
    break;
  case I32:
  case U32:
    *(int32_t *)to = integer;
    break;
  case I64:
  case U64:
    *(int64_t *)to = integer;
    break;
  case I16:
    *(int16_t *)to = (int16_t)integer;
    break;
  default: // types of factors only
    abort();
  }
}

/// Equal bits; under --fast-math, equal up to the rounding of a long sum.
static int equal(enum Type type, const char *x, const char *y) {
  if (!memcmp(x, y, size_of(type)))
    return 1;
  if (!fast_math || (type != F64 && type != F32))
    return 0;
  double a = type == F64 ? *(const double *)x : *(const float *)x;
  double b = type == F64 ? *(const double *)y : *(const float *)y;
  double difference = a < b ? b - a : a - b;
  return difference <= (type == F64 ? 1e-11 : 2e-3) * (a < 0 ? -a : a);
}

static void print_value(enum Type type, const char *at, char *to, size_t size) {
  switch (type) {
  case F64:
    snprintf(to, size, "%a", *(const double *)at);
    break;
  case F32:
    snprintf(to, size, "%a", *(const float *)at);
    break;
  case I32:
    snprintf(to, size, "%d", *(const int32_t *)at);
    break;
  case I64:
    snprintf(to, size, "%lld", (long long)*(const int64_t *)at);
    break;
  case U32:
    snprintf(to, size, "%u", *(const uint32_t *)at);
    break;
  case U64:
    snprintf(to, size, "%llu", (unsigned long long)*(const uint64_t *)at);
    break;
  case F16:
  case BF16:
  case I16:
    snprintf(to, size, "%#x", *(const uint16_t *)at);
    break;
  case I8:
  case U8:
    snprintf(to, size, "%#x", *(const uint8_t *)at);
    break;
  }
}
