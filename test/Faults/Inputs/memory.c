// Products for which there is no memory, from the first, second, … request on,
// or only for that one. The results are those of clang alone; what was
// allocated is freed; and errno is as it was.
//
// Linked with --wrap=malloc and --wrap=free.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void Product(long, long, long, const void *, long, const void *, long,
                     void *, long);
#define PRODUCT(Name, ...) Product Ours_##Name, Stock_##Name;
#include "../../Sanitizers/Inputs/products.h"

static int Counting, Requests, FailFrom = 1000, FailTo = 1000, Held;

void *__real_malloc(size_t Size);
void __real_free(void *P);
void *__wrap_malloc(size_t Size) {
  if (!Counting)
    return __real_malloc(Size);
  if (++Requests >= FailFrom && Requests <= FailTo) {
    errno = ENOMEM;
    return NULL;
  }
  Held++;
  void *P = __real_malloc(Size);
  memset(P, 0xFF, Size); // NaNs
  errno = EAGAIN;        // A malloc that succeeds may do that, too.
  return P;
}
void __wrap_free(void *P) {
  if (Counting && P)
    Held--;
  __real_free(P);
}

enum { Ld = 150, Elements = 200 * Ld };
static double A[Elements], B[Elements], C[Elements], Expected[Elements];
static int Failures, Made;

static void fill(double *X, int Integers, int Seed) {
  for (int I = 0; I < Elements; I++)
    if (Integers)
      ((int *)X)[I] = ((int *)X)[I + Elements] = I * Seed % 17 - 3;
    else
      X[I] = (I * Seed % 29 - 14) / 3.0;
}

static void run(const char *Name, Product *Ours, Product *Stock, int Integers) {
  static const long Sizes[][3] = {{40, 37, 41}, {70, 64, 100}, {9, 9, 9}};
  for (int S = 0; S < 3; S++) {
    const long *E = Sizes[S];
    int Needed = 1;
    // All succeed; then one fails, or all from one on.
    for (int Which = 0; Which <= 2 * Needed; Which++) {
      fill(A, Integers, 3);
      fill(B, Integers, 5);
      fill(C, Integers, 7);
      memcpy(Expected, C, sizeof(C));
      Stock(E[0], E[1], E[2], A, Ld, B, Ld, Expected, Ld);
      Requests = 0;
      FailFrom = Which ? (Which + 1) / 2 : 1000;
      FailTo = Which % 2 ? FailFrom : 1000;
      Held = 0;
      errno = ERANGE;
      Counting = 1;
      Ours(E[0], E[1], E[2], A, Ld, B, Ld, C, Ld);
      Counting = 0;
      int Error = errno;
      if (!Which)
        Needed = Requests;
      Made++;
      if (memcmp(C, Expected, sizeof(C)) || Held || Error != ERANGE) {
        printf("%s %ldx%ldx%ld, request %d to %d of %d: %s, %d not freed, "
               "errno %d\n",
               Name, E[0], E[1], E[2], FailFrom, FailTo, Needed,
               memcmp(C, Expected, sizeof(C)) ? "wrong" : "right", Held, Error);
        Failures++;
      }
      if (!Needed)
        break;
    }
    printf("%s %ldx%ldx%ld: %d requests\n", Name, E[0], E[1], E[2], Needed);
  }
}

int main() {
#define IS_FLOAT(T) ((T)0.5 != 0)
#define PRODUCT(Name, TA, TB, TC, ...)                                         \
  run(#Name, Ours_##Name, Stock_##Name, !IS_FLOAT(TC));
#include "../../Sanitizers/Inputs/products.h"
  printf("%d products, %d wrong\n", Made, Failures);
  return Failures != 0;
}
