//===- fuzz.h - what random programs are made of ----------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/// A file is compiled twice, with another PREFIX of its names.
#define JOIN2(a, b) a##_##b
#define JOIN(a, b) JOIN2(a, b)
#define PREFIX_(name) JOIN(PREFIX, name)

/// What is wrong on purpose on one side.
#ifdef PLANTED
#define PLANT(value) (-(value))
#else
#define PLANT(value) (value)
#endif

#ifdef __cplusplus
/// A pointer of any type, as void * is in C.
struct Any {
  void *p;
  template <class T> operator T *() const { return (T *)p; }
};
#define _Bool bool
#define ANY(p) (Any{(void *)(p)})
/// An array of some dimensions, and one that knows where it ends.
template <class T, int D> struct View {
  T *p;
  long strides[D];
  template <class... I> T &operator()(I... i) const {
    const long at[] = {(long)i...};
    long sum = 0;
    for (int d = 0; d < D; d++)
      sum += at[d] * strides[d];
    return p[sum];
  }
};
template <class T> struct Vector {
  T *begin, *end;
  T &operator[](long i) const { return begin[i]; }
};
template <class T, class U> inline void add_to(T &to, const U &value) {
  to += value;
}
extern "C" {
#else
#define ANY(p) ((void *)(p))
#endif

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
extern const struct Entry base_programs[],
    tile_programs[]; // the last has no name

/// A float of which \p Bits are sign, exponent and first digits, from 2^-15 to 2.
static inline float fuzz_upper_half(int16_t Bits) {
  uint32_t All = ((uint32_t)(uint16_t)Bits << 16 & 0x87ffffff) | 0x38000000;
  float Result;
  memcpy(&Result, &All, sizeof(Result));
  return Result;
}

#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))

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

#ifdef __cplusplus
}
/// Says how a function is left.
struct Guard {
  long value;
  ~Guard() { fuzz_note(value); }
};
#endif
