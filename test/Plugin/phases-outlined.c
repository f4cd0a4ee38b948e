//===- phases-outlined.c - which scatters are phased ----------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Of places a constant apart, of which more taps than that may meet in an element,
// the nest is made for each phase, in a function of its own.
//
// RUN: %clang -O2 -march=haswell --target=x86_64-linux-gnu -S -emit-llvm -fpass-plugin=%tilesmith -mllvm -tilesmith-verify=1 %s -o - | FileCheck %s

#define FOR(i, n) for (long i = 0; i < (n); i++)
#define NEST(name, ...) void name(float *c, const float *a, const float *b, long K, long C, long X, long S, long by) { __VA_ARGS__ }

// CHECK-LABEL: define {{.*}}@two_apart(
// CHECK: call void @two_apart.tilesmith
NEST(two_apart, FOR(k, K) FOR(o, C) FOR(x, X) FOR(s, S) c[o * (2 * X + S) + 2 * x + s] += a[k * X + x] * b[(k * C + o) * S + s];)

// No two taps lead to one element.
// CHECK-LABEL: define {{.*}}@few_taps(
// CHECK-NOT: call void @few_taps.tilesmith
NEST(few_taps, FOR(k, K) FOR(o, C) FOR(x, X) FOR(s, 2) c[o * 2 * X + 2 * x + s] += a[k * X + x] * b[(k * C + o) * 2 + s];)

// CHECK-LABEL: define {{.*}}@at_run_time(
// CHECK-NOT: call void @at_run_time.tilesmith
NEST(at_run_time, FOR(k, K) FOR(o, C) FOR(x, X) FOR(s, S) c[o * (by * X + S) + by * x + s] += a[k * X + x] * b[(k * C + o) * S + s];)

// What C is read for besides may be of another phase.
// CHECK-LABEL: define {{.*}}@used_later(
// CHECK-NOT: call void @used_later.tilesmith
NEST(used_later, FOR(k, K) FOR(o, C) FOR(x, X) FOR(s, S) { c[o * (2 * X + S) + 2 * x + s] += a[k * X + x] * b[(k * C + o) * S + s]; c[0] = 1; })

// CHECK-LABEL: define {{.*}}@last(
void last(void) {}
