// A triangle times a vector, with another plan than that of vectors: elements without a step must be stored, too.
//
// RUN: %python %S/../../tools/tilesmith-fuzz --clang %clang --plugin %tilesmith --work %t --replay %s | FileCheck %s
// CHECK: 1 products replaced
// CHECK-SAME: 0 failures
// REQUIRES: x86
// SETTING {"target": "native", "flags": ["-O3", "-march=x86-64-v3"], "options": ["verify=1", "min-work=1", "plan=unpacked"], "base": ["-O1", "-march=x86-64-v3"], "language": "", "cpu": "", "link": "plain", "load": "compile", "of": "pairs"}
// CALL 0 0 782186473 0 2 9 2 0 2 2 72 1 9 9 0 2 0 0 1 0
#include "fuzz.h"
__attribute__((noinline)) static void PREFIX_(p189)(long n0, long n1, int32_t *a0, int8_t *a1) {
  for (long l1 = 0; l1 < n0; l1++) {
    for (long l2 = 0; l2 < n1; l2++) {
      int32_t s4 = a0[l1 * n1 + l2];
      for (long l3 = 0; l3 < l2; l3++) {
        int32_t d6 = ((a1[l3 * n0 + l1] - 1) & a0[l2 * n1 + l3]);
        s4 += d6;
      }
      a0[l1 * n1 + l2] += s4;
    }
  }
}
static void PREFIX_(p189_run)(const struct FuzzCall *c) {
  PREFIX_(p189)((long)c->n[0], (long)c->n[1], ANY((int32_t *)c->a[0]), ANY((int8_t *)c->a[1]));
}
const struct Entry PREFIX_(programs)[] = {
  {"p189", PREFIX_(p189_run)},
  {0, 0}};
