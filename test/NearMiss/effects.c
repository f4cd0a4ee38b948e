//===- effects.c - nests that do more than compute ------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// RUN: %python %S/../Plugin/Inputs/same_object.py %clang %tilesmith %s
// RUN: %python %S/../Plugin/Inputs/same_object.py %clang %tilesmith %s -march=native -g
// RUN: %python %S/Inputs/reasons.py %clang %tilesmith %s
// RUN: %python %S/Inputs/reasons.py %clang %tilesmith %s -march=native

int printf(const char *, ...);
double pow(double, double);
void *malloc(unsigned long);
typedef long jmp_buf[64];
int setjmp(jmp_buf);

//===--- Calls. -----------------------------------------------------------===//

// EXPECT Call: each term is printed
void printed(long n, double c[restrict n][n], const double a[restrict n][n],
             const double b[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++) {
        c[i][j] += a[i][k] * b[k][j];
        printf("%g\n", c[i][j]);
      }
}

// EXPECT Call: a function that may read C and change A is called for each row
void told(long n, double c[n][n], const double a[n][n], const double b[n][n],
          void (*progress)(long)) {
  for (long i = 0; i < n; i++) {
    progress(i);
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i][j] += a[i][k] * b[k][j];
  }
}

// EXPECT Call: square roots of products; those of negative ones set errno
void roots(long n, double c[restrict n][n], const double a[restrict n][n],
           const double b[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i][j] += 2 * __builtin_sqrt(a[i][k] * b[k][j]);
}

// EXPECT Call: powers instead of products
void powers(long n, double c[restrict n][n], const double a[restrict n][n],
            const double b[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i][j] += 2 * pow(a[i][k], b[k][j]);
}

__attribute__((const)) double kernel(double);

// EXPECT Call: a function of each product, which has no effects but must be called for it
void function_of_product(long n, double c[restrict n][n], const double a[restrict n][n],
                         const double b[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i][j] += 2 * kernel(a[i][k] * b[k][j]);
}

double next_random(void);

// EXPECT Call: random numbers, drawn in the order of the loops
void random_factor(long n, double c[restrict n][n], const double a[restrict n][n],
                   const double b[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i][j] += a[i][k] * b[k][j] * next_random();
}

jmp_buf here;

// EXPECT Call: each row is a place to come back to
void comes_back(long n, double c[restrict n][n], const double a[restrict n][n],
                const double b[restrict n][n]) {
  for (long i = 0; i < n; i++) {
    setjmp(here);
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i][j] += a[i][k] * b[k][j];
  }
}

// EXPECT Allocation: rows of C are allocated one by one
void allocates(long n, double **c, const double a[n][n], const double b[n][n]) {
  for (long i = 0; i < n; i++) {
    c[i] = malloc(n * sizeof(double));
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k < n; k++)
        s += a[i][k] * b[k][j];
      c[i][j] = s;
    }
  }
}

//===--- Memory that others look at. --------------------------------------===//

// EXPECT Volatile: each partial sum in C may be seen by a device
void device(long n, volatile double c[restrict n][n], const double a[restrict n][n],
            const double b[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i][j] += a[i][k] * b[k][j];
}

// EXPECT Volatile: each element of B is read n times, in order, from a device
void from_device(long n, float c[restrict n][n], const float a[restrict n][n],
                 const volatile float b[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      float s = 0;
      for (long k = 0; k < n; k++)
        s += a[i][k] * b[k][j];
      c[i][j] = s;
    }
}

// EXPECT Volatile|none: C is added to atomically; other threads may do the same
void atomic_sum(long n, _Atomic int c[restrict n][n], const int a[restrict n][n],
                const int b[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i][j] += a[i][k] * b[k][j];
}

// EXPECT Volatile: elements of A are atomic, and another thread may change them
void atomic_factor(long n, long c[restrict n][n], const _Atomic long a[restrict n][n],
                   const long b[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i][j] += a[i][k] * b[k][j];
}

// EXPECT Volatile: other threads wait for rows that are said to be finished
void rows_finished(long n, double c[restrict n][n], const double a[restrict n][n],
                   const double b[restrict n][n], _Atomic long *finished) {
  for (long i = 0; i < n; i++) {
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i][j] += a[i][k] * b[k][j];
    ++*finished;
  }
}

// EXPECT Volatile: a fence between the terms
void fenced(long n, double c[restrict n][n], const double a[restrict n][n],
            const double b[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++) {
        c[i][j] += a[i][k] * b[k][j];
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
      }
}

volatile int stop;

// EXPECT EarlyExit: a signal handler may stop the loops
void until_signal(long n, double c[restrict n][n], const double a[restrict n][n],
                  const double b[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      if (stop)
        return;
      for (long k = 0; k < n; k++)
        c[i][j] += a[i][k] * b[k][j];
    }
}

// EXPECT AddressSpace: C lies in the segment that register GS points to
void other_segment(long n, __attribute__((address_space(256))) double *c,
                   const double a[restrict n][n], const double b[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i * n + j] += a[i][k] * b[k][j];
}

//===--- Assembly. --------------------------------------------------------===//

// EXPECT Assembly: assembly that may read and write all memory
void barrier(long n, double c[restrict n][n], const double a[restrict n][n],
             const double b[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++) {
        c[i][j] += a[i][k] * b[k][j];
        __asm__ volatile("" ::: "memory");
      }
}

// EXPECT Assembly: assembly that may change the sum
void opaque_sum(long n, long c[restrict n][n], const long a[restrict n][n],
                const long b[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      long s = 0;
      for (long k = 0; k < n; k++) {
        s += a[i][k] * b[k][j];
        __asm__("" : "+r"(s));
      }
      c[i][j] = s;
    }
}

//===--- Other results. ---------------------------------------------------===//

// EXPECT OtherStore|IndexRoles: all partial sums are kept
void partial_sums(long n, double c[restrict n][n], double d[restrict n][n][n],
                  const double a[restrict n][n], const double b[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k < n; k++) {
        s += a[i][k] * b[k][j];
        d[i][j][k] = s;
      }
      c[i][j] = s;
    }
}

// EXPECT IndexRoles: the partial sums, and nothing but them
void only_partial_sums(long n, double d[restrict n][n][n], const double a[restrict n][n],
                       const double b[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k < n; k++) {
        s += a[i][k] * b[k][j];
        d[i][j][k] = s;
      }
    }
}

// EXPECT OtherStore: how many partial sums are negative is counted
void counted(long n, double c[restrict n][n], long *restrict count, const double a[restrict n][n],
             const double b[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k < n; k++) {
        s += a[i][k] * b[k][j];
        count[i] += s < 0;
      }
      c[i][j] = s;
    }
}

// EXPECT UsedAfter: the largest partial sum of all is what the function returns
double largest_of_all(long n, double c[restrict n][n], const double a[restrict n][n],
                      const double b[restrict n][n]) {
  double most = 0;
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k < n; k++) {
        s += a[i][k] * b[k][j];
        most = s > most ? s : most;
      }
      c[i][j] = s;
    }
  return most;
}

//===--- Forbidden. -------------------------------------------------------===//

// EXPECT AttributeForbids: the function must not be optimised
__attribute__((optnone, noinline))
void not_optimised(long n, double c[restrict n][n], const double a[restrict n][n],
                   const double b[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i][j] += a[i][k] * b[k][j];
}

// EXPECT AttributeForbids: the function must be small
__attribute__((minsize))
void small(long n, double c[restrict n][n], const double a[restrict n][n],
           const double b[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i][j] += a[i][k] * b[k][j];
}

// EXPECT Pragma: the loop must not be vectorised
void not_vectorised(long n, double c[restrict n][n], const double a[restrict n][n],
                    const double b[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
#pragma clang loop vectorize(disable)
      for (long k = 0; k < n; k++)
        c[i][j] += a[i][k] * b[k][j];
}

// EXPECT none: roundings may be changed by the caller, and flags be read by it
void strict(long n, double c[restrict n][n], const double a[restrict n][n],
            const double b[restrict n][n]) {
#pragma STDC FENV_ACCESS ON
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i][j] += a[i][k] * b[k][j];
}
