//===- PatternsTest.cpp - what sums of products are made of ---------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../lib/Idiom/Patterns.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/ScalarEvolutionPatternMatch.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ValueSymbolTable.h"
#include "llvm/Support/SourceMgr.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace tilesmith;

namespace {

/// The values of a function, by name.
class Values {
public:
  explicit Values(StringRef Text) {
    SMDiagnostic Error;
    M = parseAssemblyString(Text, Error, Context);
    EXPECT_TRUE(M) << Error.getMessage().str();
  }

  Function &function() const { return *M->getFunction("f"); }
  Value *operator[](StringRef Name) const {
    Value *V = function().getValueSymbolTable()->lookup(Name);
    EXPECT_TRUE(V) << Name.str();
    return V;
  }
  /// The names of all instructions that \p P matches, in order.
  template <typename Pattern> std::string matched(const Pattern &P) const {
    std::string Names;
    for (Instruction &I : instructions(function()))
      if (I.hasName() && match(&I, P))
        Names += (Names.empty() ? "" : " ") + I.getName().str();
    return Names;
  }

private:
  LLVMContext Context;
  std::unique_ptr<Module> M;
};

//===-- One instruction ---------------------------------------------------===//

class OneInstruction : public testing::Test {
protected:
  Values V{R"(
declare double @llvm.fma.f64(double, double, double)
declare double @llvm.fmuladd.f64(double, double, double)
declare double @llvm.maxnum.f64(double, double)
define void @f(double %a, double %b, double %c, i32 %x, i32 %y, i32 %z) {
  %ab = fmul double %a, %b
  %ba = fmul double %b, %a
  %xy = mul i32 %x, %y
  %"ab+c" = fadd double %ab, %c
  %"c+ab" = fadd double %c, %ab
  %c-ab = fsub double %c, %ab
  %ab-c = fsub double %ab, %c
  %"z+xy" = add i32 %z, %xy
  %xy-z = sub i32 %xy, %z
  %z-xy = sub i32 %z, %xy
  %fma = call double @llvm.fma.f64(double %a, double %b, double %c)
  %fmuladd = call double @llvm.fmuladd.f64(double %b, double %a, double %c)
  %other = call double @llvm.fma.f64(double %a, double %c, double %b)
  %max = call double @llvm.maxnum.f64(double %ab, double %c)
  %div = fdiv double %ab, %c
  %or = or i32 %xy, %z
  %slt = icmp slt i32 %x, %y
  %sgt = icmp sgt i32 %y, %x
  %ule = icmp ule i32 %x, %y
  %uge = icmp uge i32 %y, %x
  %reversed = icmp sgt i32 %x, %y
  %eq = icmp eq i32 %x, %y
  ret void
})"};
  template <typename P> std::string f(const P &Pattern) const {
    return V.matched(Pattern);
  }
  auto is(StringRef Name) const { return m_Specific(V[Name]); }
};

TEST_F(OneInstruction, Plus) {
  EXPECT_EQ(f(m_Plus(is("ab"), is("c"))), "ab+c c+ab");
  EXPECT_EQ(f(m_Plus(is("c"), is("ab"))), "ab+c c+ab");
  EXPECT_EQ(f(m_Plus(is("xy"), is("z"))), "z+xy");
  EXPECT_EQ(f(m_Plus(is("ab"), is("ab"))), "");
}

TEST_F(OneInstruction, Accumulation) {
  EXPECT_EQ(f(m_Accumulation(is("c"), is("ab"))), "ab+c c+ab c-ab");
  EXPECT_EQ(f(m_Accumulation(is("ab"), is("c"))), "ab+c c+ab ab-c");
  EXPECT_EQ(f(m_Accumulation(is("z"), is("xy"))), "z+xy z-xy");
}

TEST_F(OneInstruction, Addition) {
  EXPECT_EQ(f(m_Addition(is("c"), is("ab"))), "ab+c c+ab c-ab ab-c");
  EXPECT_EQ(f(m_Addition(is("ab"), is("c"))), "ab+c c+ab c-ab ab-c");
  EXPECT_EQ(f(m_Addition()), "ab+c c+ab c-ab ab-c z+xy xy-z z-xy");
  // What comes first is bound first.
  Value *X, *Y;
  for (StringRef Name : {"ab-c", "ab+c"}) {
    EXPECT_TRUE(match(V[Name], m_Addition(m_Value(X), m_Value(Y))));
    EXPECT_EQ(X, V["ab"]);
    EXPECT_EQ(Y, V["c"]);
  }
}

TEST_F(OneInstruction, Times) {
  EXPECT_EQ(f(m_Times(is("a"), is("b"))), "ab ba");
  EXPECT_EQ(f(m_Times(is("y"), is("x"))), "xy");
  EXPECT_EQ(f(m_Times(is("a"), is("c"))), "");
}

TEST_F(OneInstruction, FusedMultiplyAdd) {
  EXPECT_EQ(f(m_FusedMultiplyAdd(is("a"), is("b"), is("c"))), "fma fmuladd");
  EXPECT_EQ(f(m_FusedMultiplyAdd(is("b"), is("a"), is("c"))), "fma fmuladd");
  EXPECT_EQ(f(m_FusedMultiplyAdd(is("b"), is("c"), is("a"))), "");
  Value *Z;
  EXPECT_TRUE(
      match(V["other"], m_FusedMultiplyAdd(m_Value(), m_Value(), m_Value(Z))));
  EXPECT_EQ(Z, V["b"]);
}

TEST_F(OneInstruction, Product) {
  EXPECT_EQ(f(m_Product(is("b"), is("a"))), "ab ba fma fmuladd");
  EXPECT_EQ(f(m_Product(is("x"), is("y"))), "xy");
  EXPECT_EQ(f(m_Product(is("c"), is("a"))), "other");
}

TEST_F(OneInstruction, MultiplyAdd) {
  EXPECT_EQ(f(m_MultiplyAdd(m_Product(is("a"), is("b")), is("c"))),
            "ab+c c+ab fma fmuladd");
  EXPECT_EQ(f(m_MultiplyAdd(m_Product(is("y"), is("x")), is("z"))), "z+xy");
  Value *Product;
  EXPECT_TRUE(
      match(V["c+ab"],
            m_MultiplyAdd(m_Value(Product, m_Product(m_Value(), m_Value())),
                          m_Value())));
  EXPECT_EQ(Product, V["ab"]);
  EXPECT_TRUE(match(V["fma"], m_MultiplyAdd(m_Value(Product), is("c"))));
  EXPECT_EQ(Product, V["fma"]);
}

TEST_F(OneInstruction, Less) {
  CmpPredicate P;
  EXPECT_EQ(f(m_Less(P, is("x"), is("y"))), "slt sgt ule uge");
  EXPECT_EQ(f(m_Less(P, is("y"), is("x"))), "reversed");
  auto PredicateOf = [&](StringRef Name) {
    EXPECT_TRUE(match(V[Name], m_Less(P, is("x"), is("y"))));
    return CmpInst::Predicate(P);
  };
  EXPECT_EQ(PredicateOf("slt"), CmpInst::ICMP_SLT);
  EXPECT_EQ(PredicateOf("sgt"), CmpInst::ICMP_SLT);
  EXPECT_EQ(PredicateOf("ule"), CmpInst::ICMP_ULE);
  EXPECT_EQ(PredicateOf("uge"), CmpInst::ICMP_ULE);
}

//===-- Trees -------------------------------------------------------------===//

/// sum + (-(float)a * b) + c, and integers; leaves are set by hand.
class Trees : public testing::Test {
protected:
  Values V{R"(
declare double @llvm.fma.f64(double, double, double)
define void @f(double %sum, double %s, float %a, double %b, double %c,
               i32 %n, i8 %x, ptr %p) {
entry:
  %wide = fpext float %a to double
  %neg = fneg double %wide
  %ab = fmul double %neg, %b
  %inner = fadd double %ab, %sum
  %outer = fsub double %inner, %c
  %fused = call double @llvm.fma.f64(double %neg, double %b, double %outer)
  %minus = fsub double %c, %outer
  %scaled = fmul double %outer, %s
  br label %next
next:
  %lone = phi double [ %neg, %entry ]
  %long = sext i8 %x to i32
  %shifted = shl i32 %long, %n
  %by.n = mul i32 %n, %shifted
  %shift = shl i32 %n, %long
  %plus = add i32 %by.n, %n
  %load = load i32, ptr %p
  %l64 = zext i32 %load to i64
  %lf = uitofp i64 %l64 to double
  ret void
})"};
  Expression E;

  void SetUp() override {
    E.Leaves[V["sum"]] = Leaf::Sum;
    E.Leaves[V["ab"]] = Leaf::Product;
    E.Leaves[V["c"]] = E.Leaves[V["s"]] = E.Leaves[V["n"]] = Leaf::Invariant;
    E.Leaves[V["x"]] = Leaf::A;
    E.Forwards[V["lone"]] = V["neg"];
    E.Fused.insert(V["fused"]);
  }
};

TEST_F(Trees, Leaf) {
  EXPECT_TRUE(match(V["sum"], m_Leaf(E, Leaf::Sum)));
  EXPECT_TRUE(match(V["ab"], m_Leaf(E, Leaf::A, Leaf::Product)));
  EXPECT_FALSE(match(V["ab"], m_Leaf(E, Leaf::A, Leaf::B)));
  EXPECT_FALSE(match(V["inner"], m_Leaf(E, Leaf::Sum)));
  // As the expression sees it.
  E.Forwards[V["lone"]] = V["ab"];
  EXPECT_TRUE(match(V["lone"], m_Leaf(E, Leaf::Product)));
}

TEST_F(Trees, Seen) {
  EXPECT_EQ(V.matched(m_Seen(E, m_Specific(V["neg"]))), "neg lone");
}

TEST_F(Trees, RunningSum) {
  // A sum does not come in by what is subtracted, or by factors.
  EXPECT_EQ(V.matched(m_RunningSum(E, m_Leaf(E, Leaf::Sum))),
            "inner outer fused");
  EXPECT_EQ(V.matched(m_RunningSum(E, m_Specific(V["ab"]))),
            "ab inner outer fused");
  // The nearest is bound.
  Value *Found = nullptr;
  EXPECT_TRUE(match(
      V["fused"],
      m_RunningSum(E, m_Value(Found, m_Leaf(E, Leaf::Sum, Leaf::Product)))));
  EXPECT_EQ(Found, V["ab"]);
  // The tree ends at leaves.
  E.Leaves[V["inner"]] = Leaf::Invariant;
  EXPECT_EQ(V.matched(m_RunningSum(E, m_Leaf(E, Leaf::Sum))), "");
}

TEST_F(Trees, Exact) {
  EXPECT_EQ(V.matched(m_Exact(E, m_Specific(V["a"]))), "wide neg lone");
  EXPECT_EQ(V.matched(m_Exact(Written, m_Specific(V["a"]))), "wide neg");
}

TEST_F(Trees, Cast) {
  LoadInst *Load;
  EXPECT_EQ(V.matched(m_Cast(m_Loaded(Load))), "load l64 lf");
  EXPECT_EQ(Load, V["load"]);
  EXPECT_FALSE(match(V["shifted"], m_Cast(m_Specific(V["x"]))));
}

TEST_F(Trees, Scaled) {
  // The amount of a shift, and what is added, do not make a zero.
  EXPECT_EQ(V.matched(m_Scaled(E, m_Leaf(E, Leaf::A))), "long shifted by.n");
}

TEST_F(Trees, Contains) {
  // The factors of a product are not in the tree.
  EXPECT_EQ(V.matched(m_Contains(E, m_Leaf(E, Leaf::Sum))),
            "inner outer fused minus scaled");
  EXPECT_EQ(V.matched(m_Contains(E, m_Specific(V["neg"]))), "neg lone");
}

//===-- Loops -------------------------------------------------------------===//

/// c[i][j] += alpha * a[i][k] * (double)b[k][j], in memory, and a sum besides.
class Loops : public testing::Test {
protected:
  Values V{R"(
define void @f(i64 %n, double %alpha, ptr noalias %A, ptr noalias %B,
               ptr noalias %C) {
entry:
  br label %rows
rows:
  %i = phi i64 [ 0, %entry ], [ %i.next, %rows.latch ]
  %in = mul nsw i64 %i, %n
  br label %columns
columns:
  %j = phi i64 [ 0, %rows ], [ %j.next, %columns.latch ]
  %ij = add nsw i64 %in, %j
  %pC = getelementptr double, ptr %C, i64 %ij
  br label %steps
steps:
  %k = phi i64 [ 0, %columns ], [ %k.next, %steps ]
  %count = phi double [ 0.0, %columns ], [ %count.next, %steps ]
  %ik = add nsw i64 %in, %k
  %pA = getelementptr double, ptr %A, i64 %ik
  %a = load double, ptr %pA
  %kn = mul nsw i64 %k, %n
  %kj = add nsw i64 %kn, %j
  %pB = getelementptr float, ptr %B, i64 %kj
  %b = load float, ptr %pB
  %wide = fpext float %b to double
  %alpha.a = fmul double %alpha, %a
  %ab = fmul double %alpha.a, %wide
  %old = load double, ptr %pC
  %new = fadd double %ab, %old
  store double %new, ptr %pC
  %count.next = fadd double %a, %count
  %twice = fadd double %a, %wide
  %number = sitofp i64 %k to double
  %a.number = fmul double %a, %number
  %rounded = fptrunc double %a to float
  %k.next = add nuw nsw i64 %k, 1
  %more = icmp ult i64 %k.next, %n
  br i1 %more, label %steps, label %columns.latch
columns.latch:
  %j.next = add nuw nsw i64 %j, 1
  %j.more = icmp ult i64 %j.next, %n
  br i1 %j.more, label %columns, label %rows.latch
rows.latch:
  %i.next = add nuw nsw i64 %i, 1
  %i.more = icmp ult i64 %i.next, %n
  br i1 %i.more, label %rows, label %exit
exit:
  ret void
})"};
  TargetLibraryInfoImpl TLII{V.function().getParent()->getTargetTriple()};
  TargetLibraryInfo TLI{TLII};
  DominatorTree DT{V.function()};
  LoopInfo LI{DT};
  AssumptionCache AC{V.function()};
  ScalarEvolution SE{V.function(), TLI, AC, DT, LI};
  NestAnalyses Analyses{DT, LI, SE};
  Loop &Innermost = *LI.getLoopsInPreorder().back();
  std::variant<LoopNest, Refusal> Created =
      LoopNest::create(Innermost, MinChainLength, Analyses);
  const LoopNest &In = std::get<LoopNest>(Created);
};

TEST_F(Loops, Invariant) {
  EXPECT_TRUE(match(V["alpha"], m_Invariant(In)));
  EXPECT_TRUE(match(V["n"], m_Invariant(In)));
  EXPECT_FALSE(match(V["a"], m_Invariant(In)));
  EXPECT_FALSE(match(V["i"], m_Invariant(In)));
}

TEST_F(Loops, Carried) {
  EXPECT_EQ(V.matched(m_Carried(In, Innermost, m_Value())), "k count");
  Value *Next = nullptr;
  EXPECT_EQ(V.matched(m_Carried(In, Innermost,
                                m_Value(Next, m_FAdd(m_Value(), m_Value())))),
            "count");
  EXPECT_EQ(Next, V["count.next"]);
  EXPECT_EQ(V.matched(m_Carried(In, Innermost, m_Specific(V["new"]))), "");
  EXPECT_EQ(V.matched(m_Carried(In, In.root(), m_Value())), "i");
}

TEST_F(Loops, Element) {
  auto *Load = cast<LoadInst>(V["old"]);
  ElementOfC Element{In.addressOf(*Load), Load->getType()};
  EXPECT_EQ(V.matched(m_Element(In, Element)), "old");
  ElementOfC Narrow{Element.Address, Type::getFloatTy(Load->getContext())};
  EXPECT_EQ(V.matched(m_Element(In, Narrow)), "");
}

TEST_F(Loops, RunningSum) {
  auto *Load = cast<LoadInst>(V["old"]);
  ElementOfC Element{In.addressOf(*Load), Load->getType()};
  EXPECT_EQ(V.matched(m_RunningSum(In, m_Element(In, Element))), "old new");
  EXPECT_EQ(V.matched(m_RunningSum(
                In, m_Carried(In, Innermost, m_Specific(V["count.next"])))),
            "count count.next");
}

TEST_F(Loops, Elementwise) {
  auto Elements = [&](StringRef Name) -> std::string {
    LoadSet Loads;
    if (!match(V[Name], m_Elementwise(In, Loads)))
      return "no";
    std::string Names;
    for (LoadInst *Load : Loads)
      Names += Load->getName().str() + " ";
    return Names;
  };
  EXPECT_EQ(Elements("alpha"), "");
  EXPECT_EQ(Elements("a"), "a ");
  EXPECT_EQ(Elements("wide"), "b ");
  EXPECT_EQ(Elements("alpha.a"), "a ");
  EXPECT_EQ(Elements("twice"), "a b ");
  EXPECT_EQ(Elements("rounded"), "no");
  EXPECT_EQ(Elements("a.number"), "a ");
  EXPECT_EQ(Elements("count.next"), "no");
  // A product of two elements, as Update looks for it.
  LoadSet A, B;
  EXPECT_TRUE(
      match(V["ab"], m_Product(m_Elementwise(In, A), m_Elementwise(In, B))));
  EXPECT_EQ(A.front(), V["a"]);
  EXPECT_EQ(B.front(), V["b"]);
}

TEST_F(Loops, Contains) {
  EXPECT_TRUE(match(V["a.number"], m_Contains(In, m_Phi())));
  EXPECT_TRUE(match(V["count.next"], m_Contains(In, m_Phi())));
  // The tree ends at loads: counters of addresses are not in it.
  EXPECT_FALSE(match(V["ab"], m_Contains(In, m_Phi())));
  // What does not vary is not in it, either.
  EXPECT_FALSE(match(V["alpha.a"], m_Contains(In, m_Specific(V["alpha"]))));
}

TEST_F(Loops, Evolution) {
  using SCEVPatternMatch::m_SCEV;
  using SCEVPatternMatch::m_scev_AffineAddRec;
  using SCEVPatternMatch::m_scev_APInt;
  using SCEVPatternMatch::m_SpecificLoop;
  const SCEV *First, *Bound;
  const APInt *Step;
  CmpPredicate P;
  auto Counter = m_scev_AffineAddRec(m_SCEV(First), m_scev_APInt(Step),
                                     m_SpecificLoop(&Innermost));
  for (bool Swapped : {false, true}) {
    auto *Compare = cast<ICmpInst>(V["more"]);
    if (Swapped)
      Compare->swapOperands();
    ASSERT_TRUE(match(Compare, m_c_ICmp(P, m_Evolution(In, Counter),
                                        m_Evolution(In, m_SCEV(Bound)))));
    EXPECT_EQ(CmpInst::Predicate(P), CmpInst::ICMP_ULT);
    EXPECT_TRUE(First->isOne());
    EXPECT_TRUE(Step->isOne());
    EXPECT_EQ(Bound, SE.getSCEV(V["n"]));
  }
  EXPECT_FALSE(match(V["i"], m_Evolution(In, Counter)));
  EXPECT_FALSE(match(V["n"], m_Evolution(In, Counter)));
}

} // namespace
