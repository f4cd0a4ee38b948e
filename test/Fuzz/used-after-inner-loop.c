// The value of an inner loop's counter is used behind the nest, without a phi at the inner loop's end.
//
// RUN: %python %S/../../tools/tilesmith-fuzz --clang %clang --plugin %tilesmith --work %t --replay %s | FileCheck %s
// CHECK: 1 products replaced
// CHECK-SAME: 0 failures
// REQUIRES: x86
// SETTING {"target": "native", "flags": ["-O1", "-march=native"], "options": ["verify=1"], "base": ["-O1", "-march=native"]}
// CALL 0 0 624459950 0 3 17 25 17 0 3 2 1668 0 2 1156 0 2 1156 1 3 0 0 1 0 2 0
// CALL 0 1 681245445 0 3 17 17 17 0 3 2 1156 1 2 1156 1 2 1156 1 3 0 0 1 0 2 0
// CALL 0 2 372551752 1 3 15 14 18 0 3 2 844 1 2 1068 1 2 900 0 3 0 0 1 0 2 0
// CALL 0 3 1970428 0 3 6 14 19 0 3 2 304 0 2 404 0 2 144 0 3 0 0 1 0 2 0
// CALL 0 4 298246109 1 3 13 -14 14 0 3 2 724 0 2 724 0 2 676 0 3 0 672 1 0 2 0
#include "fuzz.h"
__attribute__((noinline)) static void PREFIX_(p156)(long n0, long ld0, long ld1, int32_t *a0, int32_t *a1, int32_t *a2) {
  int32_t sum4 = 0;
  for (long l3 = 0; l3 < n0; l3++) {
    for (long l2 = 0; l2 < n0; l2++) {
      for (long l1 = 0; l1 < n0; l1++) {
        a0[l1 * ld0 + l2] += (a1[l1 * ld1 + l3] * a2[l2 * n0 + l3]);
      }
      sum4 = (a0[l2 * ld0 + l3] - a1[l3 * ld1 + l2]);
    }
  }
  a0[0] = sum4;
}
static void PREFIX_(p156_run)(const struct FuzzCall *c) {
  PREFIX_(p156)((long)c->n[0], (long)c->n[1], (long)c->n[2], (void *)(int32_t *)c->a[0], (void *)(int32_t *)c->a[1], (void *)(int32_t *)c->a[2]);
}
const struct Entry PREFIX_(programs)[] = {
  {"p156", PREFIX_(p156_run)},
  {0, 0}};
