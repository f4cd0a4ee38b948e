//===- steps-left-out.c - steps beyond a border are not made --------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// With channels last, slivers of windows end with the rows of an image, and micro
// kernels leave out what the nest does: whole runs of channels, and those of a row's
// first or last column. Rows of 1 to 20 windows, which are one or two elements apart,
// padding of 0 to 3; zeros, -0.0, infinities and NaN; sums that start from zero and
// from what was there. All bytes are those that clang gives, and no element is read
// beyond the image or the weights.
//
// REQUIRES: system-linux, native-avx512
// DEFINE: %{flags} =
// DEFINE: %{plan} =
// DEFINE: %{compare} = %clang %{flags} %s -o %t.stock && %t.stock > %t.expected \
// DEFINE:   && %clang %{flags} -fpass-plugin=%tilesmith -mllvm -tilesmith-verify=1 %{plan} -Rpass=tilesmith %s -o %t.ours 2>&1 \
// DEFINE:      | FileCheck %s && %t.ours > %t.got && cmp %t.expected %t.got
// REDEFINE: %{flags} = -O3 -march=native
// RUN: %{compare}
// REDEFINE: %{flags} = -O3 -march=haswell
// RUN: %{compare}
// REDEFINE: %{flags} = -O2 -march=native
// RUN: %{compare}
// REDEFINE: %{flags} = -O3 -march=native -ffp-contract=off
// REDEFINE: %{plan} = -mllvm -tilesmith-plan="gathered kc=40 mc=48 nc=32"
// RUN: %{compare}
// REDEFINE: %{flags} = -O3 -march=haswell -ffp-contract=fast
// RUN: %{compare}
// CHECK-COUNT-3: replaced {{.*}}: gathered

// RUN: %clang -O3 -S -emit-llvm --target=x86_64-linux-gnu -march=x86-64-v4 -fno-discard-value-names -fpass-plugin=%tilesmith -DONLY=left_out %s -o - | FileCheck %s --check-prefix=LEFT-OUT
// RUN: %clang -O3 -S -emit-llvm --target=x86_64-linux-gnu -march=x86-64-v4 -fno-discard-value-names -fpass-plugin=%tilesmith -DONLY=zeros %s -o - | FileCheck %s --check-prefix=ZEROS
// LEFT-OUT: define internal {{.*}}void @tilesmith.micro.48x7{{.*}}ptr {{.*}}%runs
// LEFT-OUT-COUNT-3: {{^run.step.*:}}
// Weights of few windows are read in place.
// LEFT-OUT: define internal {{.*}} @tilesmith.gemm(
// LEFT-OUT: %few.windows = and i1
// Steps with zeros are made.
// ZEROS-NOT: @tilesmith.micro.48x7{{.*}}ptr {{.*}}%runs

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

typedef struct {
  int C, K, H, W, R, step, pad, height, width;
} Layer;
#define PARAMETERS                                                             \
  Layer L, float *restrict out, const float *restrict in, const float *restrict w
#define FOR(i, n) for (int i = 0; i < (n); i++)
#define WINDOW                                                                 \
  FOR(r, L.R) FOR(s, L.R)
#define PLACE                                                                  \
  int row = y * L.step + r - L.pad, column = x * L.step + s - L.pad;           \
  int inside = row >= 0 && row < L.height && column >= 0 && column < L.width;
#define IN in[((long)row * L.width + column) * C + c]
#define WEIGHT w[(((long)r * L.R + s) * C + c) * K + k]
#define OUT out[((long)y * L.W + x) * K + k]

#define left_out 1
#define added 2
#define zeros 4
#ifndef ONLY
#define ONLY 7
#endif

#if ONLY & left_out
__attribute__((noinline)) void left_out_layer(PARAMETERS) {
  int C = L.C, K = L.K;
  FOR(y, L.H) FOR(x, L.W) FOR(k, K) {
    float sum = 0;
    WINDOW {
      PLACE if (inside) FOR(c, C) sum += IN * WEIGHT;
    }
    OUT = sum;
  }
}
#endif
#if ONLY & added
__attribute__((noinline)) void added_layer(PARAMETERS) {
  int C = L.C, K = L.K;
  FOR(y, L.H) FOR(x, L.W) FOR(k, K) {
    float sum = OUT;
    WINDOW {
      PLACE if (inside) FOR(c, C) sum += IN * WEIGHT;
    }
    OUT = sum * 0.5f;
  }
}
#endif
#if ONLY & zeros
__attribute__((noinline)) void zeros_layer(PARAMETERS) {
  int C = L.C, K = L.K;
  FOR(y, L.H) FOR(x, L.W) FOR(k, K) {
    float sum = 0;
    WINDOW {
      PLACE FOR(c, C) sum += (inside ? IN : 0) * WEIGHT;
    }
    OUT = sum;
  }
}
#endif

// Floats that end where no page is.
static float *atEnd(size_t n) {
  size_t page = 4096, bytes = (n * sizeof(float) + page - 1) / page * page;
  char *all = mmap(0, bytes + page, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect(all + bytes, page, PROT_NONE);
  return (float *)(all + bytes) - n;
}

static unsigned hashOf(const float *v, size_t n) {
  const unsigned char *bytes = (const unsigned char *)v;
  unsigned hash = 2166136261u;
  for (size_t i = 0; i < n * sizeof(float); i++) {
    // NaN is one value.
    unsigned char byte = isnan(v[i / sizeof(float)]) ? 0x7f : bytes[i];
    hash = (hash ^ byte) * 16777619u;
  }
  return hash;
}

static void run(void (*layer)(PARAMETERS), const char *name, Layer L, int values) {
  size_t image = (size_t)L.C * L.height * L.width,
         weights = (size_t)L.C * L.K * L.R * L.R,
         sums = (size_t)L.K * L.H * L.W;
  float *in = atEnd(image), *w = atEnd(weights), *out = atEnd(sums);
  FOR(i, (int)image) in[i] = values == 1 ? -0.0f : (float)(i * 7 % 23) - 11;
  FOR(i, (int)weights) w[i] = (float)(i * 5 % 19) / 7 - 1;
  FOR(i, (int)sums) out[i] = i % 5 ? (float)(i % 7) : -0.0f;
  if (values == 2)
    w[weights / 2] = INFINITY, w[0] = -INFINITY;
  if (values == 3)
    in[image / 3] = NAN, w[weights - 1] = INFINITY;
  layer(L, out, in, w);
  printf("%s %d channels, %d kernels, %d x %d, %d / %d, %d, values %d: %x\n", name,
         L.C, L.K, L.H, L.W, L.R, L.step, L.pad, values, hashOf(out, sums));
}

int main(void) {
#if ONLY == 7
  static const int channels[] = {3, 7, 21}, kernels[] = {9, 50, 100};
  FOR(W, 21) FOR(c, 3) FOR(k, 3) FOR(step, 2) FOR(pad, 4) {
    Layer L = {channels[c], kernels[k], 3, W, 1 + 2 * pad, 1 + step, pad, 0, 0};
    if (pad == 3)
      L.R = 4, L.pad = 2, L.H = 5;
    L.height = (L.H - 1) * L.step + L.R - 2 * L.pad;
    L.width = (L.W - 1) * L.step + L.R - 2 * L.pad;
    if (L.height < 1 || L.width < 1)
      continue;
    run(left_out_layer, "left out", L, (W + c + k + pad) % 4);
    run(added_layer, "added", L, (W + c + k + pad + 1) % 4);
    run(zeros_layer, "zeros", L, (W + c + k + pad + 2) % 4);
  }
  // Few windows, and weights that are read in place, whole pages apart or not.
  static const int many[] = {750, 1024}, sides[] = {3, 4, 7, 9};
  FOR(side, 4) FOR(k, 2) FOR(step, 2) FOR(pad, 2) {
    int H = sides[side], S = 1 + step;
    Layer L = {k ? 70 : 33, many[k], H, H, 1 + 2 * pad, S, pad, H * S, H * S};
    run(left_out_layer, "left out", L, (side + k + pad) % 4);
    run(added_layer, "added", L, (side + k + pad + 1) % 4);
  }
#endif
}
