// Sums of a triangle are kept apart, with columns against their loop: of which the first is empty, and is not computed.
//
// RUN: %python %S/../../tools/tilesmith-fuzz --clang %clang --plugin %tilesmith --work %t --replay %s | FileCheck %s
// CHECK: 1 products replaced
// CHECK-SAME: 0 failures
// REQUIRES: native-avx2
// SETTING {"target": "native", "flags": ["-O3", "-march=x86-64-v3"], "options": ["verify=1"], "base": ["-O1", "-march=x86-64-v3"]}
// CALL 0 0 692695457 0 2 14 0 0 3 0 200 0 0 1664 0 1 56 0 3 0 0 1 0 2 52
#include "fuzz.h"
__attribute__((noinline)) static void PREFIX_(p5897)(long n1, long ld3, double *a3, double *a4, float *a5) {
  for (long l4 = 0; l4 < n1; l4++) {
    for (long l5 = 0; l5 < n1 - l4 - 1; l5++) {
      a4[l5 * n1 + l4 * 3] = a3[l5 * 2];
      double s7 = 0;
      for (long l6 = 0; l6 < n1; l6++) {
        s7 = (s7 + (a5[l6 * ld3 + l5 * -1] * (double)(a5[l4 * ld3 + l6 * -1])));
      }
      a4[l5 * n1 + l4 * 3] -= s7;
    }
  }
}
static void PREFIX_(p5897_run)(const struct FuzzCall *c) {
  PREFIX_(p5897)((long)c->n[0], (long)c->n[1], (void *)(double *)c->a[0], (void *)(double *)c->a[1], (void *)(float *)c->a[2]);
}
const struct Entry PREFIX_(programs)[] = {
  {"p5897", PREFIX_(p5897_run)},
  {0, 0}};
