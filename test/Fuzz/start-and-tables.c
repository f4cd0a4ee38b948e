// Sums start from another array, and C lies on rows of A, which are in a table: C must not be written before that is known. (Sums are kept apart.)
//
// RUN: %python %S/../../tools/tilesmith-fuzz --clang %clang --plugin %tilesmith --work %t --replay %s | FileCheck %s
// CHECK: 1 products replaced
// CHECK-SAME: 0 failures
// SETTING {"target": "native", "flags": ["-O1"], "options": ["verify=1", "min-work=1"], "base": null}
// CALL 0 0 958232054 0 5 16 0 16 1 528 0 3 4 1024 0 9 31 0 4 31744 1 4 0 32 0 0 1 0 2 0
#include "fuzz.h"
__attribute__((noinline)) static void PREFIX_(p513)(long n0, long ld0, long ld2, long ld3, long ld4, uint32_t *const *a0, uint32_t *a3, int8_t *a4, uint32_t *a5) {
  for (long l6 = 0; l6 < n0; l6++) {
    for (long l5 = 0; l5 < n0; l5++) {
      uint32_t s8 = a5[l6 * ld4 + l5];
      for (long l7 = 0; l7 < n0; l7++) {
        s8 += (a4[l5 * ld3 + l7] * a0[l6][l7]);
      }
      a3[l6 * ld2 + l5] = s8;
    }
  }
}
static void PREFIX_(p513_run)(const struct FuzzCall *c) {
  uint32_t *rows_a0[MAX_ROWS];
  for (int r = 0; r < MAX_ROWS; r++) rows_a0[r] = ((uint32_t *)c->a[0]) + r * c->n[1];
  PREFIX_(p513)((long)c->n[0], (long)c->n[1], (long)c->n[2], (long)c->n[3], (long)c->n[4], ANY(rows_a0), ANY((uint32_t *)c->a[1]), ANY((int8_t *)c->a[2]), ANY((uint32_t *)c->a[3]));
}
const struct Entry PREFIX_(programs)[] = {
  {"p513", PREFIX_(p513_run)},
  {0, 0}};
