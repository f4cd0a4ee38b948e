//===- registers-kept.c - who saves registers around a fast path ----------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Where a nest is called in a loop, and its kernel needs some steps to pay, the outlined
// function saves registers, so that the source's loops need not load again what they
// had in them: on x86-64, and where nothing runs in front of its own code.

// REQUIRES: x86-registered-target, powerpc-registered-target
// RUN: %clang -O3 --target=x86_64-linux-gnu -march=x86-64-v4 -fpass-plugin=%tilesmith -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clang -O3 --target=x86_64-linux-gnu -march=x86-64-v4 -pg -mfentry -fpass-plugin=%tilesmith -S -emit-llvm %s -o - | FileCheck %s --check-prefix=OTHER
// RUN: %clang -O3 --target=x86_64-linux-gnu -march=x86-64-v4 -fxray-instrument -fpass-plugin=%tilesmith -S -emit-llvm %s -o - | FileCheck %s --check-prefix=OTHER
// RUN: %clang -O3 --target=x86_64-linux-gnu -march=x86-64-v4 -fpatchable-function-entry=2 -fpass-plugin=%tilesmith -S -emit-llvm %s -o - | FileCheck %s --check-prefix=OTHER
// RUN: %clang -O3 --target=x86_64-windows-gnu -march=x86-64-v4 -fpass-plugin=%tilesmith -S -emit-llvm %s -o - | FileCheck %s --check-prefix=OTHER
// RUN: %clang -O3 --target=powerpc64le-linux-gnu -mcpu=pwr9 -fpass-plugin=%tilesmith -S -emit-llvm %s -o - | FileCheck %s --check-prefix=OTHER

// OTHER-NOT: preserve_mostcc

// CHECK: define {{.*}}void @batch(
// CHECK: call preserve_mostcc i1 @batch.tilesmith(
void batch(int m, int n, const double *restrict a, const double *restrict x, double *restrict y) {
  for (int b = 0; b < m; b++)
    for (int i = 0; i < n; i++) {
      double s = 0;
      for (int k = 0; k < n; k++)
        s += a[(b * n + i) * n + k] * x[b * n + k];
      y[b * n + i] = s;
    }
}

// It costs more than it gains where there is no loop,
// CHECK: define {{.*}}void @once(
// CHECK: call i1 @once.tilesmith(
void once(int n, const double *restrict a, const double *restrict x, double *restrict y) {
  for (int i = 0; i < n; i++) {
    double s = 0;
    for (int k = 0; k < n; k++)
      s += a[i * n + k] * x[k];
    y[i] = s;
  }
}

// and where the kernel runs from the least sizes on.
// CHECK: define {{.*}}void @products(
// CHECK: call i1 @products.tilesmith(
void products(int m, int n, const double *restrict a, const double *restrict b, double *restrict c) {
  for (int t = 0; t < m; t++)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        double s = 0;
        for (int k = 0; k < n; k++)
          s += a[(t * n + i) * n + k] * b[(t * n + k) * n + j];
        c[(t * n + i) * n + j] = s;
      }
}

// CHECK: define internal preserve_mostcc i1 @batch.tilesmith(
