// Of neighbouring elements, one has a product added, and the other one has one subtracted. LLVM
// makes both as a vector, of which neither product is fused.
//
// RUN: %clang -O3 -march=x86-64-v3 -ffp-contract=fast -w %s -o %t.plain
// RUN: %clang -O3 -march=x86-64-v3 -ffp-contract=fast -w -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 %s -o %t.ours
// RUN: %t.plain > %t.expected && %t.ours > %t.result && cmp %t.expected %t.result
// REQUIRES: x86

#include <stdio.h>

__attribute__((noinline)) static void conjugated(long n, long ld, _Complex double *c, _Complex double *a, double *b) {
  for (long k = 0; k < n; k++)
    for (long i = 0; i < k + 1; i++)
      c[i] += ~a[k * ld + i] * b[k];
}

int main(void) {
  static _Complex double a[40 * 40], c[40];
  static double b[40];
  for (int n = 1; n <= 40; n++) {
    for (int i = 0; i < 40 * 40; i++)
      a[i] = (i * 7 % 131) / 3.0 + (i * 5 % 89) / 7.0 * 1.0i;
    for (int i = 0; i < 40; i++)
      b[i] = i / 11.0 - 1, c[i] = i / 13.0 + 0.1i;
    conjugated(n, 40, c, a, b);
    for (int i = 0; i < n; i++)
      printf("%a %a\n", __real__ c[i], __imag__ c[i]);
  }
}
