//===- analysis-remarks.c - the plan, and what is tested at run time ------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// -Rpass-analysis=tilesmith prints a line each, and no other option does. Names are
// the source's with -g.
//
// DEFINE: %{remarks} = %clang --target=x86_64-linux-gnu -march=znver5 -O2 -fno-caret-diagnostics -fpass-plugin=%tilesmith -c %s -o /dev/null
// RUN: %{remarks} -g -Rpass=tilesmith -Rpass-analysis=tilesmith 2>&1 | FileCheck %s --check-prefixes=CHECK,NAMED
// RUN: %{remarks} -Rpass=tilesmith -Rpass-analysis=tilesmith 2>&1 | FileCheck %s --check-prefixes=CHECK,PLAIN
// RUN: %{remarks} -Rpass=tilesmith 2>&1 | FileCheck %s --check-prefix=ALONE --implicit-check-not=plan --implicit-check-not=tested

// CHECK: analysis-remarks.c:[[#@LINE+8]]:3: remark: replaced 3-loop nest {{.*}}[-Rpass=tilesmith]
// CHECK-NEXT: [[#@LINE+7]]:3: remark: plan: packed tile={{.*}} min-work={{[0-9]+}}{{.*}} [-Rpass-analysis=tilesmith]
// NAMED-NEXT: [[#@LINE+6]]:3: remark: tested at run time: c overlaps neither a nor b; indices of 32 bits do not wrap{{.*}} [-Rpass-analysis=tilesmith]
// PLAIN-NEXT: [[#@LINE+5]]:3: remark: tested at run time: C overlaps neither A nor B; indices of 32 bits do not wrap{{.*}} [-Rpass-analysis=tilesmith]
// CHECK-NEXT: [[#@LINE+4]]:3: remark: tile: {{.*}} [-Rpass-analysis=tilesmith]
// CHECK: [[#@LINE+3]]:3: remark: break-even: M*N*K >= {{.*}} [-Rpass-analysis=tilesmith]
// ALONE: remark: replaced
void gemm(unsigned n, const double *a, const double *b, double *c) {
  for (unsigned i = 0; i < n; i++)
    for (unsigned j = 0; j < n; j++)
      for (unsigned k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}

// With restrict, and indices that cannot wrap, there is nothing to test.
// CHECK: [[#@LINE+4]]:3: remark: replaced 3-loop nest
// CHECK-NEXT: remark: plan:
// CHECK-NEXT: remark: tile:
void apart(long n, const double *restrict a, const double *restrict b, double *restrict c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}

// What is loaded again and again.
// CHECK: [[#@LINE+5]]:3: remark: replaced 3-loop nest
// CHECK-NEXT: remark: plan:
// CHECK-NEXT: remark: tested at run time: {{.*}}no store changes what is loaded again and again in line [[#@LINE+6]]
struct Size { long n; double alpha; };
void members(const struct Size *s, const double *a, const double *b, double *c) {
  for (long i = 0; i < s->n; i++)
    for (long j = 0; j < s->n; j++)
      for (long k = 0; k < s->n; k++)
        c[i * 64 + j] += s->alpha * a[i * 64 + k] * b[k * 64 + j];
}
