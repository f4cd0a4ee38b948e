// Rows of complex numbers times the real parts of others are no windows of a filter.
//
// RUN: %python %S/../../tools/tilesmith-fuzz --clang %clang --plugin %tilesmith --work %t --replay %s | FileCheck %s
// CHECK: 0 failures
// REQUIRES: native-avx2
// SETTING {"target": "native", "flags": ["-O1", "-march=x86-64-v3", "-ffp-contract=off", "-fno-vectorize"], "options": ["verify=1", "min-work=1", "mr=8", "nr=4", "read-a=1", "read-b=1"], "base": ["-O1", "-march=x86-64-v3", "-ffp-contract=off", "-fno-vectorize"], "language": "", "cpu": "", "link": "plain", "load": "compile", "of": "complex"}
// CALL 0 0 405554013 0 7 40 24 9 4 9 12 9 0 6 1 320 0 1 7992 0 1 192 0 1 0 1 1 72 0 1 648 1 6 0 0 1 0 2 0 4 0 5 0 3 0
// CALL 0 1 395692038 0 7 40 24 9 4 9 12 9 0 6 1 320 0 1 7992 0 1 192 1 1 0 1 1 72 0 1 648 1 6 0 0 1 0 2 0 4 0 5 0 3 0
// CALL 0 2 286834551 0 7 40 24 9 4 9 12 9 0 4 1 7992 1 1 192 0 1 72 0 1 648 0 6 0 0 0 0 1 0 2 0 3 0 1 0
// CALL 0 3 212950004 0 7 40 24 9 4 9 12 10 0 4 1 7992 0 1 192 1 1 72 0 1 712 1 6 0 0 0 0 1 0 2 0 3 0 1 0
// CALL 0 4 867336016 0 7 40 24 9 4 9 12 10 0 6 1 320 0 1 7992 0 1 192 1 1 0 0 1 72 1 1 712 1 6 0 0 1 0 2 0 4 0 5 0 3 0
#include "fuzz.h"
__attribute__((noinline)) static void PREFIX_(p1076)(long ld0, _Complex float *a0, _Complex float *a1, const _Complex float *a2, _Complex float *a3, _Complex float a4[][ld0], _Complex float *a5) {
  memset((void *)&a0[0], 0, (40) * sizeof(_Complex float));
  for (long k1 = 0; k1 < 40; k1++) {
    #pragma clang loop distribute(enable)
    for (long k2 = 0; k2 < 24; k2++) {
      a0[k1] += ((float)(~(a2[k2])) * a1[k1 * 25 + k2]);
    }
  }
  for (long l4 = 0; l4 < 9; l4++) {
    for (long l3 = 0; l3 < 4; l3++) {
      a1[l4 * 25 + l4] = (*(a3 + (l4)) + 0);
      for (long l5 = 0; l5 < 9; l5++) {
        a4[l3][l4] -= (a1[l5 * 25 + l3] * a4[l4][l5]);
      }
    }
  }
}
static void PREFIX_(p1076_run)(const struct FuzzCall *c) {
  PREFIX_(p1076)((long)c->n[6], ANY((_Complex float *)c->a[0]), ANY((_Complex float *)c->a[1]), ANY((_Complex float *)c->a[2]), ANY((_Complex float *)c->a[3]), ANY((_Complex float *)c->a[4]), ANY((_Complex float *)c->a[5]));
}
const struct Entry PREFIX_(programs)[] = {
  {"p1076", PREFIX_(p1076_run)},
  {0, 0}};
