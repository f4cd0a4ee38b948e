// A product that does not vary with the loop is in a branch, which the copy is without.
//
// RUN: %python %S/../../../tools/tilesmith-fuzz --clang %clang --plugin %tilesmith --work %t --replay %s | FileCheck %s
// CHECK: 0 failures
// REQUIRES: native-avx512
// SETTING {"target": "native", "flags": ["-O1", "-march=native", "-ffp-contract=fast"], "options": ["verify=1"], "base": null, "language": "", "cpu": "", "link": "plain", "load": "compile"}
// CALL 0 0 930847606 0 4 18 17 17 -34 2 -3 -3 4 0 2312 1 0 4488 1 0 13200 0 0 2320 0 4 0 0 1 4352 2 0 3 0
#include "fuzz.h"
struct PREFIX_(p133_a5) { double first[1]; double v[100]; char last; };
__attribute__((noinline)) static void PREFIX_(p133)(long n4, long n5, long ld0, long ld2, double alpha, double beta, double *a0, double *restrict a2, struct PREFIX_(p133_a5) *a5, double *a6) {
  for (long j10 = 0; j10 < n5; j10++) {
    for (long i9 = 0; i9 < n4; i9++) {
      double temp12 = 0;
      for (long l11 = 0; l11 < n5; l11++) {
        temp12 += (a0[j10 * ld0 + l11] * a6[l11 * n5 + i9]);
      }
      if (beta == 0) {
        a5[j10].v[i9] = (temp12 * beta);
      } else {
        a5[j10].v[i9] = (temp12 - (a2[j10 * ld2 + j10] * alpha));
      }
    }
  }
}
static void PREFIX_(p133_run)(const struct FuzzCall *c) {
  PREFIX_(p133)((long)c->n[0], (long)c->n[1], (long)c->n[2], (long)c->n[3], (double)c->r[0], (double)c->r[1], ANY((double *)c->a[0]), ANY((double *)c->a[1]), ANY(((double *)c->a[2] - 1)), ANY((double *)c->a[3]));
}
const struct Entry PREFIX_(programs)[] = {
  {"p133", PREFIX_(p133_run)},
  {0, 0}};
