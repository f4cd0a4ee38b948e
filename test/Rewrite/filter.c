//===- filter.c - the kernel for windows without a sum over channels ------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Nothing is allocated, and sums stay in registers for all taps, which go by in
// the source's order.

// REQUIRES: x86-registered-target
// RUN: %clang --target=x86_64-linux-gnu -march=sapphirerapids -O1 -S -emit-llvm %s -o %t.ll
// RUN: %opt -passes=tilesmith-rewrite -S %t.ll | FileCheck %s --implicit-check-not=malloc

#define FOR(i, n) for (long i = 0; i < (n); i++)

// One tap for all lanes. Neighbours are loaded from any address; the last ones
// are masked.
// CHECK-LABEL: define internal i1 @tilesmith.filter(
// CHECK-NOT:     alloca
// CHECK:       taps:
// CHECK-COUNT-8: phi <16 x float>
// CHECK-NOT:     phi <16 x float>
// CHECK:       taps{{[0-9]+}}:
// CHECK:         load float, ptr
// CHECK-COUNT-8: load <16 x float>, ptr %{{.*}}, align 4
// CHECK:       last:
// CHECK:         call <16 x float> @llvm.masked.load.v16f32.p0(
// CHECK:         call void @llvm.masked.store.v16f32.p0(
// CHECK-NOT:     load float, ptr %a
// CHECK:         ret i1 true
void image(long H, long W, long R, long S, float *restrict out, const float *restrict in, const float *restrict w) {
  FOR(y, H) FOR(x, W) {
    float sum = 0;
    FOR(r, R) FOR(s, S) sum += in[(y + r) * (W + S - 1) + x + s] * w[r * S + s];
    out[y * W + x] = sum;
  }
}

// Every second element, of two loads: the second one ends with the last element.
// CHECK-LABEL: define internal i1 @tilesmith.filter.1(
// CHECK:       taps:
// CHECK:         [[A:%.*]] = load <8 x double>, ptr
// CHECK-NEXT:    getelementptr i8, ptr %{{.*}}, i64 56
// CHECK-NEXT:    [[B:%.*]] = load <8 x double>, ptr
// CHECK-NEXT:    shufflevector <8 x double> [[A]], <8 x double> [[B]], <8 x i32> <i32 0, i32 2, i32 4, i32 6, i32 9, i32 11, i32 13, i32 15>
void every_second(long W, long S, double *restrict out, const double *restrict in, const double *restrict w) {
  FOR(x, W) {
    double sum = 0;
    FOR(s, S) sum += in[2 * x + s] * w[s];
    out[x] = sum;
  }
}

// Each lane has a channel, with taps of its own.
// CHECK-LABEL: define internal i1 @tilesmith.filter.2(
// CHECK-NOT:     ret i1 false
// CHECK:       taps:
// CHECK:         load <8 x double>
void channels(long C, long W, long S, double *restrict out, const double *restrict in, const double *restrict w) {
  FOR(x, W) FOR(c, C) {
    double sum = 0;
    FOR(s, S) sum += in[(x + s) * C + c] * w[s * C + c];
    out[x * C + c] = sum;
  }
}

// The distance of windows is found out at run time.
// CHECK-LABEL: define internal i1 @tilesmith.filter.3(
// CHECK:         icmp eq i64 %sAm0, 8
// CHECK:         icmp eq i64 %sAm0, 16
// CHECK:         ret i1 true
void steps(long H, long W, long R, long S, long step, long pitch, double *restrict out, const double *restrict in,
           const double *restrict w) {
  FOR(y, H) FOR(x, W) {
    double sum = 0;
    FOR(r, R) FOR(s, S) sum += in[(y * step + r) * pitch + x * step + s] * w[r * S + s];
    out[y * W + x] = sum;
  }
}

// Places that are partly beyond a border, with channels last: a row of taps that is
// beyond is left out with all its taps, and a tap is added to the places that have
// it. No step has a mask for that.
// CHECK-LABEL: define internal i1 @tilesmith.filter.4(
// CHECK:         [[MADE:%.*]] = icmp ult i64 %position{{[0-9]*}}, %{{.*}}
// CHECK-NEXT:    br i1 [[MADE]], label %made, label %made.end
// CHECK-NOT:   masked.load
// CHECK:       last:
void padded_channels(long C, long H, long W, long R, long S, double *restrict out, const double *restrict in,
                     const double *restrict w) {
  FOR(y, H) FOR(x, W) FOR(c, C) {
    double sum = 0;
    FOR(r, R) FOR(s, S) {
      long row = y + r - 1, column = x + s - 1;
      if (row >= 0 && row < H && column >= 0 && column < W)
        sum += in[(row * W + column) * C + c] * w[(r * S + s) * C + c];
    }
    out[(y * W + x) * C + c] = sum;
  }
}
