//===- small-ragged.c - small ragged products stay as they are -------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// They are worth it only if the operands may overlap, and that must be known
// before LLVM unrolls the loops.
// REQUIRES: x86
// RUN: %python %S/../Inputs/same_object.py %clang %tilesmith %s --target=x86_64-linux-gnu -march=haswell

void product(const double *restrict a, const double *restrict b,
             double *restrict c) {
  for (int i = 0; i < 5; i++)
    for (int j = 0; j < 5; j++)
      for (int k = 0; k < 5; k++)
        c[i * 5 + j] += a[i * 5 + k] * b[k * 5 + j];
}
