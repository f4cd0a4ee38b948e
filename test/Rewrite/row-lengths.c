//===- row-lengths.c - tables that say how long rows are ------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each row in turn is too short, so that the program stops at its check. For that,
// each table ends at an inaccessible page, right behind the last record that the
// source's loops read until then; also where storing to C changes a length.
//
// REQUIRES: system-linux
// RUN: %clang -O2 -DNAME=base -DIMPLEMENTATION -c %s -o %t.base.o
// RUN: %clang -O2 -DNAME=tile -DIMPLEMENTATION -c %s -o %t.tile.o -fpass-plugin=%tilesmith -Rpass=tilesmith -Rpass-missed=tilesmith -mllvm -tilesmith-min-work=1 -mllvm -tilesmith-verify=1 2>&1 | FileCheck %s
// RUN: %clang -O1 -DDRIVER %s %t.base.o %t.tile.o -Wl,--wrap=malloc -o %t && %t
// CHECK-COUNT-9: rows copied
// CHECK-NOT: remark

#include <stddef.h>

#define CAT_(A, B) A##B
#define CAT(A, B) CAT_(A, B)

// As in Rust, with a header in front, and as in C++.
struct Counted {
  size_t Capacity;
  double *Row;
  size_t Length;
};
struct Headed {
  long Length;
  double *Row;
};
struct Ended {
  double *Row, *End, *EndOfMemory;
};
#define LENGTH_Counted(X) (X).Length
#define LENGTH_Headed(X) (size_t)(X).Length
#define LENGTH_Ended(X) (size_t)((X).End - (X).Row)
struct Table {
  void *Records;
  size_t Rows;
};
typedef void Form(size_t M, size_t N, size_t K, struct Table A, struct Table B, struct Table C);

#define FOR_ALL_RECORDS(X) X(Counted) X(Headed) X(Ended)
#define FOR_ALL(X) FOR_ALL_RECORDS(X##_IJK) FOR_ALL_RECORDS(X##_IKJ) FOR_ALL_RECORDS(X##_Sum)

#ifdef IMPLEMENTATION
_Noreturn void fail(void);
#define DEFINE_AT(Record)                                                                                               \
  static inline double *at##Record(struct Table X, size_t I, size_t J) {                                         \
    if (I >= X.Rows)                                                                                                   \
      fail();                                                                                                           \
    struct Record *Row = (struct Record *)X.Records + I;                                                               \
    if (J >= LENGTH_##Record(*Row))                                                                                     \
      fail();                                                                                                           \
    return Row->Row + J;                                                                                                \
  }
FOR_ALL_RECORDS(DEFINE_AT)
#define AT(Record, Table, I, J) (*at##Record(Table, I, J))
#define HEAD(Record, Name)                                                                                              \
  void CAT(NAME, Record##Name)(size_t M, size_t N, size_t K, struct Table A, struct Table B, struct Table C)
#define DEFINE_IJK(Record)                                                                                              \
  HEAD(Record, IJK) {                                                                                                   \
    for (size_t I = 0; I < M; I++)                                                                                      \
      for (size_t J = 0; J < N; J++)                                                                                    \
        for (size_t L = 0; L < K; L++)                                                                                  \
          AT(Record, C, I, J) += AT(Record, A, I, L) * AT(Record, B, L, J);                                             \
  }
#define DEFINE_IKJ(Record)                                                                                              \
  HEAD(Record, IKJ) {                                                                                                   \
    for (size_t I = 0; I < M; I++)                                                                                      \
      for (size_t L = 0; L < K; L++)                                                                                    \
        for (size_t J = 0; J < N; J++)                                                                                  \
          AT(Record, C, I, J) += AT(Record, A, I, L) * AT(Record, B, L, J);                                             \
  }
#define DEFINE_Sum(Record)                                                                                              \
  HEAD(Record, Sum) {                                                                                                   \
    for (size_t I = 0; I < M; I++)                                                                                      \
      for (size_t J = 0; J < N; J++) {                                                                                  \
        double Sum = 0;                                                                                                 \
        for (size_t L = 0; L < K; L++)                                                                                  \
          Sum += AT(Record, A, I, L) * AT(Record, B, L, J);                                                             \
        AT(Record, C, I, J) = Sum;                                                                                      \
      }                                                                                                                 \
  }
FOR_ALL(DEFINE)
#endif

#ifdef DRIVER
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { M = 9, N = 11, K = 7, MaxRows = 16, MaxLength = 16 };

static sigjmp_buf Left;
_Noreturn void fail(void) { siglongjmp(Left, 1); }
static void fault(int Signal) { siglongjmp(Left, 2); }

static long Allocations;
void *__real_malloc(size_t Size);
void *__wrap_malloc(size_t Size) {
  Allocations++;
  return __real_malloc(Size);
}

// A, B and C.
static const size_t Rows[] = {M, K, M}, Lengths[] = {K, N, N};
static double Elements[3][MaxRows][MaxLength];
static char *PageEnd[3];

static void put(int Kind, char *Where, double *Row, size_t Length) {
  if (Kind == 0)
    *(struct Counted *)Where = (struct Counted){99, Row, Length};
  if (Kind == 1)
    *(struct Headed *)Where = (struct Headed){Length, Row};
  if (Kind == 2)
    *(struct Ended *)Where = (struct Ended){Row, Row + Length, Row + 99};
}

// Row number Short of table Which is too short. Of each table, so many records may
// be read. C's row number Onto consists of the records of table Over.
struct Case {
  int Kind, Which, Short, Onto, Over;
  size_t Readable[3];
};

// What comes of it: 0, or 1 if a check failed, or 2 if memory was read that may not
// be.
static int run(Form *Of, const struct Case *X, double Result[MaxRows][MaxLength]) {
  static const size_t Sizes[] = {sizeof(struct Counted), sizeof(struct Headed), sizeof(struct Ended)};
  size_t Size = Sizes[X->Kind];
  struct Table Tables[3];
  for (int T = 0; T < 3; T++) {
    for (size_t I = 0; I < MaxRows; I++)
      for (size_t J = 0; J < MaxLength; J++)
        Elements[T][I][J] = 1 + (T * 5 + I * 7 + J * 3) % 11 / 8.;
    char *Begin = PageEnd[T] - Size * X->Readable[T];
    for (size_t I = 0; I < X->Readable[T]; I++) {
      size_t Length = Lengths[T] - (T == X->Which && (int)I == X->Short);
      double *Row = Elements[T][I];
      if (T == 2 && (int)I == X->Onto)
        Row = (double *)(PageEnd[X->Over] - Size * X->Readable[X->Over]);
      put(X->Kind, Begin + Size * I, Row, Length);
    }
    Tables[T] = (struct Table){Begin, Rows[T]};
  }
  int Outcome = sigsetjmp(Left, 1);
  if (!Outcome)
    Of(M, N, K, Tables[0], Tables[1], Tables[2]);
  memcpy(Result, Elements[2], sizeof(Elements[2]));
  return Outcome;
}

static int Bad, Runs;

static void compare(const char *Name, Form *Base, Form *Tile, struct Case X) {
  static double Expected[MaxRows][MaxLength], Got[MaxRows][MaxLength];
  int Outcome = 0;
  for (int T = 0; T < 3; T++) {
    // As few records as the source's loops need.
    for (X.Readable[T] = 0; X.Readable[T] < Rows[T]; X.Readable[T]++) {
      for (int Later = T + 1; Later < 3; Later++)
        X.Readable[Later] = Rows[Later];
      if ((Outcome = run(Base, &X, Expected)) != 2)
        break;
    }
  }
  Outcome = run(Base, &X, Expected);
  long Before = Allocations;
  int OfTile = run(Tile, &X, Got);
  int IsFast = Allocations > Before && !OfTile;
  int IsWhole = X.Which < 0 && X.Onto < 0;
  Runs++;
  if (OfTile != Outcome || memcmp(Expected, Got, sizeof(Got)) || (IsWhole && !IsFast)) {
    printf("%s: row %d of %d, C's row %d over %d, records %zu %zu %zu: %d, expected %d\n", Name, X.Short, X.Which, X.Onto,
           X.Over, X.Readable[0], X.Readable[1], X.Readable[2], OfTile, Outcome);
    Bad++;
  }
}

#define DECLARE(Record, Name) Form base##Record##Name, tile##Record##Name;
#define DECLARE_IJK(Record) DECLARE(Record, IJK)
#define DECLARE_IKJ(Record) DECLARE(Record, IKJ)
#define DECLARE_Sum(Record) DECLARE(Record, Sum)
FOR_ALL(DECLARE)

enum { KindCounted, KindHeaded, KindEnded };
#define ENTRY(Record, Name) {#Record " " #Name, Kind##Record, base##Record##Name, tile##Record##Name},
#define ENTRY_IJK(Record) ENTRY(Record, IJK)
#define ENTRY_IKJ(Record) ENTRY(Record, IKJ)
#define ENTRY_Sum(Record) ENTRY(Record, Sum)
static const struct {
  const char *Name;
  int Kind;
  Form *Base, *Tile;
} Forms[] = {FOR_ALL(ENTRY)};

int main(void) {
  size_t Page = sysconf(_SC_PAGESIZE);
  for (int T = 0; T < 3; T++) {
    char *Pages = mmap(0, 2 * Page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(Pages + Page, Page, PROT_NONE);
    PageEnd[T] = Pages + Page;
  }
  struct sigaction Action = {.sa_handler = fault, .sa_flags = SA_NODEFER};
  sigaction(SIGSEGV, &Action, 0);
  sigaction(SIGBUS, &Action, 0);
  for (size_t F = 0; F < sizeof(Forms) / sizeof(*Forms); F++) {
    struct Case X = {Forms[F].Kind, -1, -1, -1, 0, {0}};
    compare(Forms[F].Name, Forms[F].Base, Forms[F].Tile, X);
    for (X.Which = 0; X.Which < 3; X.Which++)
      for (X.Short = 0; X.Short < (int)Rows[X.Which]; X.Short++)
        compare(Forms[F].Name, Forms[F].Base, Forms[F].Tile, X);
    X.Which = X.Short = -1;
    for (X.Over = 0; X.Over < 3; X.Over++)
      for (X.Onto = 0; X.Onto < M; X.Onto += 4)
        compare(Forms[F].Name, Forms[F].Base, Forms[F].Tile, X);
  }
  printf("%d of %d differ\n", Bad, Runs);
  return Bad != 0;
}
#endif
