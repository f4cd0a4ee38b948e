//===- kin_bench.cpp - symmetric updates, batches, chains, side by side ---===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Benchmarks are named <implementation>/<type>/<operation>/<n>, after the
// operations of kernels/kin.c. GFLOP/s count the operations that are needed:
// those of one half of a symmetric matrix. Every result is checked before
// anything is timed.
//
//===----------------------------------------------------------------------===//

#include "kernels/kernels.h"
#include "libraries.h"
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <new>
#include <random>
#include <regex>
#include <vector>

namespace {

/// C, and the intermediate result D of a chain, from A and B. All are row-major
/// and n x n; a batch has Count of each, one after the other.
template <typename T>
using Kernel = void (*)(long n, long Count, const T *A, const T *B, T *C, T *D);

} // namespace

#define DECLARE(Prefix, Type, T, Operation)                                    \
  extern "C" void KIN(Prefix, Type, Operation)(long, long, const T *,          \
                                               const T *, T *, T *);
FOR_ALL_KIN(DECLARE, naive, f64, double)
FOR_ALL_KIN(DECLARE, naive, f32, float)
FOR_ALL_KIN(DECLARE, tilesmith, f64, double)
FOR_ALL_KIN(DECLARE, tilesmith, f32, float)

namespace {

const char *const Operations[] = {"syrk", "syr2k", "syr2k1",
                                  "trmm", "batch", "chain"};
#define ELEMENT(Prefix, Type, T, Operation) KIN(Prefix, Type, Operation),
#define KERNELS(Prefix, Type, T) {FOR_ALL_KIN(ELEMENT, Prefix, Type, T)}

struct Case {
  std::string Operation;
  long n;

  long count() const {
    return Operation == "batch" ? std::max(1L, 256 * 256 / (n * n)) : 1;
  }
  double flops() const {
    double Cube = double(n) * n * n, Square = double(n) * n;
    if (Operation == "syrk")
      return Cube + Square;
    if (Operation == "trmm")
      return Cube - Square;
    return 2 * (Operation == "chain"            ? 2 * Cube
                : Operation.rfind("syr2k") == 0 ? Cube + Square
                                                : Cube * count());
  }
};

template <typename T> struct Implementation {
  std::string Name;
  std::function<void(const Case &, const T *A, const T *B, T *C, T *D)> Run;
  bool IsLoops, Bitwise;
};

template <typename T>
Implementation<T> loops(const char *Name, std::vector<Kernel<T>> F,
                        bool IsTilesmith) {
  auto Run = [=](const Case &X, const T *A, const T *B, T *C, T *D) {
    size_t Which =
        std::find(Operations, std::end(Operations), X.Operation) - Operations;
    F[Which](X.n, X.count(), A, B, C, D);
  };
  return {Name, Run, !IsTilesmith, true};
}

template <typename T>
Implementation<T> cblas(const char *Name, const Library &L) {
  using Gemm = void(int, int, int, int, int, int, T, const T *, int, const T *,
                    int, T, T *, int);
  using Syrk = void(int, int, int, int, int, T, const T *, int, T, T *, int);
  using Syr2k = void(int, int, int, int, int, T, const T *, int, const T *, int,
                     T, T *, int);
  using Trmm =
      void(int, int, int, int, int, int, int, T, const T *, int, T *, int);
  std::string Prefix = std::is_same_v<T, double> ? "cblas_d" : "cblas_s";
  auto *DoGemm = L.get<Gemm>((Prefix + "gemm").c_str());
  auto *DoSyrk = L.get<Syrk>((Prefix + "syrk").c_str());
  auto *DoSyr2k = L.get<Syr2k>((Prefix + "syr2k").c_str());
  auto *DoTrmm = L.get<Trmm>((Prefix + "trmm").c_str());
  auto Run = [=](const Case &X, const T *A, const T *B, T *C, T *D) {
    int n = X.n;
    auto Product = [&](const T *A, const T *B, T Beta, T *C) {
      DoGemm(RowMajor, NoTrans, NoTrans, n, n, n, 1, A, n, B, n, Beta, C, n);
    };
    if (X.Operation == "syrk")
      DoSyrk(RowMajor, Lower, NoTrans, n, n, 1, A, n, 1, C, n);
    else if (X.Operation == "trmm")
      DoTrmm(RowMajor, Left, Upper, NoTrans, Unit, n, n, 1, A, n, C, n);
    else if (X.Operation == "batch")
      for (long q = 0; q < X.count(); q++)
        Product(A + q * n * n, B + q * n * n, 1, C + q * n * n);
    else if (X.Operation == "chain")
      Product(A, B, 0, D), Product(D, A, 1, C);
    else
      DoSyr2k(RowMajor, Lower, NoTrans, n, n, 1, A, n, B, n, 1, C, n);
  };
  return {Name, Run, false, false};
}

/// Values so small that repeated products stay finite, in aligned memory.
template <typename T> std::vector<T *> makeMatrices(size_t Size) {
  std::mt19937 Random{1};
  std::uniform_real_distribution<T> Value(-1e-3, 1e-3);
  std::vector<T *> Result;
  for (int I = 0; I < 5; I++) {
    T *Data = new (std::align_val_t(64)) T[Size];
    std::generate(Data, Data + Size, [&] { return Value(Random); });
    Result.push_back(Data);
  }
  return Result;
}

template <typename T>
void registerAll(const std::string &Type,
                 const std::vector<Implementation<T>> &Is,
                 const std::regex &Filter) {
  const size_t Largest = 1500;
  static std::vector<T *> M = makeMatrices<T>(Largest * Largest);
  const T *A = M[0], *B = M[1];
  T *C = M[2], *D = M[3], *Want = M[4];
  for (const char *Operation : Operations)
    for (long n : {32, 64, 100, 128, 256, 500, 512, 1000, 1024, 1500}) {
      Case X{Operation, n};
      if (n > 1024 && X.Operation == "chain")
        continue;
      const size_t Size = n * n * X.count();
      std::vector<T> Before(C, C + Size), Expected;
      for (const Implementation<T> &I : Is) {
        std::string Name =
            I.Name + "/" + Type + "/" + Operation + "/" + std::to_string(n);
        if (!std::regex_search(Name, Filter))
          continue;
        if (Expected.empty()) {
          std::copy(Before.begin(), Before.end(), Want);
          Is.front().Run(X, A, B, Want, D);
          Expected.assign(Want, Want + Size);
        }
        std::copy(Before.begin(), Before.end(), Want);
        I.Run(X, A, B, Want, D);
        const T Tolerance = 4e-3 * n * std::numeric_limits<T>::epsilon();
        for (size_t E = 0; E < Size; E++)
          if (I.Bitwise ? std::memcmp(&Want[E], &Expected[E], sizeof(T))
                        : !(std::abs(Want[E] - Expected[E]) <= Tolerance)) {
            std::fprintf(stderr, "kin_bench: %s: element %zu is %a, not %a\n",
                         Name.c_str(), E, double(Want[E]), double(Expected[E]));
            std::exit(1);
          }
        if (I.IsLoops && n > 512)
          continue;
        benchmark::RegisterBenchmark(Name.c_str(),
                                     [=, Run = I.Run](benchmark::State &State) {
                                       for (auto _ : State) {
                                         Run(X, A, B, C, D);
                                         benchmark::ClobberMemory();
                                       }
                                       setGFlops(State, X.flops());
                                     });
      }
    }
}

template <typename T>
void registerType(const char *Type, std::vector<Kernel<T>> Naive,
                  std::vector<Kernel<T>> Tilesmith, const Library &OpenBLAS,
                  const Library &BLIS, const std::regex &Filter) {
  registerAll<T>(Type,
                 {loops("naive", Naive, false),
                  loops("tilesmith", Tilesmith, true),
                  cblas<T>("openblas", OpenBLAS), cblas<T>("blis", BLIS)},
                 Filter);
}

} // namespace

int main(int argc, char **argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv))
    return 1;
  const std::string FilterText = benchmark::GetBenchmarkFilter();
  const std::regex Filter(FilterText == "all" ? "" : FilterText,
                          std::regex::extended);
  const Library OpenBLAS = loadOpenBLAS(), BLIS = loadBLIS();
  registerType<double>("f64", KERNELS(naive, f64, double),
                       KERNELS(tilesmith, f64, double), OpenBLAS, BLIS, Filter);
  registerType<float>("f32", KERNELS(naive, f32, float),
                      KERNELS(tilesmith, f32, float), OpenBLAS, BLIS, Filter);
  benchmark::RunSpecifiedBenchmarks();
}
