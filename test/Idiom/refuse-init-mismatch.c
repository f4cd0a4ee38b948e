// A row of C is set that the product has made before, or will make (a part of its own row: memset.c).
//
// RUN: %clang -O2 -fpass-plugin=%tilesmith -Rpass=tilesmith \
// RUN:   -Rpass-missed=tilesmith -c %s -o /dev/null -Xclang -verify
// expected-remark@* {{not a plain initialisation}}
void product(const double a[restrict 100][100], const double b[restrict 100][100],
             double c[restrict 100][100]) {
  for (long i = 0; i < 100; i++) {
    for (long j = 0; j < 50; j++)
      c[99 - i][j] = 0;
    for (long j = 0; j < 100; j++)
      for (long k = 0; k < 100; k++)
        c[i][j] += a[i][k] * b[k][j];
  }
}
