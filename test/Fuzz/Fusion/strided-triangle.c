// Under -ffp-contract=fast, the last step of a triangle's corner is fused like the others: there, a lone row makes it.
//
// RUN: %python %S/../../../tools/tilesmith-fuzz --clang %clang --plugin %tilesmith --work %t --replay %s | FileCheck %s
// CHECK: 2 products replaced
// CHECK-SAME: 0 failures
// REQUIRES: x86
// SETTING {"target": "native", "flags": ["-O1", "-march=x86-64-v3", "-ffp-contract=fast", "-fno-strict-aliasing"], "options": ["verify=1", "min-work=1", "mr=8", "nr=4", "read-a=1", "read-b=1", "plan=stream tile=32x16"], "base": null, "language": "", "cpu": "", "link": "plain", "load": "compile", "of": "vectors"}
// CALL 0 0 968954983 0 3 33 1 33 2 1 1 2 0 8704 1 0 256 1 6 0 0 0 0 1 0 0 0 0 0 0 0
// CALL 0 1 61896168 1 3 47 1 111 2 3 -3 6 0 376 1 0 17664 0 0 376 0 0 40336 0 0 1112 0 0 368 0 6 0 0 1 0 5 0 2 0 3 -520 4 0
// CALL 0 2 258425097 0 3 15 1 17 2 2 -1 2 0 4376 0 0 112 1 6 0 0 0 176 1 0 0 2024 0 2120 0 4032
// CALL 0 3 292499976 0 3 24 1 536 2 0 1.25 6 0 192 0 0 4600 0 0 192 1 0 94528 0 0 560 0 0 184 0 6 0 0 1 0 5 0 2 0 3 -4104 4 0
// CALL 0 4 1022500935 4 3 40 1 41 2 1 -0.75 6 0 320 0 0 12792 1 0 320 0 0 12784 0 0 944 0 0 312 1 6 0 0 1 0 5 0 2 0 3 -16 4 0
#include "fuzz.h"
__attribute__((noinline)) static void PREFIX_(p3915)(size_t n0, size_t ld0, size_t ld1, double alpha, double beta, double *a0, const double *a1, double *a2, double *a3, double *a4, const double *a5) {
  for (size_t k1 = 0; k1 < n0; k1++) {
    for (size_t k2 = 0; k2 < k1; k2++) {
      a0[k1] += (*(a1 + (k2 * n0 + (n0 - k1 - 1) * 2)) * *(a2 + (k2)));
    }
  }
  fuzz_write_f64(&*(a2 + (2)));
  for (size_t k3 = 0; k3 < n0; k3++) {
    a3[k3] = 0;
  }
  for (size_t k4 = 0; k4 < n0; k4++) {
    const double *p1 = &a5[k4 * 3];
    for (size_t k3 = k4 + 1; k3 < n0; k3++) {
      a3[k3] = (a3[k3] + ((*(a4 + (k3 * ld1 + k4 * -1)) * p1[0]) * alpha));
    }
  }
}
static void PREFIX_(p3915_run)(const struct FuzzCall *c) {
  PREFIX_(p3915)((size_t)c->n[0], (size_t)c->n[1], (size_t)c->n[2], (double)c->r[0], (double)c->r[1], ANY((double *)c->a[0]), ANY((double *)c->a[1]), ANY((double *)c->a[2]), ANY((double *)c->a[3]), ANY((double *)c->a[4]), ANY((double *)c->a[5]));
}
const struct Entry PREFIX_(programs)[] = {
  {"p3915", PREFIX_(p3915_run)},
  {0, 0}};
