//===- Eigen.cpp - libTilesmithEigen --------------------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions with the arguments of CBLAS, computed by Eigen, for float (f32),
// double (f64), and integers that wrap (i32, i64):
//
//   tilesmith_eigen_gemm_*    C = alpha * op(A)*op(B) + beta*C
//   tilesmith_eigen_syrk_*    a triangle of C = alpha * op(A)*op(A)' + beta*C
//   tilesmith_eigen_syr2k_*   ... of C = alpha * (op(A)*op(B)' + op(B)*op(A)')
//                             + beta*C, for both with op(A) of N x K
//   tilesmith_eigen_symm_*    C = alpha * A*B + beta*C or alpha * B*A + beta*C,
//                             with a symmetric A, of which one half is read
//   tilesmith_eigen_trmm_*    C = alpha * op(A)*C or alpha * C*op(A), in place,
//                             with a triangular A
//
// Everything is reduced to a column-major C: a row-major one is the transpose
// of a column-major one. If beta is zero, C is not read.
//
//===----------------------------------------------------------------------===//

#include <Eigen/Core>
#include <cstdint>
#include <type_traits>

namespace {

// The constants of CBLAS.
enum Order { RowMajor = 101, ColMajor = 102 };
enum Trans { NoTrans = 111, Transposed = 112 };
enum UpLo { Upper = 121, Lower = 122 };
enum Diag { NonUnit = 131, Unit = 132 };
enum Side { Left = 141, Right = 142 };

template <typename T, int Layout>
using Input =
    Eigen::Map<const Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Layout>,
               Eigen::Unaligned, Eigen::OuterStride<>>;
template <typename T>
using Output = Eigen::Map<Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>,
                          Eigen::Unaligned, Eigen::OuterStride<>>;

/// C = beta*C, where C is a matrix or one triangle of it.
template <typename T, typename Part> void scale(Part &&C, T Beta) {
  if (Beta == T(0))
    C.setZero();
  else if (Beta != T(1))
    C *= Beta;
}

/// Calls Then with the \p Rows x \p Columns matrix at \p X, seen from a
/// column-major C.
template <typename T, typename Function>
void withInput(bool ByColumns, const T *X, int Rows, int Columns, int Ld,
               Function Then) {
  if (ByColumns)
    Then(Input<T, Eigen::ColMajor>(X, Rows, Columns, Eigen::OuterStride<>(Ld)));
  else
    Then(Input<T, Eigen::RowMajor>(X, Rows, Columns, Eigen::OuterStride<>(Ld)));
}

template <typename T>
void gemm(int Layout, int TransA, int TransB, int M, int N, int K, T Alpha,
          const T *A, int LdA, const T *B, int LdB, T Beta, T *C, int LdC) {
  if (Layout == RowMajor)
    return gemm<T>(ColMajor, TransB, TransA, N, M, K, Alpha, B, LdB, A, LdA,
                   Beta, C, LdC);
  Output<T> Result(C, M, N, Eigen::OuterStride<>(LdC));
  scale(Result, Beta);
  withInput<T>(TransA == NoTrans, A, M, K, LdA, [&](const auto &X) {
    withInput<T>(TransB == NoTrans, B, K, N, LdB,
                 [&](const auto &Y) { Result.noalias() += Alpha * X * Y; });
  });
}

/// With a null \p B, syrk.
template <typename T>
void rankUpdate(int Layout, int Half, int Trans, int N, int K, T Alpha,
                const T *A, int LdA, const T *B, int LdB, T Beta, T *C,
                int LdC) {
  if (Layout == RowMajor)
    return rankUpdate<T>(ColMajor, Half == Lower ? Upper : Lower,
                         Trans == NoTrans ? Transposed : NoTrans, N, K, Alpha,
                         A, LdA, B, LdB, Beta, C, LdC);
  auto Update = [&](auto Triangle) {
    scale(Triangle, Beta);
    withInput<T>(Trans == NoTrans, A, N, K, LdA, [&](const auto &X) {
      if (!B) {
        Triangle += Alpha * X * X.transpose();
        return;
      }
      using Map = std::decay_t<decltype(X)>;
      Map Y(B, N, K, Eigen::OuterStride<>(LdB));
      Triangle += Alpha * X * Y.transpose();
      Triangle += Alpha * Y * X.transpose();
    });
  };
  Output<T> Result(C, N, N, Eigen::OuterStride<>(LdC));
  if (Half == Lower)
    Update(Result.template triangularView<Eigen::Lower>());
  else
    Update(Result.template triangularView<Eigen::Upper>());
}

template <typename T>
void symmetricProduct(int Layout, int Of, int Half, int M, int N, T Alpha,
                      const T *A, int LdA, const T *B, int LdB, T Beta, T *C,
                      int LdC) {
  if (Layout == RowMajor)
    return symmetricProduct<T>(ColMajor, Of == Left ? Right : Left,
                               Half == Lower ? Upper : Lower, N, M, Alpha, A,
                               LdA, B, LdB, Beta, C, LdC);
  Output<T> Result(C, M, N, Eigen::OuterStride<>(LdC));
  scale(Result, Beta);
  int Size = Of == Left ? M : N;
  Input<T, Eigen::ColMajor> X(A, Size, Size, Eigen::OuterStride<>(LdA)),
      Y(B, M, N, Eigen::OuterStride<>(LdB));
  auto Multiply = [&](const auto &Symmetric) {
    if (Of == Left)
      Result.noalias() += Alpha * Symmetric * Y;
    else
      Result.noalias() += Alpha * Y * Symmetric;
  };
  auto MultiplyHalf = [&](const auto &Stored) {
    // Eigen 3.4 computes wrong elements with integers.
    if constexpr (std::is_integral_v<T>)
      Multiply(Stored.toDenseMatrix());
    else
      Multiply(Stored);
  };
  if (Half == Lower)
    MultiplyHalf(X.template selfadjointView<Eigen::Lower>());
  else
    MultiplyHalf(X.template selfadjointView<Eigen::Upper>());
}

template <typename T>
void triangularProduct(int Layout, int Of, int Half, int Trans, int Diagonal,
                       int M, int N, T Alpha, const T *A, int LdA, T *C,
                       int LdC) {
  if (Layout == RowMajor)
    return triangularProduct<T>(ColMajor, Of == Left ? Right : Left,
                                Half == Lower ? Upper : Lower, Trans, Diagonal,
                                N, M, Alpha, A, LdA, C, LdC);
  Output<T> Result(C, M, N, Eigen::OuterStride<>(LdC));
  int Size = Of == Left ? M : N;
  // Eigen computes it in a matrix of its own.
  auto Multiply = [&](const auto &Triangle) {
    if (Of == Left)
      Result = Triangle * (Alpha * Result);
    else
      Result = (Alpha * Result) * Triangle;
  };
  withInput<T>(Trans == NoTrans, A, Size, Size, LdA, [&](const auto &X) {
    // The half of op(A).
    if ((Half == Lower) == (Trans == NoTrans)) {
      if (Diagonal == Unit)
        Multiply(X.template triangularView<Eigen::UnitLower>());
      else
        Multiply(X.template triangularView<Eigen::Lower>());
    } else if (Diagonal == Unit) {
      Multiply(X.template triangularView<Eigen::UnitUpper>());
    } else {
      Multiply(X.template triangularView<Eigen::Upper>());
    }
  });
}

} // namespace

#define EXPORT extern "C" __attribute__((visibility("default"))) void

#define DEFINE(Name, T)                                                        \
  EXPORT tilesmith_eigen_gemm_##Name(                                          \
      int Layout, int TransA, int TransB, int M, int N, int K, T Alpha,        \
      const T *A, int LdA, const T *B, int LdB, T Beta, T *C, int LdC) {       \
    gemm<T>(Layout, TransA, TransB, M, N, K, Alpha, A, LdA, B, LdB, Beta, C,   \
            LdC);                                                              \
  }                                                                            \
  EXPORT tilesmith_eigen_syrk_##Name(int Layout, int Half, int Trans, int N,   \
                                     int K, T Alpha, const T *A, int LdA,      \
                                     T Beta, T *C, int LdC) {                  \
    rankUpdate<T>(Layout, Half, Trans, N, K, Alpha, A, LdA, nullptr, 0, Beta,  \
                  C, LdC);                                                     \
  }                                                                            \
  EXPORT tilesmith_eigen_syr2k_##Name(                                         \
      int Layout, int Half, int Trans, int N, int K, T Alpha, const T *A,      \
      int LdA, const T *B, int LdB, T Beta, T *C, int LdC) {                   \
    rankUpdate<T>(Layout, Half, Trans, N, K, Alpha, A, LdA, B, LdB, Beta, C,   \
                  LdC);                                                        \
  }                                                                            \
  EXPORT tilesmith_eigen_symm_##Name(                                          \
      int Layout, int Of, int Half, int M, int N, T Alpha, const T *A,         \
      int LdA, const T *B, int LdB, T Beta, T *C, int LdC) {                   \
    symmetricProduct<T>(Layout, Of, Half, M, N, Alpha, A, LdA, B, LdB, Beta,   \
                        C, LdC);                                               \
  }                                                                            \
  EXPORT tilesmith_eigen_trmm_##Name(int Layout, int Of, int Half, int Trans,  \
                                     int Diagonal, int M, int N, T Alpha,      \
                                     const T *A, int LdA, T *C, int LdC) {     \
    triangularProduct<T>(Layout, Of, Half, Trans, Diagonal, M, N, Alpha, A,    \
                         LdA, C, LdC);                                         \
  }

DEFINE(f32, float)
DEFINE(f64, double)
DEFINE(i32, int32_t)
DEFINE(i64, int64_t)
