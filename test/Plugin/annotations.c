//===- annotations.c - options of a function and a loop, in the source ----===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// REQUIRES: x86
// DEFINE: %{compile} = %clang -O2 -march=x86-64-v3 -c %s -o %t.o -fpass-plugin=%tilesmith -Rpass=tilesmith -Rpass-missed=tilesmith
// RUN: %{compile} -Xclang -verify=both,plain
// RUN: %{compile} -Xclang -verify=both,off -mllvm -tilesmith-enable=0
// RUN: not %{compile} -DBAD 2>&1 | FileCheck %s
// CHECK: error: tilesmith: in the attribute "tilesmith" of function 'bad': unknown Tilesmith option 'min-wrok'; did you mean 'min-work'?

#define ADD C[i * n + j] += A[i * n + k] * B[k * n + j]

// Several annotations, and others beside them.
__attribute__((annotate("other"), annotate("tilesmith=enable"), annotate("tilesmith=plan=unpacked;min-work=1")))
void on(int n, const double *A, const double *B, double *C) {
  for (int i = 0; i < n; i++) // both-remark {{: unpacked, }}
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        ADD;
}

__attribute__((annotate("tilesmith=off")))
void off(int n, const double *A, const double *B, double *C) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++) // both-remark {{the function is marked}}
        ADD;
}

// What is turned off stays so where it is inlined.
__attribute__((annotate("tilesmith=off")))
static inline void inlined(int n, const double *A, const double *B, double *C) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)   // plain-remark {{an inlined function that is annotated with 'tilesmith=off'}}
      for (int k = 0; k < n; k++) // both-remark {{the function is marked}}
        ADD;
}

void calls(int n, const double *A, const double *B, double *C) {
  inlined(n, B, A, C);
  for (int i = 0; i < n; i++) // plain-remark {{: packed, }}
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++) // off-remark {{the function is marked}}
        ADD;
}

#define PRAGMA _Pragma("clang loop distribute(disable)")

void loops(int n, const double *A, const double *B, double *C) {
  PRAGMA
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)   // plain-remark {{a hint on the loop forbids}}
      for (int k = 0; k < n; k++) // off-remark {{the function is marked}}
        ADD;
  for (int i = 0; i < n; i++) // plain-remark {{: packed, }}
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++) // off-remark {{the function is marked}}
        ADD;
}

#ifdef BAD
__attribute__((annotate("tilesmith=min-wrok=1")))
void bad(void) {}
#endif
