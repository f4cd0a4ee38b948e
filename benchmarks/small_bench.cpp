//===- small_bench.cpp - small and thin products, side by side ------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Benchmarks are named <implementation>/<type>/<sweep>/<form>/<orders>/<shape>.
// The forms are those of kernels/small.c; a sweep is
//
//   const   constant extents
//   run     extents known at run time only: squares, random shapes
//   m, n    one extent from 1 to 130, the others 128, at run time
//   thin    one or two extents are 1 or 2; one that is constant is marked by c
//   overlap extents at run time, and C overlaps A: the loops are to run
//
// What is measured of one shape is measured together, in turn, so that ratios
// are of the same moment. Every product is checked before. The results go to
// the standard output as one JSON file,
// for each benchmark those of its best repetition.
//
//===----------------------------------------------------------------------===//

#include "kernels/small.h"
#include "libraries.h"
#include <algorithm>
#include <cmath>
#include <ctime>
#include <iostream>
#include <libxsmm.h>
#include <limits>
#include <new>
#include <optional>
#include <random>
#include <regex>
#include <vector>

#define DECLARE_FORMS(Prefix, Type)                                            \
  extern const SmallProduct TABLE(Prefix, Type, ijk)[],                        \
      TABLE(Prefix, Type, ikj)[], TABLE(Prefix, Type, may)[];
#define DECLARE(Type)                                                          \
  DECLARE_FORMS(o2, Type)                                                      \
  DECLARE_FORMS(o3, Type)                                                      \
  DECLARE_FORMS(tilesmith, Type)                                               \
  extern const SmallProduct TABLE(eigen, Type, ijk)[];

extern "C" {
DECLARE(f64)
DECLARE(f32)
}

namespace {

template <typename T>
using Kernel = void(long M, long N, long K, const T *A, const T *B, T *C);
template <typename T>
using Cblas = void(int Layout, int TransA, int TransB, int M, int N, int K,
                   T Alpha, const T *A, int lda, const T *B, int ldb, T Beta,
                   T *C, int ldc);

struct Shape {
  long M, N, K;
};

/// One nest to be measured.
struct Point {
  std::string Sweep, Form;
  const char *Order;
  Shape S;
  Shape Constant; ///< the extents that are constant; the others are 0

  std::string name(const std::string &Type) const {
    auto Extent = [](long Value, long Known) {
      return (Known ? "c" : "") + std::to_string(Value);
    };
    bool All = Sweep == "const";
    return Type + "/" + Sweep + "/" + Form + "/" + Order + "/" +
           Extent(S.M, All ? 0 : Constant.M) + "x" +
           Extent(S.N, All ? 0 : Constant.N) + "x" +
           Extent(S.K, All ? 0 : Constant.K);
  }
};

//===----------------------------------------------------------------------===//
// Points
//===----------------------------------------------------------------------===//

const char *const Orders[] = {"rrr", "rrc", "rcr", "rcc",
                              "crr", "crc", "ccr", "ccc"};
const char *const Forms[] = {"ijk", "ikj", "may"};

std::vector<Point> allPoints() {
  std::vector<Point> Points;
  const Shape Unknown{0, 0, 0};
  for (const char *Form : Forms) {
    for (const SmallProduct *P = o2_f64_ijk; P->Function; ++P) {
      Shape S{P->M, P->N, P->K};
      if (S.M && S.N && S.K) {
        Points.push_back({"const", Form, P->Order, S, S});
        continue;
      }
      // One or two extents are short, and perhaps one of them constant.
      for (long Long : {16, 100, 500})
        for (Shape T : {Shape{1, 0, 0},
                        {0, 1, 0},
                        {0, 0, 1},
                        {2, 0, 0},
                        {0, 2, 0},
                        {0, 0, 2},
                        {1, 1, 0},
                        {1, 0, 1},
                        {0, 1, 1},
                        {2, 2, 0},
                        {2, 0, 2},
                        {0, 2, 2}}) {
          if ((S.M && S.M != T.M) || (S.N && S.N != T.N) ||
              (S.K && S.K != T.K) || std::strcmp(Form, "may") == 0)
            continue;
          for (long *Extent : {&T.M, &T.N, &T.K})
            *Extent = *Extent ? *Extent : Long;
          Points.push_back({"thin", Form, P->Order, T, S});
        }
    }
    for (long n = 1; n <= 128; n++)
      for (const char *Order : Orders)
        if (Order == Orders[0] || n <= 16 || n % 8 == 0)
          Points.push_back({"run", Form, Order, {n, n, n}, Unknown});
  }
  std::mt19937 Random(1);
  auto Extent = [&] {
    return long(std::exp2(std::uniform_real_distribution<>(0, 7)(Random)));
  };
  for (int I = 0; I < 120; I++)
    Points.push_back({"run",
                      Forms[I % 2],
                      Orders[Random() % 8],
                      {Extent(), Extent(), Extent()},
                      Unknown});
  for (long n = 1; n <= 130; n++) {
    Points.push_back({"m", "ijk", Orders[0], {n, 128, 128}, Unknown});
    Points.push_back({"n", "ijk", Orders[0], {128, n, 128}, Unknown});
  }
  for (long n : {1, 2, 3, 4, 8, 12, 16, 24})
    Points.push_back({"overlap", "may", Orders[0], {n, n, n}, Unknown});
  return Points;
}

//===----------------------------------------------------------------------===//
// Implementations
//===----------------------------------------------------------------------===//

/// Cache-line aligned matrices.
template <typename T> struct Matrices {
  size_t Size;
  std::mt19937 Random{1};
  T *A = make(), *B = make(), *C = make(), *C0 = make(), *Want = make();

  explicit Matrices(size_t Size) : Size(Size) {}

private:
  T *make() {
    std::uniform_real_distribution<T> Value(-1, 1);
    T *Data = new (std::align_val_t(64)) T[Size];
    std::generate(Data, Data + Size, [&] { return Value(Random); });
    return Data;
  }
};

template <typename T>
Kernel<T> *find(const SmallProduct *Table, const Point &P) {
  for (; Table->Function; ++Table)
    if (Table->M == P.Constant.M && Table->N == P.Constant.N &&
        Table->K == P.Constant.K && !std::strcmp(Table->Order, P.Order))
      return reinterpret_cast<Kernel<T> *>(Table->Function);
  return nullptr;
}

/// The leading dimension of a matrix.
long leading(char Order, long Rows, long Columns) {
  return Order == 'r' ? Columns : Rows;
}

auto dispatch(int M, int N, int K, int lda, int ldb, int ldc, int Flags,
              double One) {
  return libxsmm_dmmdispatch(M, N, K, &lda, &ldb, &ldc, &One, &One, &Flags,
                             nullptr);
}
auto dispatch(int M, int N, int K, int lda, int ldb, int ldc, int Flags,
              float One) {
  return libxsmm_smmdispatch(M, N, K, &lda, &ldb, &ldc, &One, &One, &Flags,
                             nullptr);
}

/// How many runs take some 0.4 ms of CPU time. (Google Benchmark's own choice
/// takes the time for which other programs ran into account.)
template <typename F> long iterationsOf(F Run) {
  auto Now = [] {
    timespec T;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &T);
    return T.tv_sec + 1e-9 * T.tv_nsec;
  };
  for (long Count = 1;; Count *= 2) {
    const double Start = Now();
    for (long I = 0; I < Count; I++) {
      Run();
      benchmark::ClobberMemory();
    }
    const double Seconds = Now() - Start;
    if (Seconds > 1e-4)
      return std::max(1L, long(Count * 4e-4 / Seconds));
  }
}

/// Measures the implementations of one point.
template <typename T> class Runner {
public:
  Runner(const std::string &Type, const Library &OpenBLAS, size_t Size,
         std::vector<const SmallProduct *> O2,
         std::vector<const SmallProduct *> O3,
         std::vector<const SmallProduct *> Tilesmith, const SmallProduct *Eigen)
      : Type(Type), O2(O2), O3(O3), Tilesmith(Tilesmith), Eigen(Eigen), D(Size),
        Gemm(OpenBLAS.get<Cblas<T>>(
            std::is_same_v<T, double> ? "cblas_dgemm" : "cblas_sgemm")) {}

  /// Checks and registers what the filter selects; false if that is nothing.
  bool add(const Point &P, const std::regex &Filter) {
    const std::string Name = P.name(Type);
    auto [M, N, K] = P.S;
    const T *A = D.A, *B = D.B;
    T *C = D.C;
    const bool Overlap = P.Sweep == "overlap";
    if (Overlap)
      C = D.A + M * K - 1;
    bool Any = false;
    auto Add = [&](const std::string &Impl, bool Bitwise, auto Run) {
      if (!std::regex_search(Impl + "/" + Name, Filter))
        return;
      if (!Overlap)
        check(P, Impl + "/" + Name, Bitwise, [&] { Run(); });
      Any = true;
      const long Iterations = iterationsOf(Run);
      benchmark::RegisterBenchmark((Impl + "/" + Name).c_str(),
                                   [=](benchmark::State &State) {
                                     for (auto _ : State) {
                                       Run();
                                       benchmark::ClobberMemory();
                                     }
                                     setGFlops(State, 2. * M * N * K);
                                   })
          ->Iterations(Iterations);
    };
    size_t Form = std::find(Forms, std::end(Forms), P.Form) - std::begin(Forms);
    auto AddLoops = [&](const char *Impl, const SmallProduct *Table) {
      if (Kernel<T> *F = find<T>(Table, P))
        Add(Impl, Table != Eigen,
            [=, M = M, N = N, K = K] { F(M, N, K, A, B, C); });
    };
    Reference = find<T>(O2[Form], P);
    AddLoops("o2", O2[Form]);
    AddLoops("o3", O3[Form]);
    AddLoops("tilesmith", Tilesmith[Form]);
    if (Overlap)
      return Any;
    AddLoops("eigen", Eigen);

    const char *O = P.Order;
    int lda = leading(O[1], M, K), ldb = leading(O[2], K, N),
        ldc = leading(O[0], M, N);
    bool TransA = O[1] != O[0], TransB = O[2] != O[0];
    Add("openblas", false,
        [=, Gemm = Gemm, M = int(M), N = int(N), K = int(K)] {
          Gemm(O[0] == 'r' ? RowMajor : ColMajor, TransA ? Trans : NoTrans,
               TransB ? Trans : NoTrans, M, N, K, 1, A, lda, B, ldb, 1, C, ldc);
        });
    // LIBXSMM knows column-major matrices only, and not all transpositions.
    int FlagA = TransA ? LIBXSMM_GEMM_FLAG_TRANS_A : 0,
        FlagB = TransB ? LIBXSMM_GEMM_FLAG_TRANS_B : 0;
    if (O[0] == 'r') {
      FlagA = TransA ? LIBXSMM_GEMM_FLAG_TRANS_B : 0;
      FlagB = TransB ? LIBXSMM_GEMM_FLAG_TRANS_A : 0;
      if (auto F = dispatch(N, M, K, ldb, lda, ldc, FlagA | FlagB, T(1)))
        Add("libxsmm", false, [=] { F(B, A, C); });
    } else if (auto F = dispatch(M, N, K, lda, ldb, ldc, FlagA | FlagB, T(1))) {
      Add("libxsmm", false, [=] { F(A, B, C); });
    }
    return Any;
  }

private:
  /// Compares the result of \p Run with that of the plain loops.
  template <typename F>
  void check(const Point &P, const std::string &Name, bool Bitwise, F Run) {
    const size_t Count = P.S.M * P.S.N;
    std::copy_n(D.C0, Count, D.Want);
    Reference(P.S.M, P.S.N, P.S.K, D.A, D.B, D.Want);
    std::copy_n(D.C0, Count, D.C);
    Run();
    const T Tolerance = 4 * (P.S.K + 1) * std::numeric_limits<T>::epsilon();
    for (size_t I = 0; I < Count; I++)
      if (Bitwise ? std::memcmp(&D.C[I], &D.Want[I], sizeof(T))
                  : !(std::abs(D.C[I] - D.Want[I]) <= Tolerance)) {
        std::fprintf(stderr, "small_bench: %s: element %zu is %a, not %a\n",
                     Name.c_str(), I, double(D.C[I]), double(D.Want[I]));
        std::exit(1);
      }
  }

  std::string Type;
  std::vector<const SmallProduct *> O2, O3, Tilesmith;
  const SmallProduct *Eigen;
  Matrices<T> D;
  Cblas<T> *Gemm;
  Kernel<T> *Reference = nullptr;
};

/// One JSON file for many runs, with the best repetition of each benchmark.
class OneFile : public benchmark::JSONReporter {
public:
  void ReportRuns(const std::vector<Run> &Runs) override {
    if (Runs.front().run_type != Run::RT_Iteration)
      return;
    JSONReporter::ReportRuns({*std::min_element(
        Runs.begin(), Runs.end(), [](const Run &X, const Run &Y) {
          return X.GetAdjustedCPUTime() < Y.GetAdjustedCPUTime();
        })});
  }
  bool ReportContext(const Context &Context) override {
    return std::exchange(Started, true) || JSONReporter::ReportContext(Context);
  }
  void Finalize() override {}
  void finish() { JSONReporter::Finalize(); }

private:
  bool Started = false;
};

} // namespace

#define RUNNER(Type)                                                           \
  Runner<REAL(Type)>(                                                          \
      #Type, OpenBLAS, 520 * 520,                                              \
      {TABLE(o2, Type, ijk), TABLE(o2, Type, ikj), TABLE(o2, Type, may)},      \
      {TABLE(o3, Type, ijk), TABLE(o3, Type, ikj), TABLE(o3, Type, may)},      \
      {TABLE(tilesmith, Type, ijk), TABLE(tilesmith, Type, ikj),               \
       TABLE(tilesmith, Type, may)},                                           \
      TABLE(eigen, Type, ijk))

int main(int argc, char **argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv))
    return 1;
  const std::string FilterText = benchmark::GetBenchmarkFilter();
  const std::regex Filter(FilterText == "all" ? "" : FilterText,
                          std::regex::extended);
  benchmark::SetBenchmarkFilter("");
  const Library OpenBLAS = loadOpenBLAS();
  if (peak_vector_bits < 512)
    setenv("LIBXSMM_TARGET", "hsw", 0);
  benchmark::AddCustomContext("libxsmm", libxsmm_get_target_arch());

  Runner<double> F64 = RUNNER(f64);
  Runner<float> F32 = RUNNER(f32);
  OneFile Reporter;
  for (const Point &P : allPoints())
    for (bool IsDouble : {true, false}) {
      if (!(IsDouble ? F64.add(P, Filter) : F32.add(P, Filter)))
        continue;
      benchmark::RunSpecifiedBenchmarks(&Reporter);
      benchmark::ClearRegisteredBenchmarks();
    }
  Reporter.finish();
}
