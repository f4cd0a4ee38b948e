// One half of a Hermitian C, whose diagonal is made real or summed up beside it, as in HERK: one kernel
// makes both parts of the half, and a copy of the loops the diagonal. With elements so large that a product might
// be NaN, the loops of the source run. The results are those of clang alone, bit by bit.
//
// DEFINE: %{flags} = -O3 -march=native
// DEFINE: %{blocks} =
// DEFINE: %{plain} = %clang %{flags} -w %s -o %t.plain -lm && %t.plain > %t.expected
// DEFINE: %{ours} = %clang %{flags} -w -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 \
// DEFINE:   -mllvm -tilesmith-count=1 %{blocks} %s %S/../../runtime/Counts.c -o %t.ours -lm
// DEFINE: %{run} = rm -f %t.counts && env TILESMITH_COUNTS=%t.counts %t.ours > %t.result && cmp %t.expected %t.result
// DEFINE: %{test} = %{plain} && %{ours} && %{run} && FileCheck %s < %t.counts
// RUN: %{test}
// REDEFINE: %{blocks} = -mllvm -tilesmith-kc=8 -mllvm -tilesmith-mc=64 -mllvm -tilesmith-nc=16
// RUN: %{test}
// REDEFINE: %{flags} = -O2 -march=x86-64-v3 -DT=float
// RUN: %{test}
// REDEFINE: %{flags} = -O2
// RUN: %{test}
// REQUIRES: x86
// CHECK-DAG: {{^[1-9].*}}made_real: complex triangular GEMM
// CHECK-DAG: {{^[1-9].*}}scaled: complex triangular GEMM
// CHECK-DAG: {{^[1-9].*}}strict: complex triangular GEMM
// CHECK-DAG: {{^[1-9].*}}upper: complex triangular GEMM
// CHECK-DAG: {{^[1-9].*}}summed: complex triangular GEMM
// CHECK-DAG: {{^[1-9].*}}mirrored: triangular GEMM
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#ifndef T
#define T double
#endif
typedef T _Complex Z;

#define HALF(NAME, FROM, TO, STORE, THEN)                                                                              \
  __attribute__((noinline)) void NAME(int n, int l, T alpha, T beta, const Z *restrict a, Z *restrict c) {             \
    for (int i = 0; i < n; i++) {                                                                                      \
      for (int j = FROM; j < TO; j++) {                                                                                \
        Z s = 0;                                                                                                       \
        for (int k = 0; k < l; k++)                                                                                    \
          s += a[i * l + k] * ~a[j * l + k];                                                                           \
        STORE;                                                                                                         \
      }                                                                                                                \
      THEN;                                                                                                            \
    }                                                                                                                  \
  }
#define ELEMENT c[i * n + j]
#define DIAGONAL c[i * n + i]
HALF(made_real, 0, i + 1, ELEMENT += s, DIAGONAL = __real DIAGONAL)
HALF(scaled, 0, i + 1, ELEMENT = alpha * s + beta * ELEMENT, DIAGONAL = __real DIAGONAL)
HALF(strict, 0, i, ELEMENT = s, DIAGONAL = 2 * __real DIAGONAL)
HALF(upper, i + 1, n, ELEMENT = alpha * s + beta * ELEMENT, DIAGONAL = __real DIAGONAL)
HALF(summed, 0, i, ELEMENT = alpha * s + beta * ELEMENT, T r = 0; for (int k = 0; k < l; k++) r +=
                                                         __real(a[i * l + k] * ~a[i * l + k]);
     DIAGONAL = alpha * r + beta * __real DIAGONAL)
HALF(mirrored, 0, i, ELEMENT = s; c[j * n + i] = ~s, DIAGONAL = 1)

typedef void Form(int, int, T, T, const Z *, Z *);
Form *const forms[] = {made_real, scaled, strict, upper, summed, mirrored};

int main(void) {
  const int sizes[] = {1, 2, 3, 7, 16, 33, 50};
  for (unsigned s = 0; s < sizeof sizes / sizeof *sizes; s++)
    for (int kind = 0; kind < 3; kind++)
      for (unsigned f = 0; f < sizeof forms / sizeof *forms; f++) {
        int n = sizes[s], l = 1 + n * 2 / 3;
        Z *a = malloc(n * l * sizeof(Z)), *c = malloc(n * n * sizeof(Z));
        T *parts = (T *)a, *sums = (T *)c;
        for (int i = 0; i < 2 * n * l; i++)
          parts[i] = i * 37 % 101 * (T).01 - (T).47;
        for (int i = 0; i < 2 * n * n; i++)
          sums[i] = i % 7 ? i * 29 % 83 * (T).03 - 1 : -(T)0;
        if (kind)
          parts[n * l] = kind == 1 ? INFINITY : NAN;
        forms[f](n, l, (T).75, (T)-1.25, a, c);
        for (int i = 0; i < 2 * n * n; i++)
          if (isnan(sums[i]))
            puts("nan");
          else
            printf("%a\n", (double)sums[i]);
        free(a);
        free(c);
      }
}
