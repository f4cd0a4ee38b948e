//===- Subscript.h - subscripts as they are written -------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_PLUGIN_SUBSCRIPT_H
#define TILESMITH_LIB_PLUGIN_SUBSCRIPT_H

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tilesmith {

/// A sum of products of names with integer factors: 2*i*n + j - 1.
class Subscript {
public:
  /// A name, and its place in a product: indices come before sizes.
  using Symbol = std::pair<unsigned, std::string>;
  using Product = std::vector<Symbol>; ///< sorted
  static constexpr unsigned SizeRank = ~0u;

  Subscript() = default;
  explicit Subscript(int64_t Constant) { add({}, Constant); }
  explicit Subscript(Symbol S) { add({std::move(S)}, 1); }

  bool isZero() const { return Terms.empty(); }
  bool isConstant() const { return Terms.empty() || (isTerm() && !degree()); }
  int64_t constant() const; ///< the term without names
  /// Whether a term is a multiple of \p Factor, one term.
  bool contains(const Subscript &Factor) const;
  /// Whether there is no more than one term.
  bool isTerm() const { return Terms.size() <= 1; }
  size_t size() const { return Terms.size(); }

  Subscript &operator+=(const Subscript &Other);
  Subscript operator*(const Subscript &Other) const;
  Subscript operator-(const Subscript &Other) const;
  /// Takes away the terms that are multiples of the first one of \p Divisor,
  /// with as much of its others, and returns what they are of it. The constant
  /// is cut to a multiple.
  Subscript takeMultiplesOf(const Subscript &Divisor);
  /// Null if there is a remainder.
  std::optional<Subscript> dividedBy(const Subscript &Divisor) const;

  /// Of the first term, the sizes: n of 2*i*n + j.
  Subscript sizes() const;

  std::string str() const;

private:
  /// The longest products come first.
  struct Order {
    bool operator()(const Product &X, const Product &Y) const {
      return X.size() != Y.size() ? X.size() > Y.size() : X < Y;
    }
  };

  void add(Product P, int64_t Factor);
  size_t degree() const { return Terms.begin()->first.size(); }

  std::map<Product, int64_t, Order> Terms; ///< no factor is zero
};

} // namespace tilesmith

#endif
