//===- classes.cpp - C++: matrix classes of one's own ---------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// RUN: env TILESMITH=min-work=1 %python %S/same_result.py --plugin %tilesmith --work %t %s -- %clangxx -O3 -march=native
// RUN: env TILESMITH="min-work=1;mc=40;nc=48;kc=24" %python %S/same_result.py --plugin %tilesmith --work %t %s -- %clangxx -O2 -march=native -ffp-contract=off -fno-exceptions

#include "forms.h"
#include <cassert>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <vector>

#define INLINE __attribute__((always_inline)) inline

// The product itself, for every class with operator().
template <class MA, class MB, class MC> INLINE void multiply(const MA &A, const MB &B, MC &C) {
  for (int i = 0; i < C.rows(); ++i)
    for (int j = 0; j < C.columns(); ++j)
      for (int p = 0; p < A.columns(); ++p)
        C(i, j) += A(i, p) * B(p, j);
}

template <class MA, class MB, class MC> INLINE void multiply_sum(const MA &A, const MB &B, MC &C) {
  for (int i = 0; i < C.rows(); ++i)
    for (int j = 0; j < C.columns(); ++j) {
      double s = 0;
      for (int p = 0; p < A.columns(); ++p)
        s += A(i, p) * B(p, j);
      C(i, j) = s;
    }
}

template <class MA, class MB, class MC> INLINE void multiply_ikj(const MA &A, const MB &B, MC &C) {
  for (int i = 0; i < C.rows(); ++i)
    for (int p = 0; p < A.columns(); ++p)
      for (int j = 0; j < C.columns(); ++j)
        C(i, j) += A(i, p) * B(p, j);
}

// A pointer and sizes.
class Matrix {
  double *Data;
  int Rows, Columns;

public:
  Matrix(int Rows, int Columns) : Data(new double[Rows * Columns]()), Rows(Rows), Columns(Columns) {}
  Matrix(const Matrix &Other) : Matrix(Other.Rows, Other.Columns) { memcpy(Data, Other.Data, sizeof(double) * Rows * Columns); }
  Matrix &operator=(const Matrix &) = delete;
  ~Matrix() { delete[] Data; }
  int rows() const { return Rows; }
  int columns() const { return Columns; }
  double &operator()(int i, int j) { return Data[i * Columns + j]; }
  const double &operator()(int i, int j) const { return Data[i * Columns + j]; }
};

FORM void pointer_class(const Matrix &A, const Matrix &B, Matrix &C) { multiply(A, B, C); }         // REPLACED
FORM void pointer_class_sum(const Matrix &A, const Matrix &B, Matrix &C) { multiply_sum(A, B, C); } // REPLACED
FORM void pointer_class_ikj(const Matrix &A, const Matrix &B, Matrix &C) { multiply_ikj(A, B, C); } // REPLACED

FORM Matrix operator_times(const Matrix &A, const Matrix &B) { // REPLACED
  Matrix C(A.rows(), B.columns());
  multiply(A, B, C);
  return C;
}

// A vector and sizes.
template <class T> class VectorMatrix {
  std::vector<T> Data;
  size_t Rows, Columns;

public:
  VectorMatrix(size_t Rows, size_t Columns) : Data(Rows * Columns), Rows(Rows), Columns(Columns) {}
  int rows() const { return Rows; }
  int columns() const { return Columns; }
  T &operator()(size_t i, size_t j) { return Data[i * Columns + j]; }
  const T &operator()(size_t i, size_t j) const { return Data[i * Columns + j]; }
};

using VM = VectorMatrix<double>;
using FM = VectorMatrix<float>;
FORM void vector_class(const VM &A, const VM &B, VM &C) { multiply(A, B, C); }                  // REPLACED
FORM void vector_class_sum(const VM &A, const VM &B, VM &C) { multiply_sum(A, B, C); }          // REPLACED
FORM void vector_class_ikj(const VM &A, const VM &B, VM &C) { multiply_ikj(A, B, C); }          // REPLACED
FORM void vector_class_float(const FM &A, const FM &B, FM &C) { multiply(A, B, C); }            // REPLACED
FORM void vector_class_float_sum(const FM &A, const FM &B, VM &C) { multiply_sum(A, B, C); }    // REPLACED
// The elements might be the sizes.
using LM = VectorMatrix<long>;
FORM void vector_class_long(const LM &A, const LM &B, LM &C) { multiply(A, B, C); }             // REPLACED

// operator[] returns a row.
class RowMatrix {
  std::vector<double> Data;
  int Rows, Columns;

public:
  class Row {
    double *Begin;

  public:
    explicit Row(double *Begin) : Begin(Begin) {}
    double &operator[](int j) const { return Begin[j]; }
  };
  RowMatrix(int Rows, int Columns) : Data(Rows * Columns), Rows(Rows), Columns(Columns) {}
  int rows() const { return Rows; }
  int columns() const { return Columns; }
  Row operator[](int i) { return Row(&Data[i * Columns]); }
  const double *operator[](int i) const { return Data.data() + i * Columns; }
  double &operator()(int i, int j) { return (*this)[i][j]; }
  double operator()(int i, int j) const { return (*this)[i][j]; }
};

FORM void row_class(const RowMatrix &A, const RowMatrix &B, RowMatrix &C) { // REPLACED
  for (int i = 0; i < C.rows(); ++i)
    for (int j = 0; j < C.columns(); ++j)
      for (int p = 0; p < A.columns(); ++p)
        C[i][j] += A[i][p] * B[p][j];
}

FORM void row_class_auto(const RowMatrix &A, const RowMatrix &B, RowMatrix &C) { // REPLACED
  for (int i = 0; i < C.rows(); ++i) {
    auto c = C[i];
    auto a = A[i];
    for (int p = 0; p < A.columns(); ++p) {
      auto b = B[p];
      for (int j = 0; j < C.columns(); ++j)
        c[j] += a[p] * b[j];
    }
  }
}

// A proxy that knows its matrix, and finds the element at the end.
class ProxyMatrix {
  std::vector<double> Data;
  int Rows, Columns;

public:
  template <class M> struct Row {
    M &Matrix;
    int i;
    auto &operator[](int j) const { return Matrix(i, j); }
  };
  ProxyMatrix(int Rows, int Columns) : Data(Rows * Columns), Rows(Rows), Columns(Columns) {}
  int rows() const { return Rows; }
  int columns() const { return Columns; }
  double &operator()(int i, int j) { return Data[i * Columns + j]; }
  const double &operator()(int i, int j) const { return Data[i * Columns + j]; }
  Row<ProxyMatrix> operator[](int i) { return {*this, i}; }
  Row<const ProxyMatrix> operator[](int i) const { return {*this, i}; }
};

FORM void proxy_class(const ProxyMatrix &A, const ProxyMatrix &B, ProxyMatrix &C) { // REPLACED
  for (int i = 0; i < C.rows(); ++i)
    for (int j = 0; j < C.columns(); ++j)
      for (int p = 0; p < A.columns(); ++p)
        C[i][j] += A[i][p] * B[p][j];
}

// The storage order is a parameter.
enum Order { RowMajor, ColumnMajor };
template <class T, Order O> class OrderedMatrix {
  std::unique_ptr<T[]> Data;
  size_t Rows, Columns;

public:
  OrderedMatrix(size_t Rows, size_t Columns) : Data(new T[Rows * Columns]()), Rows(Rows), Columns(Columns) {}
  int rows() const { return Rows; }
  int columns() const { return Columns; }
  T &operator()(size_t i, size_t j) { return Data[O == RowMajor ? i * Columns + j : i + j * Rows]; }
  const T &operator()(size_t i, size_t j) const { return Data[O == RowMajor ? i * Columns + j : i + j * Rows]; }
};

using R = OrderedMatrix<double, RowMajor>;
using S = OrderedMatrix<double, ColumnMajor>;
FORM void orders_rrr(const R &A, const R &B, R &C) { multiply(A, B, C); }     // REPLACED
FORM void orders_rsr(const R &A, const S &B, R &C) { multiply_sum(A, B, C); } // REPLACED
FORM void orders_srs(const S &A, const R &B, S &C) { multiply_ikj(A, B, C); } // REPLACED
FORM void orders_sss(const S &A, const S &B, S &C) { multiply(A, B, C); }     // REPLACED

// The storage order is known at run time only.
class StridedMatrix {
  double *Data;
  int Rows, Columns;
  ptrdiff_t RowStride, ColumnStride;

public:
  StridedMatrix(double *Data, int Rows, int Columns, ptrdiff_t RowStride, ptrdiff_t ColumnStride)
      : Data(Data), Rows(Rows), Columns(Columns), RowStride(RowStride), ColumnStride(ColumnStride) {}
  int rows() const { return Rows; }
  int columns() const { return Columns; }
  double &operator()(int i, int j) const { return Data[i * RowStride + j * ColumnStride]; }
  StridedMatrix transposed() const { return {Data, Columns, Rows, ColumnStride, RowStride}; }
};

FORM void strided_class(const StridedMatrix &A, const StridedMatrix &B, StridedMatrix &C) { multiply(A, B, C); }         // REPLACED
FORM void strided_class_ikj(const StridedMatrix &A, const StridedMatrix &B, StridedMatrix &C) { multiply_ikj(A, B, C); } // REPLACED
FORM void strided_class_transposed(StridedMatrix A, StridedMatrix B, StridedMatrix C) {                                  // REPLACED
  auto Ct = C.transposed();
  multiply(B.transposed(), A.transposed(), Ct);
}

// All sizes are constant.
template <class T, int m, int n> struct FixedMatrix {
  T Data[m][n];
  static constexpr int rows() { return m; }
  static constexpr int columns() { return n; }
  T &operator()(int i, int j) { return Data[i][j]; }
  const T &operator()(int i, int j) const { return Data[i][j]; }
};

FORM void fixed_class(const FixedMatrix<double, M, K> &A, const FixedMatrix<double, K, N> &B, FixedMatrix<double, M, N> &C) { // REPLACED
  multiply(A, B, C);
}

template <class T, int m, int n, int k>
INLINE FixedMatrix<T, m, n> operator*(const FixedMatrix<T, m, k> &A, const FixedMatrix<T, k, n> &B) {
  FixedMatrix<T, m, n> C{};
  multiply(A, B, C);
  return C;
}
FORM void fixed_class_operator(const FixedMatrix<double, M, K> &A, const FixedMatrix<double, K, N> &B, FixedMatrix<double, M, N> &C) { // REPLACED
  C = A * B;
}

// Indices are checked, by an exception and by abort.
class CheckedMatrix {
  std::vector<double> Data;
  int Rows, Columns;
  int index(int i, int j) const {
#ifdef __cpp_exceptions
    if (i < 0 || i >= Rows || j < 0 || j >= Columns)
      throw std::out_of_range("CheckedMatrix");
#else
    if (i < 0 || i >= Rows || j < 0 || j >= Columns)
      __builtin_trap();
#endif
    return i * Columns + j;
  }

public:
  CheckedMatrix(int Rows, int Columns) : Data(Rows * Columns), Rows(Rows), Columns(Columns) {}
  int rows() const { return Rows; }
  int columns() const { return Columns; }
  double &operator()(int i, int j) { return Data[index(i, j)]; }
  const double &operator()(int i, int j) const { return Data[index(i, j)]; }
};

FORM void checked_class(const CheckedMatrix &A, const CheckedMatrix &B, CheckedMatrix &C) { multiply(A, B, C); } // REPLACED

class AssertedMatrix {
  std::vector<double> Data;
  size_t Rows, Columns;

public:
  AssertedMatrix(int Rows, int Columns) : Data(Rows * Columns), Rows(Rows), Columns(Columns) {}
  int rows() const { return Rows; }
  int columns() const { return Columns; }
  double &operator()(size_t i, size_t j) { return assert(i < Rows && j < Columns), Data[i * Columns + j]; }
  const double &operator()(size_t i, size_t j) const { return assert(i < Rows && j < Columns), Data[i * Columns + j]; }
};

FORM void asserted_class(const AssertedMatrix &A, const AssertedMatrix &B, AssertedMatrix &C) { multiply(A, B, C); } // REPLACED

// A base class knows the operations, a derived one the elements.
template <class Derived> struct Base {
  double &operator()(int i, int j) { return derived().at(i, j); }
  const double &operator()(int i, int j) const { return const_cast<Derived &>(derived()).at(i, j); }
  Derived &derived() { return static_cast<Derived &>(*this); }
  const Derived &derived() const { return static_cast<const Derived &>(*this); }
};
struct Dense : Base<Dense> {
  std::vector<double> Data;
  int Rows, Columns;
  Dense(int Rows, int Columns) : Data(Rows * Columns), Rows(Rows), Columns(Columns) {}
  int rows() const { return Rows; }
  int columns() const { return Columns; }
  double &at(int i, int j) { return Data[i * Columns + j]; }
};
FORM void derived_class(const Dense &A, const Dense &B, Dense &C) { multiply(A, B, C); } // REPLACED

struct Abstract {
  virtual ~Abstract() = default;
  virtual double &operator()(int i, int j) = 0;
  virtual double operator()(int i, int j) const = 0;
  virtual int rows() const = 0;
  virtual int columns() const = 0;
};
struct Final final : Abstract {
  std::vector<double> Data;
  int Rows, Columns;
  Final(int Rows, int Columns) : Data(Rows * Columns), Rows(Rows), Columns(Columns) {}
  double &operator()(int i, int j) override { return Data[i * Columns + j]; }
  double operator()(int i, int j) const override { return Data[i * Columns + j]; }
  int rows() const override { return Rows; }
  int columns() const override { return Columns; }
};
FORM void final_class(const Final &A, const Final &B, Final &C) { multiply(A, B, C); }             // REPLACED
FORM void virtual_class(const Abstract &A, const Abstract &B, Abstract &C) { multiply(A, B, C); }  // MISSED: Call

// Expressions that are evaluated when they are assigned.
template <class L, class R> struct Product {
  const L &Left;
  const R &Right;
  int rows() const { return Left.rows(); }
  int columns() const { return Right.columns(); }
  double operator()(int i, int j) const {
    double s = 0;
    for (int p = 0; p < Left.columns(); ++p)
      s += Left(i, p) * Right(p, j);
    return s;
  }
};
template <class X> struct Transposed {
  const X &Inner;
  int rows() const { return Inner.columns(); }
  int columns() const { return Inner.rows(); }
  double operator()(int i, int j) const { return Inner(j, i); }
};
template <class X> struct Scaled {
  double Factor;
  const X &Inner;
  int rows() const { return Inner.rows(); }
  int columns() const { return Inner.columns(); }
  double operator()(int i, int j) const { return Factor * Inner(i, j); }
};
template <class X> inline void assign(VM &C, const X &Expression) {
  for (int i = 0; i < C.rows(); ++i)
    for (int j = 0; j < C.columns(); ++j)
      C(i, j) = Expression(i, j);
}

FORM void expression(const VM &A, const VM &B, VM &C) { assign(C, Product<VM, VM>{A, B}); } // REPLACED
FORM void expression_transposed(const VM &A, const VM &B, VM &C) {                         // REPLACED
  Transposed<VM> Bt{B}, At{A};
  Product<Transposed<VM>, Transposed<VM>> BtAt{Bt, At};
  assign(C, Transposed<decltype(BtAt)>{BtAt});
}
FORM void expression_scaled(double alpha, const VM &A, const VM &B, VM &C) { // REPLACED
  Product<VM, VM> AB{A, B};
  assign(C, Scaled<decltype(AB)>{alpha, AB});
}
FORM void expression_scaled_factor(double alpha, const VM &A, const VM &B, VM &C) { // REPLACED
  Scaled<VM> Left{alpha, A};
  assign(C, Product<decltype(Left), VM>{Left, B});
}

template <class X> static X make(int Number, int Rows, int Columns) {
  X Result(Rows, Columns);
  fill(Number, Rows, Columns, [&](int i, int j) -> auto & { return Result(i, j); });
  return Result;
}
template <class X> static void print(const char *Form, X &C) {
  show(Form, M, N, [&](int i, int j) -> auto & { return C(i, j); });
}

// Runs `Form` on matrices of the types MA, MB and MC.
template <class MA, class MB = MA, class MC = MA, class Function> static void run(const char *Name, Function Form) {
  MA A = make<MA>(1, M, K);
  MB B = make<MB>(2, K, N);
  MC C = make<MC>(3, M, N);
  Form(A, B, C);
  print(Name, C);
}
#define RUN(FORM, ...) run<__VA_ARGS__>(#FORM, FORM)

int main() {
  RUN(pointer_class, Matrix);
  RUN(pointer_class_sum, Matrix);
  RUN(pointer_class_ikj, Matrix);
  Matrix A = make<Matrix>(1, M, K), B = make<Matrix>(2, K, N), AB = operator_times(A, B);
  print("operator_times", AB);
  RUN(vector_class, VM);
  RUN(vector_class_sum, VM);
  RUN(vector_class_ikj, VM);
  RUN(vector_class_float, FM);
  RUN(vector_class_float_sum, FM, FM, VM);
  RUN(vector_class_long, LM);
  RUN(row_class, RowMatrix);
  RUN(row_class_auto, RowMatrix);
  RUN(proxy_class, ProxyMatrix);
  RUN(orders_rrr, R);
  RUN(orders_rsr, R, S);
  RUN(orders_srs, S, R, S);
  RUN(orders_sss, S);
  Matrix C = make<Matrix>(3, M, N);
  StridedMatrix SA(&A(0, 0), M, K, K, 1), SB(&B(0, 0), K, N, 1, K), SC(&C(0, 0), M, N, N, 1);
  strided_class(SA, SB, SC), print("strided_class", C);
  strided_class_ikj(SA, SB, SC), print("strided_class_ikj", C);
  strided_class_transposed(SA, SB, SC), print("strided_class_transposed", C);
  static FixedMatrix<double, M, K> FA;
  static FixedMatrix<double, K, N> FB;
  static FixedMatrix<double, M, N> FC;
  memcpy(&FA, &A(0, 0), sizeof FA), memcpy(&FB, &B(0, 0), sizeof FB);
  fixed_class(FA, FB, FC), print("fixed_class", FC);
  fixed_class_operator(FA, FB, FC), print("fixed_class_operator", FC);
  RUN(checked_class, CheckedMatrix);
  RUN(asserted_class, AssertedMatrix);
  RUN(derived_class, Dense);
  RUN(final_class, Final);
  RUN(virtual_class, Final);
  RUN(expression, VM);
  RUN(expression_transposed, VM);
  run<VM>("expression_scaled", [](VM &A, VM &B, VM &C) { expression_scaled(0.7, A, B, C); });
  run<VM>("expression_scaled_factor", [](VM &A, VM &B, VM &C) { expression_scaled_factor(0.7, A, B, C); });
}
