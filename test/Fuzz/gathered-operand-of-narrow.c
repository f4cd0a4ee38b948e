// Sums of 64 bits are stored as bytes, where a diagonal leaves no step: a further operand is gathered for them,
// lane by lane, and is not the same in all lanes.
//
// RUN: %python %S/../../tools/tilesmith-fuzz --clang %clang --plugin %tilesmith --work %t --replay %s | FileCheck %s
// CHECK: 1 products replaced
// CHECK-SAME: 0 failures
// REQUIRES: native-avx512
// SETTING {"target": "native", "flags": ["-O2", "-march=native"], "options": ["verify=1"], "base": ["-O1", "-march=native"], "language": "", "cpu": "", "link": "plain", "load": "compile"}
// CALL 0 0 969495185 1 5 16 17 12 43 12 0 4 5 5624 0 5 1544 1 5 1888 0 10 204 1 4 0 -8 1 128 2 -40 3 0
// CALL 0 1 563756441 0 5 41 20 32 43 34 0 4 5 6856 1 5 10328 1 5 13048 1 10 678 0 4 0 -8 1 328 2 -80 3 0
// CALL 0 2 535192086 0 5 16 41 17 17 20 0 4 5 5560 0 5 2376 1 5 1928 0 10 817 1 4 0 -8 1 128 2 0 3 0
// CALL 0 3 178917786 1 5 33 33 33 34 33 0 4 5 8960 1 5 8712 0 5 8448 1 10 1089 1 4 0 -8 1 264 2 -8 3 0
// CALL 0 4 564385268 1 5 15 128 1 15 2 0 4 5 15352 1 5 1024 1 5 1568 0 10 255 0 4 0 -8 1 120 2 -120 3 0
#include "fuzz.h"
__attribute__((noinline)) static void PREFIX_(p40)(long n2, long n4, long n5, long ld0, long ld4, uint64_t *a0, uint64_t *a1, uint64_t *a2, uint8_t *a4) {
  for (long l7 = 0; l7 < n5; l7++) {
    for (long l6 = 0; l6 < n4; l6++) {
      uint64_t s9 = 0;
      for (long l8 = l6 + 1; l8 < n2; l8++) {
        s9 -= (a2[l8 * n2 + l7 * -1] * a0[l6 * ld0 + l8]);
      }
      s9 = (s9 > a1[(l7 - 1) * n2 + l6] ? s9 : a1[(l7 - 1) * n2 + l6]);
      a4[l6 * ld4 + l7] = s9;
    }
  }
}
static void PREFIX_(p40_run)(const struct FuzzCall *c) {
  PREFIX_(p40)((long)c->n[0], (long)c->n[1], (long)c->n[2], (long)c->n[3], (long)c->n[4], ANY((uint64_t *)c->a[0]), ANY((uint64_t *)c->a[1]), ANY((uint64_t *)c->a[2]), ANY((uint8_t *)c->a[3]));
}
const struct Entry PREFIX_(programs)[] = {
  {"p40", PREFIX_(p40_run)},
  {0, 0}};
