//===- no-system.c - targets that have no system have no malloc -----------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A program that links without the plugin must link with it.
//
// DEFINE: %{flags} =
// DEFINE: %{compile} = env TILESMITH='min-work=1;verify' %clang -nostdlibinc -O2 %{flags} -S -emit-llvm -o - %s -fpass-plugin=%tilesmith
// REDEFINE: %{flags} = --target=wasm32-unknown-unknown -msimd128
// RUN: %{compile} | FileCheck %s
// REDEFINE: %{flags} = --target=wasm64-unknown-unknown -msimd128
// RUN: %{compile} | FileCheck %s
// REDEFINE: %{flags} = --target=x86_64-unknown-none
// RUN: %{compile} | FileCheck %s
// REDEFINE: %{flags} = --target=aarch64-none-elf
// RUN: %{compile} | FileCheck %s
// REDEFINE: %{flags} = --target=wasm32-wasi -msimd128 -fno-builtin-malloc
// RUN: %{compile} | FileCheck %s
//
// REDEFINE: %{flags} = --target=wasm32-wasi -msimd128
// RUN: %{compile} | FileCheck %s --check-prefix=MALLOC
// REDEFINE: %{flags} = --target=wasm32-unknown-unknown -msimd128 -DALLOCATES
// RUN: %{compile} | FileCheck %s --check-prefix=MALLOC
// REDEFINE: %{flags} = --target=aarch64-none-elf -DALLOCATES
// RUN: %{compile} | FileCheck %s --check-prefix=MALLOC

// What is small and of constant size needs no memory.
// REDEFINE: %{flags} = --target=x86_64-unknown-none -msse2 -DSIZE=7
// RUN: %{compile} -Rpass=tilesmith 2>&1 | FileCheck %s --check-prefix=SMALL
// REDEFINE: %{flags} = --target=aarch64-none-elf -DSIZE=7
// RUN: %{compile} -Rpass=tilesmith 2>&1 | FileCheck %s --check-prefix=SMALL

// CHECK-NOT: @{{malloc|free|tilesmith}}
// SMALL: replaced 3-loop nest by GEMM f32 {{.*}} 7x7x7: in place
// SMALL-NOT: @{{malloc|free}}
// MALLOC: call i1 @{{.*}}tilesmith

#ifdef ALLOCATES
void *malloc(__SIZE_TYPE__);
float *block(void) { return malloc(100); }
#endif

#ifdef SIZE
#define n SIZE
#endif

void product(int m, const float *restrict a, const float *restrict b, float *restrict c) {
#ifndef SIZE
  int n = m;
#endif
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}
