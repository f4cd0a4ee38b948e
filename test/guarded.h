//===- guarded.h - memory between pages that fault --------------*- C -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the programs share that are run with and without the plugin: operands of
// which no byte too much can be touched, elements to fill them with, and a hash of
// results to print.
//
//===----------------------------------------------------------------------===//

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { Page = 4096 };

/// At least \p Bytes bytes between two pages that fault. Ends at whole pages.
static inline char *guardedPages(size_t Bytes) {
  size_t Whole = (Bytes + Page - 1) / Page * Page;
  char *All = mmap(NULL, Whole + 2 * Page, PROT_NONE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (All == MAP_FAILED || mprotect(All + Page, Whole, PROT_READ | PROT_WRITE)) {
    perror("guarded memory");
    exit(1);
  }
  return All + Page;
}

/// \p Bytes bytes of \p Pages, which has \p Size bytes: its last ones, or its first.
static inline void *placed(char *Pages, size_t Size, size_t Bytes, int AtEnd) {
  return AtEnd ? Pages + Size - Bytes : Pages;
}

/// \p Bytes bytes of their own that end, or begin, where a page faults.
static inline void *guarded(size_t Bytes, int AtEnd) {
  size_t Whole = (Bytes + Page - 1) / Page * Page;
  return placed(guardedPages(Whole), Whole, Bytes, AtEnd);
}

/// A number from -1 up to 1; one of 1,024 is \p Rare.
static inline double anyElement(double Rare) {
  static unsigned long State = 1;
  State = State * 6364136223846793005ul + 1442695040888963407ul;
  return State >> 54 == 7 ? Rare : (double)(long)(State >> 40) / (1 << 23) - 1;
}

/// FNV-1a, of all that was hashed since the program began.
static unsigned long Hash = 14695981039346656037ul;

static inline void hashBytes(const void *Of, size_t Size) {
  for (size_t I = 0; I < Size; I++)
    Hash = (Hash ^ ((const unsigned char *)Of)[I]) * 1099511628211ul;
}

/// Hashes \p Count elements. Of a NaN, sign and payload are not defined: all NaNs are
/// the same.
#define HASH_ELEMENTS(T, Elements, Count)                                      \
  do {                                                                         \
    for (size_t I = 0; I < (size_t)(Count); I++) {                             \
      T Element = (Elements)[I] != (Elements)[I] ? (T)NAN : (Elements)[I];     \
      hashBytes(&Element, sizeof(T));                                          \
    }                                                                          \
  } while (0)
