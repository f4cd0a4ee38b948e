// Runs the products of products.h as compiled by Tilesmith (Ours) and without
// it (Stock), and compares all bytes. What a product must not touch is
// forbidden to the sanitizer: gaps between rows, and elements that are not
// written. Allocations end with the last element.
//
// ASan knows of eight bytes only whether the first few may be touched, so of
// gaps between narrow elements only whole eights are forbidden.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if __has_feature(address_sanitizer)
#include <sanitizer/asan_interface.h>
static void forbid(char *From, char *To) {
  char *Begin = (char *)(((uintptr_t)From + 7) & ~(uintptr_t)7);
  char *End = (char *)((uintptr_t)To & ~(uintptr_t)7);
  if (Begin < End)
    __asan_poison_memory_region(Begin, End - Begin);
}
static void permit(char *Base, size_t Size) {
  __asan_unpoison_memory_region(Base, Size);
}
static void check(char *Base, size_t Size) { (void)Base, (void)Size; }
#elif __has_feature(memory_sanitizer)
#include <sanitizer/msan_interface.h>
static void forbid(char *From, char *To) {
  if (From < To)
    __msan_poison(From, To - From);
}
static void permit(char *Base, size_t Size) { __msan_unpoison(Base, Size); }
static void check(char *Base, size_t Size) {
  __msan_check_mem_is_initialized(Base, Size);
}
#else
static void forbid(char *From, char *To) { (void)From, (void)To; }
static void permit(char *Base, size_t Size) { (void)Base, (void)Size; }
static void check(char *Base, size_t Size) { (void)Base, (void)Size; }
#endif

typedef void Product(long, long, long, const void *, long, const void *, long,
                     void *, long);
#define PRODUCT(Name, ...) Product Ours_##Name, Stock_##Name;
#include "products.h"

enum Written { ALL, LOWER, SECOND };

typedef struct {
  long Rows, Columns, Ld, Size;
  char *Base;
} Matrix;

static size_t bytes(Matrix X) {
  return X.Rows && X.Columns ? ((X.Rows - 1) * X.Ld + X.Columns) * X.Size : 0;
}

static unsigned Seed = 1;
/// Bytes between -8 and 7 in all elements; floats are quarters of them.
static Matrix make(long Rows, long Columns, long Gap, long Size, int IsFloat) {
  Matrix X = {Rows, Columns, Columns + Gap, Size, NULL};
  X.Base = malloc(bytes(X));
  for (size_t I = 0; I < bytes(X) / Size; I++) {
    int V = (int)((Seed = Seed * 69069 + 5) >> 28) - 8;
    char *To = X.Base + I * Size;
    if (IsFloat && Size == 8)
      *(double *)To = V / 3.0;
    else if (IsFloat)
      *(float *)To = V / 3.0f;
    else if (Size == 4)
      *(int *)To = V;
    else if (Size == 2)
      *(short *)To = V;
    else
      *To = V;
  }
  return X;
}

static int isWritten(enum Written Which, long I, long J) {
  return Which == ALL || (Which == LOWER ? J <= I : J % 2 == 0);
}

static void fence(Matrix X, enum Written Which, int IsOperand) {
  for (long I = 0; I < X.Rows; I++) {
    char *Row = X.Base + I * X.Ld * X.Size;
    if (IsOperand || Which == ALL) {
      if (I + 1 < X.Rows)
        forbid(Row + X.Columns * X.Size, Row + X.Ld * X.Size);
      continue;
    }
    for (long J = 0; J < X.Ld && (I + 1 < X.Rows || J < X.Columns); J++)
      if (J >= X.Columns || !isWritten(Which, I, J))
        forbid(Row + J * X.Size, Row + (J + 1) * X.Size);
  }
}

static int Failures, Runs;

static void run(const char *Name, Product *Ours, Product *Stock, Matrix A,
                Matrix B, Matrix C, enum Written Which, const long Extent[3]) {
  char *Before = malloc(bytes(C) + 1);
  memcpy(Before, C.Base, bytes(C));
  Matrix Expected = C;
  Expected.Base = Before;
  Stock(Extent[0], Extent[1], Extent[2], A.Base, A.Ld, B.Base, B.Ld, Before,
        C.Ld);
  fence(A, ALL, 1);
  fence(B, ALL, 1);
  fence(C, Which, 0);
  Ours(Extent[0], Extent[1], Extent[2], A.Base, A.Ld, B.Base, B.Ld, C.Base,
       C.Ld);
  for (long I = 0; I < C.Rows; I++)
    for (long J = 0; J < C.Columns; J++)
      if (isWritten(Which, I, J))
        check(C.Base + (I * C.Ld + J) * C.Size, C.Size);
  permit(A.Base, bytes(A));
  permit(B.Base, bytes(B));
  permit(C.Base, bytes(C));
  Runs++;
  if (memcmp(Before, C.Base, bytes(C))) {
    printf("%s %ldx%ldx%ld: wrong\n", Name, Extent[0], Extent[1], Extent[2]);
    Failures++;
  }
  free(Before);
  free(A.Base);
  free(B.Base);
  free(C.Base);
}

int main(int argc, char **argv) {
  static const long Sizes[][3] = {{1, 1, 1},    {1, 9, 5},    {2, 2, 4},
                                  {7, 5, 3},    {8, 8, 8},    {9, 17, 1},
                                  {16, 16, 16}, {25, 3, 33},  {3, 41, 7},
                                  {31, 23, 19}, {33, 20, 70}, {20, 50, 20}};
#define IS_FLOAT(T) ((T)0.5 != 0)
#define PRODUCT(Name, TA, TB, TC, RowsA, ColumnsA, RowsB, ColumnsB, RowsC,     \
                ColumnsC, Which)                                               \
  if (argc < 2 || !strcmp(argv[1], #Name))                                     \
    for (unsigned S = 0; S < sizeof(Sizes) / sizeof(*Sizes); S++)              \
      for (long Gap = 0; Gap < 10; Gap += 3) {                                 \
        long M = Sizes[S][0], N = Sizes[S][1], K = Sizes[S][2];                \
        (void)N, (void)K;                                                      \
        Matrix A = make(RowsA, ColumnsA, Gap, sizeof(TA), IS_FLOAT(TA));       \
        Matrix B = make(RowsB, ColumnsB, Gap, sizeof(TB), IS_FLOAT(TB));       \
        Matrix C = make(RowsC, ColumnsC, Gap, sizeof(TC), IS_FLOAT(TC));       \
        run(#Name, Ours_##Name, Stock_##Name, A, B, C, Which, Sizes[S]);       \
      }
#include "products.h"
  printf("%d products, %d wrong\n", Runs, Failures);
  return Failures != 0;
}
