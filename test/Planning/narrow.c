//===- narrow.c - which factors stay narrow, and how ----------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// REQUIRES: x86
// DEFINE: %{flags} =
// DEFINE: %{options} =
// DEFINE: %{print} = %clang -O1 -fno-unroll-loops -S -emit-llvm %{flags} %s -o %t.ll && \
// DEFINE:   %opt -passes='print<tilesmith-plan>' -disable-output %{options} %t.ll 2>&1 | FileCheck %s --check-prefixes
// REDEFINE: %{flags} = -march=znver4 -ffast-math
// RUN: %{print} ALL,VNNI,BF16
// REDEFINE: %{flags} = -march=sierraforest
// RUN: %{print} ALL,INT8,NOBF16
// REDEFINE: %{flags} = -march=haswell
// RUN: %{print} ALL,PAIRS,NOBF16
// REDEFINE: %{flags} = --target=x86_64-linux-gnu -march=sapphirerapids -ffast-math
// RUN: %{print} ALL,AMX
// REDEFINE: %{options} = -tilesmith-plan=group=4
// RUN: %{print} FOUR
// Blocks are whole groups.
// REDEFINE: %{options} = -tilesmith-plan='group=4 kc=10'
// RUN: %{print} TWELVE
// REDEFINE: %{options} = -tilesmith-plan=group=64
// RUN: %{print} SIXTYFOUR
// Vectors must be as long as a row of a register.
// REDEFINE: %{options} = -tilesmith-vector-bits=256
// RUN: %{print} VNNI256
// REDEFINE: %{options} =
// The denormal bf16 of strict programs must not be flushed, nor may the order
// change:
// REDEFINE: %{flags} = -march=znver4 -fassociative-math -fno-signed-zeros -fno-trapping-math
// RUN: %{print} ALL,NOBF16
// REDEFINE: %{flags} = -march=znver4 -fassociative-math -fno-signed-zeros -fno-trapping-math -fdenormal-fp-math=preserve-sign
// RUN: %{print} BF16
// REDEFINE: %{flags} = -march=znver4
// RUN: %{print} NOBF16
// REDEFINE: %{options} = -tilesmith-plan=group=4
// RUN: %{print} FOUR
// REDEFINE: %{options} = -tilesmith-plan=group=2
// RUN: %{print} TWO
// REDEFINE: %{options} = -tilesmith-plan=group=1
// RUN: %{print} ONE

#include <stdint.h>

#define PRODUCT(NAME, TA, TB, TC, UPDATE)                                      \
  void NAME(long m, long n, long q, const TA *restrict a,                      \
            const TB *restrict b, TC *restrict c) {                            \
    for (long i = 0; i < m; i++)                                               \
      for (long j = 0; j < n; j++)                                             \
        for (long k = 0; k < q; k++)                                           \
          c[i * n + j] UPDATE;                                                 \
  }
#define A a[i * q + k]
#define B b[k * n + j]

// ALL-LABEL: function 'signs':
// VNNI:      GEMM i32 {{.*}} AVX-512 VNNI
// VNNI-NEXT: plan: {{.*}} group=4
// VNNI:      group: 4 steps, as VNNI adds so many products of i8 (A unsigned, B signed) at once; the sign bit of A's elements is flipped for that, and sums are corrected
// AMX:       GEMM i32 {{.*}} 32x32 micro kernel, AMX{{$}}
// AMX-NEXT:  plan: packed tile=32x32 group=64 mc={{[0-9]+}} nc={{[0-9]+}} kc=768 {{.*}}edge=pad
// AMX-NEXT:  tile: 4 squares of sums, 2 of A and 2 of B in 8 registers; 4 multiply-adds for 4 loads
// AMX-NEXT:  group: 64 steps, as AMX adds so many products of i8 (A signed, B signed) at once
// AMX-NEXT:  otherwise: packed, {{.*}} micro kernel, AVX-512 VNN{{I}}: if the system does not permit AMX, or M or N < 16, or K < 64, or squares are few or ragged
// AMX-NEXT:  edge: panels are padded to whole squares
// TWELVE:     group=4 {{.*}} kc=12
// SIXTYFOUR-LABEL: function 'signs':
// SIXTYFOUR:  group (given): 64 steps, as AMX
// VNNI256-LABEL: function 'signs':
// VNNI256:    micro kernel, AVX VNNI
// INT8:      group: 4 steps, as VNNI-INT8 adds so many products of i8 (A signed, B signed) at once
// PAIRS:     tile: 8 sums, 2 of A and 2 more take 12 of 16 registers
// PAIRS-NEXT: group: 2 steps, as pmaddwd adds so many products of i16 (A signed, B signed) at once
// FOUR-LABEL: function 'signs':
// FOUR:       group=4
// TWO-LABEL:  function 'signs':
// TWO:        group (given): 2 steps, as VNNI adds so many products of i16 (A signed, B signed) at once
// ONE-LABEL:  function 'signs':
// ONE:        micro kernel, AVX-512{{$}}
// ONE:        group=1
PRODUCT(signs, int8_t, int8_t, int32_t, += A * B)

// ALL-LABEL: function 'mixed':
// VNNI:      group: 4 steps, as VNNI adds so many products of i8 (A {{(un)?signed}}, B {{(un)?signed}}) at once{{$}}
// INT8:      group: 4 steps, as VNNI adds so many products of i8 (A {{(un)?signed}}, B {{(un)?signed}}) at once{{$}}
// PAIRS:     group: 2 steps, as pmaddwd
PRODUCT(mixed, uint8_t, int8_t, int32_t, += A * B)

// ALL-LABEL: function 'shorts':
// VNNI:      group: 2 steps, as VNNI adds so many products of i16
// INT8:      group: 2 steps, as VNNI adds so many products of i16
// PAIRS:     group: 2 steps, as pmaddwd
// FOUR-LABEL: function 'shorts':
// FOUR:      not replaced: PlanGroup: the plan asks for steps in groups
PRODUCT(shorts, int16_t, int16_t, int32_t, += A * B)

// Numbers of 16 bits without a sign have no instruction.
// ALL-LABEL: function 'unsigned_shorts':
// ALL-NOT:   group
PRODUCT(unsigned_shorts, uint16_t, uint16_t, uint32_t, += A * B)

// Nor do factors of which more than the elements is computed, or sums of which
// more is asked.
// ALL-LABEL: function 'offset':
// ALL-NOT:   group
PRODUCT(offset, uint8_t, uint8_t, int32_t, += (A - 3) * (B - 5))

// What is subtracted is added to negated sums.
// ALL-LABEL: function 'minus':
// ALL:       group: {{.*}} products of i{{8|16}} (A
PRODUCT(minus, int8_t, uint8_t, int32_t, -= A * B)

// BF16-LABEL: function 'bf16':
// BF16:       group: 2 steps, as BF16 adds so many products of bfloat at once
// AMX-LABEL:  function 'bf16':
// AMX:        group: 32 steps, as AMX adds so many products of bfloat at once
// AMX-NEXT:   otherwise: packed, {{.*}} micro kernel, AVX-512 BF1{{6}}: if
// NOBF16-LABEL: function 'bf16':
// NOBF16-NOT: group
PRODUCT(bf16, __bf16, __bf16, float, += (float)A *(float)B)
// NOBF16-LABEL: function 'end'
PRODUCT(end, float, float, float, += A * B)
