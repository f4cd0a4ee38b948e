// The scaled sum is used in both arms of a branch, one of which adds to it.
//
// RUN: %python %S/../../../tools/tilesmith-fuzz --clang %clang --plugin %tilesmith --work %t --replay %s | FileCheck %s
// CHECK: 0 failures
// REQUIRES: native-avx512
// SETTING {"target": "native", "flags": ["-O1", "-march=native", "-ffp-contract=fast"], "options": ["verify=1"], "base": null, "language": "", "cpu": "", "link": "plain", "load": "compile"}
// CALL 0 0 433008637 0 2 9 4 1 3 3 0 648 1 1 164 1 1 324 1 3 0 0 1 0 2 0
#include "fuzz.h"
__attribute__((noinline)) static void PREFIX_(p147)(long n0, long ld1, double beta, double *a0, float *a1, float *a2) {
  for (long l2 = 0; l2 < n0; l2++) {
    for (long l1 = 0; l1 < n0; l1++) {
      double s4 = 0;
      for (long l3 = 0; l3 < n0; l3++) {
        s4 = (s4 + (a2[l3 * n0 + l2] * (double)(a1[l1 * ld1 + l3])));
      }
      double t5 = (a0[l2 * n0 + l1] * s4);
      if (beta != 1) {
        a0[l1 * n0 + l2] = (1 + t5);
      } else {
        a0[l1 * n0 + l2] = t5;
      }
    }
  }
}
static void PREFIX_(p147_run)(const struct FuzzCall *c) {
  PREFIX_(p147)((long)c->n[0], (long)c->n[1], (double)c->r[0], ANY((double *)c->a[0]), ANY((float *)c->a[1]), ANY((float *)c->a[2]));
}
const struct Entry PREFIX_(programs)[] = {
  {"p147", PREFIX_(p147_run)},
  {0, 0}};
