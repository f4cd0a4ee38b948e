// The stores may change the bounds, which clang loads again. The guard tests
// that they do not. Where they do, the loops run as they are written.
//
// RUN: %clang -O2 -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 -Rpass=tilesmith %s \
// RUN:   -o %t 2>&1 | FileCheck %s
// RUN: %t
// RUN: %clang -O3 -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 %s -o %t
// RUN: %t
#include <string.h>

struct Matrix {
  long rows, columns, *data;
};

// CHECK: [[#@LINE+3]]:{{.*}} replaced
__attribute__((noinline)) static void product(const struct Matrix *a, const struct Matrix *b,
                                              struct Matrix *c) {
  for (long i = 0; i < a->rows; i++)
    for (long j = 0; j < b->columns; j++)
      for (long k = 0; k < a->columns; k++)
        c->data[i * c->columns + j] += a->data[i * a->columns + k] * b->data[k * b->columns + j];
}

__attribute__((noinline, optnone)) static void plain(const struct Matrix *a, const struct Matrix *b,
                                                     struct Matrix *c) {
  for (long i = 0; i < a->rows; i++)
    for (long j = 0; j < b->columns; j++)
      for (long k = 0; k < a->columns; k++)
        c->data[i * c->columns + j] += a->data[i * a->columns + k] * b->data[k * b->columns + j];
}

enum { N = 12, Size = 4 * N * N };

static void run(void (*f)(const struct Matrix *, const struct Matrix *, struct Matrix *), long place,
                long n, long *memory) {
  for (long x = 0; x < Size; x++)
    memory[x] = x < N * N ? -(x % 2) : x % 2; // sizes become less
  struct Matrix *all = (struct Matrix *)(memory + 3 * N * N);
  all[0] = (struct Matrix){n, n, memory};
  all[1] = (struct Matrix){n, n, memory + N * N};
  all[2] = (struct Matrix){n, n, memory + 2 * N * N};
  // The last elements of C are the sizes of a or b.
  if (place >= 0)
    all[2].data = &all[0].rows + place % 2 - (n * n - 1);
  f(&all[place >= 2], &all[place < 2], &all[2]);
  for (long x = 0; x < 3; x++)
    all[x].data = 0;
}

int main(void) {
  static long expected[Size], actual[Size];
  for (long n = 0; n <= N; n++)
    for (long place = -1; place < 4; place++) {
      run(plain, place, n, expected);
      run(product, place, n, actual);
      if (memcmp(expected, actual, sizeof actual))
        return 1;
    }
  return 0;
}
