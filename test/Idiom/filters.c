//===- filters.c - windows without a sum over channels --------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A matrix times a vector has more indices than two if windows of the matrix
// overlap. The rows of an image are outer ones of M, those of a window of K;
// channels are a batch.

// DEFINE: %{source} = %clang -O1 -S -emit-llvm %s
// RUN: %{source} -o %t.ll
// RUN: %opt -passes='print<tilesmith-idioms>' -disable-output %t.ll 2>&1 | FileCheck %s

#define FOR(i, n) for (long i = 0; i < (n); i++)
#define PARAMETERS                                                             \
  long C, long H, long W, long R, long S, long step, long pitch,               \
      float *restrict out, const float *restrict in, const float *restrict w

// CHECK-LABEL: function 'line'
// CHECK-NEXT:  GEMV f32 (A row-major), MxK at run time
// CHECK:       A: {{.*}}, stride M 4, stride K 4
void line(PARAMETERS) {
  FOR(x, W) FOR(s, S) out[x] += in[x + s] * w[s];
}

// CHECK-LABEL: function 'image'
// CHECK-NEXT:  filter f32 (A row-major), MxK at run time in 2 outer loops
// CHECK-NEXT:    4 loops from depth 1
// CHECK:         outer M: extent
// CHECK-NEXT:    outer K: extent
void image(PARAMETERS) {
  FOR(y, H) FOR(x, W) {
    float sum = 0;
    FOR(r, R) FOR(s, S) sum += in[(y + r) * pitch + x + s] * w[r * S + s];
    out[y * W + x] = sum;
  }
}

// Taps outermost, and a distance of windows that is the same along both indices.
// CHECK-LABEL: function 'by_taps'
// CHECK-NEXT:  filter f32 (A row-major), MxK at run time in 2 outer loops
void by_taps(PARAMETERS) {
  FOR(r, R) FOR(s, S) FOR(y, H) FOR(x, W)
    out[y * W + x] += in[(y * step + r) * pitch + x * step + s] * w[r * S + s];
}

// CHECK-LABEL: function 'channels_first'
// CHECK-NEXT:  filter f32 (A row-major), MxK at run time in 3 outer loops
// CHECK:         outer batch: extent
// CHECK-NEXT:    outer M: extent
// CHECK-NEXT:    outer K: extent
void channels_first(PARAMETERS) {
  FOR(c, C) FOR(y, H) FOR(x, W) {
    float sum = 0;
    FOR(r, R) FOR(s, S) sum += in[(c * pitch + y + r) * pitch + x + s] * w[(c * R + r) * S + s];
    out[(c * H + y) * W + x] = sum;
  }
}

// CHECK-LABEL: function 'channels_last'
// CHECK-NEXT:  filter f32 (A strided), MxK at run time in 3 outer loops
// CHECK:         C: {{.*}}, outer batch 4, outer M
// CHECK-NEXT:    A: {{.*}}, outer batch 4, outer M {{.*}}, outer K
// CHECK-NEXT:    B: {{.*}}, outer batch 4, outer K
void channels_last(PARAMETERS) {
  FOR(y, H) FOR(x, W) FOR(c, C) {
    float sum = 0;
    FOR(r, R) FOR(s, S) sum += in[((y + r) * pitch + x + s) * C + c] * w[(r * S + s) * C + c];
    out[(y * W + x) * C + c] = sum;
  }
}

// Each row has taps of its own: a batch.
// CHECK-LABEL: function 'taps_of_rows'
// CHECK-NEXT:  filter f32 (A row-major), MxK at run time in 1 outer loop
// CHECK:         outer batch: extent
void taps_of_rows(PARAMETERS) {
  FOR(y, H) FOR(x, W) FOR(s, S) out[y * W + x] += in[y * pitch + x + s] * w[y * S + s];
}

// Matrices that do not overlap are not worth more than two loops, here those
// over the sums of one vector.
// CHECK-LABEL: function 'batch'
// CHECK-NEXT:  GEMV f32 (A row-major), MxK at run time
// CHECK-NEXT:    2 loops from depth 2
void batch(PARAMETERS) {
  FOR(c, C) FOR(x, W) FOR(s, S) out[c * W + x] += in[(c * W + x) * S + s] * w[c * S + s];
}

// So are windows that go on where another one ends.
// CHECK-LABEL: function 'side_by_side'
// CHECK-NEXT:  not replaced: IndexRoles
void side_by_side(PARAMETERS) {
  FOR(y, H) FOR(x, W) FOR(r, 20) FOR(s, 20)
    out[y * W + x] += in[(y * 20 + r) * W * 20 + x * 20 + s] * w[r * 20 + s];
}

// A sum over channels makes it a product of matrices.
// CHECK-LABEL: function 'convolution'
// CHECK-NEXT:  GEMM f32
void convolution(PARAMETERS) {
  FOR(k, H) FOR(x, W) FOR(c, C) FOR(s, S)
    out[k * W + x] += in[c * pitch + x + s] * w[(k * C + c) * S + s];
}
