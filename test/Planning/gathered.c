//===- gathered.c - images that windows go over ---------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A factor is gathered if windows overlap in it, and the sum has no long index.

// REQUIRES: x86-registered-target
// DEFINE: %{plan} = %opt -passes='print<tilesmith-plan>' -disable-output
// RUN: %clang --target=x86_64-linux-gnu -march=znver4 -O1 -S -emit-llvm %s -o %t.ll
// RUN: %{plan} %t.ll 2>&1 | FileCheck %s
// What is asked for is done, or refused.
// RUN: %{plan} -tilesmith-plan=packed %t.ll 2>&1 | FileCheck %s --check-prefix=PACKED
// RUN: %{plan} -tilesmith-plan="gathered tile=16x8" %t.ll 2>&1 | FileCheck %s --check-prefix=ASKED
// RUN: %opt -passes=tilesmith-rewrite -S %t.ll | FileCheck %s --check-prefix=KERNEL

#define FOR(i, n) for (long i = 0; i < (n); i++)

// CHECK-LABEL:  function 'run_time'
// CHECK:        gathered, 48x8 micro kernel
// CHECK-NEXT:   plan: gathered tile=48x8+32x8 {{.*}}min-work=1024
// CHECK:        gathered: A is packed as one matrix, along all indices
// CHECK-NEXT:   otherwise: packed, 48x8 micro kernel, AVX-512: if what should be one matrix is none at run time, or K >= 64
// PACKED-LABEL: function 'run_time'
// PACKED:       plan: packed
// ASKED-LABEL:  function 'run_time'
// ASKED:        plan: gathered tile=16x8
void run_time(long C, long K, long H, long W, long R, float *restrict out,
              const float *restrict in, const float *restrict w) {
  FOR(k, K) FOR(y, H) FOR(x, W) FOR(c, C) FOR(r, R) FOR(s, R)
  out[(k * H + y) * W + x] += in[(c * (H + R - 1) + y + r) * (W + R - 1) + x + s] *
                              w[((k * C + c) * R + r) * R + s];
}

// Constants say that C and the weights are plain.
// CHECK-LABEL:  function 'constant'
// CHECK:        gathered: A is packed as one matrix
// CHECK-NOT:    otherwise:
// CHECK:        break-even:
// KERNEL-LABEL: define internal void @tilesmith.pack.a(
// KERNEL-SAME:  i64 %first, i64 %count, i64 %K, ptr noalias %steps, i64 %extent0, i64 %stride0, i64 %extent1, i64 %stride1)
// KERNEL:       call <16 x float> @llvm.masked.load.v16f32
void constant(float out[32][20][20], const float in[16][22][22],
              const float w[32][16][3][3]) {
  FOR(k, 32) FOR(y, 20) FOR(x, 20) FOR(c, 16) FOR(r, 3) FOR(s, 3)
  out[k][y][x] += in[c][y + r][x + s] * w[k][c][r][s];
}

// So does a stride or a dilation that is not known, if it is the same twice.
// CHECK-LABEL:  function 'strided'
// CHECK:        plan: gathered
void strided(long C, long K, long H, long W, long step, float *restrict out,
             const float *restrict in, const float *restrict w) {
  FOR(k, K) FOR(y, H) FOR(x, W) FOR(c, C) FOR(r, 3) FOR(s, 3)
  out[(k * H + y) * W + x] += in[(c * H + y * step + r) * (W + 9) + x * step + s] *
                              w[((k * C + c) * 3 + r) * 3 + s];
}

// Many channels are a sum of their own.
// CHECK-LABEL:  function 'many_channels'
// CHECK:        plan: packed
// ASKED-LABEL:  function 'many_channels'
// ASKED:        plan: gathered
void many_channels(float out[20][20][32], const float in[22][22][64],
                   const float w[3][3][64][32]) {
  FOR(y, 20) FOR(x, 20) FOR(k, 32) FOR(r, 3) FOR(s, 3) FOR(c, 64)
  out[y][x][k] += in[y + r][x + s][c] * w[r][s][c][k];
}

// Nothing overlaps.
// CHECK-LABEL:  function 'contraction'
// CHECK:        plan: packed
// ASKED-LABEL:  function 'contraction'
// ASKED:        PlanNotGathered
void contraction(double c[40][50], const double a[40][9][16],
                 const double b[9][8][50]) {
  FOR(i, 40) FOR(j, 50) FOR(p, 9) FOR(q, 8) c[i][j] += a[i][p][q] * b[p][q][j];
}

// A kernel that makes every step cannot leave out those at a border.
// CHECK-LABEL:  function 'padded'
// CHECK:        plan: gathered
// PACKED-LABEL: function 'padded'
// PACKED:       PlanNoBorders
void padded(float out[32][20][20], const float in[16][20][20],
            const float w[32][16][3][3]) {
  FOR(k, 32) FOR(y, 20) FOR(x, 20) FOR(c, 16) FOR(r, 3) FOR(s, 3) {
    long row = y + r - 1, column = x + s - 1;
    if (row >= 0 && row < 20 && column >= 0 && column < 20)
      out[k][y][x] += in[c][row][column] * w[k][c][r][s];
  }
}

// Bytes stay narrow if their channels are adjacent: if these are whole groups at run
// time, and otherwise there is a kernel that widens them.
// CHECK-LABEL:  function 'bytes'
// CHECK:        gathered, 48x8 micro kernel, AVX-512 VNNI
// CHECK-NEXT:   plan: gathered tile=48x8+32x8 group=4
// CHECK:        otherwise: gathered, 48x8 micro kernel, AVX-512: if what should be one matrix is none at run time, or K is no multiple of 4
// CHECK:        kc: a sliver of B takes 16 KiB, 50 % of L1 (aim: 50 %, but at most 3 KiB of a column)
// CHECK-NEXT:   mc: a block of A takes 480 KiB, 46 % of L2 (aim: 50 %, but at most 2048 rows)
// CHECK:        B: packed if M > 3072
void bytes(long C, long K, long H, long W, int *restrict out,
           const unsigned char *restrict in, const signed char *restrict w) {
  FOR(y, H) FOR(x, W) FOR(k, K) {
    int sum = 0;
    FOR(r, 3) FOR(s, 3) {
      long row = y + r - 1, column = x + s - 1;
      if (row >= 0 && row < H && column >= 0 && column < W)
        FOR(c, C) sum += in[(row * W + column) * C + c] * w[((r * 3 + s) * C + c) * K + k];
    }
    out[(y * W + x) * K + k] = sum;
  }
}

// Without borders, a packed kernel does what cannot be gathered.
// CHECK-LABEL:  function 'bytes_inside'
// CHECK:        gathered, 48x8 micro kernel, AVX-512 VNNI
// CHECK:        otherwise: packed, 48x8 micro kernel, AVX-512 VNNI: if what should be one matrix is none at run time, or K >= 256, or K is no multiple of 4
void bytes_inside(long C, long K, long H, long W, int *restrict out,
                  const unsigned char *restrict in, const signed char *restrict w) {
  FOR(y, H) FOR(x, W) FOR(k, K) {
    int sum = 0;
    FOR(r, 3) FOR(s, 3) FOR(c, C)
      sum += in[((y + r) * (W + 2) + x + s) * C + c] * w[((r * 3 + s) * C + c) * K + k];
    out[(y * W + x) * K + k] = sum;
  }
}

// Channels that are known not to be whole groups are filled up with zeros.
// CHECK-LABEL:  function 'three_channels'
// CHECK:        gathered, 48x8 micro kernel, AVX-512 VNNI{{$}}
void three_channels(int out[20][20][32], const unsigned char in[20][20][3],
                    const signed char w[3][3][3][32]) {
  FOR(y, 20) FOR(x, 20) FOR(k, 32) {
    int sum = 0;
    FOR(r, 3) FOR(s, 3) {
      long row = y + r - 1, column = x + s - 1;
      if (row >= 0 && row < 20 && column >= 0 && column < 20)
        FOR(c, 3) sum += in[row][column][c] * w[r][s][c][k];
    }
    out[y][x][k] = sum;
  }
}
// Those that are not adjacent are widened.
// CHECK-LABEL:  function 'channels_first'
// CHECK:        gathered, 48x8 micro kernel, AVX-512, mirrored
void channels_first(long C, long K, long H, long W, int *restrict out,
                    const unsigned char *restrict in, const signed char *restrict w) {
  FOR(k, K) FOR(y, H) FOR(x, W) {
    int sum = 0;
    FOR(c, C) FOR(r, 3) FOR(s, 3) {
      long row = y + r - 1, column = x + s - 1;
      if (row >= 0 && row < H && column >= 0 && column < W)
        sum += in[(c * H + row) * W + column] * w[((k * C + c) * 3 + r) * 3 + s];
    }
    out[(k * H + y) * W + x] = sum;
  }
}
