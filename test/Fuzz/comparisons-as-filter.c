// Counts of comparisons of real numbers, as a filter: elements are held as bits of the sum.
//
// RUN: %python %S/../../tools/tilesmith-fuzz --clang %clang --plugin %tilesmith --work %t --replay %s | FileCheck %s
// CHECK: 2 products replaced
// CHECK-SAME: 0 failures
// REQUIRES: native-avx512
// SETTING {"target": "native", "flags": ["-O2", "-march=native"], "options": ["verify=1"], "base": ["-O1", "-march=native"], "language": "", "cpu": "", "link": "plain", "load": "compile"}
// CALL 0 0 1045332998 2 2 17 31 0 3 2 2116 0 1 1220 1 1 1220 1 3 0 0 1 0 2 0
// CALL 0 1 557563740 0 2 17 34 0 3 2 2308 0 1 1220 0 1 1220 0 3 0 0 1 0 2 0
#include "fuzz.h"
__attribute__((noinline)) static void PREFIX_(p101)(long ld8, int32_t *a3, float *a5, float *a6) {
  for (long t14 = 0; t14 < 17; t14 += 16) {
    for (long l12 = t14; l12 < 17; l12++) {
      for (long l11 = 0; l11 < 17; l11++) {
        for (long l13 = 0; l13 < 17; l13++) {
          a3[l12 * ld8 + l11 * 2] += (a5[l13 * 17 + 2 * l11] != a6[l12 * 18 + l13]);
        }
      }
    }
  }
}
static void PREFIX_(p101_run)(const struct FuzzCall *c) {
  PREFIX_(p101)((long)c->n[1], ANY((int32_t *)c->a[0]), ANY((float *)c->a[1]), ANY((float *)c->a[2]));
}
const struct Entry PREFIX_(programs)[] = {
  {"p101", PREFIX_(p101_run)},
  {0, 0}};
