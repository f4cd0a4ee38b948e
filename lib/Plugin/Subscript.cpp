//===- Subscript.cpp - subscripts as they are written ---------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Subscript.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>

using namespace llvm;

namespace tilesmith {

void Subscript::add(Product P, int64_t Factor) {
  auto [It, IsNew] = Terms.try_emplace(std::move(P), 0);
  // What is shown wraps as the source's own arithmetic may.
  It->second = int64_t(uint64_t(It->second) + uint64_t(Factor));
  if (It->second == 0)
    Terms.erase(It);
}

int64_t Subscript::constant() const {
  auto It = Terms.find({});
  return It == Terms.end() ? 0 : It->second;
}

bool Subscript::contains(const Subscript &Factor) const {
  const Product &By = Factor.Terms.begin()->first;
  return any_of(Terms, [&](const auto &T) {
    return std::includes(T.first.begin(), T.first.end(), By.begin(), By.end());
  });
}

Subscript &Subscript::operator+=(const Subscript &Other) {
  for (const auto &[P, Factor] : Other.Terms)
    add(P, Factor);
  return *this;
}

Subscript Subscript::operator*(const Subscript &Other) const {
  Subscript Result;
  for (const auto &[X, XFactor] : Terms)
    for (const auto &[Y, YFactor] : Other.Terms) {
      Product P = X;
      P.insert(P.end(), Y.begin(), Y.end());
      llvm::sort(P);
      Result.add(std::move(P), int64_t(uint64_t(XFactor) * uint64_t(YFactor)));
    }
  return Result;
}

Subscript Subscript::operator-(const Subscript &Other) const {
  Subscript Result = *this;
  Result += Subscript(-1) * Other;
  return Result;
}

Subscript Subscript::takeMultiplesOf(const Subscript &Divisor) {
  Subscript Quotient, Rest;
  const auto &[By, Factor] = *Divisor.Terms.begin();
  for (const auto &[P, PFactor] : Terms) {
    bool Divides = std::includes(P.begin(), P.end(), By.begin(), By.end());
    if (!Divides || (!P.empty() && PFactor % Factor != 0)) {
      Rest.add(P, PFactor);
      continue;
    }
    Product Others;
    std::set_difference(P.begin(), P.end(), By.begin(), By.end(),
                        std::back_inserter(Others));
    Quotient.add(std::move(Others), PFactor / Factor);
    Rest.add(P, PFactor % Factor);
  }
  // The divisor's other terms, times the quotient: n*i + i is (n + 1)*i.
  Subscript Others = Divisor;
  Others.add(By, -Factor);
  *this = Rest - Quotient * Others;
  return Quotient;
}

std::optional<Subscript> Subscript::dividedBy(const Subscript &Divisor) const {
  Subscript Rest = *this, Quotient = Rest.takeMultiplesOf(Divisor);
  if (!Rest.isZero())
    return std::nullopt;
  return Quotient;
}

Subscript Subscript::sizes() const {
  Subscript Result(1);
  if (!isZero())
    for (const Symbol &S : Terms.begin()->first)
      if (S.first == SizeRank)
        Result = Result * Subscript(S);
  return Result;
}

std::string Subscript::str() const {
  if (isZero())
    return "0";
  // A positive term first, if there is one: n - i.
  std::vector<std::pair<Product, int64_t>> Ordered(Terms.begin(), Terms.end());
  auto First = find_if(Ordered, [](const auto &T) { return T.second > 0; });
  if (First != Ordered.end())
    std::rotate(Ordered.begin(), First, First + 1);
  std::string Text;
  raw_string_ostream OS(Text);
  for (const auto &[P, Factor] : Ordered) {
    bool IsFirst = &P == &Ordered.front().first;
    OS << (Factor < 0 ? (IsFirst ? "-" : " - ") : (IsFirst ? "" : " + "));
    uint64_t Size = Factor < 0 ? -uint64_t(Factor) : uint64_t(Factor);
    if (Size != 1 || P.empty())
      OS << Size << (P.empty() ? "" : "*");
    interleave(P, OS, [&](const Symbol &S) { OS << S.second; }, "*");
  }
  return Text;
}

} // namespace tilesmith
