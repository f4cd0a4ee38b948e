// The sums of a triangle without its first row are kept apart, in rows as long as the rectangle's: there must be memory for these.
//
// RUN: %python %S/../../tools/tilesmith-fuzz --clang %clang --plugin %tilesmith --work %t --replay %s | FileCheck %s
// CHECK: 1 products replaced
// CHECK-SAME: 0 failures
// REQUIRES: native-avx2
// SETTING {"target": "native", "flags": ["-O3", "-march=x86-64-v3", "-fno-strict-aliasing"], "options": ["verify=1", "kc=24"], "base": null}
// CALL 0 0 94916489 0 3 11 30 0 1 3 2 1 40 1 7 1800 1 2 0 0 1 0
#include "fuzz.h"
__attribute__((noinline)) static void PREFIX_(p1184)(long n0, long n2, long ld0, float alpha, float *a0, __bf16 *a1) {
  for (long l1 = 0; l1 < n0; l1++) {
    for (long l2 = 0; l2 < l1; l2++) {
      a0[l1 * ld0 + l2] *= alpha;
      float s4 = 0;
      for (long l3 = 0; l3 < n2; l3++) {
        s4 = (s4 + (a1[l2 * n2 + l3] * (float)(a1[l3 * n2 + l1])));
      }
      a0[l1 * ld0 + l2] += s4;
    }
  }
}
static void PREFIX_(p1184_run)(const struct FuzzCall *c) {
  PREFIX_(p1184)((long)c->n[0], (long)c->n[1], (long)c->n[2], (float)c->r[0], (void *)(float *)c->a[0], (void *)(__bf16 *)c->a[1]);
}
const struct Entry PREFIX_(programs)[] = {
  {"p1184", PREFIX_(p1184_run)},
  {0, 0}};

