// Of two products that are added to each other, the scaled one is fused.
//
// RUN: %python %S/../../../tools/tilesmith-fuzz --clang %clang --plugin %tilesmith --work %t --replay %s | FileCheck %s
// CHECK: 0 failures
// REQUIRES: native-avx2, lld
// SETTING {"target": "native", "flags": ["-O1", "-march=x86-64-v3", "-ffp-contract=fast"], "options": ["verify=1"], "base": null, "language": "", "cpu": "", "link": "thin", "load": "link"}
// CALL 0 0 811736026 0 4 6 8 0 0 1 2 5 0 368 1 0 48 0 0 288 0 0 288 1 0 48 1 5 0 0 1 0 2 0 3 0 4 0
#include "fuzz.h"
__attribute__((always_inline)) inline static void PREFIX_(p153)(long n0, long ld1, long ld2, long ld3, double alpha, double *a4, double *a5, double *a6, double *a7, double *a8) {
  for (long l5 = 0; l5 < n0; l5++) {
    for (long l6 = 0; l6 < n0; l6++) {
      for (long l7 = 0; l7 < n0; l7++) {
        a4[l5 * ld1 + l6] += ((alpha * (a5[l7 * ld2 + l5] * a6[l6 * n0 + l7])) + (a8[l7 * ld3 + l6] * a7[l5 * n0 + l7]));
      }
    }
  }
}
static void PREFIX_(p153_run)(const struct FuzzCall *c) {
  PREFIX_(p153)((long)c->n[0], (long)c->n[1], (long)c->n[2], (long)c->n[3], (double)c->r[0], ANY((double *)c->a[0]), ANY((double *)c->a[1]), ANY((double *)c->a[2]), ANY((double *)c->a[3]), ANY((double *)c->a[4]));
}
const struct Entry PREFIX_(programs)[] = {
  {"p153", PREFIX_(p153_run)},
  {0, 0}};
