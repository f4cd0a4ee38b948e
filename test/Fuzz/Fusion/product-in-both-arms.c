// What both arms of a branch compute is moved in front of it after our pass, at -O1.
//
// RUN: %python %S/../../../tools/tilesmith-fuzz --clang %clang --plugin %tilesmith --work %t --replay %s | FileCheck %s
// CHECK: 0 failures
// REQUIRES: native-avx2
// SETTING {"target": "native", "flags": ["-O1", "-march=x86-64-v3", "-ffp-contract=fast"], "options": ["verify=1", "min-work=1"], "base": null, "language": "", "cpu": "", "link": "plain", "load": "compile"}
// CALL 0 0 219776568 0 4 1 1 1 22 1 1 4 0 8 1 0 8 0 0 8 0 0 8 1 4 0 0 3 0 1 0 2 0
#include "fuzz.h"
__attribute__((noinline)) static void PREFIX_(p98)(long n0, long n1, long ld0, long ld5, double beta, double *a0, double *a3, double *a4, double *a5) {
  for (size_t j5 = 0; j5 < n0; j5++) {
    for (long i4 = 0; i4 < n1; i4++) {
      double temp7 = 0;
      for (long l6 = 0; l6 < n0; l6++) {
        temp7 += (a4[l6 * n0 + i4] * a5[j5 * ld5 + l6]);
      }
      if (beta < 0) {
        a3[j5 * n1 + i4] = (temp7 * beta);
      } else {
        a3[j5 * n1 + i4] = ((temp7 * beta) + (a0[j5 * ld0 + j5] * a3[j5 * n1 + 2 * j5]));
      }
    }
  }
  double t8 = a4[0];
}
static void PREFIX_(p98_run)(const struct FuzzCall *c) {
  PREFIX_(p98)((long)c->n[0], (long)c->n[1], (long)c->n[2], (long)c->n[3], (double)c->r[0], ANY((double *)c->a[0]), ANY((double *)c->a[1]), ANY((double *)c->a[2]), ANY((double *)c->a[3]));
}
const struct Entry PREFIX_(programs)[] = {
  {"p98", PREFIX_(p98_run)},
  {0, 0}};
