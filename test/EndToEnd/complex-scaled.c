// A product of two complex numbers may be a factor: alpha * b[l], as in the reference zgemm,
// or weight[l] * b[l]. It is made once for each element, and where that, or a product of it,
// might be NaN, the source's loops run. The results are those of clang alone, bit by bit, in
// front of pages that must not be touched, with negative zeros, infinities, NaN and overflows in
// each operand. Only the signs and payloads of NaN may differ.
//
// DEFINE: %{flags} = -O3 -march=native
// DEFINE: %{plain} = %clang %{flags} -w %s -o %t.plain -lm && %t.plain > %t.expected
// DEFINE: %{ours} = %clang %{flags} -w -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 -mllvm -tilesmith-count=1 \
// DEFINE:   %s %S/../../runtime/Counts.c -o %t.ours -lm
// DEFINE: %{run} = rm -f %t.counts && env TILESMITH_COUNTS=%t.counts %t.ours > %t.result && cmp %t.expected %t.result
// DEFINE: %{test} = %{plain} && %{ours} && %{run} && FileCheck %s < %t.counts
// RUN: %{test}
// REDEFINE: %{flags} = -O2 -ffp-contract=off
// RUN: %{test}
// REDEFINE: %{flags} = -O3 -march=native -DT=float
// RUN: %{test}
// REDEFINE: %{flags} = -O2 -march=x86-64-v3 -DT=float
// RUN: %{test}
// REDEFINE: %{flags} = -O3 -march=x86-64-v3
// RUN: %{test}
// REQUIRES: x86
//
// CHECK-DAG: {{^[1-9].*}}columns:{{.*}}complex GEMM
// CHECK-DAG: {{^[1-9].*}}columns_t:{{.*}}complex GEMM
// CHECK-DAG: {{^[1-9].*}}columns_c:{{.*}}complex GEMM
// CHECK-DAG: {{^[1-9].*}}conjugated:{{.*}}complex GEMM
// CHECK-DAG: {{^[1-9].*}}subtracted:{{.*}}complex GEMM
// CHECK-DAG: {{^[1-9].*}}rows:{{.*}}complex GEMM
// CHECK-DAG: {{^[1-9].*}}weighted:{{.*}}complex GEMM
// CHECK-DAG: {{^[1-9].*}}lower:{{.*}}complex triangular GEMM
// CHECK-DAG: {{^[1-9].*}}upper2:{{.*}}complex
// CHECK-DAG: {{^[1-9].*}}along:{{.*}}complex GEMM
// CHECK-DAG: {{^[1-9].*}}pairs:{{.*}}complex GEMM
// CHECK-DAG: {{^[1-9].*}}real_alpha:{{.*}}complex triangular GEMM
// CHECK-DAG: {{^[1-9].*}}aliased:{{.*}}complex GEMM
// CHECK-DAG: {{^[1-9].*}}scaled_first:{{.*}}complex GEMM
// CHECK-DAG: {{^[1-9].*}}tested_first:{{.*}}complex GEMM
// CHECK-DAG: {{^[1-9].*}}tested_rows:{{.*}}complex GEMM
// CHECK-DAG: {{^[1-9].*}}tested_half:{{.*}}complex triangular GEMM
// CHECK-DAG: {{^[1-9].*}}tested_beside:{{.*}}
// CHECK-DAG: {{^[1-9].*}}skipped_upper:{{.*}}complex triangular GEMM
// CHECK-DAG: {{^[1-9].*}}skipped_lower:{{.*}}complex triangular GEMM
// CHECK-DAG: {{^[1-9].*}}skipped2:{{.*}}complex triangular GEMM
// CHECK-DAG: {{^[1-9].*}}f2c:{{.*}}complex GEMM
// CHECK-DAG: {{^[1-9].*}}upper_as_f2c:
// CHECK-DAG: {{^[1-9].*}}lower_as_f2c:
// CHECK-DAG: {{^[1-9].*}}dots_as_f2c:{{.*}}complex GEMM
#include "../guarded.h"

#ifndef T
#define T double
#endif
typedef T _Complex Z;
#define NEST __attribute__((noinline)) void
#define OF(Ty) int m, int n, int k, const Ty *restrict a, const Ty *restrict b, Ty *restrict c, const Ty *restrict d
#define FOR(I, From, To) for (int I = From; I < To; I++)
// The elements of b with the factor, in the loops of the reference BLAS.
#define SCALED(From, To, Factor, Update)                                                                               \
  Z alpha = d[0];                                                                                                      \
  FOR(j, 0, n) FOR(l, 0, k) {                                                                                          \
    Z t = Factor;                                                                                                      \
    FOR(i, From, To) c[i + j * m] Update;                                                                              \
  }

NEST columns(OF(Z)) { SCALED(0, m, alpha * b[l + j * k], += t * a[i + l * m]) }
NEST columns_t(OF(Z)) { SCALED(0, m, alpha * b[l * n + j], += t * a[i + l * m]) }
NEST columns_c(OF(Z)) { SCALED(0, m, ~(alpha * b[l * n + j]), += t * a[i + l * m]) }
NEST conjugated(OF(Z)) { SCALED(0, m, alpha * ~b[l * n + j], += ~a[i + l * m] * t) }
NEST subtracted(OF(Z)) { SCALED(0, m, alpha * b[l + j * k], -= t * ~a[i + l * m]) }
NEST weighted(OF(Z)) { SCALED(0, m, d[l] * b[l + j * k], += t * a[i + l * m]) }
NEST lower(OF(Z)) { SCALED(j, n, alpha * ~b[l * n + j], += t * a[i + l * m]) }
NEST rows(OF(Z)) {
  Z alpha = d[0];
  FOR(i, 0, m) FOR(l, 0, k) {
    Z t = alpha * a[i * k + l];
    FOR(j, 0, n) c[i * n + j] += t * b[l * n + j];
  }
}
// The factor that goes along C's numbers.
NEST along(OF(Z)) {
  Z alpha = d[0];
  FOR(i, 0, m) FOR(l, 0, k) FOR(j, 0, n) c[i * n + j] += a[i * k + l] * (alpha * b[l * n + j]);
}
NEST upper2(OF(Z)) {
  Z alpha = d[0];
  FOR(j, 0, n) FOR(l, 0, k) {
    Z t = alpha * ~b[l * n + j], u = ~(alpha * a[l * n + j]);
    FOR(i, 0, j + 1) c[i + j * n] += a[i + l * n] * t + b[i + l * n] * u;
  }
}
NEST pairs(OF(T)) {
  T alr = d[0], ali = d[1];
  FOR(j, 0, n) FOR(l, 0, k) {
    T br = b[2 * (l + j * k)], bi = b[2 * (l + j * k) + 1], tr = alr * br - ali * bi, ti = alr * bi + ali * br;
    FOR(i, 0, m) {
      T ar = a[2 * (i + l * m)], ai = a[2 * (i + l * m) + 1];
      c[2 * (i + j * m)] += tr * ar - ti * ai;
      c[2 * (i + j * m) + 1] += tr * ai + ti * ar;
    }
  }
}
// Real factors, as HERK has them.
NEST real_alpha(OF(Z)) {
  T alpha = *(T *)d;
  FOR(j, 0, n) FOR(l, 0, k) {
    Z t = alpha * ~b[l * n + j];
    FOR(i, j, n) c[i + j * n] += t * a[i + l * n];
  }
}
// In loops that also multiply C, by numbers: that is tested for NaN as in the source.
NEST tested_first(OF(Z)) {
  Z alpha = d[0], beta = d[k - 1];
  FOR(j, 0, n) {
    if (beta == 0)
      FOR(i, 0, m) c[i + j * m] = 0;
    else if (beta != 1)
      FOR(i, 0, m) c[i + j * m] *= beta;
    FOR(l, 0, k) {
      Z t = alpha * b[l + j * k];
      FOR(i, 0, m) c[i + j * m] += t * a[i + l * m];
    }
  }
}
NEST tested_rows(OF(Z)) {
  Z beta = d[k - 1];
  FOR(i, 0, m) {
    FOR(j, 0, n) c[i * n + j] = beta * c[i * n + j];
    FOR(l, 0, k) FOR(j, 0, n) c[i * n + j] += a[i * k + l] * b[l * n + j];
  }
}
NEST tested_half(OF(Z)) {
  Z beta = d[k - 1];
  FOR(j, 0, n) {
    FOR(i, 0, j + 1) c[i + j * n] *= beta;
    FOR(l, 0, k) {
      Z t = ~a[j + l * n];
      FOR(i, 0, j + 1) c[i + j * n] += t * a[i + l * n];
    }
  }
}
// Beside sums of the diagonal, which are tested as well.
NEST tested_beside(OF(Z)) {
  Z alpha = d[0], beta = d[k - 1];
  FOR(j, 0, n) {
    FOR(i, 0, j) {
      Z t = 0;
      FOR(l, 0, k) t += ~a[l + i * k] * a[l + j * k];
      c[i + j * n] = alpha * t + beta * c[i + j * n];
    }
    T r = 0;
    FOR(l, 0, k) r += __real__(~a[l + j * k] * a[l + j * k]);
    c[j + j * n] = __real__ alpha * r;
  }
}
// By pairs.
static void multiply(Z *c, Z by) {
  T r = __real__ *c, i = __imag__ *c;
  __real__ *c = __real__ by * r - __imag__ by * i;
  __imag__ *c = __real__ by * i + __imag__ by * r;
}
NEST scaled_first(OF(Z)) {
  Z alpha = d[0], beta = d[k - 1];
  FOR(j, 0, n) {
    FOR(i, 0, m) multiply(&c[i + j * m], beta);
    FOR(l, 0, k) {
      Z t = alpha * b[l + j * k];
      FOR(i, 0, m) c[i + j * m] += t * a[i + l * m];
    }
  }
}
// Where a number is zero, the step is left out.
#define SKIPPED(From, To)                                                                                              \
  Z alpha = d[0], beta = d[k - 1];                                                                                     \
  FOR(j, 0, n) {                                                                                                       \
    FOR(i, From, To) multiply(&c[i + j * n], beta); \
    FOR(l, 0, k) if (a[j + l * n] != 0) {                                                                              \
      Z t = alpha * a[j + l * n];                                                                                      \
      FOR(i, From, To) c[i + j * n] += t * a[i + l * n];                                                               \
    }                                                                                                                  \
  }
NEST skipped_upper(OF(Z)) { SKIPPED(0, j + 1) }
NEST skipped_lower(OF(Z)) { SKIPPED(j, n) }
NEST skipped2(OF(Z)) {
  Z alpha = d[0];
  FOR(j, 0, n) FOR(l, 0, k) if (a[j + l * n] != 0 || b[j + l * n] != 0) {
    Z t = alpha * ~b[j + l * n], u = ~(alpha * a[j + l * n]);
    FOR(i, 0, j + 1) c[i + j * n] = c[i + j * n] + a[i + l * n] * t + b[i + l * n] * u;
  }
}
// As f2c writes it: alpha and beta are loaded where they are needed.
typedef struct {
  T r, i;
} Pair;
NEST f2c(int m, int n, int k, const Pair *alpha, const Pair *a, int lda, const Pair *b, int ldb, const Pair *beta, Pair *c, int ldc) {
  FOR(j, 0, n) {
    if (beta->r == 0 && beta->i == 0) {
      FOR(i, 0, m) c[i + j * ldc].r = 0, c[i + j * ldc].i = 0;
    } else if (beta->r != 1 || beta->i != 0) {
      FOR(i, 0, m) {
        Pair z = {beta->r * c[i + j * ldc].r - beta->i * c[i + j * ldc].i,
                  beta->r * c[i + j * ldc].i + beta->i * c[i + j * ldc].r};
        c[i + j * ldc].r = z.r, c[i + j * ldc].i = z.i;
      }
    }
    FOR(l, 0, k) {
      Pair t = {alpha->r * b[l + j * ldb].r - alpha->i * b[l + j * ldb].i, alpha->r * b[l + j * ldb].i + alpha->i * b[l + j * ldb].r};
      FOR(i, 0, m) {
        Pair z = {t.r * a[i + l * lda].r - t.i * a[i + l * lda].i, t.r * a[i + l * lda].i + t.i * a[i + l * lda].r};
        z.r = c[i + j * ldc].r + z.r, z.i = c[i + j * ldc].i + z.i;
        c[i + j * ldc].r = z.r, c[i + j * ldc].i = z.i;
      }
    }
  }
}
NEST as_f2c(int m, int n, int k, const Pair *a, const Pair *b, Pair *c, const Pair *d) {
  f2c(m, n, k, d, a, m, b, k, d + k - 1, c, m);
}
// Steps with a zero are left out, and with them what alpha is loaded for; beta may stay as it is, or be zero.
#define F2C_SKIPPED(NAME, FROM, TO)                                                                                    \
  NEST NAME(int m, int n, int k, const Pair *a, const Pair *b, Pair *c, const Pair *d) {                               \
    const Pair *alpha = d, *beta = d + k - 1;                                                                          \
    FOR(j, 0, n) {                                                                                                     \
      if (beta->r == 0 && beta->i == 0) {                                                                              \
        FOR(i, FROM, TO) c[i + j * n].r = 0, c[i + j * n].i = 0;                                                       \
      } else if (beta->r != 1 || beta->i != 0) {                                                                       \
        FOR(i, FROM, TO) {                                                                                             \
          Pair z = {beta->r * c[i + j * n].r - beta->i * c[i + j * n].i,                                               \
                    beta->r * c[i + j * n].i + beta->i * c[i + j * n].r};                                              \
          c[i + j * n].r = z.r, c[i + j * n].i = z.i;                                                                  \
        }                                                                                                              \
      }                                                                                                                \
      FOR(l, 0, k) if (a[j + l * n].r != 0 || a[j + l * n].i != 0) {                                                   \
        Pair t = {alpha->r * a[j + l * n].r - alpha->i * a[j + l * n].i,                                               \
                  alpha->r * a[j + l * n].i + alpha->i * a[j + l * n].r};                                              \
        FOR(i, FROM, TO) {                                                                                             \
          Pair z = {t.r * a[i + l * n].r - t.i * a[i + l * n].i, t.r * a[i + l * n].i + t.i * a[i + l * n].r};         \
          z.r = c[i + j * n].r + z.r, z.i = c[i + j * n].i + z.i;                                                      \
          c[i + j * n].r = z.r, c[i + j * n].i = z.i;                                                                  \
        }                                                                                                              \
      }                                                                                                                \
    }                                                                                                                  \
  }
F2C_SKIPPED(upper_as_f2c, 0, j + 1)
F2C_SKIPPED(lower_as_f2c, j, n)
// Elements have sums of their own; where there are no steps, clang may have loops without them.
NEST dots_as_f2c(int m, int n, int k, const Pair *a, const Pair *b, Pair *c, const Pair *d) {
  const Pair *alpha = d, *beta = d + k - 1;
  FOR(j, 0, n) FOR(i, 0, m) {
    Pair sum = {0, 0};
    FOR(l, 0, k) {
      Pair z = {a[l + i * k].r * b[l + j * k].r - a[l + i * k].i * b[l + j * k].i,
                a[l + i * k].r * b[l + j * k].i + a[l + i * k].i * b[l + j * k].r};
      sum.r = sum.r + z.r, sum.i = sum.i + z.i;
    }
    Pair z = {alpha->r * sum.r - alpha->i * sum.i, alpha->r * sum.i + alpha->i * sum.r};
    if (beta->r != 0 || beta->i != 0) {
      Pair y = {beta->r * c[i + j * m].r - beta->i * c[i + j * m].i,
                beta->r * c[i + j * m].i + beta->i * c[i + j * m].r};
      z.r = z.r + y.r, z.i = z.i + y.i;
    }
    c[i + j * m].r = z.r, c[i + j * m].i = z.i;
  }
}
// What is stored may be in what the factor is made of.
NEST aliased(int m, int n, int k, const Z *a, const Z *b, Z *c, const Z *d) {
  SCALED(0, m, alpha * b[l + j * k], += t * a[i + l * m])
}

typedef void (*Nest)(int, int, int, const void *, const void *, void *, const void *);
#define NAMED(F) {#F, (Nest)F}
static const struct {
  const char *name;
  Nest nest;
} nests[] = {NAMED(columns), NAMED(columns_t), NAMED(columns_c), NAMED(conjugated), NAMED(subtracted), NAMED(weighted),
             NAMED(lower),   NAMED(rows),      NAMED(upper2),    NAMED(pairs),      NAMED(real_alpha), NAMED(aliased),
             NAMED(tested_first), NAMED(tested_rows), NAMED(tested_half), NAMED(tested_beside),
             NAMED(scaled_first), NAMED(skipped_upper), NAMED(skipped_lower), NAMED(skipped2), NAMED(as_f2c), NAMED(along),
             NAMED(upper_as_f2c), NAMED(lower_as_f2c), NAMED(dots_as_f2c)};

enum { Bytes = 32 * Page };

static unsigned state = 1;
static unsigned next(void) { return state = state * 1664525 + 1013904223, state >> 8; }
static void fill(T *x, size_t count, int kind) {
  for (size_t i = 0; i < count; i++) {
    x[i] = (T)((int)(next() % 2001) - 1000) * (T)0.0137;
    if (kind == 1 && next() % 3)
      x[i] = next() % 2 ? (T)-0.0 : (T)0.0;
  }
  const T huge = sizeof(T) == 8 ? (T)1e300 : (T)1e38, far[] = {(T)(1 / 0.0), -(T)(1 / 0.0), (T)(0 / 0.0), huge};
  if (kind == 2)
    for (int i = 0; i < 2; i++)
      x[next() % count] = far[next() % 4];
  if (kind == 3) // Neither factor is large, but their product is.
    for (int i = 0; i < 2; i++)
      x[next() % count] = sizeof(T) == 8 ? (T)1e100 : (T)1e15;
}

int main(void) {
  static const int sizes[][3] = {{1, 1, 1}, {2, 3, 4},   {4, 4, 4},   {5, 9, 3},    {8, 8, 8},   {7, 16, 5},
                                 {9, 17, 12}, {16, 5, 30}, {33, 31, 29}, {24, 40, 17}, {50, 50, 50}};
  char *memory[] = {guardedPages(Bytes), guardedPages(Bytes), guardedPages(Bytes), guardedPages(Bytes)};
  for (size_t f = 0; f < sizeof nests / sizeof *nests; f++)
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
      for (int kind = 0; kind < 19; kind++) {
        int m = sizes[s][0], n = sizes[s][1], k = sizes[s][2];
        Nest halves[] = {(Nest)upper2, (Nest)lower, (Nest)real_alpha, (Nest)skipped_upper, (Nest)skipped_lower, (Nest)skipped2,
                         (Nest)upper_as_f2c, (Nest)lower_as_f2c, (Nest)tested_half, (Nest)tested_beside};
        for (size_t h = 0; h < sizeof halves / sizeof *halves; h++)
          m = nests[f].nest == halves[h] ? n : m;
        size_t counts[] = {2 * (size_t)m * k, 2 * (size_t)n * k, 2 * (size_t)m * n, 2 * (size_t)k};
        T *x[4];
        for (int i = 0; i < 4; i++) {
          x[i] = placed(memory[i], Bytes, counts[i] * sizeof(T), kind != 3);
          fill(x[i], counts[i], kind >= 12 ? 0 : kind < 4 ? kind : kind < 8 ? (kind == 4 + i) * 2 : (kind == 8 + i) * 3);
        }
        // Values that are asked for: numbers that are zero, the first one or none, and a last one of d that is 1, or 0.
        if (kind >= 12 && kind < 16)
          x[0][0] = x[0][1] = x[1][2 * (n * k / 2)] = x[1][2 * (n * k / 2) + 1] = 0;
        if (kind >= 13)
          x[3][2 * k - 2] = kind % 3 == 1, x[3][2 * k - 1] = kind % 3 == 0;
        if (nests[f].nest == (Nest)aliased && kind % 2 && k <= m)
          x[1] = x[2];
        nests[f].nest(m, n, k, x[0], x[1], x[2], x[3]);
        HASH_ELEMENTS(T, x[2], counts[2]);
        printf("%s %d %d %d %d: %016lx\n", nests[f].name, m, n, k, kind, Hash);
      }
}
