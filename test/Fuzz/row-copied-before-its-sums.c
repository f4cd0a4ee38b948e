// A row is copied to a local array in front of its sums, which are added to it. Nothing needs the array
// afterwards; but it is not the same for all rows.
//
// RUN: %python %S/../../tools/tilesmith-fuzz --clang %clang --plugin %tilesmith --work %t --replay %s | FileCheck %s
// CHECK: 0 failures
// REQUIRES: x86
// SETTING {"target": "native", "flags": ["-O2", "-march=x86-64-v3"], "options": ["verify=1", "min-work=1"], "base": ["-O1", "-march=x86-64-v3"], "language": "", "cpu": "", "link": "plain", "load": "compile"}
// CALL 0 0 359639110 0 4 1 2 2 0 0 3 0 32 0 1 4 0 0 2400 0 3 0 0 1 0 2 0
#include "fuzz.h"
__attribute__((noinline)) static void PREFIX_(p89)(long n0, long n1, long ld0, long ld1, double *a0, float *a1, double *a3_io) {
  double a3[300];
  memcpy(a3, a3_io, sizeof(a3));
  for (long t4 = 0; t4 < n1; t4++) {
    for (long l2 = t4; l2 < n1; l2++) {
      for (long q7 = 0; q7 < n0; q7++) {
        a3[q7] = a0[l2 * ld0 + q7];
      }
      for (long l1 = 0; l1 < n0; l1++) {
        double s5 = 0;
        for (long l3 = 0; l3 < n1; l3++) {
          s5 += (a1[l3 * ld1 + l1] > a0[l3 * ld0 + l2] ? a0[l3 * ld0 + l2] : a1[l3 * ld1 + l1]);
        }
        a0[l2 * ld0 + l1] = (s5 + a3[l1]);
      }
    }
  }
}
static void PREFIX_(p89_run)(const struct FuzzCall *c) {
  PREFIX_(p89)((long)c->n[0], (long)c->n[1], (long)c->n[2], (long)c->n[3], ANY((double *)c->a[0]), ANY((float *)c->a[1]), (double *)c->a[2]);
}
const struct Entry PREFIX_(programs)[] = {
  {"p89", PREFIX_(p89_run)},
  {0, 0}};
