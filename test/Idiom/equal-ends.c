// A loop between two pointers is entered if they are unequal. Both move with the
// rows, but how far they are apart does not change.
//
// RUN: %clang -O2 -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 -Rpass=tilesmith \
// RUN:   -Rpass-missed=tilesmith -c %s -o /dev/null -Xclang -verify
#include <stddef.h>
void product(size_t m, size_t n, size_t k, const double *a, const double *b, double *c) {
  for (size_t i = 0; i < m; i++) // expected-remark {{replaced}}
    for (size_t j = 0; j < n; j++) {
      double sum = 0;
      const double *y = b + j * k;
      for (const double *x = a + i * k; x != a + (i + 1) * k; x++, y++)
        sum += *x * *y;
      c[i * n + j] = sum;
    }
}
