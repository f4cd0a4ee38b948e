// A sum that is only looked at has a place on the stack; a test in front of the product compares that with
// arrays, and stays when the place is not needed.
//
// RUN: %python %S/../../tools/tilesmith-fuzz --clang %clang --plugin %tilesmith --work %t --replay %s | FileCheck %s
// CHECK: 1 products replaced
// CHECK-SAME: 0 failures
// REQUIRES: x86
// SETTING {"target": "native", "flags": ["-O3", "-march=x86-64"], "options": ["verify=1"], "base": ["-O1", "-march=x86-64"], "language": "", "cpu": "", "link": "plain", "load": "compile"}
// CALL 0 0 390487804 0 2 2 10 0 3 4 48 0 9 4 1 4 8 1 3 0 0 1 0 2 0
// CALL 0 1 250820118 0 2 31 32 0 3 4 3964 0 9 961 1 4 124 1 3 0 0 1 0 2 0
// CALL 0 2 107199319 1 2 34 34 0 3 4 4624 1 9 1156 1 4 136 0 3 0 0 1 0 2 0
// CALL 0 3 902350656 2 2 20 23 0 3 4 1828 0 9 400 1 4 80 0 3 0 0 1 0 2 0
// CALL 0 4 921345078 1 2 17 17 0 3 4 1156 1 9 289 0 4 68 0 3 0 0 1 0 2 0
#include "fuzz.h"
__attribute__((noinline)) static void PREFIX_(p92)(long n0, long ld0, uint32_t *a0, int8_t *a1, uint32_t *a2) {
  for (long l1 = 0; l1 < n0; l1++) {
    for (long l2 = 0; l2 < n0 - l1; l2++) {
      uint32_t s4 = a0[l1 * ld0 + l2];
      for (long l3 = 0; l3 < n0; l3++) {
        s4 += ((a1[l1 * n0 + l3] - a2[0]) * a1[l2 * n0 + l3]);
      }
      if (s4 > 0) {
      } else {
        a2[l1] *= 5;
      }
    }
  }
}
static void PREFIX_(p92_run)(const struct FuzzCall *c) {
  PREFIX_(p92)((long)c->n[0], (long)c->n[1], ANY((uint32_t *)c->a[0]), ANY((int8_t *)c->a[1]), ANY((uint32_t *)c->a[2]));
}
const struct Entry PREFIX_(programs)[] = {
  {"p92", PREFIX_(p92_run)},
  {0, 0}};
