// One row of memory holds the sums of all rows, so a copy of the loops makes one pass of the loop over k,
// to store them. Another sum goes through all passes of that loop, and the copy cannot make it.
//
// RUN: %python %S/../../tools/tilesmith-fuzz --clang %clang --plugin %tilesmith --work %t --replay %s | FileCheck %s
// CHECK: 0 failures
// REQUIRES: x86
// SETTING {"target": "native", "flags": ["-O3", "-march=x86-64-v3"], "options": ["verify=1"], "base": ["-O1", "-march=x86-64-v3"], "language": "", "cpu": "", "link": "plain", "load": "compile"}
// CALL 0 0 669428569 0 1 6 0 3 7 72 1 1 24 0 1 24 1 3 0 0 1 0 2 0
#include "fuzz.h"
__attribute__((noinline)) static void PREFIX_(p63)(long n0, __bf16 *a1, float *a3, float *restrict a4) {
  for (long l1 = 0; l1 < n0; l1++) {
    for (long l2 = 0; l2 < n0; l2++) {
      a4[l2] = 0;
    }
    for (long l3 = 0; l3 < n0; l3++) {
      for (long l2 = 0; l2 < n0; l2++) {
        a4[l2] += ((float)a1[l3 * n0 + l1] * (float)a1[l3 * n0 + l2]);
        a3[l1] += (float)a1[l3 * n0 + l2];
      }
    }
  }
}
static void PREFIX_(p63_run)(const struct FuzzCall *c) {
  PREFIX_(p63)((long)c->n[0], ANY((__bf16 *)c->a[0]), ANY((float *)c->a[1]), ANY((float *)c->a[2]));
}
const struct Entry PREFIX_(programs)[] = {
  {"p63", PREFIX_(p63_run)},
  {0, 0}};
