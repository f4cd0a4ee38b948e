// Two equal products of a block are one when code is generated: so the third one is fused.
//
// RUN: %python %S/../../../tools/tilesmith-fuzz --clang %clang --plugin %tilesmith --work %t --replay %s | FileCheck %s
// CHECK: 0 failures
// REQUIRES: native-avx2
// SETTING {"target": "native", "flags": ["-O1", "-march=x86-64-v3", "-ffp-contract=fast"], "options": ["verify=1", "min-work=1"], "base": null, "language": "", "cpu": "", "link": "plain", "load": "compile"}
// CALL 0 0 169826074 0 4 1 0 5 0 2 -3 3 3 1 4 0 1 20 0 1 4 1 3 0 0 1 0 2 0
#include "fuzz.h"
__attribute__((noinline)) static void PREFIX_(p1117)(long n0, long n1, long n2, long ld1, float alpha, float beta, float *a1, float *a3, float *a4) {
  for (long l5 = 0; l5 < n0; l5++) {
    for (long l6 = 0; l6 < n2; l6++) {
      a3[l5 * n2 + l6] *= beta;
      float s8 = 0;
      for (long l7 = 0; l7 < n0; l7++) {
        s8 = (s8 - (a4[l6 * ld1 + l7] * a1[l5 * n1 + l7]));
      }
      if (beta == 1) {
        a3[l5 * n2 + l6] = (alpha * s8);
      } else {
        a3[l5 * n2 + l6] = ((alpha * s8) - (a3[l5 * n2 + l6] * alpha));
      }
    }
  }
}
static void PREFIX_(p1117_run)(const struct FuzzCall *c) {
  PREFIX_(p1117)((long)c->n[0], (long)c->n[1], (long)c->n[2], (long)c->n[3], (float)c->r[0], (float)c->r[1], ANY((float *)c->a[0]), ANY((float *)c->a[1]), ANY((float *)c->a[2]));
}
const struct Entry PREFIX_(programs)[] = {
  {"p1117", PREFIX_(p1117_run)},
  {0, 0}};
