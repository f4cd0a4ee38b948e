// The nest may store what a pointer is loaded from, before it does that: the
// guard must not follow the former pointer.
//
// RUN: %clang -O2 -fno-strict-aliasing -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 \
// RUN:   -Rpass=tilesmith -Rpass-missed=tilesmith -c %s -o /dev/null -Xclang -verify
void product(long n, long **bound, const long *a, const long *b, long *c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      c[i * n + j] = 0;
      // expected-remark@+1 {{not replaced}}
      for (long k = 0; k < **bound; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
    }
}
