// Products on threads whose stacks are as small as the system has them.
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

typedef void Product(long, long, long, const void *, long, const void *, long,
                     void *, long);
#define PRODUCT(Name, ...) Product Ours_##Name;
#include "../../Sanitizers/Inputs/products.h"

enum { Ld = 150, Elements = 200 * Ld, Bytes = BYTES };
static double A[Elements], B[Elements], C[Elements];
static const long *Sizes;
static Product *Run;

static void *make(void *Unused) {
  Run(Sizes[0], Sizes[1], Sizes[2], A, Ld, B, Ld, C, Ld);
  return Unused;
}

/// How much of the stack was used.
static size_t measure(const char *Name) {
  static const unsigned char Mark = 0xA5;
  // With what the thread needs for itself, and a page that must not be used.
  unsigned char *Stack = mmap(NULL, Bytes + 4096, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect(Stack, 4096, PROT_NONE);
  memset(Stack + 4096, Mark, Bytes);
  pthread_attr_t How;
  pthread_attr_init(&How);
  if (pthread_attr_setstack(&How, Stack + 4096, Bytes))
    abort();
  pthread_t Thread;
  if (pthread_create(&Thread, &How, make, NULL)) {
    printf("%s: no thread\n", Name);
    abort();
  }
  pthread_join(Thread, NULL);
  size_t Unused = 0;
  while (Stack[4096 + Unused] == Mark)
    Unused++;
  munmap(Stack, Bytes + 4096);
  return Bytes - Unused;
}

static void nothing(long M, long N, long K, const void *A, long LdA,
                    const void *B, long LdB, void *C, long LdC) {
  (void)M, (void)N, (void)K, (void)A, (void)LdA, (void)B, (void)LdB, (void)C;
  (void)LdC;
}

int main() {
  static const long All[][3] = {{9, 9, 9},    {23, 23, 23}, {32, 32, 32},
                                {16, 64, 16}, {70, 64, 100}};
  size_t Most = 0, Thread = 0;
  for (unsigned S = 0; S < sizeof(All) / sizeof(*All); S++) {
    Sizes = All[S];
    Run = nothing;
    Thread = measure("nothing");
#define PRODUCT(Name, ...)                                                     \
  Run = Ours_##Name;                                                           \
  {                                                                            \
    size_t Used = measure(#Name);                                              \
    printf("%s %ldx%ldx%ld: %zu\n", #Name, Sizes[0], Sizes[1], Sizes[2],       \
           Used - Thread);                                                     \
    Most = Used > Most ? Used : Most;                                          \
  }
#include "../../Sanitizers/Inputs/products.h"
  }
  printf("thread %zu, most %zu\n", Thread, Most - Thread);
  return Most - Thread > LIMIT;
}
