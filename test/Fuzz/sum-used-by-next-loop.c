// A second loop over k starts from the sum, and the first one leads straight to it: in the copy without the product, the sum must be loaded in between.
//
// RUN: %python %S/../../tools/tilesmith-fuzz --clang %clang --plugin %tilesmith --work %t --replay %s | FileCheck %s
// CHECK: 1 products replaced
// CHECK-SAME: 0 failures
// REQUIRES: native-avx2
// SETTING {"target": "native", "flags": ["-O3", "-march=x86-64-v3"], "options": ["verify=1"], "base": ["-O1", "-march=x86-64-v3"]}
// CALL 0 0 978838126 0 5 8 8 8 0 0 0 3 1 256 0 1 24 1 1 24 0 3 0 0 1 0 2 0
#include "fuzz.h"
__attribute__((noinline)) static void PREFIX_(p938)(long n0, long n1, long ld0, long ld1, long ld2, float *a0, float *a1, float *a2) {
  for (long l2 = 0; l2 < n0; l2++) {
    for (long l1 = 0; l1 < n0; l1++) {
      for (long l3 = 0; l3 < n1 - 2; l3++) {
        a0[l2 * ld0 + l1] += (a2[l2 * ld2 + l3] * a1[l1 * ld1 + l3]);
      }
      for (long l3 = 0; l3 < n1; l3++) {
        a0[l2 * ld0 + l1] += 1;
      }
    }
  }
}
static void PREFIX_(p938_run)(const struct FuzzCall *c) {
  PREFIX_(p938)((long)c->n[0], (long)c->n[1], (long)c->n[2], (long)c->n[3], (long)c->n[4], (void *)(float *)c->a[0], (void *)(float *)c->a[1], (void *)(float *)c->a[2]);
}
const struct Entry PREFIX_(programs)[] = {
  {"p938", PREFIX_(p938_run)},
  {0, 0}};
