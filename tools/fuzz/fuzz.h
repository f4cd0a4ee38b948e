//===- fuzz.h - what random programs are made of ----------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { MAX_ROWS = 256 };

/// Sizes and leading dimensions, scalars, and where the arrays start.
struct FuzzCall {
  long n[32];
  double r[4];
  char *a[16];
};

struct Entry {
  const char *name;
  void (*run)(const struct FuzzCall *);
};

// base_programs are compiled without the plugin, tile_programs with it.
extern const struct Entry base_programs[], tile_programs[]; // the last has no name

#define MIN(a, b) ((a) < (b) ? (a) : (b))

/// The order and the values of all notes are compared.
void fuzz_note(long value);

// fuzz_read_f64 notes the element, fuzz_write_f64 changes it.
#define FUZZ_TYPES(X)                                                          \
  X(f64, double)                                                               \
  X(f32, float)                                                                \
  X(i64, int64_t)                                                              \
  X(u64, uint64_t)                                                             \
  X(i32, int32_t)                                                              \
  X(u32, uint32_t)                                                             \
  X(i16, int16_t)                                                              \
  X(i8, int8_t)                                                                \
  X(u8, uint8_t)
#define FUZZ_DECLARE(name, type)                                               \
  void fuzz_read_##name(const volatile type *);                                \
  void fuzz_write_##name(volatile type *);
FUZZ_TYPES(FUZZ_DECLARE)
