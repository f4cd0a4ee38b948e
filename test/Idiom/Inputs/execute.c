// usage: execute STOCK OURS
//
// Calls each function of the positive tests out of two shared libraries, built
// without and with the plugin, and compares every byte of the result.

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { Size = 4096, Margin = 50, Limit = 30 };
static double A[Size], B[Size], Expected[Size], Actual[Size];
static int Failures, Runs;

// Functions of sizes and operands, and those that take alpha and beta as well.
#define PLAIN(X)                                                               \
  X(from_one_inclusive, long)                                                  \
  X(unsigned_inclusive, unsigned)                                              \
  X(signed_step, int)                                                          \
  X(unsigned_step, unsigned)                                                   \
  X(size_step_inclusive, unsigned long)                                        \
  X(not_equal, long)                                                           \
  X(downwards, long)                                                           \
  X(downwards_unsigned, unsigned)                                              \
  X(downwards_by_three, unsigned)                                              \
  X(index_int, int)                                                            \
  X(index_unsigned, unsigned)                                                  \
  X(index_long, long)                                                          \
  X(index_unsigned_long, unsigned long)                                        \
  X(index_short, short)
#define SCALED(X)                                                              \
  X(at_the_element)                                                            \
  X(scaled_at_the_element)                                                     \
  X(a_row_by_memset)                                                           \
  X(a_row_scaled)                                                              \
  X(a_column)                                                                  \
  X(assign)                                                                    \
  X(add)                                                                       \
  X(from_c)                                                                    \
  X(subtract)                                                                  \
  X(alpha_on_sum)                                                              \
  X(alpha_on_product)                                                          \
  X(alpha_on_a)                                                                \
  X(negated)                                                                   \
  X(divided)

static void *Stock, *Ours;

static void *find(void *Library, const char *Name) {
  void *Function = dlsym(Library, Name);
  if (!Function) {
    puts(dlerror());
    exit(2);
  }
  return Function;
}

static void begin(void) {
  for (int I = 0; I < Size; I++) {
    A[I] = rand() % 1000 / 7.0;
    B[I] = rand() % 1000 / 9.0;
    Expected[I] = Actual[I] = rand() % 100 / 3.0;
  }
}

static void end(const char *Name, int M, int N, int K) {
  Runs++;
  if (!memcmp(Expected, Actual, sizeof Actual))
    return;
  Failures++;
  printf("%s differs at %dx%dx%d\n", Name, M, N, K);
}

int main(int Count, char **Paths) {
  if (Count != 3 || !(Stock = dlopen(Paths[1], RTLD_NOW)) ||
      !(Ours = dlopen(Paths[2], RTLD_NOW)))
    return 2;
  for (int M = 0; M < Limit; M += 1 + M / 4)
    for (int N = 0; N < Limit; N += 1 + N / 4)
      for (int K = 0; K < Limit; K += 1 + K / 4) {
#define RUN(F, ...)                                                            \
  begin();                                                                     \
  ((Type *)find(Stock, #F))(M, N, K, __VA_ARGS__, Expected + Margin);          \
  ((Type *)find(Ours, #F))(M, N, K, __VA_ARGS__, Actual + Margin);             \
  end(#F, M, N, K);
#define RUN_PLAIN(F, T)                                                        \
  {                                                                            \
    typedef void Type(T, T, T, const double *, const double *, double *);      \
    RUN(F, A, B)                                                               \
  }
#define RUN_SCALED(F)                                                          \
  {                                                                            \
    typedef void Type(long, long, long, double, double, const double *,        \
                      const double *, double *);                               \
    RUN(F, 1.3, 0.7, A, B)                                                     \
  }
        PLAIN(RUN_PLAIN)
        SCALED(RUN_SCALED)
      }
  printf("%d runs, %d failures\n", Runs, Failures);
  return Failures != 0;
}
