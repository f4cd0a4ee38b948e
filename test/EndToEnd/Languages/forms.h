//===- forms.h - data and results of the programs in C and C++ --*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A form is a function that computes a product, C(M x N) += A(M x K) * B(K x N).
// It is not inlined, so that the function that a remark is about is the one that
// runs.
//
//===----------------------------------------------------------------------===//

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define FORM __attribute__((noinline))

enum { M = 71, N = 93, K = 82 };

// Element `Index` of matrix number `Matrix`. With -DEXACT, all sums are exact, so
// that any order of additions gives the same.
static double value(int Matrix, long Index) {
  long Number = (Index * (2 * Matrix + 5) + Index / 7 + Matrix) % 61 - 30;
#ifdef EXACT
  return (double)Number;
#else
  return (double)Number * 0.37 + 0.01;
#endif
}

// Prints the bits of one element of a form's result, or a checksum of many.
static void show(const char *Form, long Index, const void *Elements, long Size) {
  uint64_t Bits = 0;
  if (Size <= 8)
    memcpy(&Bits, Elements, Size);
  else
    for (long i = 0; i < Size; i++)
      Bits = (Bits ^ ((const unsigned char *)Elements)[i]) * 0x100000001b3;
  printf("%s %ld %016llx\n", Form, Index, (unsigned long long)Bits);
}

#ifdef __cplusplus
// The same for whole matrices: At(i, j) is a reference to an element.
template <class Function> void fill(int Matrix, int Rows, int Columns, Function At) {
  for (int i = 0; i < Rows; ++i)
    for (int j = 0; j < Columns; ++j)
      At(i, j) = value(Matrix, i * Columns + j);
}

template <class Function> void show(const char *Form, int Rows, int Columns, Function At) {
  for (int i = 0; i < Rows; ++i)
    for (int j = 0; j < Columns; ++j) {
      auto &Element = At(i, j);
      show(Form, i * Columns + j, &Element, sizeof Element);
    }
}
#endif
