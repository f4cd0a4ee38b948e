// Four copies in steps of three: every third term is summed twice. From -O2 on,
// LLVM carries the elements that two iterations read from one to the next.
//
// RUN: %clang -O1 -fpass-plugin=%tilesmith -Rpass=tilesmith -Rpass-missed=tilesmith \
// RUN:   -mllvm -tilesmith-verify=1 -c %s -o /dev/null -Xclang -verify=first
// RUN: %clang -O3 -fpass-plugin=%tilesmith -Rpass=tilesmith -Rpass-missed=tilesmith \
// RUN:   -c %s -o /dev/null -Xclang -verify=third
// first-remark@* {{sum of GEMMs}}
// third-remark@* {{changes with a loop}}
void copies_overlap(long n, double c[restrict n][n], const double a[restrict n][n],
                    const double b[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k + 3 < n; k += 3) {
        s += a[i][k] * b[k][j];
        s += a[i][k + 1] * b[k + 1][j];
        s += a[i][k + 2] * b[k + 2][j];
        s += a[i][k + 3] * b[k + 3][j];
      }
      c[i][j] = s;
    }
}
