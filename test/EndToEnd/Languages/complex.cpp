//===- complex.cpp - C++: std::complex ------------------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With -ffast-math, the data are such that all orders of summation give the same.
//
// RUN: env TILESMITH=min-work=1 %python %S/same_result.py --plugin %tilesmith --work %t %s -- %clangxx -O3 -march=native -fcx-limited-range
// RUN: env TILESMITH="min-work=1;mc=40;nc=48;kc=24" %python %S/same_result.py --plugin %tilesmith --work %t %s -- %clangxx -O2 -march=native -fcx-limited-range -ffp-contract=off
// RUN: env TILESMITH=min-work=1 %python %S/same_result.py --plugin %tilesmith --work %t %s -- %clangxx -O3 -march=native
// RUN: env TILESMITH=min-work=1 %python %S/same_result.py --plugin %tilesmith --work %t --unmarked %s -- %clangxx -O3 -march=native -ffast-math -DEXACT

#include "forms.h"
#include <complex>
#include <cstddef>
#include <vector>

template <class T> using Vector = std::vector<std::complex<T>>;

FORM void flat(size_t m, size_t n, size_t k, const Vector<double> &A, const Vector<double> &B, Vector<double> &C) { // REPLACED
  for (size_t i = 0; i < m; ++i)
    for (size_t j = 0; j < n; ++j)
      for (size_t p = 0; p < k; ++p)
        C[i * n + j] += A[i * k + p] * B[p * n + j];
}

FORM void sum(size_t m, size_t n, size_t k, const Vector<float> &A, const Vector<float> &B, Vector<float> &C) { // REPLACED
  for (size_t i = 0; i < m; ++i)
    for (size_t j = 0; j < n; ++j) {
      std::complex<float> s = 0;
      for (size_t p = 0; p < k; ++p)
        s += A[i * k + p] * B[p * n + j];
      C[i * n + j] = s;
    }
}

FORM void ikj(size_t m, size_t n, size_t k, const std::complex<double> *A, const std::complex<double> *B, // REPLACED
              std::complex<double> *__restrict C) {
  for (size_t i = 0; i < m; ++i)
    for (size_t p = 0; p < k; ++p)
      for (size_t j = 0; j < n; ++j)
        C[i * n + j] += A[i * k + p] * B[p * n + j];
}

FORM void conjugated(size_t m, size_t n, size_t k, const std::complex<double> *A, const std::complex<double> *B, std::complex<double> *C) { // REPLACED
  for (size_t i = 0; i < m; ++i)
    for (size_t j = 0; j < n; ++j) {
      std::complex<double> s = 0;
      for (size_t p = 0; p < k; ++p)
        s += std::conj(A[p * m + i]) * B[p * n + j];
      C[i * n + j] = s;
    }
}

FORM void real_factor(size_t m, size_t n, size_t k, const double *A, const std::complex<double> *B, std::complex<double> *C) { // REPLACED
  for (size_t i = 0; i < m; ++i)
    for (size_t j = 0; j < n; ++j) {
      std::complex<double> s = 0;
      for (size_t p = 0; p < k; ++p)
        s += A[i * k + p] * B[p * n + j];
      C[i * n + j] = s;
    }
}

FORM void scaled(size_t m, size_t n, size_t k, std::complex<double> alpha, const std::complex<double> *A, // REPLACED
                 const std::complex<double> *B, std::complex<double> beta, std::complex<double> *C) {
  for (size_t i = 0; i < m; ++i)
    for (size_t j = 0; j < n; ++j) {
      std::complex<double> s = 0;
      for (size_t p = 0; p < k; ++p)
        s += A[i * k + p] * B[p * n + j];
      C[i * n + j] = alpha * s + beta * C[i * n + j];
    }
}

// A number type of one's own, without the special cases for infinities.
template <class T> struct Number {
  T Re, Im;
  Number operator*(Number Y) const { return {Re * Y.Re - Im * Y.Im, Re * Y.Im + Im * Y.Re}; }
  Number operator+(Number Y) const { return {Re + Y.Re, Im + Y.Im}; }
  Number &operator+=(Number Y) { return *this = *this + Y; }
};

FORM void own_type(size_t m, size_t n, size_t k, const Number<double> *A, const Number<double> *B, Number<double> *C) { // REPLACED
  for (size_t i = 0; i < m; ++i)
    for (size_t j = 0; j < n; ++j)
      for (size_t p = 0; p < k; ++p)
        C[i * n + j] += A[i * k + p] * B[p * n + j];
}

FORM void own_type_sum(size_t m, size_t n, size_t k, const Number<float> *A, const Number<float> *B, Number<float> *C) { // MISSED: NoUpdate
  for (size_t i = 0; i < m; ++i)
    for (size_t j = 0; j < n; ++j) {
      Number<float> s{0, 0};
      for (size_t p = 0; p < k; ++p)
        s += A[i * k + p] * B[p * n + j];
      C[i * n + j] = s;
    }
}

template <class T> static Vector<T> make(int Matrix, size_t Size) {
  Vector<T> X(Size);
  for (size_t i = 0; i < Size; ++i)
    X[i] = {T(value(Matrix, 2 * i)), T(value(Matrix, 2 * i + 1))};
  return X;
}

template <class T, class Function> static void run(const char *Name, Function Form) {
  Vector<T> A = make<T>(1, M * K), B = make<T>(2, K * N), C = make<T>(3, M * N);
  Form(A, B, C);
  for (size_t i = 0; i < C.size(); ++i) {
    T Parts[2] = {C[i].real(), C[i].imag()};
    show(Name, 2 * i, Parts, sizeof(T));
    show(Name, 2 * i + 1, Parts + 1, sizeof(T));
  }
}

int main() {
  using D = Vector<double>;
  using F = Vector<float>;
  run<double>("flat", [](D &A, D &B, D &C) { flat(M, N, K, A, B, C); });
  run<float>("sum", [](F &A, F &B, F &C) { sum(M, N, K, A, B, C); });
  run<double>("ikj", [](D &A, D &B, D &C) { ikj(M, N, K, A.data(), B.data(), C.data()); });
  run<double>("conjugated", [](D &A, D &B, D &C) { conjugated(M, N, K, A.data(), B.data(), C.data()); });
  run<double>("real_factor", [](D &A, D &B, D &C) { real_factor(M, N, K, (double *)A.data(), B.data(), C.data()); });
  run<double>("scaled", [](D &A, D &B, D &C) { scaled(M, N, K, {2, 5}, A.data(), B.data(), {-3, 4}, C.data()); });
  run<double>("own_type", [](D &A, D &B, D &C) {
    own_type(M, N, K, (Number<double> *)A.data(), (Number<double> *)B.data(), (Number<double> *)C.data());
  });
  run<float>("own_type_sum", [](F &A, F &B, F &C) {
    own_type_sum(M, N, K, (Number<float> *)A.data(), (Number<float> *)B.data(), (Number<float> *)C.data());
  });
}
