//===- filters.c - windows that are almost those of a filter --------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// RUN: %python %S/../Plugin/Inputs/same_object.py %clang %tilesmith %s
// RUN: %python %S/../Plugin/Inputs/same_object.py %clang %tilesmith %s -march=native -g
// RUN: %python %S/Inputs/reasons.py %clang %tilesmith %s
// RUN: %python %S/Inputs/reasons.py %clang %tilesmith %s -march=native
// Few of them look like products of matrices, so most reasons are not shown.
// RUN: %clang -O1 -S -emit-llvm %s -o %t.ll
// RUN: %opt -passes='print<tilesmith-idioms>' -disable-output %t.ll 2>&1 | FileCheck %s --implicit-check-not="filter f"

#define FOR(i, n) for (long i = 0; i < (n); i++)
#define PARAMETERS                                                             \
  long H, long W, long R, long S, float *restrict out,                         \
      const float *restrict in, const float *restrict w

// CHECK-LABEL: function 'taps_of_pixels'
// CHECK-NEXT:  not replaced: IndexRoles:
// EXPECT IndexRoles: each element has taps of its own
void taps_of_pixels(PARAMETERS) {
  FOR(y, H) FOR(x, W) FOR(r, R) FOR(s, S)
    out[y * W + x] += in[(y + r) * (W + S - 1) + x + s] * w[((y * W + x) * R + r) * S + s];
}

// CHECK-LABEL: function 'circular'
// CHECK-NEXT:  not replaced: NotAffine:
// EXPECT NotAffine: the image is repeated beyond its border
void circular(PARAMETERS) {
  FOR(y, H) FOR(x, W) FOR(s, S) out[y * W + x] += in[y * W + (x + s) % W] * w[s];
}

// CHECK-LABEL: function 'deformed'
// CHECK-NEXT:  not replaced: NotAffine:
// EXPECT NotAffine: memory says where the elements of a window are
void deformed(long W, long S, const long *offset, float *restrict out,
              const float *restrict in, const float *restrict w) {
  FOR(x, W) FOR(s, S) out[x] += in[x + offset[s]] * w[s];
}

// CHECK-LABEL: function 'cut_off'
// CHECK-NEXT:  not replaced: BoundVaries:
// EXPECT BoundVaries: windows are cut off at the end of the line, and far apart
void cut_off(PARAMETERS) {
  FOR(x, W) FOR(s, W - 3 * x) out[x] += in[x + s] * w[s];
}

// CHECK-LABEL: function 'in_place'
// CHECK-NEXT:  not replaced: IndexRoles:
// EXPECT IndexRoles: later windows see what earlier ones have made
void in_place(long H, long W, long R, long S, float *image, const float *restrict w) {
  FOR(y, H) FOR(x, W) {
    float sum = 0;
    FOR(r, R) FOR(s, S) sum += image[(y + r) * (W + S - 1) + x + s] * w[r * S + s];
    image[y * (W + S - 1) + x] = sum;
  }
}

// Masks of fewer bits than a type has are no borders.
// CHECK-LABEL: function 'every_fourth'
// CHECK-NEXT:  not replaced: Branch:
// EXPECT Branch: only every fourth element of a window is there
void every_fourth(int C, int K, int W, int S, float *restrict out, const float *restrict in,
                  const float *restrict w) {
  for (int k = 0; k < K; k++)
    for (int x = 0; x < W; x++)
      for (int c = 0; c < C; c++)
        for (int s = 0; s < S; s++)
          if (((x + s) & 3) == 0)
            out[(long)k * W + x] += in[(long)c * (W + S) + x + s] * w[((long)k * C + c) * S + s];
}
