//===- matrix-type.c - llvm.matrix.* of somebody else is lowered too ------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// RUN: %clang -O2 -march=native -fenable-matrix %s -o %t.expected
// RUN: %t.expected > %t.expected.txt
// RUN: %clang -O0 -march=native -fenable-matrix %s -o %t.O0 -fpass-plugin=%tilesmith
// RUN: %t.O0 | diff %t.expected.txt -
// RUN: %clang -O3 -march=native -fenable-matrix %s -o %t.O3 -fpass-plugin=%tilesmith -mllvm -tilesmith-verify=1
// RUN: %t.O3 | diff %t.expected.txt -

// clang lowers them only if it is told to; the plugin always, at -O0 just
// before code generation. So does llc.
// RUN: %clang -march=native -fenable-matrix %s -o %t.ll -S -emit-llvm -Xclang -disable-llvm-passes
// RUN: %clang -O0 -march=native %t.ll -o %t.late -fpass-plugin=%tilesmith
// RUN: %t.late | diff %t.expected.txt -
// RUN: %clang -O2 -march=native %t.ll -o %t.early -fpass-plugin=%tilesmith
// RUN: %t.early | diff %t.expected.txt -
// RUN: llc -load-pass-plugin=%tilesmith %t.ll -relocation-model=pic -filetype=obj -o %t.o
// RUN: %clang %t.o -o %t.llc
// RUN: %t.llc | diff %t.expected.txt -

#include <stdio.h>

typedef float Matrix __attribute__((matrix_type(8, 8)));

__attribute__((noinline)) void multiply(Matrix *A, Matrix *B, Matrix *C) {
  *C = *C + *A * *B;
}

int main(void) {
  Matrix A, B, C;
  for (int i = 0; i < 8; i++)
    for (int j = 0; j < 8; j++) {
      A[i][j] = i - 2 * j;
      B[i][j] = 3 * i - j;
      C[i][j] = i * j;
    }
  multiply(&A, &B, &C);
  for (int i = 0; i < 8; i++)
    for (int j = 0; j < 8; j++)
      printf("%g\n", C[i][j]);
  return 0;
}
