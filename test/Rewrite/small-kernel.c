//===- small-kernel.c - small constant sizes ------------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// REQUIRES: x86
// RUN: %clang --target=x86_64-linux-gnu -march=haswell -O3 -S -emit-llvm %s -o - -fpass-plugin=%tilesmith -Rpass=tilesmith 2>&1 | FileCheck %s
// RUN: %clang --target=x86_64-linux-gnu -march=x86-64-v4 -O3 -S %s -o - -fpass-plugin=%tilesmith | FileCheck %s --check-prefix=ASM

// Nothing can fail, so there is no other code, and one call.
// CHECK-DAG: 8x8x8: in place, 12x4 micro kernel
// CHECK-DAG: 32x32x3: in place, 12x1 micro kernel
// CHECK-DAG: 12x12x4: in place, 12x1 micro kernel
// CHECK-LABEL: define {{.*}} @safe(
// CHECK-NEXT:  call {{.*}}void @safe.tilesmith(
// CHECK-NEXT:  ret void
// ASM-LABEL: safe.tilesmith:
// ASM-COUNT-8: vmovup{{[sd]}} {{.*}}, %zmm
// ASM-NOT:     call
// ASM:         vzeroupper
// ASM-NEXT:    retq
void safe(const double *a, const double *b, double *restrict c) {
  for (int i = 0; i < 8; i++)
    for (int j = 0; j < 8; j++)
      for (int k = 0; k < 8; k++)
        c[i * 8 + j] += a[i * 8 + k] * b[k * 8 + j];
}

// If C may overlap A or B, the loops are kept.
// CHECK-LABEL: define {{.*}} @unsafe(
// CHECK-NEXT:  call {{.*}}i1 @unsafe.tilesmith(
void unsafe(const double *a, const double *b, double *c) {
  for (int i = 0; i < 9; i++)
    for (int j = 0; j < 9; j++)
      for (int k = 0; k < 9; k++)
        c[i * 9 + j] += a[i * 9 + k] * b[k * 9 + j];
}

// A is transposed, in a panel on the stack.
// CHECK-LABEL: define {{.*}} @transposed(
void transposed(const double *a, const double *b, double *restrict c) {
  for (int i = 0; i < 32; i++)
    for (int j = 0; j < 32; j++)
      for (int k = 0; k < 32; k++)
        c[i * 32 + j] += a[i * 32 + k] * b[j * 32 + k];
}

// A few elements are transposed without loops, ragged ones under a mask.
// CHECK-LABEL: define {{.*}} @turned(
void turned(const double *a, const double *b, double *restrict c) {
  for (int i = 0; i < 11; i++)
    for (int j = 0; j < 11; j++)
      for (int k = 0; k < 11; k++)
        c[i * 11 + j] += a[i * 11 + k] * b[j * 11 + k];
}

// Of few steps, A's columns are loaded once, and there are no loops.
void few(const double *a, const double *b, double *restrict c) {
  for (int i = 0; i < 12; i++)
    for (int j = 0; j < 12; j++)
      for (int k = 0; k < 4; k++)
        c[i * 12 + j] += a[i * 4 + k] * b[k * 12 + j];
}

// Transposed, they need no panel. C may be too large for straight code.
void few_turned(const double *a, const double *b, double *restrict c) {
  for (int i = 0; i < 32; i++)
    for (int j = 0; j < 32; j++)
      for (int k = 0; k < 3; k++)
        c[i * 32 + j] += a[i * 3 + k] * b[j * 3 + k];
}

// No buffers, and no other functions than those above.
// CHECK-LABEL: define internal {{.*}} @safe.tilesmith(
// CHECK-NOT:   alloca
// CHECK-NOT:   call {{.*}} @malloc
// CHECK:       {{^}}}
// CHECK-LABEL: define internal {{.*}} @unsafe.tilesmith(
// CHECK-NOT:   alloca
// CHECK-NOT:   call {{.*}} @malloc
// CHECK:       {{^}}}
// CHECK-LABEL: define internal {{.*}} @transposed.tilesmith(
// CHECK:       alloca [{{[0-9]+}} x double], align 64
// CHECK-COUNT-2: call {{.*}} @tilesmith.pack.a(
// CHECK-NOT:   call {{.*}} @tilesmith
// CHECK:       {{^}}}
// CHECK-LABEL: define internal {{.*}} @turned.tilesmith(
// CHECK:       alloca [{{[0-9]+}} x double], align 64
// CHECK:       call {{.*}}@llvm.masked.load
// CHECK-NOT:   call {{.*}} @tilesmith
// CHECK:       {{^}}}
// CHECK-LABEL: define internal {{.*}} @few.tilesmith(
// CHECK-NOT:   alloca
// CHECK-NOT:   br
// CHECK-COUNT-12: load <4 x double>, ptr {{.*}}, align 8
// CHECK-COUNT-36: store <4 x double>
// CHECK-NOT:   store
// CHECK:       {{^}}}
// CHECK-LABEL: define internal {{.*}} @few_turned.tilesmith(
// CHECK-NOT:   alloca
// CHECK:       phi i64
// CHECK-NOT:   call {{.*}} @tilesmith
// CHECK:       {{^}}}
