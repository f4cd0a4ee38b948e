//===- Patterns.h - what sums of products are made of -----------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Combinators beside those of llvm/IR/PatternMatch.h, so that the data flow of
// an idiom reads as one expression:
//
//   sum += a * b        m_RunningSum(In, m_Carried(In, L, m_Specific(Sum)))
//                       m_Product(m_Elementwise(In, A), m_Elementwise(In, B))
//   if (a != 0 && n)    m_c_LogicalAnd(m_Cmp(P, m_Loaded(A), m_Zero()),
//                                      m_Invariant(In))
//   for (; i < n; ++i)  m_c_ICmp(P, m_Evolution(In, m_scev_AffineAddRec(...)),
//                                m_Evolution(In, m_SCEV(Bound)))
//
// Those for one instruction take integers and floating-point numbers alike, and
// their operands in either order wherever that means the same. Those that look
// further take a context first, a LoopNest or an Expression, and see each value
// as its resolve() does. Addresses are not matched: they are ScalarEvolution's
// byte offsets.
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_IDIOM_PATTERNS_H
#define TILESMITH_LIB_IDIOM_PATTERNS_H

#include "LoopNest.h"
#include "tilesmith/Idiom/Expression.h"
#include "tilesmith/Idiom/Fusion.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"

namespace tilesmith {

/// Whether \p I may be part of an Expression: it can be cloned on vectors, and
/// then gives the same bits in every lane.
bool isElementwise(const llvm::Instruction &I);

/// Whether \p I may make a factor of a product of an element. Nothing that traps:
/// it is also done to elements that do not exist.
bool mayMap(const llvm::Instruction &I);
/// Whether \p I calls a function of numbers, as those of math.h are.
bool isFunctionOfNumbers(const llvm::Instruction &I);

//===-- Conditions --------------------------------------------------------===//

template <typename Class, typename Condition> struct If_match {
  Condition Holds;

  template <typename ITy> bool match(ITy *V) const {
    const llvm::Value *Any = V;
    auto *Of = llvm::dyn_cast<Class>(const_cast<llvm::Value *>(Any));
    return Of && Holds(*Of);
  }
};

/// A value of a class for which \p Holds.
template <typename Class = llvm::Value, typename Condition>
auto m_If(Condition Holds) {
  return If_match<Class, Condition>{Holds};
}

inline auto m_Phi() { return llvm::PatternMatch::class_match<llvm::PHINode>(); }

/// What is the same in every iteration of the nest.
inline auto m_Invariant(const LoopNest &In) {
  return m_If([&In](llvm::Value &V) { return In.isInvariant(&V); });
}

/// Any load.
template <typename LoadT>
llvm::PatternMatch::bind_ty<LoadT> m_Loaded(LoadT *&Load) {
  return Load;
}

/// A leaf of \p E, of one of the \p Kinds.
template <typename... KindT> auto m_Leaf(const Expression &E, KindT... Kinds) {
  return m_If([&E, Kinds...](llvm::Value &V) {
    auto It = E.Leaves.find(E.resolve(&V));
    return It != E.Leaves.end() && ((It->second == Kinds) || ...);
  });
}

/// The element that an update writes.
struct ElementOfC {
  const llvm::SCEV *Address = nullptr;
  llvm::Type *Ty = nullptr;

  /// Whether \p V reads it, wherever in the nest.
  bool isReadBy(const llvm::Value &V, const LoopNest &In) const;
};

/// A load of \p Element.
inline auto m_Element(const LoopNest &In, const ElementOfC &Element) {
  return m_If<llvm::LoadInst>([&In, &Element](llvm::LoadInst &Load) {
    return Element.isReadBy(Load, In);
  });
}

//===-- One instruction ---------------------------------------------------===//

/// X + Y, in either order.
template <typename LHS, typename RHS> auto m_Plus(const LHS &X, const RHS &Y) {
  using namespace llvm::PatternMatch;
  return m_CombineOr(m_c_FAdd(X, Y), m_c_Add(X, Y));
}

/// Sum + Y, in either order, or Sum - Y.
template <typename LHS, typename RHS>
auto m_Accumulation(const LHS &Sum, const RHS &Y) {
  using namespace llvm::PatternMatch;
  return m_CombineOr(m_Plus(Sum, Y),
                     m_CombineOr(m_FSub(Sum, Y), m_Sub(Sum, Y)));
}

/// X + Y, X - Y or Y - X.
template <typename LHS, typename RHS>
auto m_Addition(const LHS &X, const RHS &Y) {
  using namespace llvm::PatternMatch;
  return m_CombineOr(m_Accumulation(X, Y),
                     m_CombineOr(m_FSub(Y, X), m_Sub(Y, X)));
}
inline auto m_Addition() {
  using namespace llvm::PatternMatch;
  return m_Addition(m_Value(), m_Value());
}

/// X * Y, in either order.
template <typename LHS, typename RHS> auto m_Times(const LHS &X, const RHS &Y) {
  using namespace llvm::PatternMatch;
  return m_CombineOr(m_c_FMul(X, Y), m_c_Mul(X, Y));
}

template <typename LHS, typename RHS, typename Addend>
struct FusedMultiplyAdd_match {
  LHS X;
  RHS Y;
  Addend Z;

  template <typename ITy> bool match(ITy *V) const {
    auto *Call = llvm::dyn_cast<llvm::IntrinsicInst>(V);
    if (!Call || !isFusedMultiplyAdd(*Call))
      return false;
    llvm::Value *P = Call->getArgOperand(0), *Q = Call->getArgOperand(1);
    return ((X.match(P) && Y.match(Q)) || (X.match(Q) && Y.match(P))) &&
           Z.match(Call->getArgOperand(2));
  }
};

/// fma(X, Y, Z), or fmuladd; X and Y in either order.
template <typename LHS, typename RHS, typename Addend>
auto m_FusedMultiplyAdd(const LHS &X, const RHS &Y, const Addend &Z) {
  return FusedMultiplyAdd_match<LHS, RHS, Addend>{X, Y, Z};
}

/// What multiplies X and Y, in either order: X * Y, or fma(X, Y, Z).
template <typename LHS, typename RHS>
auto m_Product(const LHS &X, const RHS &Y) {
  using namespace llvm::PatternMatch;
  return m_CombineOr(m_Times(X, Y), m_FusedMultiplyAdd(X, Y, m_Value()));
}

/// Product + Sum, in either order, or fma(X, Y, Sum), which is then its own
/// product.
template <typename ProductT, typename SumT>
auto m_MultiplyAdd(const ProductT &Product, const SumT &Sum) {
  using namespace llvm::PatternMatch;
  return m_CombineOr(
      m_Plus(Product, Sum),
      m_CombineAnd(m_FusedMultiplyAdd(m_Value(), m_Value(), Sum), Product));
}

template <typename LHS, typename RHS> struct Less_match {
  llvm::CmpPredicate &Predicate;
  LHS X;
  RHS Y;

  template <typename ITy> bool match(ITy *V) const {
    auto *Compare = llvm::dyn_cast<llvm::ICmpInst>(V);
    if (!Compare || Compare->isEquality())
      return false;
    bool IsLess = Compare->isLT(Compare->getPredicate()) ||
                  Compare->isLE(Compare->getPredicate());
    if (!X.match(Compare->getOperand(!IsLess)) ||
        !Y.match(Compare->getOperand(IsLess)))
      return false;
    Predicate =
        IsLess ? Compare->getCmpPredicate() : Compare->getSwappedCmpPredicate();
    return true;
  }
};

/// X < Y or X <= Y, as is or as Y > X or Y >= X. Binds the predicate of the
/// first form.
template <typename LHS, typename RHS>
auto m_Less(llvm::CmpPredicate &Predicate, const LHS &X, const RHS &Y) {
  return Less_match<LHS, RHS>{Predicate, X, Y};
}

//===-- From iteration to iteration ---------------------------------------===//

/// What \p L carries in a phi from each iteration to the next, where it is
/// what \p Next matches.
template <typename P>
auto m_Carried(const LoopNest &In, const llvm::Loop &L, const P &Next) {
  return m_If<llvm::PHINode>([&In, &L, Next](llvm::PHINode &Phi) {
    return Phi.getParent() == L.getHeader() &&
           Next.match(In.incomingFromLatch(Phi));
  });
}

/// What evolves over the loops as a pattern of SCEVPatternMatch says.
template <typename P> auto m_Evolution(const LoopNest &In, const P &Pattern) {
  return m_If([&In, Pattern](llvm::Value &V) {
    return Pattern.match(In.resolve(In.Analyses->SE.getSCEV(&V)));
  });
}

//===-- Ways through several instructions ---------------------------------===//

/// Sees each value as it is written.
struct AsWritten {
  llvm::Value *resolve(llvm::Value *V) const { return V; }
};
inline constexpr AsWritten Written;

template <typename ContextT, typename P> struct Seen_match {
  const ContextT &In;
  P Pattern;

  template <typename ITy> bool match(ITy *V) const {
    return Pattern.match(In.resolve(V));
  }
};

/// What \p Pattern matches, as \p In sees it.
template <typename ContextT, typename P>
auto m_Seen(const ContextT &In, const P &Pattern) {
  return Seen_match<ContextT, P>{In, Pattern};
}

template <typename ContextT, typename Way, typename P> struct Reached_match {
  const ContextT &In;
  Way Next;
  P Pattern;
  unsigned MaxSteps;

  template <typename ITy> bool match(ITy *V) const {
    llvm::SmallSetVector<llvm::Value *, 8> Parts;
    auto Reaches = [&](llvm::Value *Part) {
      Part = In.resolve(Part);
      return Parts.insert(Part) && Pattern.match(Part);
    };
    const llvm::Value *From = V;
    if (Reaches(const_cast<llvm::Value *>(From)))
      return true;
    for (unsigned I = 0; I < Parts.size() && I < MaxSteps; ++I)
      if (auto *Inst = llvm::dyn_cast<llvm::Instruction>(Parts[I]))
        if (llvm::any_of(Next(*Inst), Reaches))
          return true;
    return false;
  }
};

/// What \p Pattern matches, where a way through instructions leads: from each
/// to the operands that \p Next names. The shortest way counts.
template <typename ContextT, typename Way, typename P>
auto m_Reached(const ContextT &In, Way Next, const P &Pattern,
               unsigned MaxSteps = ~0u) {
  return Reached_match<ContextT, Way, P>{In, Next, Pattern, MaxSteps};
}

using Operands = llvm::ArrayRef<llvm::Use>;

/// Whether \p I, a minimum or maximum of numbers, is made by an intrinsic.
bool isMinOrMax(const llvm::Instruction &I);
/// Whether \p I may make one value of two elements: their product, or another
/// pairing.
bool mayPair(const llvm::Instruction &I);
/// Whether \p I may store in some steps only: in a block of its own.
bool isConditionalStore(const llvm::Instruction &I);
/// Whether \p I may tell, or store, whether two elements are not zero, by branches:
/// `x && y`.
bool mayConjoin(const llvm::Instruction &I);

/// The operands of \p I that a running sum may come in by.
Operands addends(const llvm::Instruction &I);
/// The operand of a negation or an extension, which do not round.
Operands exactOperand(const llvm::Instruction &I);
/// The operand of a cast.
Operands castOperand(const llvm::Instruction &I);
/// The operands of a multiplication, a shift or an extension, of which one zero
/// makes a zero.
Operands scaledOperands(const llvm::Instruction &I);

/// The operands of \p I within the tree of \p E: not the factors of a term's
/// product.
Operands operandsIn(const Expression &E, const llvm::Instruction &I);

/// Ways end at the leaves of an expression.
template <typename Way> auto within(const Expression &E, Way Next) {
  return [&E, Next](llvm::Instruction &I) {
    return E.Leaves.contains(&I) ? Operands() : Next(I);
  };
}
template <typename Way> auto within(const LoopNest &, Way Next) { return Next; }

/// What \p Pattern matches, perhaps with others added to it, or subtracted.
template <typename ContextT, typename P>
auto m_RunningSum(const ContextT &In, const P &Pattern) {
  constexpr unsigned MaxAdditions = 256;
  return m_Reached(In, within(In, addends), Pattern, MaxAdditions);
}

/// What \p Pattern matches, perhaps negated or extended.
template <typename ContextT, typename P>
auto m_Exact(const ContextT &In, const P &Pattern) {
  return m_Reached(In, exactOperand, Pattern);
}

/// What \p Pattern matches, perhaps cast.
template <typename P> auto m_Cast(const P &Pattern) {
  return m_Reached(Written, castOperand, Pattern);
}

/// What \p Pattern matches, perhaps extended, shifted, or multiplied by
/// something else.
template <typename P> auto m_Scaled(const Expression &E, const P &Pattern) {
  return m_Reached(E, within(E, scaledOperands), Pattern);
}

/// A tree with what \p Pattern matches somewhere in it.
template <typename P> auto m_Contains(const Expression &E, const P &Pattern) {
  auto Next = [&E](llvm::Instruction &I) { return operandsIn(E, I); };
  return m_Reached(E, within(E, Next), Pattern);
}

/// A value that varies, with a varying one somewhere in its tree that
/// \p Pattern matches. The tree ends at loads.
template <typename P> auto m_Contains(const LoopNest &In, const P &Pattern) {
  using namespace llvm::PatternMatch;
  auto Next = [&In](llvm::Instruction &I) {
    return In.isInvariant(&I) || llvm::isa<llvm::LoadInst>(I)
               ? Operands()
               : Operands(I.op_begin(), I.op_end());
  };
  return m_Reached(In, Next, m_CombineAnd(m_Unless(m_Invariant(In)), Pattern));
}

using LoadSet = llvm::SmallSetVector<llvm::LoadInst *, 2>;

/// \p V as the counter of a loop of the nest's chain, from one constant on, and by
/// another one.
struct CounterOfLoop {
  unsigned Loop;
  llvm::APInt First, Step;
};
std::optional<CounterOfLoop> counterOfLoop(const LoopNest &In,
                                           const llvm::Value &V);

/// Element-wise arithmetic over what does not vary, counters, and elements. Binds
/// the loads of these.
inline auto m_Elementwise(const LoopNest &In, LoadSet &Elements) {
  using namespace llvm::PatternMatch;
  return m_Unless(
      m_Contains(In, m_If<llvm::Instruction>([&](llvm::Instruction &I) {
                   auto *Load = llvm::dyn_cast<llvm::LoadInst>(&I);
                   if (Load)
                     Elements.insert(Load);
                   return !Load && !mayMap(I) && !counterOfLoop(In, I);
                 })));
}

} // namespace tilesmith

#endif
