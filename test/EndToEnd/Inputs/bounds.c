//===- bounds.c - triangles at the ends of their counters' types ----------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#define NEST(NAME, COUNTER, LOOPS)                                             \
  static void NAME(long n_, long lo_, long count, double *c,                   \
                   const double *a) {                                          \
    COUNTER n = n_, lo = lo_;                                                  \
    (void)lo;                                                                  \
    LOOPS                                                                      \
  }

#define SUM                                                                    \
  double s = 0;                                                                \
  for (long k = 0; k < count; k++)                                             \
    s += a[(long)i * 40 + k] * a[(long)j * 40 + k];                            \
  c[(long)i * 40 + (long)j] += s;

#define ALL_TYPES(NEST_OF)                                                     \
  NEST_OF(int) NEST_OF(unsigned) NEST_OF(long) typedef unsigned long ulong;    \
  NEST_OF(ulong)

#define TRIANGLES(I)                                                           \
  NEST(below_from_##I, I, for (I i = 0; i < n; i++)                            \
       for (I j = lo; j < i; j++) { SUM })                                     \
  NEST(to_diagonal_##I, I, for (I i = 0; i < n; i++)                           \
       for (I j = lo; j <= i; j++) { SUM })                                    \
  NEST(from_diagonal_##I, I, for (I i = 0; i < n; i++)                         \
       for (I j = i + lo; j < n; j++) { SUM })                                 \
  NEST(to_shifted_##I, I, for (I i = 0; i < n; i++)                            \
       for (I j = 0; j < i + lo; j++) { SUM })                                 \
  NEST(from_one_##I, I, for (I i = 1; i <= n; i++)                             \
       for (I j = 1; j <= i; j++) { SUM })                                     \
  NEST(beyond_from_one_##I, I, for (I i = 1; i <= n; i++)                      \
       for (I j = i + 1; j <= n; j++) { SUM })                                 \
  NEST(at_least_once_##I, I, for (I i = 0; i < n; i++) {                       \
    I j = i + 1;                                                               \
    do { SUM } while (++j < n);                                                \
  })                                                                           \
  NEST(at_least_once_below_##I, I, for (I i = 0; i < n; i++) {                 \
    I j = 0;                                                                   \
    do { SUM } while (++j < i);                                                \
  })                                                                           \
  NEST(down_from_diagonal_##I, I, for (I i = 0; i < n; i++)                    \
       for (I j = i + lo; j-- > 0;) { SUM })                                   \
  NEST(down_to_diagonal_##I, I, for (I i = 0; i < n; i++)                      \
       for (I j = n; j-- > i + lo;) { SUM })                                   \
  NEST(both_down_##I, I, for (I i = n; i-- > 0;)                               \
       for (I j = i; j-- > 0;) { SUM })                                        \
  NEST(scaled_first_##I, I, for (I i = 0; i < n; i++) {                        \
    for (I j = lo; j < i; j++)                                                 \
      c[(long)i * 40 + (long)j] *= 3;                                          \
    for (long k = 0; k < count; k++)                                           \
      for (I j = lo; j < i; j++)                                               \
        c[(long)i * 40 + (long)j] +=                                           \
            a[(long)i * 40 + k] * a[(long)j * 40 + k];                         \
  })                                                                           \
  NEST(other_bound_first_##I, I, for (I i = 0; i < n; i++) {                   \
    for (I j = lo; j <= i; j++)                                                \
      c[(long)i * 40 + (long)j] = 0;                                           \
    for (long k = 0; k < count; k++)                                           \
      for (I j = lo; j < i; j++)                                               \
        c[(long)i * 40 + (long)j] +=                                           \
            a[(long)i * 40 + k] * a[(long)j * 40 + k];                         \
  })                                                                           \
  NEST(stored_anyway_##I, I, for (I i = 0; i < n; i++)                         \
       for (I j = 0; j < n; j++) {                                             \
         double s = c[(long)i * 40 + (long)j];                                 \
         for (I k = lo; k < i; k++)                                            \
           s += a[(long)i * 40 + (long)k] * a[(long)j * 40 + (long)k];         \
         c[(long)i * 40 + (long)j] = 2 * s;                                    \
       })                                                                      \
  NEST(to_pointer_##I, I, for (I i = 0; i < n; i++)                            \
       for (long k = 0; k < count; k++) {                                      \
         const double *b = a + (long)k * 40;                                   \
         for (double *z = c + (long)i * 40, *end = z + (long)lo * 9; z < end;  \
              z++, b++)                                                        \
           *z += a[(long)i * 40 + k] * *b;                                     \
       })                                                                      \
  NEST(row_moves_if_run_##I, I, const double *row = a;                         \
       for (I i = 0; i < n; i++) if (i > lo) {                                 \
         for (I j = lo; j < i; j++) {                                          \
           double s = 0;                                                       \
           for (long k = 0; k < count; k++)                                    \
             s += row[k] * a[(long)j * 40 + k];                                \
           c[(long)i * 40 + (long)j] += s;                                     \
         }                                                                     \
         row += 40;                                                            \
       })

ALL_TYPES(TRIANGLES)

typedef struct {
  const char *name;
  void (*run)(long n, long lo, long count, double *c, const double *a);
} Nest;

#define ENTRY(NAME) {#NAME, NAME},
#define ENTRIES(I)                                                             \
  ENTRY(below_from_##I) ENTRY(to_diagonal_##I) ENTRY(from_diagonal_##I)        \
  ENTRY(to_shifted_##I) ENTRY(from_one_##I) ENTRY(beyond_from_one_##I)         \
  ENTRY(at_least_once_##I) ENTRY(at_least_once_below_##I)                      \
  ENTRY(down_from_diagonal_##I) ENTRY(down_to_diagonal_##I)                    \
  ENTRY(both_down_##I) ENTRY(row_moves_if_run_##I)              \
  ENTRY(scaled_first_##I) ENTRY(other_bound_first_##I) ENTRY(stored_anyway_##I)\
  ENTRY(to_pointer_##I)

const Nest TABLE[] = {
    ENTRIES(int) ENTRIES(unsigned) ENTRIES(long) ENTRIES(ulong){0, 0}};
