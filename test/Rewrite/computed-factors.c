// A matrix of a factor's values is made around the kernel. Without memory, the
// source's loops run, and nothing has been stored.
//
// RUN: %clang -O2 -march=x86-64-v4 -fpass-plugin=%tilesmith -emit-llvm -S %s -o - | FileCheck %s --check-prefix=IR
// RUN: %clang -O2 -fpass-plugin=%tilesmith -Rpass=tilesmith -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %clang -O1 -DMAIN %s %t.o -Wl,--wrap=malloc -o %t && %t
// CHECK: A computed
// IR-LABEL: define internal {{.*}}i1 @tilesmith.make
// IR:       call {{.*}}ptr @malloc
// IR-DAG:   fmul <8 x double>
// IR-DAG:   call void @free

#ifndef MAIN
void weights(int n, const double *a, const double *w, const double *b, double *restrict c) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        c[i * n + j] += (a[i * n + k] * w[k]) * b[k * n + j];
}
#else
#include <stddef.h>

void weights(int n, const double *a, const double *w, const double *b, double *restrict c);
void *__real_malloc(size_t Bytes);
static int Calls, Refused;
void *__wrap_malloc(size_t Bytes) { return Calls++ == Refused ? 0 : __real_malloc(Bytes); }

enum { N = 40 };
static double A[N * N], B[N * N], W[N], C[N * N];

int main(void) {
  for (Refused = -1; Refused < 3; ++Refused) {
    Calls = 0;
    for (int i = 0; i < N * N; i++)
      A[i] = i % 7, B[i] = i % 5, C[i] = i;
    for (int i = 0; i < N; i++)
      W[i] = i % 3;
    weights(N, A, W, B, C);
    if (!Calls)
      return 1;
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++) {
        double Sum = i * N + j;
        for (int k = 0; k < N; k++)
          Sum += A[i * N + k] * W[k] * B[k * N + j];
        if (C[i * N + j] != Sum)
          return 2;
      }
  }
}
#endif
