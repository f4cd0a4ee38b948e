//===- next-nests.c - epilogues in nests of their own ---------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Products behind which another nest goes on with each element of C: all bytes, and
// errno, are those that clang gives, for operands at the very ends of what may be
// read, and for operands that overlap C. Those of OTHERS are near misses: the second
// nest stays.
//
// REQUIRES: system-linux
// DEFINE: %{flags} =
// DEFINE: %{check} = CHECK
// DEFINE: %{compare} = %clang %{flags} %s -lm -o %t.stock && %t.stock > %t.expected \
// DEFINE:   && %clang %{flags} -fpass-plugin=%tilesmith -mllvm -tilesmith-verify=1 -Rpass=tilesmith %s -lm -o %t.ours 2>&1 \
// DEFINE:      | FileCheck %s --check-prefix=%{check} && %t.ours > %t.got && cmp %t.expected %t.got
// REDEFINE: %{flags} = -O3 -march=native
// RUN: %{compare}
// REDEFINE: %{flags} = -O2 -march=native -mno-avx512f -ffp-contract=off -DT=double
// RUN: %{compare}
// REDEFINE: %{flags} = -O3 -march=native -ffp-contract=fast -DT=double
// RUN: %{compare}
// REDEFINE: %{flags} = -O2 -march=native -DT=int
// RUN: %{compare}
// REDEFINE: %{check} = CONSTANT
// REDEFINE: %{flags} = -O3 -march=native -DSIZES="enum { M = 19, N = 35, K = 12 };"
// RUN: %{compare}
// REDEFINE: %{flags} = -O3 -march=native -DSIZES="enum { M = 70, N = 16, K = 90 };" -DT=double
// RUN: %{compare}
// CHECK-COUNT-22: with an epilogue
// CONSTANT-COUNT-2: with an epilogue

#include "Inputs/nests.h"

#define C c[i * N + j]
#define PRODUCT                                                                \
  FOR(i, M) FOR(j, N) {                                                        \
    T s = 0;                                                                   \
    FOR(k, K) s += a[i * K + k] * b[k * N + j];                                \
    C = s;                                                                     \
  }
#define NEXT(name, ...) NEST(name, PRODUCT FOR(i, M) FOR(j, N) { __VA_ARGS__; })

NEXT(relu, C = C > 0 ? C : 0)
NEXT(of_column, C += x[j])
NEXT(of_row, C = C * x[i] + y[i])
NEXT(of_both, T s = (C + x[j]) * y[i]; C = s > 0 ? s : 0)
NEXT(residual, C += x[i * N + j])
NEXT(residual_turned, C += x[j * M + i])
NEXT(backwards, C -= x[N - 1 - j])
NEXT(hyperbolic, C = tanh((double)C / 8))
NEXT(gelu, C = C / 2 * (1 + tanhf((float)(C + C * C * C / 32))))
NEXT(divided, C = C / (1 + fabs((double)x[j])))
// The loops of either nest in another order, and all elements in one loop.
NEST(columns_first, PRODUCT FOR(j, N) FOR(i, M) C = C > x[j] ? C : x[j];)
NEST(steps_in_between, FOR(i, M) FOR(k, K) FOR(j, N) C += a[i * K + k] * b[k * N + j];
     FOR(i, M) FOR(j, N) C = C > x[j] ? C : x[j];)
NEST(flat, PRODUCT FOR(i, M * N) c[i] = c[i] > x[i] ? c[i] : x[i];)
// Something is done to the sums in the first nest, too.
NEST(twice, FOR(i, M) FOR(j, N) {
  T s = 0;
  FOR(k, K) s += a[i * K + k] * b[k * N + j];
  C = s > x[j] ? s : x[j];
} FOR(i, M) FOR(j, N) C = (C - x[i]) * y[j];)
NEST(scaled, FOR(i, M) FOR(j, N) {
  T s = 0;
  FOR(k, K) s += a[i * K + k] * b[k * N + j];
  C = s * x[0];
} FOR(i, M) FOR(j, N) C = C + y[j];)

// It stores some elements, and the others stay as they are.
NEXT(relu_if, if (C < 0) C = 0)
NEXT(masked, if (x[i * N + j] > 0) C = 0)
NEXT(leaky, if (C < x[j]) C = C / 4)
NEXT(unless, T s = x[j] * C; if (s < 3) { } else C = 1 + s)
NEST(flat_if, PRODUCT FOR(i, M * N) if (c[i] < 0) c[i] = 0;)
// Half of C.
NEST(lower, FOR(i, M) FOR(j, i + 1) {
  T s = 0;
  FOR(k, K) s += a[i * K + k] * a[j * K + k];
  c[i * M + j] = s;
} FOR(i, M) FOR(j, i + 1) c[i * M + j] = c[i * M + j] * y[0] + x[j];)
NEST(upper, FOR(i, M) for (int j = i; j < M; j++) {
  T s = 0;
  FOR(k, K) s += a[i * K + k] * a[j * K + k];
  c[i * M + j] = s;
} FOR(i, M) for (int j = i; j < M; j++) if (c[i * M + j] < y[i]) c[i * M + j] = 0;)
NEST(columns_if, PRODUCT FOR(j, N) FOR(i, M) if (C < x[i]) C = 3;)

// It does not load all of an operand, and two tests choose.
NEXT(loads_some, if (C < 0) C = x[i * N + j])
NEXT(two_tests, if (C < 0) C = x[0]; if (C > 6) C = y[0])
// It reads neighbours, what has been stored, or not all of it.
NEXT(neighbour, C = C + c[i * N + (j ? j - 1 : 0)])
NEXT(turned, if (i < N && j < M) C = c[i * N + j] + c[j])
NEST(not_all, PRODUCT FOR(i, M) FOR(j, N - 1) C = C > 0 ? C : 0;)
NEST(last_row, PRODUCT FOR(i, M - 1) FOR(j, N) C = C > 0 ? C : 0;)
NEST(every_second, PRODUCT FOR(i, M) FOR(j, N / 2) c[i * N + 2 * j] += x[j];)
// C is needed otherwise.
NEST(summed, T all = 0; PRODUCT FOR(i, M) FOR(j, N) { all += C; C = all; })
NEST(used_between, PRODUCT c[0] += c[1]; FOR(i, M) FOR(j, N) C = C > 0 ? C : 0;)
NEXT(of_factor, C += x[j]; c[i * N + j] *= a[i * K])

#define ALL(R)                                                                 \
  R(relu) R(relu_if) R(masked) R(leaky) R(unless) R(flat_if) R(columns_if) R(lower) R(upper) R(loads_some) R(two_tests) R(of_column) R(of_row) R(of_both) R(residual)             \
  R(residual_turned) R(backwards) R(hyperbolic) R(gelu) R(divided)             \
  R(columns_first) R(steps_in_between) R(flat) R(twice) R(scaled) R(neighbour) \
  R(turned) R(not_all) R(last_row) R(every_second) R(summed) R(used_between)   \
  R(of_factor)

#include "Inputs/nests-main.h"
