//===- wrapping-addresses.c - rows that are 512 MiB apart, on 32 bits -----===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// With -fwrapv-pointer, row 8 of C is row 0 again, and so on. There is no C library
// for i386 here, so the program does without. A tile has 16 rows.
//
// REQUIRES: qemu-i386, lld
// DEFINE: %{cc} = %clang --target=i686-linux-gnu -O2 -msse2 -mfpmath=sse -fwrapv-pointer -fno-pic %s
// RUN: env TILESMITH='min-work=1;mr=4;nr=16;verify' %{cc} -DPRODUCT=ours -c -o %t.ours.o -fpass-plugin=%tilesmith -Rpass=tilesmith 2>&1 | FileCheck %s
// RUN: %{cc} -DPRODUCT=stock -c -o %t.stock.o
// RUN: %{cc} -DMAIN -fno-builtin -fno-vectorize -c -o %t.main.o
// RUN: %lld -static -Ttext=0x20000000 %t.main.o %t.ours.o %t.stock.o -o %t
// RUN: qemu-i386 %t
// CHECK: replaced {{.*}} GEMM f32

enum { N = 16, Rows = 8 };

#ifdef PRODUCT
void PRODUCT(int n, int ld, const float *restrict A, const float *restrict B,
             float *restrict C) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        C[i * ld + j] += A[i * n + k] * B[k * n + j];
}
#endif

#ifdef MAIN
void ours(int n, int ld, const float *A, const float *B, float *C);
void stock(int n, int ld, const float *A, const float *B, float *C);

static int system_call(int number, int a, int b, int c, int d, int e) {
  int result;
  __asm__ volatile("int $0x80"
                   : "=a"(result)
                   : "0"(number), "b"(a), "c"(b), "d"(c), "S"(d), "D"(e)
                   : "memory");
  return result;
}

void *malloc(unsigned size) {
  static char memory[1 << 20];
  return size <= sizeof memory ? memory : 0;
}
void free(void *memory) {}
int *__errno_location(void) {
  static int number;
  return &number;
}
void *memset(char *to, int value, unsigned size) {
  for (unsigned i = 0; i < size; i++)
    ((volatile char *)to)[i] = value;
  return to;
}
void *memcpy(char *to, const char *from, unsigned size) {
  for (unsigned i = 0; i < size; i++)
    ((volatile char *)to)[i] = from[i];
  return to;
}
unsigned long long __udivdi3(unsigned long long x, unsigned long long y) {
  unsigned long long quotient = 0, rest = 0;
  for (int bit = 63; bit >= 0; bit--) {
    rest = rest << 1 | (x >> bit & 1);
    if (rest >= y) {
      rest -= y;
      quotient |= 1ull << bit;
    }
  }
  return quotient;
}
unsigned long long __umoddi3(unsigned long long x, unsigned long long y) {
  return x - __udivdi3(x, y) * y;
}

static float A[N * N], B[N * N];
static const unsigned Row = 1u << 29, First = 0x10000000;

static unsigned run(void (*product)(int, int, const float *, const float *, float *)) {
  for (int row = 0; row < Rows; row++)
    for (int j = 0; j < N; j++)
      ((float *)(First + row * Row))[j] = row + j;
  product(N, Row / sizeof(float), A, B, (float *)First);
  unsigned sum = 0;
  for (int row = 0; row < Rows; row++)
    for (int j = 0; j < N; j++)
      sum = sum * 31 + ((unsigned *)(First + row * Row))[j];
  return sum;
}

__attribute__((force_align_arg_pointer)) void _start(void) {
  for (int i = 0; i < N * N; i++) {
    A[i] = i % 7 * 0.3f;
    B[i] = i % 5 * 0.7f;
  }
  int failed = 0;
  for (int row = 0; row < Rows; row++) {
    unsigned at = First + row * Row;
    // mmap2, readable and writable; private, fixed, anonymous; no file
    failed |= system_call(192, at, 4096, 3, 0x32, -1) != (int)at;
  }
  system_call(1, failed ? 2 : run(ours) != run(stock), 0, 0, 0, 0);
}
#endif
