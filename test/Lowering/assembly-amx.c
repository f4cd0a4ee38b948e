//===- assembly-amx.c - micro kernels of squares --------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The loop over k of AMX's largest tile: four loads and four products, and no
// register is spilled or copied. The system is asked before. The registers are
// configured once for all tiles of a block.
//
//===----------------------------------------------------------------------===//

// REQUIRES: x86
// DEFINE: %{flags} =
// DEFINE: %{code} = %clang --target=x86_64-linux-gnu -O3 -march=sapphirerapids %{flags} -S %s -o - \
// DEFINE:   -fpass-plugin=%tilesmith | FileCheck --dump-input=never %s
// RUN: %{code} -DINSTRUCTION=tdpbsud
// REDEFINE: %{flags} = -DTA=__bf16 -DTB=__bf16 -DTC=float -ffast-math
// RUN: %{code} -DINSTRUCTION=tdpbf16ps
// REDEFINE: %{flags} = -DTA=_Float16 -DTB=_Float16 -DTC=float -ffast-math -mamx-fp16
// RUN: %{code} -DINSTRUCTION=tdpfp16ps

// No AMX without its features, for other systems, where memory is watched from
// the instructions that access it, or where the user has configured the
// registers.
// DEFINE: %{none} = %clang -O3 -march=sapphirerapids %s -S -o - -fpass-plugin=%tilesmith %{flags} \
// DEFINE:   | FileCheck --dump-input=never --check-prefix=NONE %s
// REDEFINE: %{flags} = --target=x86_64-linux-gnu -mno-amx-int8
// RUN: %{none}
// REDEFINE: %{flags} = --target=x86_64-linux-gnu -mno-amx-tile
// RUN: %{none}
// REDEFINE: %{flags} = --target=x86_64-apple-macos
// RUN: %{none}
// REDEFINE: %{flags} = --target=x86_64-linux-gnu -fsanitize=memory
// RUN: %{none}
// REDEFINE: %{flags} = --target=x86_64-linux-gnu -DCONFIGURED
// RUN: %{none}
// The order of sums must not change, nor denormal numbers be flushed.
// REDEFINE: %{flags} = --target=x86_64-linux-gnu -DTA=__bf16 -DTB=__bf16 -DTC=float
// RUN: %{none}
// REDEFINE: %{flags} = --target=x86_64-linux-gnu -DTA=__bf16 -DTB=__bf16 -DTC=float -fassociative-math -fno-signed-zeros -fno-trapping-math
// RUN: %{none}
// NONE-LABEL: {{^_?}}product:
// NONE-NOT:   {{tdp|tileload|ldtilecfg|syscall}}

#ifndef TA
#define TA signed char
#define TB unsigned char
#define TC int
#endif

void product(long m, long n, long q, const TA *restrict a,
             const TB *restrict b, TC *restrict c) {
#ifdef CONFIGURED
  __builtin_ia32_tilerelease();
#endif
  for (long i = 0; i < m; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < q; k++)
        c[i * n + j] += (TC)a[i * q + k] * (TC)b[k * n + j];
}

// CHECK-LABEL:   tilesmith.micro.32x32:
// CHECK-NOT:     {{ldtilecfg|Spill}}
// CHECK-COUNT-4: tileloadd
// CHECK:         Inner Loop Header
// CHECK-NOT:     {{tilestored|tilezero|tdp|Spill|Reload}}
// CHECK-COUNT-4: tileloadd
// CHECK-NOT:     {{tilestored|tileloadd|Spill|Reload}}
// CHECK-COUNT-4: [[INSTRUCTION]]
// CHECK-NOT:     {{tilestored|tileloadd|tdp|Spill|Reload}}
// CHECK:         jb
// CHECK-COUNT-4: tilestored
// CHECK-NOT:     {{ldtilecfg|tilerelease}}
// CHECK-LABEL:   tilesmith.amx:
// CHECK:         syscall
// CHECK-DAG:     ldtilecfg
// CHECK-DAG:     tilerelease
