//===- exact-memory.c - only what the source reads exists -------*- C -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each nest runs in arrays of which nothing exists in front of the first byte
// that its loops touch, nor behind the last one. A traced build tells which
// these are.

// DEFINE: %{types} = -DT=double -DS=double
// DEFINE: %{flags} = -O3 -march=native
// DEFINE: %{compile} = %clang %{types} %{flags} -c %s
// DEFINE: %{traced} = %{compile} -DSUFFIX=traced -O1 -fno-vectorize -fsanitize-coverage=trace-pc-guard,trace-loads,trace-stores -o %t.traced.o
// DEFINE: %{ours} = %{compile} -DSUFFIX=ours -fpass-plugin=%tilesmith -mllvm -tilesmith-verify=1 -o %t.ours.o
// DEFINE: %{run} = %clang %t.main.o %t.traced.o %t.plain.o %t.ours.o -o %t && %t | FileCheck %s
// RUN: %{compile} -DSUFFIX=plain -o %t.plain.o
// RUN: %{compile} -DMAIN -o %t.main.o
// RUN: %{traced}
// RUN: env TILESMITH='min-work=1' %{ours} -Rpass=tilesmith 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: %{run}
// RUN: env TILESMITH='min-work=1;plan=mc=48 nc=16 kc=16' %{ours} && %{run}
// REDEFINE: %{flags} = -O2 -mavx2 -mfma
// RUN: %{compile} -DSUFFIX=plain -o %t.plain.o
// RUN: env TILESMITH='min-work=1' %{ours} && %{run}
// REDEFINE: %{types} = -DT=float -DS=float
// RUN: %{compile} -DSUFFIX=plain -o %t.plain.o
// RUN: %{compile} -DMAIN -o %t.main.o
// RUN: %{traced}
// RUN: env TILESMITH='min-work=1;plan=tile=16x4 mc=32 nc=12 kc=5' %{ours} && %{run}
// REDEFINE: %{flags} = -O2 -msse2
// RUN: %{compile} -DSUFFIX=plain -o %t.plain.o
// RUN: env TILESMITH='min-work=1' %{ours} && %{run}
// REDEFINE: %{flags} = -O2 -march=native
// REDEFINE: %{types} = -DT=int -DS=char
// RUN: %{compile} -DSUFFIX=plain -o %t.plain.o
// RUN: %{compile} -DMAIN -o %t.main.o
// RUN: %{traced}
// RUN: env TILESMITH='min-work=1' %{ours} && %{run}
// REMARK-COUNT-93: replaced
// CHECK-NOT: :
// CHECK: {{^}}131 nests, 0 differ

#ifndef MAIN
#define JOIN(a, b) a##_##b
#define NAME(a, b) JOIN(a, b)
#define FOR(i, begin, end) for (long i = (begin); i < (end); i++)
#define DOWN(i, begin, end) for (long i = (end) - 1; i >= (begin); i--)
#define NEST(name, ...)                                                                                                \
  void NAME(name, SUFFIX)(long n, long m, long k, long ld, const S *restrict a, const S *restrict b, T *restrict c,    \
                          T *restrict d) {                                                                             \
    __VA_ARGS__                                                                                                        \
  }
#include "Inputs/exact-memory.def"
#else

#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

typedef void Nest(long n, long m, long k, long ld, const S *a, const S *b, T *c, T *d);
#define NEST(name, ...) Nest name##_traced, name##_plain, name##_ours;
#include "Inputs/exact-memory.def"
#undef NEST
#define NEST(name, ...) {#name, name##_traced, name##_plain, name##_ours},
static const struct {
  const char *name;
  Nest *traced, *plain, *ours;
} nests[] = {
#include "Inputs/exact-memory.def"
};

enum { Arrays = 4, Page = 4096, Size = 1 << 22 };

/// What a nest touches of an array: bytes from its first element on.
struct Extent {
  long low, high;
};
static char *arrays[Arrays]; // in the middle of twice the size
static struct Extent touched[Arrays];

static void touch(void *at, long size) {
  for (int i = 0; i < Arrays; i++) {
    long offset = (char *)at - arrays[i];
    if (offset < -Size || offset >= Size)
      continue;
    struct Extent *of = &touched[i];
    if (of->low == of->high)
      *of = (struct Extent){offset, offset + size};
    if (offset < of->low)
      of->low = offset;
    if (offset + size > of->high)
      of->high = offset + size;
  }
}
void __sanitizer_cov_load1(uint8_t *at) { touch(at, 1); }
void __sanitizer_cov_load2(uint16_t *at) { touch(at, 2); }
void __sanitizer_cov_load4(uint32_t *at) { touch(at, 4); }
void __sanitizer_cov_load8(uint64_t *at) { touch(at, 8); }
void __sanitizer_cov_load16(void *at) { touch(at, 16); }
void __sanitizer_cov_store1(uint8_t *at) { touch(at, 1); }
void __sanitizer_cov_store2(uint16_t *at) { touch(at, 2); }
void __sanitizer_cov_store4(uint32_t *at) { touch(at, 4); }
void __sanitizer_cov_store8(uint64_t *at) { touch(at, 8); }
void __sanitizer_cov_store16(void *at) { touch(at, 16); }
void __sanitizer_cov_trace_pc_guard(uint32_t *guard) {}
void __sanitizer_cov_trace_pc_guard_init(uint32_t *begin, uint32_t *end) {}

static sigjmp_buf before_fault;
static void leave(int signal) { siglongjmp(before_fault, signal); }

struct Call {
  long n, m, k, ld;
};

static char *memory[Arrays];

/// Fills an array. No element is zero, as nests may test that.
static void fill(int array, void *to, long bytes) {
  S *factors = to;
  T *sums = to, scale = (T)0.5 ? (T)1 / 64 : 1;
  for (long i = 0; array < 2 && i < bytes / (long)sizeof(S); i++)
    factors[i] = (S)((i * 7 + array) % 61 * 2 - 61);
  for (long i = 0; array >= 2 && i < bytes / (long)sizeof(T); i++)
    sums[i] = (T)((i * 7 + array) % 61 * 2 - 61) * scale;
}

/// Runs \p nest where only what it touches exists, up to the end of a page, or
/// from the beginning of one. The hash of what is in c and d then; 0 if it faults.
static uint64_t run(Nest *nest, struct Call of, int ends_page) {
  char *begin[Arrays], *first[Arrays];
  for (int i = 0; i < Arrays; i++) {
    long bytes = touched[i].high - touched[i].low, pages = (bytes + Page - 1) / Page * Page;
    mprotect(memory[i], Size + 2 * Page, PROT_NONE);
    mprotect(memory[i] + Page, pages, PROT_READ | PROT_WRITE);
    begin[i] = memory[i] + Page + (ends_page ? pages - bytes : 0);
    first[i] = begin[i] - touched[i].low;
    fill(i, begin[i], bytes);
  }
  if (sigsetjmp(before_fault, 1))
    return 0;
  nest(of.n, of.m, of.k, of.ld, (S *)first[0], (S *)first[1], (T *)first[2], (T *)first[3]);
  uint64_t hash = 1;
  for (int i = 2; i < Arrays; i++)
    for (char *at = begin[i]; at < first[i] + touched[i].high; at++)
      hash = hash * 0x100000001B3 + *at;
  return hash ? hash : 1;
}

int main(void) {
  static const struct Call calls[] = {{1, 1, 1, 2},      {2, 3, 2, 5},     {3, 2, 4, 7},     {5, 5, 5, 9},
                                      {6, 9, 7, 13},     {8, 8, 8, 8},     {13, 7, 11, 17},  {16, 24, 8, 24},
                                      {17, 33, 9, 40},   {25, 24, 26, 61}, {32, 16, 40, 64}, {40, 41, 12, 91},
                                      {49, 8, 50, 53},   {64, 64, 64, 64}, {77, 5, 20, 130}};
  struct sigaction action = {.sa_handler = leave, .sa_flags = SA_NODEFER};
  sigaction(SIGSEGV, &action, 0);
  sigaction(SIGFPE, &action, 0);
  for (int i = 0; i < Arrays; i++) {
    arrays[i] = (char *)mmap(0, 2 * Size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) + Size;
    fill(i, arrays[i] - Size, 2 * Size);
    memory[i] = mmap(0, Size + 2 * Page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  }
  int differ = 0, count = sizeof nests / sizeof *nests;
  for (int i = 0; i < count; i++)
    for (unsigned j = 0; j < sizeof calls / sizeof *calls; j++) {
      struct Call of = calls[j];
      memset(touched, 0, sizeof touched);
      nests[i].traced(of.n, of.m, of.k, of.ld, (S *)arrays[0], (S *)arrays[1], (T *)arrays[2], (T *)arrays[3]);
      for (int ends_page = 0; ends_page < 2; ends_page++) {
        uint64_t plain = run(nests[i].plain, of, ends_page), ours = run(nests[i].ours, of, ends_page);
        if (plain == ours && plain)
          continue;
        differ++;
        printf("%s: %ld %ld %ld, %s of its pages: %s\n", nests[i].name, of.n, of.m, of.k, ends_page ? "end" : "begin",
               ours ? "differs" : "faults");
      }
    }
  printf("%d nests, %d differ\n", count, differ);
}
#endif
