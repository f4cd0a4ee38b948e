// Rows with two sums each go in groups: the first one was stored between the phis of both, which is no valid IR.
//
// RUN: %python %S/../../tools/tilesmith-fuzz --clang %clang --plugin %tilesmith --work %t --replay %s | FileCheck %s
// CHECK: 1 products replaced
// CHECK-SAME: 0 failures
// REQUIRES: native-avx2
// SETTING {"target": "native", "flags": ["-O2", "-march=native", "-fcx-limited-range"], "options": ["verify=1", "min-work=1", "mc=16", "nc=8", "kc=24", "code=fast"], "base": null, "language": "", "cpu": "", "link": "plain", "load": "compile"}
// CALL 0 0 1020863656 1 3 34 47 2 2 -1 1 5 0 272 0 2 6340 0 2 136 0 0 272 0 0 1608 0 5 0 0 1 0 2 0 3 0 4 0
// CALL 0 1 299848690 1 3 16 13 -31 2 1.25 -3 5 0 128 1 2 844 0 2 64 1 0 128 0 0 7936 0 5 0 0 1 0 2 0 3 0 4 7688
// CALL 0 2 1054125507 1 3 20 20 47 2 0 1.25 5 0 160 1 2 1600 0 2 80 0 0 160 0 0 14976 0 5 0 0 1 0 2 0 3 0 4 0
// CALL 0 3 683029230 0 3 31 2 61 2 1 1 5 0 248 0 2 364 0 2 124 1 0 248 0 0 30256 1 5 0 0 1 0 2 0 3 0 4 0
// CALL 0 4 664173765 1 3 19 19 37 2 3 3 5 0 152 0 2 1444 1 2 76 0 0 152 0 0 11248 0 5 0 0 1 0 2 0 3 0 4 0
#include "fuzz.h"
__attribute__((noinline)) static void PREFIX_(p14)(unsigned char n0, unsigned char ld0, long ld1, double alpha, double beta, double *restrict a0, int32_t *restrict a1, const int32_t *restrict a2, double *restrict a3, double *restrict a4) {
  if (beta != 2) {
    return;
  }
  for (unsigned char k1 = 0; k1 < n0; k1++) {
    double s3 = 0;
    for (unsigned char k2 = 0; k2 <= k1; k2++) {
      s3 = (s3 + ((alpha * (double)(a1[k1 * ld0 + k2])) * (double)(a2[k2])));
    }
    a0[k1] += (-1 + (k1));
  }
  for (long time8 = 0; time8 < 3; time8++) {
    for (long k4 = 0; k4 <= n0 - 1; k4++) {
      double s6 = 0;
      for (unsigned char k5 = k4 + 1; k5 <= n0 - 1; k5++) {
        double t7 = __builtin_fma(1, beta, a4[k4 * ld1 + 2 * k5]);
        a0[k4] += *(a3 + (k4));
        s6 += (*(a3 + (k5)) * a4[(k4 + n0) * ld1 + k5]);
      }
      *(a3 + (k4)) -= s6;
      if (a4[k4 * ld1 + k4] < 3) {
        *(a3 + (k4)) = ((float)(a0[k4]) - s6);
      }
    }
  }
}
static void PREFIX_(p14_run)(const struct FuzzCall *c) {
  PREFIX_(p14)((unsigned char)c->n[0], (unsigned char)c->n[1], (long)c->n[2], (double)c->r[0], (double)c->r[1], ANY((double *)c->a[0]), ANY((int32_t *)c->a[1]), ANY((int32_t *)c->a[2]), ANY((double *)c->a[3]), ANY((double *)c->a[4]));
}
const struct Entry PREFIX_(programs)[] = {
  {"p14", PREFIX_(p14_run)},
  {0, 0}};
