//===- fallback-windows.c - no tests that always succeed -------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Loops over taps are unrolled in the fall-back as clang unrolls them: that an element to
// the left of a place is in front of the end of its row is known there. What it takes to
// know that does not stay: assumptions, and tests of the ends of rows for less.
// REQUIRES: x86
// RUN: %clang -O3 -march=haswell -S -emit-llvm -o - -fpass-plugin=%tilesmith %s | FileCheck %s
// RUN: %clang -O3 -march=haswell -S -emit-llvm -o - -fpass-plugin=%tilesmith -DT=long %s | FileCheck %s
// CHECK:       define {{.*}}void @depthwise(
// CHECK:       call i1 @depthwise.tilesmith(
// CHECK-NOT:   {{select i1|llvm.assume}}
// CHECK-COUNT-25: llvm.fmuladd.f32
// CHECK-NOT:   {{select i1|llvm.assume}}
// CHECK:       ret void

#ifndef T
#define T int
#endif
#define FOR(I, N) for (T I = 0; I < N; I++)
void depthwise(float *restrict out, const float *restrict in, const float *restrict w, T c, T h, T width) {
  FOR(i, c) FOR(y, h) FOR(x, width) {
    float sum = 0;
    FOR(r, 5) FOR(s, 5) {
      T row = y + r - 2, column = x + s - 2;
      if (row >= 0 && row < h && column >= 0 && column < width)
        sum += in[((long)i * h + row) * width + column] * w[(i * 5 + r) * 5 + s];
    }
    out[((long)i * h + y) * width + x] = sum;
  }
}
