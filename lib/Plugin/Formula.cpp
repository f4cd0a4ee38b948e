//===- Formula.cpp - what a nest computes, as the source says it -----------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Formula.h"
#include "SourceNames.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Support/Format.h"

using namespace llvm;

namespace tilesmith {

namespace {

/// How tightly an operator binds.
enum class Level { Choice, Comparison, Bits, Sum, Product, Sign, Name };

struct Text {
  std::string Str;
  Level Binds = Level::Name;

  /// For an operand of something that binds as \p Outer does.
  std::string in(Level Outer) const {
    return Binds < Outer ? "(" + Str + ")" : Str;
  }
};
using MaybeText = std::optional<Text>;

Level above(Level L) { return Level(unsigned(L) + 1); }

struct Operator {
  StringRef Sign;
  Level Binds;
};

std::optional<Operator> operatorOf(unsigned Opcode) {
  switch (Opcode) {
  case Instruction::FAdd:
  case Instruction::Add:
    return Operator{" + ", Level::Sum};
  case Instruction::FSub:
  case Instruction::Sub:
    return Operator{" - ", Level::Sum};
  case Instruction::FMul:
  case Instruction::Mul:
    return Operator{" * ", Level::Product};
  case Instruction::FDiv:
  case Instruction::SDiv:
  case Instruction::UDiv:
    return Operator{" / ", Level::Product};
  case Instruction::And:
    return Operator{" & ", Level::Bits};
  case Instruction::Or:
    return Operator{" | ", Level::Bits};
  case Instruction::Xor:
    return Operator{" ^ ", Level::Bits};
  default:
    return std::nullopt;
  }
}

/// Fortran has functions for the operators of bits.
StringRef functionFor(StringRef Sign) {
  return Sign == " & " ? "iand" : Sign == " | " ? "ior" : "ieor";
}

StringRef signOf(CmpInst::Predicate P) {
  switch (P) {
  case CmpInst::FCMP_OEQ:
  case CmpInst::ICMP_EQ:
    return " == ";
  case CmpInst::FCMP_UNE:
  case CmpInst::ICMP_NE:
    return " != ";
  case CmpInst::FCMP_OLT:
  case CmpInst::ICMP_SLT:
  case CmpInst::ICMP_ULT:
    return " < ";
  case CmpInst::FCMP_OLE:
  case CmpInst::ICMP_SLE:
  case CmpInst::ICMP_ULE:
    return " <= ";
  case CmpInst::FCMP_OGT:
  case CmpInst::ICMP_SGT:
  case CmpInst::ICMP_UGT:
    return " > ";
  case CmpInst::FCMP_OGE:
  case CmpInst::ICMP_SGE:
  case CmpInst::ICMP_UGE:
    return " >= ";
  default:
    return "";
  }
}

/// "" if there is no short name.
StringRef nameOf(Intrinsic::ID ID) {
  switch (ID) {
  case Intrinsic::smin:
  case Intrinsic::umin:
  case Intrinsic::minnum:
  case Intrinsic::minimum:
  case Intrinsic::minimumnum:
    return "min";
  case Intrinsic::smax:
  case Intrinsic::umax:
  case Intrinsic::maxnum:
  case Intrinsic::maximum:
  case Intrinsic::maximumnum:
    return "max";
  case Intrinsic::fabs:
  case Intrinsic::abs:
    return "abs";
  case Intrinsic::sqrt:
    return "sqrt";
  case Intrinsic::ctpop:
    return "popcount";
  default:
    return "";
  }
}

/// Writes the expressions of one contraction.
class Writer {
public:
  Writer(const Nest &Of, ScalarEvolution &SE)
      : Op(Of.Op), Initials(Of.Source.Initials), Names(Of, SE),
        C(Names.element(Op.C)) {}

  MaybeText assignment();

private:
  /// An expression, and what stands for the sum in it.
  struct Context {
    const Expression &In;
    std::optional<Text> Sum;
    const Term *Factors = nullptr; ///< whose elements are leaves A and B
  };

  /// What is added to the sum, with its sign.
  struct Addend {
    bool IsNegative;
    Text What;
  };
  using Addends = SmallVector<Addend, 2>;

  MaybeText write(Value *V, const Context &Ctx);
  MaybeText writeLeaf(Value *V, Leaf Kind, const Context &Ctx);
  MaybeText writeConstant(const Constant &V);
  MaybeText writeCall(const CallBase &Call, const Context &Ctx);
  MaybeText writeInstruction(Instruction &I, const Context &Ctx);
  MaybeText writeBinary(Operator By, Value *X, Value *Y, const Context &Ctx);
  MaybeText product(Value *V);
  MaybeText join(const Addends &All);
  Text added(char Sign, const Text &What) const;
  bool addendsTo(Value *V, const Context &Ctx, Addends &Into);
  MaybeText start();

  const Contraction &Op;
  ArrayRef<InitialValue> Initials; ///< which Start's leaf C stands for, if any
  SourceNames Names;
  std::optional<std::string> C;
};

MaybeText Writer::writeConstant(const Constant &V) {
  SmallString<16> Digits;
  if (auto *FP = dyn_cast<ConstantFP>(&V);
      FP && FP->getType()->getScalarSizeInBits() <= 64)
    raw_svector_ostream(Digits)
        << format("%g", FP->getValueAPF().convertToDouble());
  else if (auto *Int = dyn_cast<ConstantInt>(&V))
    Int->getValue().toStringSigned(Digits);
  else
    return std::nullopt;
  return Text{std::string(Digits),
              Digits.starts_with("-") ? Level::Sign : Level::Name};
}

/// The product of a term.
MaybeText Writer::product(Value *V) {
  auto It = find_if(Op.Terms, [&](const Term &T) { return T.Product == V; });
  if (It == Op.Terms.end())
    return std::nullopt;
  if (It->Pairing)
    return write(It->Pairing->Root, {*It->Pairing, std::nullopt, &*It});
  auto Factor = [&](const Expression &Map, const std::optional<Making> &Made) {
    const Expression &E = Made ? Made->Value : Map;
    return write(E.Root, {E, std::nullopt, &*It});
  };
  MaybeText A = Factor(It->AMap, It->MadeA), B = Factor(It->BMap, It->MadeB);
  if (!A || !B)
    return std::nullopt;
  if (Op.IsExchanged)
    std::swap(A, B);
  return Text{A->in(Level::Product) + " * " + B->in(Level::Sign),
              Level::Product};
}

MaybeText Writer::writeLeaf(Value *V, Leaf Kind, const Context &Ctx) {
  auto Name = [](std::optional<std::string> Str) -> MaybeText {
    if (!Str)
      return std::nullopt;
    return Text{*Str};
  };
  switch (Kind) {
  case Leaf::A:
    return Ctx.Factors ? Name(Names.element(Ctx.Factors->A)) : std::nullopt;
  case Leaf::B:
    return Ctx.Factors ? Name(Names.element(Ctx.Factors->B)) : std::nullopt;
  case Leaf::C:
    return Name(C);
  case Leaf::Product:
    return product(V);
  case Leaf::Sum:
    return Ctx.Sum;
  case Leaf::Further:
    for (const FurtherOperand *X : Op.further())
      if (X->Load == V && !X->X.Grouped)
        return Name(Names.element(X->X));
    return std::nullopt;
  case Leaf::SumOfOther:
  case Leaf::COfOther:
  case Leaf::Part:
  case Leaf::Index:
    return std::nullopt;
  case Leaf::Invariant:
    if (auto Known = Names.scalar(V))
      return Text{*Known};
    if (auto *Known = dyn_cast<Constant>(V))
      return writeConstant(*Known);
    return std::nullopt;
  }
  llvm_unreachable("unknown leaf");
}

MaybeText Writer::writeBinary(Operator By, Value *X, Value *Y,
                              const Context &Ctx) {
  MaybeText Left = write(X, Ctx), Right = write(Y, Ctx);
  if (!Left || !Right)
    return std::nullopt;
  if (By.Binds == Level::Bits && Names.areOfFortran())
    return Text{functionFor(By.Sign).str() + "(" + Left->Str + ", " +
                Right->Str + ")"};
  // x + -3
  bool IsDifference = By.Sign == " + " && Right->Binds == Level::Sign;
  std::string Second = Right->in(above(By.Binds));
  return Text{Left->in(By.Binds) + (IsDifference ? " - " + Second.substr(1)
                                                 : By.Sign.str() + Second),
              By.Binds};
}

MaybeText Writer::writeCall(const CallBase &Call, const Context &Ctx) {
  const Function *Callee = Call.getCalledFunction();
  if (!Callee)
    return std::nullopt;
  StringRef Name = Callee->getName();
  if (Intrinsic::ID ID = Callee->getIntrinsicID())
    Name = nameOf(ID);
  if (Name.empty() || Name.starts_with("_"))
    return std::nullopt;
  // Whether zero is defined is an argument of abs, too.
  unsigned NumArgs =
      Callee->getIntrinsicID() == Intrinsic::abs ? 1 : Call.arg_size();
  std::string Str = Name.str() + "(";
  for (unsigned I = 0; I < NumArgs; ++I) {
    MaybeText Arg = write(Call.getArgOperand(I), Ctx);
    if (!Arg)
      return std::nullopt;
    Str += (I ? ", " : "") + Arg->Str;
  }
  return Text{Str + ")"};
}

MaybeText Writer::writeInstruction(Instruction &I, const Context &Ctx) {
  if (auto By = operatorOf(I.getOpcode()))
    return writeBinary(*By, I.getOperand(0), I.getOperand(1), Ctx);
  if (isa<CastInst>(I))
    return write(I.getOperand(0), Ctx);
  if (auto *Compare = dyn_cast<CmpInst>(&I)) {
    StringRef Sign = signOf(Compare->getPredicate());
    if (Sign.empty())
      return std::nullopt;
    if (Sign == " != " && Names.areOfFortran())
      Sign = " /= ";
    return writeBinary({Sign, Level::Comparison}, I.getOperand(0),
                       I.getOperand(1), Ctx);
  }
  if (I.getOpcode() == Instruction::FNeg) {
    MaybeText X = write(I.getOperand(0), Ctx);
    if (!X)
      return std::nullopt;
    return Text{"-" + X->in(Level::Name), Level::Sign};
  }
  if (isa<SelectInst>(I)) {
    MaybeText If = write(I.getOperand(0), Ctx);
    MaybeText Then = write(I.getOperand(1), Ctx);
    MaybeText Else = write(I.getOperand(2), Ctx);
    if (!If || !Then || !Else)
      return std::nullopt;
    for (auto [Sign, Name] : {std::pair(" < ", "min("), {" > ", "max("}})
      if (If->Str == Then->in(Level::Bits) + Sign + Else->in(Level::Bits))
        return Text{Name + Then->Str + ", " + Else->Str + ")"};
    if (Names.areOfFortran())
      return Text{"merge(" + Then->Str + ", " + Else->Str + ", " + If->Str +
                  ")"};
    return Text{If->in(Level::Comparison) + " ? " +
                    Then->in(Level::Comparison) + " : " + Else->Str,
                Level::Choice};
  }
  auto *Call = dyn_cast<CallBase>(&I);
  if (!Call)
    return std::nullopt;
  Intrinsic::ID ID = Call->getIntrinsicID();
  if (ID != Intrinsic::fma && ID != Intrinsic::fmuladd)
    return writeCall(*Call, Ctx);
  MaybeText Product = Ctx.In.Fused.contains(&I)
                          ? product(&I)
                          : writeBinary({" * ", Level::Product},
                                        I.getOperand(0), I.getOperand(1), Ctx);
  MaybeText Other = write(I.getOperand(2), Ctx);
  if (!Product || !Other)
    return std::nullopt;
  return Text{Product->in(Level::Sum) + " + " + Other->in(Level::Product),
              Level::Sum};
}

MaybeText Writer::write(Value *V, const Context &Ctx) {
  V = Ctx.In.resolve(V);
  auto It = Ctx.In.Leaves.find(V);
  if (It != Ctx.In.Leaves.end())
    return writeLeaf(V, It->second, Ctx);
  if (auto *Known = dyn_cast<Constant>(V))
    return writeConstant(*Known);
  auto *I = dyn_cast<Instruction>(V);
  return I ? writeInstruction(*I, Ctx) : std::nullopt;
}

/// What \p V, a sum, adds to leaf Sum. False if it is no such sum.
bool Writer::addendsTo(Value *V, const Context &Ctx, Addends &Into) {
  V = Ctx.In.resolve(V);
  if (auto It = Ctx.In.Leaves.find(V); It != Ctx.In.Leaves.end())
    return It->second == Leaf::Sum;
  auto *I = dyn_cast<Instruction>(V);
  if (!I)
    return false;
  auto Add = [&](MaybeText What, bool IsNegative) {
    if (!What)
      return false;
    // -a * b
    if (What->Binds == Level::Product && StringRef(What->Str).starts_with("-"))
      What->Str.erase(0, 1), IsNegative = !IsNegative;
    Into.push_back({IsNegative, *What});
    return true;
  };
  if (Ctx.In.Fused.contains(I))
    return addendsTo(I->getOperand(2), Ctx, Into) && Add(product(I), false);
  if (auto *Call = dyn_cast<IntrinsicInst>(I);
      Call && is_contained({Intrinsic::fma, Intrinsic::fmuladd},
                           Call->getIntrinsicID()))
    return addendsTo(I->getOperand(2), Ctx, Into) &&
           Add(writeBinary({" * ", Level::Product}, I->getOperand(0),
                           I->getOperand(1), Ctx),
               false);
  unsigned Opcode = I->getOpcode();
  bool IsSum = is_contained({Instruction::FAdd, Instruction::Add}, Opcode);
  if (!IsSum && !is_contained({Instruction::FSub, Instruction::Sub}, Opcode))
    return false;
  Addends Others;
  for (unsigned Side : {0, 1}) {
    if (Side && !IsSum)
      return false;
    Others.clear();
    if (!addendsTo(I->getOperand(Side), Ctx, Others))
      continue;
    append_range(Into, Others);
    return Add(write(I->getOperand(1 - Side), Ctx), !IsSum);
  }
  return false;
}

MaybeText Writer::join(const Addends &All) {
  if (All.size() == 1 && !All.front().IsNegative)
    return All.front().What;
  std::string Str;
  for (const Addend &X : All) {
    bool IsFirst = &X == All.begin();
    Str += X.IsNegative ? (IsFirst ? "-" : " - ") : (IsFirst ? "" : " + ");
    Str += X.What.in(X.IsNegative || !IsFirst ? Level::Product : Level::Sum);
  }
  return Text{Str, Level::Sum};
}

/// Where sums start, "" if at zero.
MaybeText Writer::start() {
  if (auto *Zero = dyn_cast<Constant>(Op.Start.Root);
      Zero && (Zero->isNullValue() || Zero->isNegativeZeroValue()))
    return Text{""};
  if (!Initials.empty()) {
    auto *Load = dyn_cast<LoadInst>(Initials.front().Value);
    auto Known = Load ? Names.loaded(*Load) : std::nullopt;
    // Rows that are written out have one each.
    bool IsAll = Op.Start.isLeaf(Leaf::C) &&
                 all_of(Initials, [&](const InitialValue &Other) {
                   return Other.Value == Load;
                 });
    return Known && IsAll ? MaybeText(Text{*Known}) : std::nullopt;
  }
  return write(Op.Start.Root, {Op.Start, std::nullopt});
}

/// C with \p What added to it, or taken away.
Text Writer::added(char Sign, const Text &What) const {
  if (!Names.areOfFortran())
    return {*C + " " + Sign + "= " + What.Str};
  return {*C + " = " + *C + " " + Sign + " " +
          What.in(Sign == '-' ? Level::Product : Level::Sum)};
}

MaybeText Writer::assignment() {
  if (!C)
    return std::nullopt;
  bool IsInPlace = Op.Start.isLeaf(Leaf::C) && Op.storesSum() && !Op.After &&
                   Initials.empty();
  Addends All;
  if (!addendsTo(Op.Update.Root, {Op.Update, std::nullopt}, All)) {
    MaybeText Step;
    if (IsInPlace)
      Step = write(Op.Update.Root, {Op.Update, Text{*C}});
    return Step ? MaybeText(Text{*C + " = " + Step->Str}) : std::nullopt;
  }
  if (All.empty())
    return std::nullopt;
  bool IsNegative = all_of(All, [](const Addend &X) { return X.IsNegative; });
  if (IsNegative)
    for (Addend &X : All)
      X.IsNegative = false;
  MaybeText Step = join(All);
  if (IsInPlace)
    return added(IsNegative ? '-' : '+', *Step);

  MaybeText First = start();
  if (!First)
    return std::nullopt;
  Text Sum{"sum(" + Step->Str + ")"};
  if (!First->Str.empty())
    Sum = {First->in(Level::Sum) + (IsNegative ? " - " : " + ") + Sum.Str,
           Level::Sum};
  else if (IsNegative)
    Sum = {"-" + Sum.Str, Level::Sign};
  const Expression &Last = Op.After ? Op.After->Value : Op.Finish;
  MaybeText Stored = write(Last.Root, {Last, Sum});
  if (!Stored)
    return std::nullopt;
  for (char Sign : {'+', '-'})
    if (Sum.Binds == Level::Name &&
        Stored->Str == *C + " " + Sign + " " + Sum.Str)
      return added(Sign, Sum);
  return Text{*C + " = " + Stored->Str};
}

} // namespace

std::optional<std::string> formulaOf(const Nest &Of, ScalarEvolution &SE) {
  constexpr size_t MaxLength = 160;
  // C may be none of the source's arrays.
  if (Of.Source.ToScratch)
    return std::nullopt;
  MaybeText Result = Writer(Of, SE).assignment();
  if (!Result || Result->Str.size() > MaxLength)
    return std::nullopt;
  return Result->Str;
}

} // namespace tilesmith
