// A factor is copied to a buffer, and C walked backwards.
//
// RUN: %python %S/../../../tools/tilesmith-fuzz --clang %clang --plugin %tilesmith --work %t --replay %s | FileCheck %s
// CHECK: 0 failures
// REQUIRES: native-avx2
// SETTING {"target": "native", "flags": ["-O2", "-march=x86-64-v3", "-ffp-contract=fast"], "options": ["verify=1"], "base": null, "language": "", "cpu": "", "link": "plain", "load": "compile"}
// CALL 0 0 506216657 0 1 16 0 3 0 2312 1 0 2176 1 0 800 0 3 0 0 1 0 2 0
// CALL 0 1 323642771 0 1 16 0 3 0 2312 0 0 2176 0 0 800 1 3 0 0 1 0 2 0
// CALL 0 2 149783958 0 1 16 0 3 0 2312 1 0 2176 1 0 800 0 3 0 0 1 0 2 0
// CALL 0 3 761762837 1 1 16 0 3 0 2312 1 0 2176 0 0 800 0 3 0 0 1 0 2 0
// CALL 0 4 376730109 0 1 16 0 3 0 2312 1 0 2176 1 0 800 0 3 0 0 1 0 2 0
#include "fuzz.h"
__attribute__((always_inline)) inline static void PREFIX_(p158)(double *a0_io, double *a1_io, double *a2_io) {
  double a0[17][17];
  memcpy(a0, a0_io, sizeof(a0));
  double a1[16][17];
  memcpy(a1, a1_io, sizeof(a1));
  double a2[100];
  memcpy(a2, a2_io, sizeof(a2));
  for (long l3 = 0; l3 < 16; l3++) {
    for (long q4 = 0; q4 < 16; q4++) {
      a2[q4] = a0[l3][q4];
    }
    for (long l1 = 0; l1 < 16; l1++) {
      for (long l2 = 16 - 1; l2 >= 0; l2--) {
        a0[l2][l1] += (a2[l1] * a1[l3][l2]);
      }
    }
  }
  memcpy(a0_io, a0, sizeof(a0));
  memcpy(a1_io, a1, sizeof(a1));
  memcpy(a2_io, a2, sizeof(a2));
}
static void PREFIX_(p158_run)(const struct FuzzCall *c) {
  PREFIX_(p158)((double *)c->a[0], (double *)c->a[1], (double *)c->a[2]);
}
const struct Entry PREFIX_(programs)[] = {
  {"p158", PREFIX_(p158_run)},
  {0, 0}};
