//===- vectors_bench.cpp - matrices times vectors, beside libraries -------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Products are read from the standard input, a line each: the loops (a form below), the type, M, N, and
// the columns of what A is multiplied by, how much longer A's lines are (scaled), or the stride of vectors (strided).
// One line is printed for each: nanoseconds of Tilesmith's loops, of clang's, of OpenBLAS, of BLIS and of Eigen, and of
// a loop that only reads A, or half of it.
// The best of many short rounds, in turn.
//
//===----------------------------------------------------------------------===//

#include "libraries.h"
#include "vectors_eigen.h"
#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <iostream>
#include <vector>

namespace {

template <typename T>
using Loops = void(long, long, long, const T *, const T *, T *);

} // namespace

extern "C" {
#ifdef __AVX512F__
const int peak_vector_bits = 512;
#else
const int peak_vector_bits = 256;
#endif
#define FORMS(X)                                                               \
  X(rows)                                                                      \
  X(transposed)                                                                \
  X(columns)                                                                   \
  X(sweep)                                                                     \
  X(table)                                                                     \
  X(lower)                                                                     \
  X(upper)                                                                     \
  X(symmetric)                                                                 \
  X(thin)                                                                      \
  X(thincolumns)                                                               \
  X(thinmixed)                                                                 \
  X(scaled_rows)                                                               \
  X(scaled_transposed)                                                         \
  X(scaled_columns)                                                            \
  X(scaled_sweep)                                                              \
  X(strided_rows)                                                              \
  X(strided_transposed)                                                        \
  X(strided_columns)                                                           \
  X(strided_sweep)
#define DECLARE_FORM(FORM)                                                     \
  Loops<double> tilesmith_##FORM##_f64, clang_##FORM##_f64;                    \
  Loops<float> tilesmith_##FORM##_f32, clang_##FORM##_f32;
FORMS(DECLARE_FORM)
}

namespace {

/// The functions of one type.
template <typename T> struct Functions;
#define FUNCTIONS(T, TYPE, LETTER)                                             \
  template <> struct Functions<T> {                                            \
    static Loops<T> *get(const std::string &Form, bool IsOurs) {               \
      FORMS(RETURN_##TYPE)                                                     \
      std::cerr << Form << ": no such loops\n";                                \
      std::exit(1);                                                            \
    }                                                                          \
    static constexpr const char *Gemv = "cblas_" LETTER "gemv",                \
                                *Trmv = "cblas_" LETTER "trmv",                \
                                *Symv = "cblas_" LETTER "symv",                \
                                *Gemm = "cblas_" LETTER "gemm";                \
  };
#define RETURN_FORM(FORM, TYPE)                                                \
  if (Form == #FORM)                                                           \
    return IsOurs ? tilesmith_##FORM##_##TYPE : clang_##FORM##_##TYPE;
#define RETURN_f64(FORM) RETURN_FORM(FORM, f64)
#define RETURN_f32(FORM) RETURN_FORM(FORM, f32)
FUNCTIONS(double, f64, "d")
FUNCTIONS(float, f32, "s")

template <typename T>
using GemvFn = void(int, int, int, int, T, const T *, int, const T *, int, T,
                    T *, int);
template <typename T>
using GemmFn = void(int, int, int, int, int, int, T, const T *, int, const T *,
                    int, T, T *, int);

template <typename T>
using TrmvFn = void(int, int, int, int, int, const T *, int, T *, int);
template <typename T>
using SymvFn = void(int, int, int, T, const T *, int, const T *, int, T, T *,
                    int);

/// Of CBLAS.
enum { UpperHalf = 121, LowerHalf = 122, NonUnit = 131 };

template <typename T>
void callLibrary(const Library &L, const Product &P, const T *A, const T *X,
                 T *Y) {
  if (P.Form == "thin") {
    L.get<GemmFn<T>>(Functions<T>::Gemm)(RowMajor, NoTrans, NoTrans, P.M, P.Few,
                                         P.N, 1, A, P.N, X, P.Few, 0, Y, P.Few);
    return;
  }
  if (P.isThin()) {
    auto OfA = P.Form == "thinmixed" ? Trans : NoTrans;
    L.get<GemmFn<T>>(Functions<T>::Gemm)(ColMajor, OfA, NoTrans, P.M, P.Few,
                                         P.N, 1, A, OfA == Trans ? P.N : P.M, X,
                                         P.N, 0, Y, P.M);
    return;
  }
  if (P.isTriangle()) {
    std::copy(X, X + P.M, Y);
    L.get<TrmvFn<T>>(Functions<T>::Trmv)(
        RowMajor, P.Form == "lower" ? LowerHalf : UpperHalf, NoTrans, NonUnit,
        P.M, A, P.N, Y, 1);
    return;
  }
  if (P.Form == "symmetric") {
    L.get<SymvFn<T>>(Functions<T>::Symv)(RowMajor, LowerHalf, P.M, 1, A, P.N, X,
                                         1, 0, Y, 1);
    return;
  }
  auto *Gemv = L.get<GemvFn<T>>(Functions<T>::Gemv);
  T Alpha = P.isOfBLAS() ? T(0.75) : 1,
    Beta = P.isOfBLAS() ? T(0.5) : P.hasColumnsOutermost();
  int Line = P.line(), Stride = P.stride();
  if (P.isByColumns())
    Gemv(RowMajor, Trans, P.N, P.M, Alpha, A, Line, X, Stride, Beta, Y, Stride);
  else
    Gemv(RowMajor, NoTrans, P.M, P.N, Alpha, A, Line, X, Stride, Beta, Y,
         Stride);
}

/// Reads memory as fast as it can be read.
__attribute__((noinline)) double readAll(const char *Data, size_t Bytes) {
  using Vector = double __attribute__((vector_size(64), aligned(8)));
  Vector Sums[8] = {};
  for (size_t At = 0; At + 512 <= Bytes; At += 512)
    for (int I = 0; I < 8; ++I)
      Sums[I] += *reinterpret_cast<const Vector *>(Data + At + 64 * I);
  double Result = 0;
  for (const Vector &Sum : Sums)
    Result += Sum[0];
  return Result;
}

double seconds(const std::function<void()> &Run, long Times) {
  auto Begin = std::chrono::steady_clock::now();
  for (long I = 0; I < Times; ++I)
    Run();
  std::chrono::duration<double> Took = std::chrono::steady_clock::now() - Begin;
  return Took.count() / Times;
}

/// Ours and clang's are to be equal, the libraries' are to be close.
template <typename T>
void check(const Product &P, const std::vector<T> *Results) {
  for (size_t I = 0; I < Results[0].size(); ++I) {
    double Ours = Results[0][I];
    bool AreFar = false;
    for (int Other : {2, 3, 4})
      AreFar |=
          std::fabs(Ours - Results[Other][I]) > 1e-3 * (1 + std::fabs(Ours));
    if (std::memcmp(&Results[0][I], &Results[1][I], sizeof(T)) || AreFar) {
      std::cerr << P.Form << ": other results\n";
      std::exit(1);
    }
  }
}

template <typename T>
void measure(const Product &P, const Library &OpenBLAS, const Library &BLIS) {
  std::vector<T> A(P.line() * P.numLines()), X(P.N * P.perElement());
  for (size_t I = 0; I < A.size(); ++I)
    A[I] = T(I * 7 % 23) / 16 - T(0.7);
  for (size_t I = 0; I < X.size(); ++I)
    X[I] = T(I * 5 % 19) / 32 - T(0.3);
  std::vector<const T *> Rows(P.M);
  for (long I = 0; I < P.M; ++I)
    Rows[I] = A.data() + I * P.N;
  bool IsTable = P.Form == "table";
  auto *OfLoops = IsTable ? reinterpret_cast<const T *>(Rows.data()) : A.data();
  std::vector<T> Y[5];
  for (auto &Result : Y)
    Result.resize(P.M * P.perElement(), T(0.25));
  volatile double Sink;
  auto Run = [&](Loops<T> *F, int At) {
    return [&, F, At] { F(P.M, P.N, P.Few, OfLoops, X.data(), Y[At].data()); };
  };
  const std::function<void()> All[] = {
      Run(Functions<T>::get(P.Form, true), 0),
      Run(Functions<T>::get(P.Form, false), 1),
      [&] { callLibrary(OpenBLAS, P, A.data(), X.data(), Y[2].data()); },
      [&] { callLibrary(BLIS, P, A.data(), X.data(), Y[3].data()); },
      [&] { callEigen(P, A.data(), X.data(), Y[4].data()); },
      [&] {
        Sink = readAll(reinterpret_cast<char *>(A.data()),
                       P.M * P.N * sizeof(T) / (P.isHalf() ? 2 : 1));
      }};
  for (const auto &Run : All)
    Run();
  check(P, Y);
  constexpr int Rounds = 60;
  constexpr int Count = std::size(All);
  double Best[Count];
  std::fill(Best, Best + Count, HUGE_VAL);
  for (int Round = 0; Round < Rounds; ++Round) {
    for (int I = 0; I < Count; ++I) {
      long Times = Round ? std::max(1L, long(3e-4 / Best[I])) : 1;
      Best[I] = std::min(Best[I], seconds(All[I], Times));
    }
    if (Round >= 8 && Best[0] > 0.005)
      break;
  }
  std::printf("%s %s %ld %ld %ld", P.Form.c_str(),
              sizeof(T) == 8 ? "f64" : "f32", P.M, P.N, P.Few);
  for (double Of : Best)
    std::printf(" %.1f", Of * 1e9);
  std::printf("\n");
  std::fflush(stdout);
}

} // namespace

int main() {
  Library OpenBLAS = loadOpenBLAS(), BLIS = loadBLIS();
  Product P;
  std::string Type;
  while (std::cin >> P.Form >> Type >> P.M >> P.N >> P.Few)
    Type == "f64" ? measure<double>(P, OpenBLAS, BLIS)
                  : measure<float>(P, OpenBLAS, BLIS);
}
