//===- sums-apart.c - sums that do not rest in C ---------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where C's elements are narrower than sums, or are only stored if they change,
// the sums of a tile are on the stack, and the epilogue reads them there. There is
// no matrix of sums.
//
// RUN: %clang -O2 -march=x86-64-v4 -fpass-plugin=%tilesmith -S -emit-llvm -DNARROW %s -o - | FileCheck %s --check-prefixes=CHECK,NARROW
// RUN: %clang -O2 -march=x86-64-v4 -fpass-plugin=%tilesmith -S -emit-llvm -DCHANGES %s -o - | FileCheck %s --check-prefixes=CHECK,CHANGES
// REQUIRES: x86-registered-target

// CHECK-LABEL: define {{.*}}void @f(
// CHECK-NOT: malloc
// CHECK-LABEL: define internal i1 @tilesmith.gemm(
// CHECK: [[SUMS:%[0-9]+]] = alloca [256 x {{i32|float}}], align 64
// CHANGES: call void @tilesmith.start({{.*}}, ptr nonnull [[SUMS]], i64 4, i64 128,
// CHECK: call void @tilesmith.epilogue({{.*}}, ptr nonnull [[SUMS]], i64 4, i64 128,
// CHECK-LABEL: define internal void @tilesmith.epilogue(
// NARROW: load <16 x i32>
// NARROW: trunc {{.*}}<16 x i32> {{.*}} to <16 x i8>
// NARROW: store <16 x i8>
// CHANGES: load <16 x float>
// CHANGES: icmp ne <16 x i32>
// CHANGES: call void @llvm.masked.store.v16f32
// CHANGES-NOT: store <16 x float>
// CHECK: {{^[}]}}

#ifdef NARROW
void f(int n, const signed char *restrict a, const signed char *restrict b,
       const int *restrict bias, signed char *restrict c) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      int s = 0;
      for (int k = 0; k < n; k++)
        s += a[i * n + k] * b[j * n + k];
      s = (s + bias[j]) >> 7;
      c[i * n + j] = s > 127 ? 127 : s < -128 ? -128 : s;
    }
}
#else
void f(int n, const float *restrict a, const float *restrict b, float *restrict c) {
  for (int i = 0; i < n; i++)
    for (int k = 0; k < n; k++)
      for (int j = 0; j < n; j++) {
        float path = a[i * n + k] + b[k * n + j];
        if (path < c[i * n + j])
          c[i * n + j] = path;
      }
}
#endif
