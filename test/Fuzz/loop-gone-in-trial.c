// Cutting the loops of a trial left no loop where the innermost one had been.
//
// RUN: %python %S/../../tools/tilesmith-fuzz --clang %clang --plugin %tilesmith --work %t --replay %s | FileCheck %s
// CHECK: 0 failures
// REQUIRES: x86
// SETTING {"target": "native", "flags": ["-O3", "-march=x86-64"], "options": ["verify=1"], "base": ["-O1", "-march=x86-64"], "language": "", "cpu": "", "link": "plain", "load": "compile", "of": "convolutions"}
// CALL 0 0 186945075 0 9 5 3 5 3 31 126 3 41 205 0 2 7 2142 1 7 386 1 2 0 0 1 0
// CALL 0 1 361099247 0 9 4 3 5 4 18 90 3 53 267 0 2 7 1550 0 7 482 0 2 0 0 1 0
// CALL 0 2 896967833 0 9 1 3 5 0 19 1 -1 -4 -4 0 2 7 0 1 7 0 0 2 0 0 1 0
// CALL 0 3 160067427 2 9 4 3 5 41 28 1189 3 4 21 0 2 7 21266 0 7 90 0 2 0 0 1 0
// CALL 0 4 1056904799 2 9 4 3 5 4 17 87 3 65 325 0 2 7 1496 1 7 578 0 2 0 0 1 0
#include "fuzz.h"
__attribute__((noinline)) static void PREFIX_(p438)(long n0, long n4, long ld8, long ld9, long ld10, long ld11, long ld12, __bf16 *a3, __bf16 *a4) {
  for (long t11 = 0; t11 < 5; t11++) {
    for (long t9 = 0; t9 < 5; t9++) {
      for (long y10 = 0; y10 < MIN(n4, n4 - t11 + 3); y10++) {
        a3[(2 * t9) * ld9 + y10 * ld8 + 0] -= (a4[t9 * 7 + t11 * ld11 + 0] * ((unsigned long)(2 * t9 - 2) < (unsigned long)(n0) ? a3[y10 * ld8 + 0] : 0));
      }
    }
  }
}
static void PREFIX_(p438_run)(const struct FuzzCall *c) {
  PREFIX_(p438)((long)c->n[0], (long)c->n[3], (long)c->n[4], (long)c->n[5], (long)c->n[6], (long)c->n[7], (long)c->n[8], ANY((__bf16 *)c->a[0]), ANY((__bf16 *)c->a[1]));
}
const struct Entry PREFIX_(programs)[] = {
  {"p438", PREFIX_(p438_run)},
  {0, 0}};

