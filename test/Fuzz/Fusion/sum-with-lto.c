// With LTO, the loop over k is unrolled, and products become vectors.
//
// RUN: %python %S/../../../tools/tilesmith-fuzz --clang %clang --plugin %tilesmith --work %t --replay %s | FileCheck %s
// CHECK: 0 failures
// REQUIRES: native-avx512, lld
// SETTING {"target": "native", "flags": ["-O3", "-march=native", "-ffp-contract=fast"], "options": ["verify=1"], "base": null, "language": "", "cpu": "", "link": "full", "load": "compile"}
// CALL 0 0 127836829 0 3 9 29 45 0 2 0 3080 1 0 3368 1 2 0 0 1 0
#include "fuzz.h"
struct PREFIX_(p206_a4) { double v[48]; char last; };
__attribute__((noinline)) static void PREFIX_(p206)(long n0, long n3, long ld5, double *a3, struct PREFIX_(p206_a4) *a4) {
  for (long j7 = 0; j7 < n0; j7++) {
    for (long i6 = 0; i6 < n0; i6++) {
      double temp9 = 0;
      for (long l8 = 0; l8 < n3; l8++) {
        temp9 += (a4[i6].v[l8] * a4[j7].v[l8]);
      }
      a3[j7 * ld5 + i6 * 3] = temp9;
    }
  }
}
static void PREFIX_(p206_run)(const struct FuzzCall *c) {
  PREFIX_(p206)((long)c->n[0], (long)c->n[1], (long)c->n[2], ANY((double *)c->a[0]), ANY(((double *)c->a[1] - 0)));
}
const struct Entry PREFIX_(programs)[] = {
  {"p206", PREFIX_(p206_run)},
  {0, 0}};
