// A timer interrupts products, and its handler makes other ones; every now and
// then it leaves by siglongjmp. The products of main that were not left are
// right, those of the handler are always right, and what a product that was
// left has not come to is as it was or as it will be. Forked children make
// products, too.
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N = 90, S = 11, Rounds = 400 };
static double A[N * N], B[N * N], C[N * N], Expected[N * N];
static double SmallA[S * S], SmallB[S * S], SmallC[S * S], SmallExpected[S * S];

#define MULTIPLY(n, a, b, c)                                                   \
  for (long i = 0; i < n; i++)                                                 \
    for (long j = 0; j < n; j++) {                                             \
      double s = 0;                                                            \
      for (long k = 0; k < n; k++)                                             \
        s += a[i * n + k] * b[k * n + j];                                      \
      c[i * n + j] = s;                                                        \
    }

__attribute__((noinline)) static void large(long n, const double *a,
                                            const double *b, double *c) {
  MULTIPLY(n, a, b, c)
}
// Of a size for which nothing is allocated.
__attribute__((noinline)) static void small(const double *a, const double *b,
                                            double *c) {
  MULTIPLY(S, a, b, c)
}

static sigjmp_buf Out;
static volatile sig_atomic_t Interrupts, Wrong, MayLeave, Left;

static void handle(int Signal) {
  (void)Signal;
  Interrupts++;
  for (int I = 0; I < S * S; I++)
    SmallC[I] = -1;
  small(SmallA, SmallB, SmallC);
  if (memcmp(SmallC, SmallExpected, sizeof(SmallC)))
    Wrong++;
  large(S + 2, A, B, (double[(S + 2) * (S + 2)]){0});
  if (MayLeave && Interrupts % 4 == 0) {
    Left++;
    siglongjmp(Out, 1);
  }
}

int main() {
  for (int I = 0; I < N * N; I++) {
    A[I] = (I % 11 - 5) / 3.0;
    B[I] = (I % 7 - 3) / 7.0;
  }
  for (int I = 0; I < S * S; I++) {
    SmallA[I] = I % 5;
    SmallB[I] = I % 3;
  }
  large(N, A, B, Expected);
  small(SmallA, SmallB, SmallExpected);
  signal(SIGALRM, handle);
  struct itimerval Often = {{0, 150}, {0, 150}}, Never = {{0, 0}, {0, 0}};
  setitimer(ITIMER_REAL, &Often, NULL);
  int Finished = 0;
  for (volatile int Round = 0; Round < Rounds; Round++) {
    memset(C, 0, sizeof(C));
    if (!sigsetjmp(Out, 1)) {
      MayLeave = Round % 2;
      large(N, A, B, C);
      MayLeave = 0;
      if (memcmp(C, Expected, sizeof(C)))
        Wrong++;
      Finished++;
    } else {
      MayLeave = 0;
      large(N, A, B, C);
      if (memcmp(C, Expected, sizeof(C)))
        Wrong++;
    }
    if (Round % 100 == 50) {
      pid_t Child = fork();
      if (Child == 0) {
        large(N, B, A, C);
        large(N, A, B, C);
        _exit(memcmp(C, Expected, sizeof(C)) != 0);
      }
      int Status;
      while (waitpid(Child, &Status, 0) < 0 && errno == EINTR)
        ;
      if (Status)
        Wrong++;
    }
  }
  setitimer(ITIMER_REAL, &Never, NULL);
  fprintf(stderr, "%d interrupts, %d finished, %d left, %d wrong\n",
          (int)Interrupts, Finished, (int)Left, (int)Wrong);
  return Wrong || !Interrupts;
}
