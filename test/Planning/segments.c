//===- segments.c - plans for steps in segments ---------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// As many rows go by as a register of 256 bits has parts, or one of 128 that a segment
// fills, and as many steps as it takes, by the first instruction that adds up the elements
// as they are, with the sign bit of A's flipped, or as 16 bits.

// REQUIRES: x86-registered-target, aarch64-registered-target
// DEFINE: %{source} = %clang -O1 -S -emit-llvm %s
// DEFINE: %{plan} = %opt -passes='print<tilesmith-plan>' -disable-output
// RUN: %{source} --target=x86_64-linux-gnu -march=haswell -o %t.ll
// RUN: %{plan} %t.ll 2>&1 | FileCheck %s
// RUN: %{source} --target=x86_64-linux-gnu -march=znver4 -o %t.vnni.ll
// RUN: %{plan} %t.vnni.ll 2>&1 | FileCheck %s --check-prefix=VNNI
// RUN: %{source} --target=x86_64-linux-gnu -march=arrowlake -o %t.bytes.ll
// RUN: %{plan} %t.bytes.ll 2>&1 | FileCheck %s --check-prefix=BYTES
// RUN: %{source} --target=x86_64-linux-gnu -o %t.sse.ll
// RUN: %{plan} %t.sse.ll 2>&1 | FileCheck %s --check-prefix=SSE
// RUN: %{source} --target=aarch64-linux-gnu -mcpu=neoverse-v2 -o %t.neon.ll
// RUN: %{plan} %t.neon.ll 2>&1 | FileCheck %s --check-prefix=NEON
// What has no such instruction is left alone.
// RUN: %{source} --target=aarch64-linux-gnu -o %t.none.ll
// RUN: %{plan} %t.none.ll 2>&1 | FileCheck %s --check-prefix=NONE
// Another tile is refused, and so is another kernel.
// RUN: %opt -tilesmith-plan='stream tile=8x16' -passes='print<tilesmith-plan>' -disable-output %t.ll 2>&1 | FileCheck %s --check-prefix=ASKED
// RUN: %opt -tilesmith-plan='stream tile=16x16' -passes='print<tilesmith-plan>' -disable-output %t.ll 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: %opt -tilesmith-plan=packed -passes='print<tilesmith-plan>' -disable-output %t.ll 2>&1 | FileCheck %s --check-prefix=PACKED

#define ROW(Length)                                                            \
  for (long i = 0; i < d; i++) {                                               \
    float s = 0;                                                               \
    for (long g = 0; g < n; g++) {                                             \
      int part = 0;                                                            \
      for (long k = 0; k < Length; k++)                                        \
        part += w[(i * n + g) * Length + k] * x[g * Length + k];               \
      s += (float)part * scales[i * n + g];                                    \
    }                                                                          \
    y[i] = s;                                                                  \
  }
#define PARAMETERS                                                             \
  long n, long d, const signed char *restrict w, const float *restrict scales, \
      const signed char *restrict x, float *restrict y

// CHECK-LABEL: function 'known'
// CHECK-NEXT:  GEMV f32 (A row-major), Mx32 in segments: streamed, 8x16 at a time, AVX pmaddwd
// CHECK-NEXT:    plan: stream tile=8x16 min-work=512 min-m=8 min-k=8
// CHECK-NEXT:    tile: 8 rows, 16 steps of each at a time; their parts are joined after each segment
// CHECK-NEXT:    break-even:
// VNNI-LABEL:  function 'known'
// VNNI:        streamed, 8x32 at a time, AVX-512 VNNI
// BYTES-LABEL: function 'known'
// BYTES:       streamed, 8x32 at a time, AVX VNNI-INT8
// SSE-LABEL:   function 'known'
// SSE:         streamed, 4x8 at a time, SSE pmaddwd
// NEON-LABEL:  function 'known'
// NEON:        streamed, 4x16 at a time, NEON dot product
// NONE-LABEL:  function 'known'
// NONE:        not replaced: ScaledGroups
// ASKED-LABEL: function 'known'
// ASKED:         plan: stream tile=8x16
// OTHER-LABEL: function 'known'
// OTHER:       not replaced: PlanTile
// PACKED-LABEL: function 'known'
// PACKED:      not replaced: ScaledGroups
void known(PARAMETERS) { ROW(32) }

// No whole registers.
// CHECK-LABEL: function 'ragged'
// CHECK-NEXT:  GEMV f32 (A row-major), Mx36 in segments: streamed, 8x16 at a time, AVX pmaddwd
// NEON-LABEL:  function 'ragged'
// NEON:        streamed, 4x16 at a time, NEON dot product
void ragged(PARAMETERS) { ROW(36) }

// A shorter register, which is filled.
// CHECK-LABEL: function 'twelve'
// CHECK-NEXT:  GEMV f32 (A row-major), Mx12 in segments: streamed, 4x8 at a time, AVX pmaddwd
// VNNI-LABEL:  function 'twelve'
// VNNI:        streamed, 4x8 at a time, AVX-512 VNNI
void twelve(PARAMETERS) { ROW(12) }

// Clang unrolls so few steps.
// CHECK-LABEL: function 'eight'
// CHECK-NEXT:  not replaced: ScaledGroups
// VNNI-LABEL:  function 'eight'
// VNNI:        streamed, 4x8 at a time, AVX-512 VNNI
void eight(PARAMETERS) { ROW(8) }

// What is made of bytes fits into 16 bits, or into a byte.
// CHECK-LABEL: function 'less_zero_point'
// CHECK-NEXT:  GEMV f32 (A row-major), Mx32 in segments: streamed, 8x16 at a time, AVX pmaddwd
// VNNI-LABEL:  function 'less_zero_point'
// VNNI:        streamed, 8x16 at a time, AVX-512 VNNI
// NEON-LABEL:  function 'less_zero_point'
// NEON:        not replaced: ScaledGroups
#define LESS_ZERO_POINT(Z)                                                     \
  for (long i = 0; i < d; i++) {                                               \
    float s = 0;                                                               \
    for (long g = 0; g < n; g++) {                                             \
      int part = 0;                                                            \
      for (long k = 0; k < 32; k++)                                            \
        part += (((const unsigned char *)w)[(i * n + g) * 32 + k] - Z) *       \
                x[g * 32 + k];                                                 \
      s += (float)part * scales[i * n + g];                                    \
    }                                                                          \
    y[i] = s;                                                                  \
  }
void less_zero_point(PARAMETERS) { LESS_ZERO_POINT(131) }

// VNNI-LABEL:  function 'less_128'
// VNNI:        streamed, 8x32 at a time, AVX-512 VNNI
// NEON-LABEL:  function 'less_128'
// NEON:        streamed, 4x16 at a time, NEON dot product
void less_128(PARAMETERS) { LESS_ZERO_POINT(128) }
