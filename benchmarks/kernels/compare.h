//===- compare.h - the nests of compare.c ------------------------*- C -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_BENCHMARKS_COMPARE_H
#define TILESMITH_BENCHMARKS_COMPARE_H

struct Nest {
  const char *Name;
  void (*Function)(long M, long N, long K, const void *A, const void *B,
                   void *C);
  char Type; ///< of C: d(ouble), f(loat), or i(nt) with factors of one byte
};

#endif
