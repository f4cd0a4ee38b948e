//===- kernels.h - names of the measured functions ---------------*- C -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A product is called <prefix>_<type>_<orders>, such as naive_f64_rcr: C is
// row-major, A column-major, B row-major. Its kin are called
// <prefix>_<type>_<operation>, such as naive_f64_syrk; see kin.c. Products of
// narrow factors are called <prefix>_<type>, such as naive_u8s8; see narrow.c.
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_BENCHMARKS_KERNELS_H
#define TILESMITH_BENCHMARKS_KERNELS_H

#define NAME_(Prefix, Type, OC, OA, OB) Prefix##_##Type##_##OC##OA##OB
#define NAME(Prefix, Type, OC, OA, OB) NAME_(Prefix, Type, OC, OA, OB)

#define KIN_(Prefix, Type, Operation) Prefix##_##Type##_##Operation
#define KIN(Prefix, Type, Operation) KIN_(Prefix, Type, Operation)

// Do(Prefix, Type, T, operation) for all operations of kin.c.
#define FOR_ALL_KIN(Do, Prefix, Type, T)                                       \
  Do(Prefix, Type, T, syrk) Do(Prefix, Type, T, syr2k)                         \
      Do(Prefix, Type, T, syr2k1) Do(Prefix, Type, T, trmm)                    \
          Do(Prefix, Type, T, batch) Do(Prefix, Type, T, chain)

// Do(Prefix, Type, T, order of C, order of A, order of B) for all eight orders.
#define FOR_ALL_ORDERS(Do, Prefix, Type, T)                                    \
  Do(Prefix, Type, T, r, r, r) Do(Prefix, Type, T, r, r, c)                    \
      Do(Prefix, Type, T, r, c, r) Do(Prefix, Type, T, r, c, c)                \
          Do(Prefix, Type, T, c, r, r) Do(Prefix, Type, T, c, r, c)            \
              Do(Prefix, Type, T, c, c, r) Do(Prefix, Type, T, c, c, c)

#define NARROW_(Prefix, Type) Prefix##_##Type
#define NARROW(Prefix, Type) NARROW_(Prefix, Type)

// Do(Prefix, type, element of A, of B, of C) for all types.
#define FOR_ALL_NARROW(Do, Prefix)                                             \
  Do(Prefix, s8s8, signed char, signed char, int)                              \
      Do(Prefix, u8s8, unsigned char, signed char, int)                        \
          Do(Prefix, u8u8, unsigned char, unsigned char, int)                  \
              Do(Prefix, s16, short, short, int)                               \
                  Do(Prefix, bf16, __bf16, __bf16, float)

#endif
