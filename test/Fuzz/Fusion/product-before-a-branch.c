// The product of alpha stands in front of the test of beta, and is not fused behind it: not in the loops that remain either.
//
// RUN: %python %S/../../../tools/tilesmith-fuzz --clang %clang --plugin %tilesmith --work %t --replay %s | FileCheck %s
// CHECK: 0 failures
// REQUIRES: native-avx2
// SETTING {"target": "native", "flags": ["-O1", "-march=x86-64-v3", "-ffp-contract=fast"], "options": ["verify=1"], "base": null, "language": "", "cpu": "", "link": "plain", "load": "compile"}
// CALL 0 0 659524270 0 1 5 2 3 -3 2 0 200 0 0 200 0 2 0 0 1 0
#include "fuzz.h"
__attribute__((noinline)) static void PREFIX_(p14)(long n0, double alpha, double beta, double *a5, double *a6) {
  if (n0 == 12) {
  } else {
    for (long j10 = 0; j10 < n0; j10++) {
      for (long i9 = 0; i9 < j10 + 1; i9++) {
        double temp12 = 0;
        for (long l11 = 0; l11 < n0; l11++) {
          temp12 += (a6[l11 * n0 + j10] * a6[l11 * n0 + i9]);
        }
        if (beta == 1) {
          a5[i9 * n0 + j10] = (temp12 * alpha);
        } else {
          a5[i9 * n0 + j10] = ((temp12 * alpha) - a5[i9 * n0 + j10]);
        }
      }
    }
  }
}
static void PREFIX_(p14_run)(const struct FuzzCall *c) {
  PREFIX_(p14)((long)c->n[0], (double)c->r[0], (double)c->r[1], ANY((double *)c->a[0]), ANY((double *)c->a[1]));
}
const struct Entry PREFIX_(programs)[] = {
  {"p14", PREFIX_(p14_run)},
  {0, 0}};
