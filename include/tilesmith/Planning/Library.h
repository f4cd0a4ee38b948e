//===- Library.h - a contraction as calls of a library ----------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A contraction whose arithmetic amounts to
//
//   C = alpha * A*B + beta * C
//
// in any order of additions can be computed by a library. Two are known, which
// take the same arguments: one with the CBLAS interface, and our own wrapper
// around Eigen (runtime/Eigen.cpp), which serves integers, too.
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_PLANNING_LIBRARY_H
#define TILESMITH_PLANNING_LIBRARY_H

#include "tilesmith/Idiom/Nest.h"
#include "tilesmith/Idiom/Reason.h"
#include "tilesmith/Planning/Options.h"
#include <variant>

namespace llvm {
class FunctionType;
}

namespace tilesmith {

/// What a library computes.
enum class Routine {
  GEMM,  ///< C = alpha*A*B + beta*C
  SYRK,  ///< one triangle of C = alpha*A*A' + beta*C
  SYR2K, ///< one triangle of C = alpha*(A*B' + B*A') + beta*C
  SYMM,  ///< C = alpha*A*B + beta*C or alpha*B*A + beta*C, with a symmetric A
  TRMM,  ///< C = alpha*A*C or alpha*C*A in place, with a triangular A
};

/// The constants of CBLAS.
enum class Order { RowMajor = 101, ColMajor = 102 };
enum class Trans { No = 111, Yes = 112 };
enum class UpLo { Upper = 121, Lower = 122 };
enum class Diag { NonUnit = 131, Unit = 132 };
enum class Side { Left = 141, Right = 142 };

/// The enumerated arguments of a call.
struct CallFlags {
  Order Layout = Order::RowMajor;
  /// The call is of the contraction mirrored: N and M, B and A.
  bool Mirrored = false;
  /// How the call takes its first and its second operand.
  Trans First = Trans::No, Second = Trans::No;
  UpLo Half = UpLo::Lower;
  /// The side of the product on which the symmetric or triangular factor is.
  Side Of = Side::Left;
  Diag Diagonal = Diag::NonUnit;

  bool operator==(const CallFlags &O) const {
    return Layout == O.Layout && Mirrored == O.Mirrored && First == O.First &&
           Second == O.Second && Half == O.Half && Of == O.Of &&
           Diagonal == O.Diagonal;
  }
};

/// C = A * B in the order \p Layout. The orders are those of A as an M x K, B
/// as a K x N and C as an M x N matrix.
CallFlags gemmFlags(Order A, Order B, Order C, Order Layout);

/// One half of C = A * A', or of C = A*B' + B*A' with B stored as A is, in the
/// order \p Layout; \p Half is that of C as the source sees it.
CallFlags rankUpdateFlags(Order A, Order C, UpLo Half, Order Layout);

/// C = A * C or C * A in the order \p Layout, with a triangular A. \p Half and
/// \p Of are those that the source sees.
CallFlags triangularFlags(Order A, Order C, UpLo Half, Side Of, Diag Diagonal,
                          Order Layout);

/// C = A * B or B * A in the order \p Layout, with a symmetric A of which the
/// lower half is stored. \p Of is what the source sees. B is stored as C is.
CallFlags symmetricFlags(Order A, Order C, Side Of, Order Layout);

/// A sum of products of scalars that are the same for the whole nest.
class Coefficient {
public:
  Coefficient() = default; ///< zero
  static Coefficient one();
  static Coefficient of(llvm::Value *Scalar);

  Coefficient operator+(const Coefficient &O) const;
  Coefficient operator*(const Coefficient &O) const;
  Coefficient operator-() const;
  bool operator==(const Coefficient &O) const;

  bool isZero() const { return Summands.empty(); }

  /// Its value, of type \p Ty. \p ValueOf gives each scalar's.
  llvm::Value *
  build(llvm::IRBuilderBase &B, llvm::Type *Ty,
        llvm::function_ref<llvm::Value *(llvm::Value *)> ValueOf) const;

private:
  struct Product {
    bool Negative = false;
    llvm::SmallVector<llvm::Value *, 2> Factors;
    bool operator==(const Product &O) const;
  };
  llvm::SmallVector<Product, 1> Summands;
};

/// A contraction as calls. A rectangle with several terms takes one for each,
/// of which the first alone scales C. A triangular factor takes a second one,
/// of GEMM, for the steps beyond the last row that is stored: these make a
/// rectangle.
struct LibraryCalls {
  struct Call {
    Routine Of = Routine::GEMM;
    CallFlags With;
    Coefficient Alpha;
    std::string Function = {};        ///< "cblas_dgemm"
    llvm::FunctionType *Ty = nullptr; ///< of the function
  };
  Routine Of = Routine::GEMM;
  llvm::SmallVector<Call, 1> Calls;
  Coefficient Beta;
  /// A library drops a product with a coefficient of zero, even 0 * NaN. False
  /// if the source does not allow that.
  bool MayDropZeros = true;

  bool isMirrored() const { return Calls.front().With.Mirrored; }
  /// "cblas_dgemm(RowMajor, NoTrans, Trans)"
  std::string summary() const;
};

/// The calls that compute \p Found, or why there are none. \p Opts names the
/// library.
std::variant<LibraryCalls, Refusal> planLibrary(const Nest &Found,
                                                const Options &Opts);

} // namespace tilesmith

#endif
