//===- scatter.c - loops over places and taps that move C together --------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Axes are those of C, and of steps: what is outside the image is beyond a border.

// RUN: %clang -O1 -S -emit-llvm %s -o %t.ll
// RUN: %opt -passes='print<tilesmith-idioms>' -disable-output %t.ll 2>&1 | FileCheck %s

#define FOR(i, n) for (long i = 0; i < (n); i++)
#define PARAMETERS                                                             \
  float *restrict dx, const float *restrict dy, const float *restrict w

// Places go up, so taps go down.
// CHECK-LABEL: function 'places_outside'
// CHECK-NEXT:  GEMM f32 {{.*}}, 24x8x9
// CHECK:         C: base %0, stride M 4, stride N 96
// CHECK-NEXT:    A: base (-32 + %1), stride M 4, stride K 4
// CHECK-NEXT:      where -8 + m * 1 + k * 1 is in [0, 16)
// CHECK-NEXT:    B: base (32 + %2), stride N 36, stride K -4
// CHECK:         start: c
void places_outside(PARAMETERS) {
  FOR(c, 8) FOR(y, 16) FOR(s, 9) dx[c * 24 + y + s] += dy[y] * w[c * 9 + s];
}

// Taps go up, so places go down.
// CHECK-LABEL: function 'taps_outside'
// CHECK:         A: base %1, stride M 4, stride K -4
// CHECK-NEXT:      where 0 + m * 1 + k * -1 is in [0, 16)
// CHECK-NEXT:    B: base %2, stride N 36, stride K 4
void taps_outside(PARAMETERS) {
  FOR(s, 9) FOR(c, 8) FOR(y, 16) dx[c * 24 + y + s] += dy[y] * w[c * 9 + s];
}

// The loop over taps is inside that over k, but sums are first over places.
// CHECK-LABEL: function 'places_before_channels'
// CHECK:         K: extent 1 + 11
// CHECK:         outer K: extent 1 + 8
void places_before_channels(PARAMETERS) {
  FOR(y, 16) FOR(k, 12) FOR(c, 8) FOR(s, 9)
    dx[c * 24 + y + s] += dy[k * 16 + y] * w[(k * 8 + c) * 9 + s];
}

// A test whether C has the element bounds its axis.
// CHECK-LABEL: function 'padded'
// CHECK-NEXT:  GEMM f32 {{.*}}, 16x8x9
// CHECK:         C: base %0, stride M 4, stride N 64
// CHECK:           where -4 + m * 1 + k * 1 is in [0, 16)
// CHECK-NOT:       where
void padded(PARAMETERS) {
  FOR(c, 8) FOR(y, 16) FOR(s, 9)
    if (y + s >= 4 && y + s < 20)
      dx[c * 16 + y + s - 4] += dy[y] * w[c * 9 + s];
}

// Two places lead to the elements of one tap: there is no such axis.
// CHECK-LABEL: function 'stride_of_two'
// CHECK-NEXT:  not replaced: Recurrence
void stride_of_two(PARAMETERS) {
  FOR(k, 8) FOR(y, 16) FOR(s, 9) dx[2 * y + s] += dy[k * 16 + y] * w[k * 9 + s];
}

// As many places as taps: most steps would be beyond the border.
// CHECK-LABEL: function 'diagonals'
// CHECK-NOT:   GEMM
void diagonals(PARAMETERS, long n) {
  FOR(c, 8) FOR(y, n) FOR(s, n) dx[c * 99 + y + s] += dy[y] * w[c * n + s];
}

// What is scattered is no product.
// CHECK-LABEL: function 'squares'
// CHECK-NOT:   GEMM
void squares(PARAMETERS) {
  FOR(c, 8) FOR(y, 16) FOR(s, 9) {
    float v = dx[c * 24 + y + s];
    dx[c * 24 + y + s] = v * v + dy[y] * w[c * 9 + s];
  }
}

// Another statement would be compared with loops over C.
// CHECK-LABEL: function 'with_rest'
// CHECK-NOT:   GEMM
void with_rest(PARAMETERS, float *restrict other) {
  FOR(c, 8) FOR(y, 16) {
    other[c * 16 + y] = 1;
    FOR(s, 9) dx[c * 24 + y + s] += dy[y] * w[c * 9 + s];
  }
}
