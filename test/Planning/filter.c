//===- filter.c - plans for windows without a sum over channels -----------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// REQUIRES: x86-registered-target
// DEFINE: %{source} = %clang --target=x86_64-linux-gnu -O1 -S -emit-llvm %s
// DEFINE: %{plan} = %opt -passes='print<tilesmith-plan>' -disable-output
// RUN: %{source} -march=sapphirerapids -o %t.ll
// RUN: %{plan} %t.ll 2>&1 | FileCheck %s
// RUN: %{source} -march=haswell -o %t.avx2.ll
// RUN: %{plan} %t.avx2.ll 2>&1 | FileCheck %s --check-prefix=AVX2
// RUN: %{source} -march=znver4 -o %t.zen4.ll
// RUN: %{plan} %t.zen4.ll 2>&1 | FileCheck %s --check-prefix=ZEN4
// Without masks, there must be a register of neighbours.
// RUN: %{source} -o %t.sse.ll
// RUN: %{plan} %t.sse.ll 2>&1 | FileCheck %s --check-prefix=SSE
// What is asked for is done, or refused.
// RUN: %{plan} -tilesmith-plan="filter tile=64x2 min-work=1" %t.ll 2>&1 | FileCheck %s --check-prefix=ASKED
// RUN: %{plan} -tilesmith-plan="filter tile=48x2" %t.ll 2>&1 | FileCheck %s --check-prefix=RAGGED

#define FOR(i, n) for (long i = 0; i < (n); i++)
#define PARAMETERS                                                             \
  long C, long H, long W, long R, long S, float *restrict out,                 \
      const float *restrict in, const float *restrict w

// CHECK-LABEL:  function 'line'
// CHECK-NEXT:   GEMV f32 (A row-major), MxK at run time: a filter, 128x1 at a time, AVX-512
// CHECK-NEXT:   plan: filter tile=128x1 min-work=64 min-m=4
// CHECK-NEXT:   tile: 8 vectors of sums in 1 row
// CHECK-NEXT:   lanes: along M
// CHECK-NEXT:   break-even: M*N*K >= 64, M >= 4
// AVX2-LABEL:   function 'line'
// AVX2:         plan: filter tile=64x1 min-work=64 min-m=4
// SSE-LABEL:    function 'line'
// SSE:          plan: filter tile=32x1 min-work=64 min-m=4
// A line has no rows.
// ASKED-LABEL:  function 'line'
// ASKED:        PlanTile
void line(PARAMETERS) {
  FOR(x, W) {
    float sum = 0;
    FOR(s, S) sum += in[x + s] * w[s];
    out[x] = sum;
  }
}

// clang makes vectors of neighbours here, and loads and stores sums with each tap.
// CHECK-LABEL:  function 'line_by_taps'
// CHECK:        plan: filter tile=128x1 min-work=128 min-m=4 min-k=4
void line_by_taps(PARAMETERS) {
  FOR(s, S) FOR(x, W) out[x] += in[x + s] * w[s];
}

// CHECK-LABEL:  function 'few_taps'
// CHECK:        not replaced: TooSmall
void few_taps(PARAMETERS) {
  FOR(x, W) {
    float sum = 0;
    FOR(s, 12) sum += in[x + s] * w[s];
    out[x] = sum;
  }
}

// CHECK-LABEL:  function 'channels_first'
// CHECK-NEXT:   filter f32 (A row-major), MxK at run time in 3 outer loops: a filter, 32x4 at a time, AVX-512
// CHECK-NEXT:   plan: filter tile=32x4 min-work=96 min-m=3
// CHECK-NEXT:   tile: 2 vectors of sums in 4 rows
// CHECK-NEXT:   lanes: along M
// ASKED-LABEL:  function 'channels_first'
// ASKED:        plan: filter tile=64x2 min-work=1
// RAGGED-LABEL: function 'channels_first'
// RAGGED:       PlanTile
void channels_first(PARAMETERS) {
  FOR(c, C) FOR(y, H) FOR(x, W) {
    float sum = 0;
    FOR(r, R) FOR(s, S) sum += in[(c * (H + R - 1) + y + r) * (W + S - 1) + x + s] * w[(c * R + r) * S + s];
    out[(c * H + y) * W + x] = sum;
  }
}

// CHECK-LABEL:  function 'channels_last'
// CHECK:        plan: filter tile=128x3 min-work=64
// CHECK-NEXT:   tile: 8 vectors of sums in 3 rows
// CHECK-NEXT:   lanes: along outer dimension 1 of 3, with taps of their own
// AVX2-LABEL:   function 'channels_last'
// AVX2:         plan: filter tile=32x3 min-work=64
// Half a register crosses fewer lines, and takes half as long.
// ZEN4-LABEL:   function 'channels_last'
// ZEN4:         plan: filter tile=64x3 min-work=64
// ZEN4-NEXT:    tile: 8 vectors of sums in 3 rows
void channels_last(PARAMETERS) {
  FOR(y, H) FOR(x, W) FOR(c, C) {
    float sum = 0;
    FOR(r, R) FOR(s, S) sum += in[((y + r) * (W + S - 1) + x + s) * C + c] * w[(r * S + s) * C + c];
    out[(y * W + x) * C + c] = sum;
  }
}

// Steps are left out under masks.
// CHECK-LABEL:  function 'padded'
// CHECK:        plan: filter tile=32x4 min-work=224 min-m=4
// SSE-LABEL:    function 'padded'
// SSE:          not replaced: Branch
void padded(PARAMETERS) {
  FOR(y, H) FOR(x, W) {
    float sum = 0;
    FOR(r, R) FOR(s, S) {
      long row = y + r - 1, column = x + s - 1;
      if (row >= 0 && row < H && column >= 0 && column < W)
        sum += in[row * W + column] * w[r * S + s];
    }
    out[y * W + x] = sum;
  }
}

// Channels of a place are all inside, or none is: no masks are needed.
// CHECK-LABEL:  function 'padded_channels'
// CHECK:        plan: filter tile=128x3 min-work=256
// SSE-LABEL:    function 'padded_channels'
// SSE:          plan: filter tile=16x3 min-work=256
void padded_channels(PARAMETERS) {
  FOR(y, H) FOR(x, W) FOR(c, C) {
    float sum = 0;
    FOR(r, R) FOR(s, S) {
      long row = y + r - 1, column = x + s - 1;
      if (row >= 0 && row < H && column >= 0 && column < W)
        sum += in[(row * W + column) * C + c] * w[(r * S + s) * C + c];
    }
    out[(y * W + x) * C + c] = sum;
  }
}

// Steps with zeros are made under masks.
// SSE-LABEL:    function 'zeros_beyond_channels'
// SSE:          not replaced: Branch
void zeros_beyond_channels(PARAMETERS) {
  FOR(y, H) FOR(x, W) FOR(c, C) {
    float sum = 0;
    FOR(r, R) FOR(s, S) {
      long row = y + r - 1, column = x + s - 1;
      sum += (row >= 0 && row < H && column >= 0 && column < W ? in[(row * W + column) * C + c] : 0) *
             w[(r * S + s) * C + c];
    }
    out[(y * W + x) * C + c] = sum;
  }
}

// ASKED-LABEL:  function 'rows'
// ASKED:        PlanNoFilter
void rows(PARAMETERS) {
  FOR(x, W) FOR(s, S) out[x] += in[x * S + s] * w[s];
}

// Rows of seven: 49 lanes are four registers, where seven rows are seven.
#define CONSTANT const float in[9][7][7], const float w[9][3][3], float out[9][7][7]
// CHECK-LABEL:  function 'short_rows'
// CHECK-NEXT:   filter f32 (A row-major), 7x3 in 3 outer loops: a filter, 64x1 at a time, AVX-512
// CHECK:        lanes: along M, and on in the next row
// CHECK-NEXT:   break-even: M*N*K >= 64;
// SSE-LABEL:    function 'short_rows'
// SSE:          not replaced
void short_rows(CONSTANT) {
  FOR(c, 9) FOR(y, 7) FOR(x, 7) {
    float sum = 0;
    FOR(r, 3) FOR(s, 3) {
      int row = y + r - 1, column = x + s - 1;
      if (row >= 0 && row < 7 && column >= 0 && column < 7)
        sum += in[c][row][column] * w[c][r][s];
    }
    out[c][y][x] = sum;
  }
}

// Every second window does not follow the one before.
// CHECK-LABEL:  function 'short_rows_apart'
// CHECK:        not replaced: TooSmall
void short_rows_apart(const float in[9][14][14], const float w[9][3][3], float out[9][7][7]) {
  FOR(c, 9) FOR(y, 7) FOR(x, 7) {
    float sum = 0;
    FOR(r, 3) FOR(s, 3) {
      int row = 2 * y + r - 1, column = 2 * x + s - 1;
      if (row >= 0 && row < 14 && column >= 0 && column < 14)
        sum += in[c][row][column] * w[c][r][s];
    }
    out[c][y][x] = sum;
  }
}
