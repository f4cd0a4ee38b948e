//===- gemm_bench.cpp - matrix products, side by side ---------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Benchmarks are named <implementation>/<type>/<orders>/<M>x<N>x<K>, and
// peak/<type> for the measured FMA peak. Every product is checked before
// anything is timed.
//
//===----------------------------------------------------------------------===//

#include "kernels/kernels.h"
#include "libraries.h"
#include <algorithm>
#include <benchmark/benchmark.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <new>
#include <random>
#include <regex>
#include <string>
#include <vector>

namespace {

template <typename T>
using Kernel = void (*)(long M, long N, long K, const T *A, long lda,
                        const T *B, long ldb, T *C, long ldc);

/// The functions of one prefix and type, in the sequence of FOR_ALL_ORDERS.
template <typename T> using Kernels = std::vector<Kernel<T>>;

const char *const Orders[] = {"rrr", "rrc", "rcr", "rcc",
                              "crr", "crc", "ccr", "ccc"};

} // namespace

#define DECLARE(Prefix, Type, T, OC, OA, OB)                                   \
  extern "C" void NAME(Prefix, Type, OC, OA, OB)(                              \
      long, long, long, const T *, long, const T *, long, T *, long);
#define DECLARE_ALL(Prefix)                                                    \
  FOR_ALL_ORDERS(DECLARE, Prefix, f64, double)                                 \
  FOR_ALL_ORDERS(DECLARE, Prefix, f32, float)

DECLARE_ALL(naive)
DECLARE_ALL(tilesmith)
DECLARE_ALL(eigen)
#ifdef HAVE_POLLY
DECLARE_ALL(polly)
#endif

extern "C" {
void peak_f64(long Rounds, double *Out);
void peak_f32(long Rounds, float *Out);
extern const long peak_f64_flops, peak_f32_flops;
}

namespace {

#define ELEMENT(Prefix, Type, T, OC, OA, OB) NAME(Prefix, Type, OC, OA, OB),
#define KERNELS(Prefix, Type, T)                                               \
  Kernels<T> { FOR_ALL_ORDERS(ELEMENT, Prefix, Type, T) }

struct Shape {
  long M, N, K;
  double work() const { return double(M) * N * K; }
  std::string name() const {
    return std::to_string(M) + "x" + std::to_string(N) + "x" +
           std::to_string(K);
  }
};

/// C += A * B. The orders are 'r' (row-major) or 'c' (column-major).
template <typename T> struct Product {
  Shape S;
  const char *Order; // of C, A, B
  const T *A, *B;
  T *C;
  long lda() const { return Order[1] == 'r' ? S.K : S.M; }
  long ldb() const { return Order[2] == 'r' ? S.N : S.K; }
  long ldc() const { return Order[0] == 'r' ? S.N : S.M; }

  void run(Kernel<T> F) const {
    F(S.M, S.N, S.K, A, lda(), B, ldb(), C, ldc());
  }

  /// The rows [\p First, \p First + \p Rows) of this product.
  void runRows(Kernel<T> F, long First, long Rows) const {
    F(Rows, S.N, S.K, A + First * (Order[1] == 'r' ? lda() : 1), lda(), B,
      ldb(), C + First * (Order[0] == 'r' ? ldc() : 1), ldc());
  }

  T &c(long Row, long Col) const {
    return Order[0] == 'r' ? C[Row * ldc() + Col] : C[Row + Col * ldc()];
  }
};

template <typename T> struct Implementation {
  std::string Name;
  std::function<void(const Product<T> &)> Run;
  bool Slow = false;    // plain loops: large sizes would take minutes
  bool Bitwise = false; // must equal the naive loops bit by bit
};

template <typename T> int orderIndex(const Product<T> &P) {
  return (P.Order[0] == 'c') * 4 + (P.Order[1] == 'c') * 2 +
         (P.Order[2] == 'c');
}

template <typename T>
Implementation<T> loops(const char *Name, Kernels<T> F, bool Slow,
                        bool Bitwise) {
  return {Name, [F](const Product<T> &P) { P.run(F[orderIndex(P)]); }, Slow,
          Bitwise};
}

template <typename T>
Implementation<T> cblas(const char *Name, const Library &L) {
  using Gemm =
      void(int Layout, int TransA, int TransB, int M, int N, int K, T Alpha,
           const T *A, int lda, const T *B, int ldb, T Beta, T *C, int ldc);
  Gemm *F =
      L.get<Gemm>(std::is_same_v<T, double> ? "cblas_dgemm" : "cblas_sgemm");
  auto Run = [F](const Product<T> &P) {
    F(P.Order[0] == 'r' ? RowMajor : ColMajor,
      P.Order[1] == P.Order[0] ? NoTrans : Trans,
      P.Order[2] == P.Order[0] ? NoTrans : Trans, P.S.M, P.S.N, P.S.K, 1, P.A,
      P.lda(), P.B, P.ldb(), 1, P.C, P.ldc());
  };
  return {Name, Run};
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

/// Cache-line aligned buffers, large enough for every shape. C is always the
/// place of the result; C0 is what is in it at first.
template <typename T> struct Data {
  T *A, *B, *C, *C0, *Want;
  size_t SizeC;

  explicit Data(const std::vector<Shape> &Shapes) : SizeC(0) {
    size_t SizeA = 0, SizeB = 0;
    for (const Shape &S : Shapes) {
      SizeA = std::max<size_t>(SizeA, S.M * S.K);
      SizeB = std::max<size_t>(SizeB, S.K * S.N);
      SizeC = std::max<size_t>(SizeC, S.M * S.N);
    }
    A = random(SizeA);
    B = random(SizeB);
    C = random(SizeC);
    C0 = random(SizeC);
    Want = random(SizeC);
  }

private:
  std::mt19937 Random{1};

  T *random(size_t Size) {
    std::uniform_real_distribution<T> Value(-1, 1);
    T *Data = new (std::align_val_t(64)) T[Size];
    std::generate(Data, Data + Size, [&] { return Value(Random); });
    return Data;
  }
};

/// Compares the rows [First, First + Rows) of P with those of Want.
template <typename T>
void compare(const Implementation<T> &I, const Product<T> &P,
             const Product<T> &Want, long First, long Rows) {
  const T Tolerance = 4 * P.S.K * std::numeric_limits<T>::epsilon();
  for (long Row = First; Row < First + Rows; Row++)
    for (long Col = 0; Col < P.S.N; Col++) {
      T X = P.c(Row, Col), Y = Want.c(Row, Col);
      if (I.Bitwise ? std::memcmp(&X, &Y, sizeof(T)) == 0
                    : std::abs(X - Y) <= Tolerance)
        continue;
      std::fprintf(stderr,
                   "gemm_bench: wrong result of %s, f%d, orders %s, %s: "
                   "C(%ld, %ld) is %a instead of %a\n",
                   I.Name.c_str(), int(8 * sizeof(T)), P.Order,
                   P.S.name().c_str(), Row, Col, double(X), double(Y));
      std::exit(1);
    }
}

/// Checks \p Is against the naive loops: the whole product up to 1024^3, beyond
/// that sixteen rows at the start, in the middle and at the end.
template <typename T>
void check(const std::vector<Implementation<T>> &Is, Kernel<T> Naive,
           const Product<T> &P, const Data<T> &D) {
  const bool Whole = P.S.work() <= 0x1p30 || P.S.M < 48;
  const long Rows = Whole ? P.S.M : 16;
  std::vector<long> Starts = {0};
  if (!Whole)
    Starts = {0, P.S.M / 2 - 5, P.S.M - Rows};

  Product<T> Want = P;
  Want.C = D.Want;
  std::copy_n(D.C0, D.SizeC, Want.C);
  for (long First : Starts)
    Want.runRows(Naive, First, Rows);
  for (const Implementation<T> &I : Is) {
    std::copy_n(D.C0, D.SizeC, P.C);
    I.Run(P);
    for (long First : Starts)
      compare(I, P, Want, First, Rows);
  }
}

//===----------------------------------------------------------------------===//
// Registration
//===----------------------------------------------------------------------===//

std::vector<Shape> rowMajorShapes() {
  std::vector<Shape> Shapes;
  for (long N : {8, 16, 32, 48, 64, 96, 100, 128, 200, 256, 500, 512, 1000,
                 1024, 2000, 2048})
    Shapes.push_back({N, N, N});
  for (Shape S : {Shape{2048, 2048, 64},
                  {64, 64, 4096},
                  {4096, 16, 512},
                  {16, 4096, 512},
                  {1000, 1, 1000},
                  {31, 37, 4001}})
    Shapes.push_back(S);
  return Shapes;
}

template <typename T>
void registerPeak(const std::string &Type, void (*Peak)(long, T *),
                  long FlopsPerRound) {
  benchmark::RegisterBenchmark(
      ("peak/" + Type).c_str(), [=](benchmark::State &State) {
        const long Rounds = 100000;
        T Out[3] = {0.5, 0.5, 0};
        for (auto _ : State) {
          Peak(Rounds, Out);
          benchmark::DoNotOptimize(Out);
        }
        setGFlops(State, double(Rounds) * FlopsPerRound);
      });
}

/// Checks, then registers everything of one type that the filter selects.
template <typename T>
void registerProducts(const std::string &Type,
                      const std::vector<Implementation<T>> &Is,
                      const Kernels<T> &Naive, const std::regex &Filter) {
  const std::vector<Shape> Shapes = rowMajorShapes();
  static const Data<T> D(Shapes);
  for (const char *Order : Orders)
    for (const Shape &S : Shapes) {
      if (Order != Orders[0] && S.name() != "1000x1000x1000")
        continue;
      const Product<T> P = {S, Order, D.A, D.B, D.C};
      std::vector<Implementation<T>> Selected;
      for (const Implementation<T> &I : Is) {
        const std::string Name =
            I.Name + "/" + Type + "/" + Order + "/" + S.name();
        if ((I.Slow && S.work() > 0x1p30) || !std::regex_search(Name, Filter))
          continue;
        Selected.push_back(I);
        auto *B = benchmark::RegisterBenchmark(
            Name.c_str(), [Run = I.Run, P](benchmark::State &State) {
              for (auto _ : State) {
                Run(P);
                benchmark::ClobberMemory();
              }
              setGFlops(State, 2 * P.S.work());
            });
        if (I.Slow && S.work() > 0x1p24)
          B->Iterations(1)->Repetitions(1);
      }
      if (!Selected.empty())
        check(Selected, Naive[orderIndex(P)], P, D);
    }
}

template <typename T>
std::vector<Implementation<T>>
implementations(const Kernels<T> &Naive, const Kernels<T> &Polly,
                const Kernels<T> &Tilesmith, const Kernels<T> &Eigen,
                const Library &OpenBLAS, const Library &BLIS) {
  std::vector<Implementation<T>> Is;
  Is.push_back(loops("naive", Naive, /*Slow=*/true, /*Bitwise=*/true));
  if (!Polly.empty())
    Is.push_back(loops("polly", Polly, /*Slow=*/true, /*Bitwise=*/false));
  Is.push_back(loops("tilesmith", Tilesmith, /*Slow=*/false, /*Bitwise=*/true));
  Is.push_back(cblas<T>("openblas", OpenBLAS));
  Is.push_back(cblas<T>("blis", BLIS));
  Is.push_back(loops("eigen", Eigen, /*Slow=*/false, /*Bitwise=*/false));
  return Is;
}

} // namespace

#ifdef HAVE_POLLY
#define POLLY(Type, T) KERNELS(polly, Type, T)
#else
#define POLLY(Type, T)                                                         \
  Kernels<T> {}
#endif

int main(int argc, char **argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv))
    return 1;
  const std::string FilterText = benchmark::GetBenchmarkFilter();
  const std::regex Filter(FilterText == "all" ? "" : FilterText,
                          std::regex::extended);

  const Library OpenBLAS = loadOpenBLAS(), BLIS = loadBLIS();
  benchmark::AddCustomContext("vector_bits", std::to_string(peak_vector_bits));

  registerPeak("f64", peak_f64, peak_f64_flops);
  registerPeak("f32", peak_f32, peak_f32_flops);
  const Kernels<double> Naive64 = KERNELS(naive, f64, double);
  const Kernels<float> Naive32 = KERNELS(naive, f32, float);
  registerProducts<double>("f64",
                           implementations(Naive64, POLLY(f64, double),
                                           KERNELS(tilesmith, f64, double),
                                           KERNELS(eigen, f64, double),
                                           OpenBLAS, BLIS),
                           Naive64, Filter);
  registerProducts<float>("f32",
                          implementations(Naive32, POLLY(f32, float),
                                          KERNELS(tilesmith, f32, float),
                                          KERNELS(eigen, f32, float), OpenBLAS,
                                          BLIS),
                          Naive32, Filter);
  benchmark::RunSpecifiedBenchmarks();
}
