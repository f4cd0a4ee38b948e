// Two sums of complex products into one matrix by columns: what stands behind the first one is not beside a C that is turned.
//
// RUN: %python %S/../../tools/tilesmith-fuzz --clang %clang --plugin %tilesmith --work %t --replay %s | FileCheck %s
// CHECK: 0 failures
// REQUIRES: native-avx2
// SETTING {"target": "native", "flags": ["-O2", "-march=x86-64-v3", "-fwrapv", "-fcx-limited-range"], "options": ["verify=1", "min-work=1", "mr=1", "nr=2", "mc=8", "nc=24", "kc=8", "read-a=1", "read-b=1"], "base": ["-O1", "-march=x86-64-v3", "-fwrapv", "-fcx-limited-range"], "language": "", "cpu": "", "link": "plain", "load": "compile", "of": "complex"}
// CALL 0 0 625474330 2 4 16 48 4 1 2 0 -0.75 5 1 6656 0 1 512 1 1 1664 1 1 1280 1 1 1536 0 5 0 0 1 0 2 0 3 0 4 0
// CALL 0 1 125128095 2 4 16 48 4 1 2 -1 1 5 1 6656 1 1 512 1 1 1664 1 1 1280 1 1 1536 0 5 0 0 1 0 2 0 3 0 4 0
// CALL 0 2 98477741 0 4 16 48 4 1 2 2 -1 5 1 6656 1 1 512 1 1 1664 0 1 1280 0 1 1536 0 5 0 0 1 0 2 0 3 0 4 0
// CALL 0 3 61602217 0 4 16 48 4 1 2 -1 2 5 1 6656 0 1 512 0 1 1664 1 1 1280 0 1 1536 0 5 0 0 1 0 2 0 3 0 4 0
// CALL 0 4 1006971396 0 4 16 48 4 1 2 1 3 5 1 6656 1 1 512 1 1 1664 0 1 1280 1 1 1536 1 5 0 0 1 0 2 0 3 0 4 0
#include "fuzz.h"
_Complex float PREFIX_(p1008_a0)[16][52];
_Complex float PREFIX_(p1008_a2)[52][4];
static _Complex float PREFIX_(p1008_a3)[8][20];
__attribute__((noinline)) static void PREFIX_(p1008)(size_t ld0, _Complex float alpha, _Complex float beta, const _Complex float *a1, _Complex float *a4_io) {
  _Complex float a4[4][48];
  memcpy(a4, a4_io, sizeof(a4));
  for (size_t l2 = 0; l2 < 48; l2++) {
    for (size_t l1 = 0; l1 < 16; l1++) {
      PREFIX_(p1008_a0)[l1][l2] = 0;
    }
  }
  if (PREFIX_(p1008_a0)[1][1] != 3) {
    for (size_t l2 = 0; l2 < 48; l2++) {
      for (size_t l1 = 0; l1 < 16; l1++) {
        for (size_t l3 = 4; l3-- > 0;) {
          PREFIX_(p1008_a0)[l1][l2] += (((alpha * a1[l3 * 16 + (16 - l1 - 1)]) * PREFIX_(p1008_a2)[l2][l3]) + (a4[l3][l2] * PREFIX_(p1008_a3)[l3][l1]));
        }
        for (size_t l3 = 4; l3-- > 0;) {
          PREFIX_(p1008_a0)[l1][l2] += (((alpha * a1[l3 * 16 + (16 - l1 - 1)]) * PREFIX_(p1008_a2)[l2][l3]) + (a4[l3][l2] * PREFIX_(p1008_a3)[l3][l1]));
        }
      }
    }
  }
  memcpy(a4_io, a4, sizeof(a4));
}
static void PREFIX_(p1008_run)(const struct FuzzCall *c) {
  memcpy(PREFIX_(p1008_a0), c->a[0], sizeof(PREFIX_(p1008_a0)));
  memcpy(PREFIX_(p1008_a2), c->a[2], sizeof(PREFIX_(p1008_a2)));
  memcpy(PREFIX_(p1008_a3), c->a[3], sizeof(PREFIX_(p1008_a3)));
  PREFIX_(p1008)((size_t)c->n[3], (_Complex float)c->r[0], (_Complex float)c->r[1], ANY((_Complex float *)c->a[1]), (_Complex float *)c->a[4]);
  memcpy(c->a[0], PREFIX_(p1008_a0), sizeof(PREFIX_(p1008_a0)));
  memcpy(c->a[2], PREFIX_(p1008_a2), sizeof(PREFIX_(p1008_a2)));
  memcpy(c->a[3], PREFIX_(p1008_a3), sizeof(PREFIX_(p1008_a3)));
}
const struct Entry PREFIX_(programs)[] = {
  {"p1008", PREFIX_(p1008_run)},
  {0, 0}};
