//===- profile-linking.c - records of threads, libraries, and linkers -----===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Each run is counted once: of four threads, in a program of two files.
// REQUIRES: x86
// DEFINE: %{compile} = %clang -O2 -march=x86-64-v3 -gline-tables-only -pthread -fpass-plugin=%tilesmith -mllvm -tilesmith-profile=1
// DEFINE: %{check} = FileCheck %s --implicit-check-not=tilesmith
// CHECK: tilesmith: {{.*}}profile-linking.c:[[#]]:3: product: GEMM f64
// CHECK-NEXT: kernel: 400 times
// CHECK-NEXT: loops: 8 times, {{.*}}; 8 too small, 0 assumption failed, 0 not safe, 0 given up

// RUN: %{compile} -c %s -o %t.o && %{compile} -DMAIN -c %s -o %t.main.o
// RUN: %{compile} %t.o %t.main.o -o %t && %t 2>&1 | %{check}
// RUN: %{compile} %t.o %t.main.o -static -o %t && %t 2>&1 | %{check}

// Linkers that drop what nobody refers to keep records.
// DEFINE: %{sections} = %{compile} -ffunction-sections -fdata-sections
// RUN: %{sections} -c %s -o %t.s.o && %{sections} -DMAIN -c %s -o %t.s.main.o
// RUN: %{compile} %t.s.o %t.s.main.o -Wl,--gc-sections -o %t && %t 2>&1 | %{check}
// RUN: %{compile} %t.s.o %t.s.main.o -Wl,--gc-sections -fuse-ld=lld -o %t && %t 2>&1 | %{check}
// RUN: %{compile} %t.s.o %t.s.main.o -Wl,--gc-sections,-z,nostart-stop-gc,--icf=all -fuse-ld=lld -o %t && %t 2>&1 | %{check}

// Link-time optimisation.
// RUN: %{compile} -flto -fuse-ld=lld -Wl,--gc-sections %s -DALL -o %t && %t 2>&1 | %{check}
// RUN: %{compile} -flto=thin -c %s -o %t.o && %{compile} -flto=thin -DMAIN -c %s -o %t.main.o
// RUN: %{compile} -flto=thin -fuse-ld=lld -Wl,--gc-sections %t.o %t.main.o -o %t && %t 2>&1 | %{check}

// A library prints its own records, once, and a program beside it prints its own.
// RUN: %{sections} -fPIC -shared -Wl,--gc-sections %s -o %t.so
// RUN: %{compile} -DMAIN -DOWN %s %t.so -o %t && %t > %t.txt 2>&1
// RUN: FileCheck %s --input-file=%t.txt
// RUN: FileCheck %s --check-prefix=OWN --input-file=%t.txt
// RUN: grep -c 'tilesmith: ' %t.txt | grep -x 2
// OWN: own: GEMM f64
// OWN-NEXT: kernel: 1 times
// Also when it is unloaded.
// RUN: %clang -O2 -pthread -DMAIN -DLIBRARY='"%t.so"' %s -o %t && %t 2>&1 | %{check}

enum { N = 32, Threads = 4, Runs = 100 };

#ifdef LIBRARY
#include <dlfcn.h>
static void (*product)(int n, const double *a, const double *b, double *c);
#elif defined(MAIN)
void product(int n, const double *a, const double *b, double *c);
#endif

#if !defined(MAIN) || defined(ALL)
__attribute__((noinline)) void product(int n, const double *a, const double *b, double *c) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}
#endif

#if defined(MAIN) || defined(ALL)
#include <pthread.h>
#include <stdio.h>

static double A[N * N], B[N * N], C[Threads][N * N];

#ifdef OWN
__attribute__((noinline)) static void own(int n, const double *a, const double *b, double *c) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[j * n + k];
}
#endif

static void *work(void *c) {
  for (int i = 0; i < Runs; i++)
    product(N, A, B, c);
  for (int i = 0; i < 2; i++)
    product(1, A, B, c);
  return 0;
}

int main(void) {
#ifdef LIBRARY
  void *library = dlopen(LIBRARY, RTLD_NOW);
  product = (void (*)(int, const double *, const double *, double *))dlsym(library, "product");
#endif
  for (int i = 0; i < N * N; i++)
    A[i] = i % 7, B[i] = i % 5;
  pthread_t threads[Threads];
  for (int i = 0; i < Threads; i++)
    pthread_create(&threads[i], 0, work, C[i]);
  for (int i = 0; i < Threads; i++)
    pthread_join(threads[i], 0);
#ifdef OWN
  own(N, A, B, C[0]);
#endif
  printf("%g\n", C[0][77] + C[3][9]);
#ifdef LIBRARY
  dlclose(library);
#endif
}
#endif
