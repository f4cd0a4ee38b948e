// A sum that is scaled in each step is fused with what the next step adds, where clang unrolls the loop.
//
// RUN: %python %S/../../../tools/tilesmith-fuzz --clang %clang --plugin %tilesmith --work %t --replay %s | FileCheck %s
// CHECK: 0 failures
// REQUIRES: native-avx2
// SETTING {"target": "native", "flags": ["-O3", "-march=x86-64-v3", "-ffp-contract=fast"], "options": ["verify=1", "min-work=1"], "base": null, "language": "", "cpu": "", "link": "plain", "load": "compile"}
// CALL 0 0 202837360 0 4 5 8 1 0 1 -3 3 0 296 1 1 32 0 1 16 0 3 0 0 1 0 2 0
#include "fuzz.h"
__attribute__((noinline)) static void PREFIX_(p59)(long n0, long ld0, long ld1, long ld2, double alpha, double *a0, float *a1, float *a2) {
  for (long l2 = 0; l2 < n0; l2++) {
    for (long l1 = 0; l1 < n0; l1++) {
      for (long l3 = 0; l3 < l2; l3++) {
        double d4 = (a1[l3 * ld1 + l1] - a2[l2 * ld2 + l3]);
        double d5 = d4;
        a0[l2 * ld0 + l1] = ((d5 + a0[l2 * ld0 + l1]) * alpha);
      }
    }
  }
}
static void PREFIX_(p59_run)(const struct FuzzCall *c) {
  PREFIX_(p59)((long)c->n[0], (long)c->n[1], (long)c->n[2], (long)c->n[3], (double)c->r[0], ANY((double *)c->a[0]), ANY((float *)c->a[1]), ANY((float *)c->a[2]));
}
const struct Entry PREFIX_(programs)[] = {
  {"p59", PREFIX_(p59_run)},
  {0, 0}};
