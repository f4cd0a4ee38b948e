// Two products of one step become a vector where the loop is left scalar.
//
// RUN: %python %S/../../../tools/tilesmith-fuzz --clang %clang --plugin %tilesmith --work %t --replay %s | FileCheck %s
// CHECK: 0 failures
// REQUIRES: native-avx512
// SETTING {"target": "native", "flags": ["-O2", "-march=native", "-ffp-contract=fast"], "options": ["verify=1"], "base": null, "language": "", "cpu": "", "link": "plain", "load": "compile"}
// CALL 0 0 275522860 0 2 25 28 1 3 3 0 6248 1 0 5024 0 0 5600 1 3 0 0 1 216 2 0
#include "fuzz.h"
__attribute__((noinline)) static void PREFIX_(p409)(long n1, long n2, double alpha, double *a1, double *a2, double *a3) {
  for (long j2 = 0; j2 < n2; j2++) {
    for (long l3 = 0; l3 < n1; l3++) {
      double temp4 = (alpha * a3[l3 * n2 + j2]);
      double temp5 = (a2[l3 * n1 + j2 * -1] * alpha);
      for (long i1 = 0; i1 < n1; i1++) {
        a1[j2 * n2 + i1] = ((a1[j2 * n2 + i1] + (temp4 * a2[l3 * n1 + i1 * -1])) + (a3[l3 * n2 + i1] * temp5));
      }
    }
  }
}
static void PREFIX_(p409_run)(const struct FuzzCall *c) {
  PREFIX_(p409)((long)c->n[0], (long)c->n[1], (double)c->r[0], ANY((double *)c->a[0]), ANY((double *)c->a[1]), ANY((double *)c->a[2]));
}
const struct Entry PREFIX_(programs)[] = {
  {"p409", PREFIX_(p409_run)},
  {0, 0}};
