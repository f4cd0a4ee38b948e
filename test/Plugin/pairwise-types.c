//===- pairwise-types.c - pairs, and sums of other types ------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Sums of 8 and 16 bits, counts in int of wider elements, comparisons of narrow
// ones, several parts made of the same two elements, and residues: all bytes are
// those that clang gives, for operands at the very ends of what may be read, and
// for operands that overlap C.
//
// REQUIRES: system-linux
// DEFINE: %{flags} =
// DEFINE: %{compare} = %clang %{flags} %s -lm -o %t.stock && %t.stock > %t.expected \
// DEFINE:   && %clang %{flags} -fpass-plugin=%tilesmith -mllvm -tilesmith-verify=1 -Rpass=tilesmith %s -lm -o %t.ours 2> %t.remarks \
// DEFINE:   && FileCheck %s < %t.remarks && %t.ours > %t.got && cmp %t.expected %t.got
// CHECK-COUNT-9: nest by pairwise reduction
// REDEFINE: %{flags} = -O3 -march=native -DT=short
// RUN: %{compare}
// REDEFINE: %{flags} = -O2 -march=native -mno-avx512f -DT=short
// RUN: %{compare}
// REDEFINE: %{flags} = -O3 -DT="unsigned char"
// RUN: %{compare}
// REDEFINE: %{flags} = -O3 -march=native -DT="unsigned char"
// RUN: %{compare}
// REDEFINE: %{flags} = -O2 -march=native -DT=int -DCOUNTS
// RUN: %{compare}
// REDEFINE: %{flags} = -O3 -march=native -DT=long -DCOUNTS
// RUN: %{compare}
// REDEFINE: %{flags} = -O2 -march=native -mno-avx512f -DT=long -DCOUNTS
// RUN: %{compare}
// REDEFINE: %{flags} = -O3 -march=native -DT="unsigned char" -DSIZES="enum { M = 35, N = 67, K = 18 };"
// RUN: %{compare}

#include "Inputs/nests.h"

#define C c[i * N + j]
#define OF(name, From, Step)                                                   \
  NEST(name, FOR(i, M) FOR(j, N) {                                             \
    T s = From;                                                                \
    FOR(k, K) {                                                                \
      T p = a[i * K + k], q = b[k * N + j];                                    \
      Step;                                                                    \
    }                                                                          \
    C = s;                                                                     \
  })
OF(min_plus, C, T d = p + q; s = d < s ? d : s)
OF(max_plus, C, T d = p + q; s = d > s ? d : s)
OF(min_plus_reached, 77, T d = p + q; if (p != 3 && q != 4 && d < s) s = d)
OF(and_or, 0, s |= p & q)
OF(parity, C, s ^= p & q)
OF(saturating, C, s = __builtin_elementwise_add_sat(s, (T)(p * q)))
OF(clamped, 0, int t = s + p * q; s = t < -90 ? -90 : t > 90 ? 90 : t)
OF(absolute, 0, s += p > q ? p - q : q - p)
OF(both_large, C, if (p > 3 && q > 5) s++)
NEST(by_rows, FOR(i, M) FOR(k, K) FOR(j, N) {
  T d = a[i * K + k] + b[k * N + j];
  C = d < C ? d : C;
})
NEST(saturating_bytes, unsigned char *w = (unsigned char *)c;
     const unsigned char *u = (const unsigned char *)a, *v = (const unsigned char *)b;
     FOR(i, M) FOR(j, N) FOR(k, K) {
       int s = w[i * N + j] + u[i * K + k] * v[k * N + j];
       w[i * N + j] = s > 255 ? 255 : s;
     })
NEST(truth_values, _Bool *w = (_Bool *)c; const _Bool *u = (const _Bool *)x, *v = (const _Bool *)y;
     FOR(i, M * N) ((char *)c)[i] = i % 7 == 0;
     FOR(i, M * M) ((char *)x)[i] = i % 5 == 0;
     FOR(i, 3 * (M + N)) ((char *)y)[i] = i % 3 == 0;
     FOR(i, M) FOR(j, N) FOR(k, M) w[i * N + j] = w[i * N + j] + u[i * M + k] * v[k + j];)
#ifdef COUNTS
// Of a sum in int.
#define IN_INT(name, Step)                                                     \
  NEST(name, int *w = (int *)c; FOR(i, M) FOR(j, N) {                          \
    int s = 0;                                                                 \
    FOR(k, K) {                                                                \
      T p = a[i * K + k], q = b[k * N + j];                                    \
      Step;                                                                    \
    }                                                                          \
    w[i * N + j] = s;                                                          \
  })
IN_INT(hamming, s += __builtin_popcountl((unsigned long)p ^ (unsigned long)q))
IN_INT(agreement, s += 2 * __builtin_popcountl(~(p ^ q)) - 64)
IN_INT(equal, s += p == q)
IN_INT(common, if (p & q) s++)
IN_INT(remainders, s += p * q % 1009)
IN_INT(residues, s = (s + p * q % 1009) % 1009)
#define MORE(R)                                                                \
  R(hamming) R(agreement) R(equal) R(common) R(remainders) R(residues)
#else
#define MORE(R)
#endif

#define ALL(R)                                                                 \
  R(min_plus) R(max_plus) R(min_plus_reached) R(and_or) R(parity)              \
  R(saturating) R(clamped) R(absolute) R(both_large) R(by_rows) \
  R(saturating_bytes) R(truth_values) MORE(R)

#include "Inputs/nests-main.h"
