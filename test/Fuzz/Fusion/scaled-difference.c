// Under -ffp-contract=fast, a scaled element is fused with the subtraction for each element of C: a tile must not scale it once.
//
// RUN: %python %S/../../../tools/tilesmith-fuzz --clang %clang --plugin %tilesmith --work %t --replay %s | FileCheck %s
// CHECK: 0 products replaced
// CHECK-SAME: 0 failures
// REQUIRES: x86
// SETTING {"target": "native", "flags": ["-Os", "-march=x86-64-v3", "-ffp-contract=fast"], "options": ["verify=1", "min-work=1"], "base": null, "language": "", "cpu": "", "link": "plain", "load": "compile", "of": "pairs"}
// CALL 0 0 618290067 0 2 2 2 0 3 1 16 0 1 24 0 1 16 0 3 0 0 1 0 2 0
#include "fuzz.h"
__attribute__((noinline)) static void PREFIX_(p207)(long n1, long n2, float *a2, float *a3, float *a4) {
  for (long l6 = 0; l6 < n1; l6++) {
    for (long l5 = 0; l5 < n2; l5++) {
      for (long l7 = 0; l7 < n1; l7++) {
        float d8 = (a3[(2 * l5) * n1 + l7] - (3 * a4[l7 * n1 + l6]));
        float d9 = d8;
        a2[l5 * n1 + l6] += d9;
      }
    }
  }
}
static void PREFIX_(p207_run)(const struct FuzzCall *c) {
  PREFIX_(p207)((long)c->n[0], (long)c->n[1], ANY((float *)c->a[0]), ANY((float *)c->a[1]), ANY((float *)c->a[2]));
}
const struct Entry PREFIX_(programs)[] = {
  {"p207", PREFIX_(p207_run)},
  {0, 0}};
