// Products in functions that do something else that is delicate. Each prints
// the sum of what it makes; the output must be that of clang alone.
#include <atomic>
#include <coroutine>
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <thread>
#include <vector>

constexpr long N = 37;
using Matrix = std::vector<double>;

static Matrix make(int Seed) {
  Matrix X(N * N);
  for (long I = 0; I < N * N; I++)
    X[I] = (I * Seed % 23 - 11) / 7.0;
  return X;
}

static void print(const char *Name, const Matrix &C) {
  double Sum = 0;
  for (long I = 0; I < N * N; I++)
    Sum += C[I] * (I % 13);
  std::printf("%s %a\n", Name, Sum);
}

#define MULTIPLY(n, a, b, c)                                                   \
  for (long i = 0; i < n; i++)                                                 \
    for (long j = 0; j < n; j++)                                               \
      for (long k = 0; k < n; k++)                                             \
        (c)[i * n + j] += (a)[i * n + k] * (b)[k * n + j];

#define NOINLINE __attribute__((noinline))

// Exceptions.

static std::atomic<int> Alive;
struct Guard {
  Guard() { ++Alive; }
  ~Guard() { --Alive; }
};

NOINLINE static void maybeThrow(int When) {
  if (When % 3 == 1)
    throw std::runtime_error("thrown");
}

NOINLINE static int throwing(long n, const double *a, const double *b,
                             double *c, int When) {
  Guard G;
  try {
    maybeThrow(When);
    MULTIPLY(n, a, b, c)
    maybeThrow(When + 1);
  } catch (const std::runtime_error &) {
    MULTIPLY(n, b, a, c)
    return 1;
  }
  return 0;
}

// A throw that goes through a frame with a product.
NOINLINE static void passing(long n, const double *a, const double *b,
                             double *c, int Depth) {
  Guard G;
  MULTIPLY(n, a, b, c)
  if (Depth == 0)
    throw Depth;
  passing(n, b, a, c, Depth - 1);
  c[0] = 0;
}

// Coroutines.

struct Task {
  struct promise_type {
    double Value = 0;
    Task get_return_object() {
      return {std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    std::suspend_always initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(double V) {
      Value = V;
      return {};
    }
    void return_void() {}
    void unhandled_exception() { std::abort(); }
  };
  std::coroutine_handle<promise_type> Handle;
};

NOINLINE static Task steps(long n, const double *a, const double *b,
                           double *c) {
  double Local[16 * 16] = {};
  for (int Round = 0; Round < 3; Round++) {
    MULTIPLY(n, a, b, c)
    co_yield c[Round];
    MULTIPLY(16, a, b, Local)
    co_yield Local[Round];
  }
}

// A tail call that must be one.
NOINLINE static double last(long n, const double *a, const double *b,
                            double *c, int Rounds) {
  MULTIPLY(n, a, b, c)
  if (Rounds == 0)
    return c[1];
  [[clang::musttail]] return last(n, b, a, c, Rounds - 1);
}

// setjmp: the nest's function returns twice.
static std::jmp_buf Place;
NOINLINE static void jump(int Round) {
  if (Round < 3)
    std::longjmp(Place, Round + 1);
}
NOINLINE static int twice(long n, const double *a, const double *b, double *c) {
  volatile int Rounds = 0;
  int Round = setjmp(Place);
  Rounds = Rounds + 1;
  MULTIPLY(n, a, b, c)
  jump(Round);
  MULTIPLY(n, b, a, c)
  return Rounds;
}

// Inline assembly around a product, and around loops in it.
#if defined(__x86_64__)
#define CLOBBER                                                                \
  asm volatile("" ::: "rbx", "r12", "r13", "r14", "r15", "xmm0", "xmm1",       \
               "xmm7", "xmm15", "memory", "cc")
#else
#define CLOBBER asm volatile("" ::: "memory", "cc")
#endif
NOINLINE static double assembly(long n, const double *a, const double *b,
                                double *c) {
  double Before = c[3];
  CLOBBER;
  MULTIPLY(n, a, b, c)
  CLOBBER;
  for (int Round = 0; Round < 2; Round++) {
    asm volatile("" : "+r"(Round) : : "memory");
    MULTIPLY(n, b, a, c)
  }
  return Before;
}

// Recursion, with a product on the way down and one on the way up.
NOINLINE static void recurse(long n, const double *a, const double *b,
                             double *c, int Depth) {
  MULTIPLY(n, a, b, c)
  if (Depth)
    recurse(n, b, a, c, Depth - 1);
  MULTIPLY(n, a, b, c)
}

// A large array on the caller's stack.
NOINLINE static double onStack(long n, const double *a, const double *b) {
  double c[n * n * 40];
  for (long i = 0; i < n * n * 40; i++)
    c[i] = i % 5;
  for (long Part = 0; Part < 40; Part++) {
    MULTIPLY(n, a, b, c + Part * n * n)
  }
  return c[n * n * 39 + 5];
}

// volatile, and atomic: left alone.
NOINLINE static void left(long n, const double *a, volatile double *b,
                          double *c) {
  MULTIPLY(n, a, b, c)
}
NOINLINE static void counted(long n, const int *a, std::atomic<int> *b,
                             int *c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i * n + j] +=
            a[i * n + k] * b[k * n + j].load(std::memory_order_relaxed);
}

// A pointer to a label in the nest's function.
NOINLINE static int computed(long n, const double *a, const double *b,
                             double *c, int Which) {
  static void *const Labels[] = {&&Once, &&Twice};
  goto *Labels[Which];
Twice:
  MULTIPLY(n, b, a, c)
Once:
  MULTIPLY(n, a, b, c)
  return Which;
}

// Several threads at a time, each with matrices of its own; and the same
// factors for all.
static void threads(const Matrix &A, const Matrix &B) {
  std::vector<Matrix> Results(4, Matrix(N * N));
  std::vector<std::thread> Threads;
  for (Matrix &C : Results)
    Threads.emplace_back([&] {
      for (int Round = 0; Round < 20; Round++)
        recurse(N, A.data(), B.data(), C.data(), 2);
    });
  for (std::thread &T : Threads)
    T.join();
  for (const Matrix &C : Results)
    print("thread", C);
}

// Before main.
static double early() {
  Matrix A = make(5), B = make(6), C = make(7);
  return last(N, A.data(), B.data(), C.data(), 1);
}
static double Early = early();

int main() {
  Matrix A = make(3), B = make(4), C = make(9);
  std::printf("early %a\n", Early);
  for (int When = 0; When < 3; When++) {
    int Caught = throwing(N, A.data(), B.data(), C.data(), When);
    print(Caught ? "caught" : "not thrown", C);
  }
  try {
    passing(N, A.data(), B.data(), C.data(), 3);
  } catch (int Depth) {
    print("passed", C);
  }
  std::printf("alive %d\n", Alive.load());
  Task T = steps(N, A.data(), B.data(), C.data());
  while (!T.Handle.done()) {
    T.Handle.resume();
    std::printf("yielded %a\n", T.Handle.promise().Value);
  }
  T.Handle.destroy();
  std::printf("last %a\n", last(N, A.data(), B.data(), C.data(), 4));
  std::printf("twice %d\n", twice(N, A.data(), B.data(), C.data()));
  print("after setjmp", C);
  std::printf("before %a\n", assembly(N, A.data(), B.data(), C.data()));
  print("assembly", C);
  C = make(2);
  recurse(N, A.data(), B.data(), C.data(), 8);
  print("recursion", C);
  std::printf("on the stack %a\n", onStack(N, A.data(), B.data()));
  C = make(2);
  left(N, A.data(), B.data(), C.data());
  print("volatile", C);
  std::vector<int> P(N * N, 3), R(N * N, 1);
  std::vector<std::atomic<int>> Q(N * N);
  for (long I = 0; I < N * N; I++)
    Q[I] = I % 5;
  counted(N, P.data(), Q.data(), R.data());
  std::printf("atomic %d\n", R[7]);
  computed(N, A.data(), B.data(), C.data(), 0);
  computed(N, A.data(), B.data(), C.data(), 1);
  print("computed", C);
  threads(A, B);
}
