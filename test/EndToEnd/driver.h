//===- driver.h - the forms of one executable -------------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An executable of the end-to-end matrix holds the same forms twice: base_forms
// compiled without the plugin, tile_forms compiled with it. The second matrix has
// base_spellings and tile_spellings.
//
//===----------------------------------------------------------------------===//

#include <stdint.h>

enum Type { F64, F32, I32, I64, U32, U64, F16, BF16, I16, I8, U8 };

enum Flags {
  OVERWRITES_C = 1, // the old value of C must not matter
  MAY_ALIAS = 2,    // the operands may overlap
  ANY_LD = 4,       // the leading dimension may be shorter than the row
  SIGNED_INDEX = 8, // extents and leading dimensions may be negative
  WRAPS = 16,       // indices wrap at 2^32
  VLA = 32,         // negative extents are undefined behaviour
  CHAIN = 64,       // has K x K operands of its own: keep K small
  TAME = 128        // results are operands again: small elements only
};

struct Form {
  const char *name;
  const char *layout; // of C, A, B: r(ow) or c(olumn) major
  enum Type type;
  int flags;
  long size[3]; // the only M, N, K it works for, or zeros
  long ld[3];   // the only leading dimensions of C, A, B
  void (*run)(long M, long N, long K, const void *alpha, const void *beta,
              void *A, long lda, void *B, long ldb, void *C, long ldc);
};

/// An operand of a spelling: rows of equal length, one after the other.
struct Array {
  const char *name;
  enum Type type;
  long extent[5]; // the last one is the length of a row; from 0 on: none
  int dimensions;
};

struct Call {
  long M, N, K, P, Q;
  const void *alpha, *beta;
  void *data[8];
  long ld[8];
};

/// A form of the second matrix: any number of arrays of any extents.
struct Spelling {
  const char *name;
  enum Type type; // of alpha and beta
  int flags;
  long size[5]; // the only M, N, K, P, Q it works for, or zeros
  long ld;      // the only leading dimension it works for; -n: row length + n; or 0
  void (*arrays)(const struct Call *, struct Array *); // the last has no name
  void (*run)(const struct Call *);
};

#ifdef __cplusplus
extern "C" {
#endif
extern const struct Form base_forms[], tile_forms[]; // the last has no name
extern const struct Spelling base_spellings[], tile_spellings[];
#ifdef __cplusplus
}
#endif
