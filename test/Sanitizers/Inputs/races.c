// Threads that make products whose results lie in the same lines of the cache,
// but never in the same bytes: columns in turn, halves of rows, rows in turn,
// triangles. A further thread counts in elements between those of C: what a
// kernel wrote back unchanged would be lost.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void Product(long, long, long, const void *, long, const void *, long,
                     void *, long);
#define PRODUCT(Name, ...) Product Ours_##Name;
#include "products.h"

enum { M = 21, N = 19, K = 23, Ld = 2 * N + 3, Rounds = ROUNDS };

static double A[K * Ld], B[K * Ld], C[2 * M * Ld];
static pthread_barrier_t Together;

typedef struct {
  Product *Run;
  long Rows, Columns, Steps;
  double *C;
  long Ldc;
} Part;

static void *make(void *Of) {
  Part *P = Of;
  pthread_barrier_wait(&Together);
  for (int I = 0; I < Rounds; I++)
    P->Run(P->Rows, P->Columns, P->Steps, A, Ld, B, Ld, P->C, P->Ldc);
  return NULL;
}

/// Adds one to each element of a list, over and over.
static double *Between[2 * M * Ld];
static long NumBetween;
static void *count(void *Unused) {
  (void)Unused;
  pthread_barrier_wait(&Together);
  for (int I = 0; I < Rounds; I++)
    for (long J = 0; J < NumBetween; J++)
      *(volatile double *)Between[J] += 1;
  return NULL;
}

static int Failures;

static void test(const char *Name, Part P, Part Q) {
  static double Expected[2 * M * Ld], Start[2 * M * Ld];
  pthread_t First, Second, Third;
  // One after the other, and what they touch.
  for (long I = 0; I < 2 * M * Ld; I++)
    C[I] = Start[I] = I % 17;
  pthread_barrier_init(&Together, NULL, 1);
  make(&P);
  make(&Q);
  memcpy(Expected, C, sizeof(C));
  NumBetween = 0;
  for (long I = 0; I < 2 * M * Ld; I++)
    if (C[I] == Start[I])
      Between[NumBetween++] = &C[I];
  memcpy(C, Start, sizeof(C));
  pthread_barrier_init(&Together, NULL, 3);
  pthread_create(&First, NULL, make, &P);
  pthread_create(&Second, NULL, make, &Q);
  pthread_create(&Third, NULL, count, NULL);
  pthread_join(First, NULL);
  pthread_join(Second, NULL);
  pthread_join(Third, NULL);
  for (long I = 0; I < NumBetween; I++)
    *Between[I] -= Rounds;
  if (memcmp(C, Expected, sizeof(C))) {
    printf("%s: wrong\n", Name);
    Failures++;
  }
}

int main() {
  // Whole numbers from 1 on, so that all that is updated changes.
  for (long I = 0; I < K * Ld; I++) {
    A[I] = 1 + I % 3;
    B[I] = 1 + I % 4;
  }
  double *Half = C + N + 1, *Rows = C + Ld;
  test("columns in turn", (Part){Ours_apart, M, N, K, C, Ld},
       (Part){Ours_apart, M, N, K, C + 1, Ld});
  test("left and right", (Part){Ours_plain, M, N, K, C, Ld},
       (Part){Ours_plain, M, N, K, Half, Ld});
  test("left and right, scaled", (Part){Ours_overwritten, M, N, K, C, Ld},
       (Part){Ours_overwritten, M, N, K, Half, Ld});
  test("rows in turn", (Part){Ours_plain, M, N, K, C, 2 * Ld},
       (Part){Ours_transposed_a, M, N, K, Rows, 2 * Ld});
  test("triangles", (Part){Ours_squared, M, N, K, C, Ld},
       (Part){Ours_squared, N - 2, N, K, C + M * Ld + 5, Ld});
  test("tables of rows", (Part){Ours_rows, M, N, K, C, Ld},
       (Part){Ours_rows, M, N, K, Half, Ld});
  test("small", (Part){Ours_small, 13, 11, 9, C, Ld},
       (Part){Ours_small, 13, 11, 9, C + 12, Ld});
  return Failures != 0;
}
