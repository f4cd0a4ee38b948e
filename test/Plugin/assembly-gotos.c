//===- assembly-gotos.c - products beside assembly that jumps -------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// RUN: env TILESMITH='min-work=1;verify' %clang -O2 %s -o %t -fpass-plugin=%tilesmith -Rpass=tilesmith -Rpass-missed=tilesmith 2>&1 | FileCheck %s
// RUN: %t

#define NEST(SIZE)                                                             \
  for (int i = 0; i < SIZE; i++)                                               \
    for (int j = 0; j < SIZE; j++)                                             \
      for (int k = 0; k < SIZE; k++)                                           \
        c[i * SIZE + j] += a[i * SIZE + k] * b[k * SIZE + j]
#define ARRAYS const double *restrict a, const double *restrict b, double *restrict c

// CHECK: assembly-gotos.c:[[#@LINE+3]]:{{.*}}: remark: replaced
__attribute__((noinline)) void in_front(int n, ARRAYS) {
  __asm__ goto("" : : : : out);
  NEST(n);
out:;
}

// CHECK: assembly-gotos.c:[[#@LINE+4]]:{{.*}}: remark: replaced
__attribute__((noinline)) void with_result(int n, ARRAYS) {
  __asm__ goto("" : "+r"(n) : : : on);
on:
  NEST(n);
}

// CHECK: assembly-gotos.c:[[#@LINE+2]]:{{.*}}: remark: replaced
__attribute__((noinline)) void behind(int n, ARRAYS) {
  NEST(n);
  __asm__ goto("" : : : : out);
  c[0] += 1;
out:
  c[1] += 1;
}

// CHECK: assembly-gotos.c:[[#@LINE+3]]:{{.*}}: remark: replaced
__attribute__((noinline)) void in_a_frame(int n, ARRAYS) {
  for (int x = 0; x < 2; x++) {
    NEST(n);
    __asm__ goto("" : : : : out);
    a++;
  out:
    b++;
  }
}

// CHECK: assembly-gotos.c:[[#@LINE+3]]:{{.*}}: remark: replaced
__attribute__((noinline)) void again(int n, ARRAYS) {
back:
  NEST(n);
  __asm__ goto("" : : : : back);
}

// CHECK: assembly-gotos.c:[[#@LINE+4]]:{{.*}}: remark: replaced
__attribute__((noinline)) void right_in_front(int n, ARRAYS) {
  __asm__ goto("" : : : : on);
on:
  NEST(40);
}

// CHECK: assembly-gotos.c:[[#@LINE+6]]:{{.*}}: remark: matrix product not replaced: the loop can be left early
__attribute__((noinline)) void within(int n, ARRAYS) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      for (int k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
      __asm__ goto("" : : : : out);
    }
out:;
}

enum { N = 40, Elements = N * N + 8 };
static double A[Elements], B[Elements], C[Elements], Expected[Elements];

// Loops that clang may not touch.
__attribute__((optnone, noinline)) static void plain(const double *a, const double *b, double *c) {
  NEST(N);
}

static int same(void) {
  int result = !__builtin_memcmp(C, Expected, sizeof C);
  __builtin_memset(C, 0, sizeof C);
  __builtin_memset(Expected, 0, sizeof C);
  return result;
}

int main(void) {
  for (int i = 0; i < Elements; i++) {
    A[i] = i % 7 - 3;
    B[i] = i % 5 - 2;
  }
  void (*functions[])(int, ARRAYS) = {in_front, with_result, again, right_in_front, within};
  for (int f = 0; f < 5; f++) {
    functions[f](N, A, B, C);
    plain(A, B, Expected);
    if (!same())
      return 1 + f;
  }
  behind(N, A, B, C);
  plain(A, B, Expected);
  Expected[0] += 1;
  Expected[1] += 1;
  if (!same())
    return 10;
  in_a_frame(N, A, B, C);
  plain(A, B, Expected);
  plain(A + 1, B + 1, Expected);
  return same() ? 0 : 11;
}
