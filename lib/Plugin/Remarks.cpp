//===- Remarks.cpp - what the user is told --------------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Remarks.h"
#include "tilesmith/Idiom/Likeness.h"
#include "tilesmith/Idiom/Recognize.h"
#include "tilesmith/Support/Choice.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace tilesmith {

/// The function that \p Call calls in the source, if it is known: a choice that was
/// moved to a function has a call in it.
static const Function *calleeInSource(const CallBase &Call) {
  const Function *Callee = Call.getCalledFunction();
  if (!Callee || !Callee->hasFnAttribute(ChoiceMark))
    return Callee;
  for (const Instruction &I : instructions(*Callee))
    if (auto *Inner = dyn_cast<CallBase>(&I);
        Inner && !isa<IntrinsicInst>(Inner))
      return Inner->getCalledFunction();
  return nullptr;
}

WhyNot WhyNot::of(const Refusal &No) {
  WhyNot Result{No.Why, No.Where ? No.Where->getDebugLoc() : DebugLoc(), ""};
  auto *Call = dyn_cast_or_null<CallBase>(No.Where);
  if (Call && is_contained({Reason::Call, Reason::RuntimeCall}, No.Why))
    if (const Function *Callee = calleeInSource(*Call))
      Result.Callee = demangle(Callee->getName());
  return Result;
}

static bool isOfFile(const DILocation &At, const DISubprogram &F) {
  return At.getLine() != 0 && At.getFilename() == F.getFilename() &&
         At.getDirectory() == F.getDirectory();
}

/// The place at which \p L begins: of a line of its function's own file, if
/// there is one in the loop, or in a loop around it.
static DebugLoc locationOf(const Loop &L, const DISubprogram *Of) {
  DebugLoc Any;
  for (const Loop *Part = &L; Part; Part = Part->getParentLoop()) {
    SmallVector<DebugLoc, 16> Locs{Part->getStartLoc()};
    for (const BasicBlock *BB : Part->blocks())
      for (const Instruction &I : *BB)
        Locs.push_back(I.getDebugLoc());
    for (const DebugLoc &Loc : Locs) {
      if (!Loc || Loc.getLine() == 0)
        continue;
      if (!Of || isOfFile(*Loc, *Of))
        return Loc;
      if (!Any)
        Any = Loc;
    }
  }
  return Any;
}

/// Of what is inlined into one another, the innermost of the function's own
/// file, or else the outermost.
static const DILocation *userLine(const DILocation &Loc,
                                  const DISubprogram &Of) {
  const DILocation *Outermost = &Loc;
  for (const DILocation *At = &Loc; At; At = At->getInlinedAt()) {
    if (isOfFile(*At, Of))
      return At;
    if (At->getLine() != 0)
      Outermost = At;
  }
  return Outermost;
}

RemarkPlace RemarkPlace::of(const DebugLoc &Given, const Loop &L) {
  const Function &F = *L.getHeader()->getParent();
  const DISubprogram *Of = F.getSubprogram();
  DebugLoc Loc = Given;
  if (!Loc || Loc.getLine() == 0)
    Loc = locationOf(L, Of);
  if (!Of)
    return {Loc, ""};
  if (!Loc)
    return {DILocation::get(F.getContext(), Of->getLine(), 0,
                            const_cast<DISubprogram *>(Of)),
            ""};
  const DILocation *At = userLine(*Loc, *Of);
  const DISubprogram *Inlined = Loc->getScope()->getSubprogram();
  if (At == Loc.get() || !Inlined || isOfFile(*Loc, *Of))
    return {At, ""};
  return {At, (" (in function '" + Inlined->getName() + "', " +
               sys::path::filename(Loc->getFilename()) + ":" +
               Twine(Loc.getLine()) + ")")
                  .str()};
}

/// Whether two loops are written in one function, whatever that is inlined into.
static bool areOfOneFunction(const DebugLoc &A, const DebugLoc &B) {
  return A && B && A.getLine() && B.getLine() &&
         A->getScope()->getSubprogram() == B->getScope()->getSubprogram();
}

void recordNest(DiagnosticInfoOptimizationBase &Remark, const Loop &Root,
                const Loop &Innermost) {
  DebugLoc Outer = Root.getStartLoc(), Inner = Innermost.getStartLoc();
  DebugLoc End = Root.getLocRange().getEnd();
  if (!areOfOneFunction(Outer, Inner)) {
    Outer = RemarkPlace::of(DebugLoc(), Root).Loc;
    Inner = RemarkPlace::of(DebugLoc(), Innermost).Loc;
  }
  Remark.insert(DiagnosticInfoOptimizationBase::setExtraArgs());
  Remark.insert(ore::NV("Tilesmith", TILESMITH_VERSION));
  auto Record = [&](StringRef Name, const DebugLoc &Loc) {
    ore::NV Place(Name, "");
    Place.Loc = Loc;
    if (Loc)
      Remark.insert(Place);
  };
  Record("Nest", Outer);
  for (const Loop *L = Innermost.getParentLoop(); L && L != &Root;
       L = L->getParentLoop())
    if (areOfOneFunction(Outer, L->getStartLoc()))
      Record("Loop", L->getStartLoc());
  Record("Innermost", Inner);
  if (areOfOneFunction(Outer, End))
    Record("End", End);
}

bool RemarkLog::insert(const DebugLoc &Loc, StringRef What) {
  return !Loc ||
         Made.insert({(Loc->getDirectory() + "/" + Loc->getFilename()).str(),
                      Loc.getLine(), Loc.getCol(), What.str()})
             .second;
}

/// Whether nothing has been said yet of why the product that \p L ends is left
/// alone, nor the same at the same place, as of copies that a macro makes.
static bool isNew(const Loop &L, const WhyNot &No, RemarkLog &Log) {
  StringRef What = name(No.Why);
  bool IsNewLoop = Log.insert(RemarkPlace::of(DebugLoc(), L).Loc, What);
  return Log.insert(RemarkPlace::of(No.Where, L).Loc, ("told " + What).str()) &&
         IsNewLoop;
}

/// The outermost of the three loops that end in \p L, if there are as many.
static const Loop &rootOf(const Loop &L) {
  const Loop *Root = &L;
  for (unsigned Length = 1; Length < MinChainLength && Root->getParentLoop();
       ++Length)
    Root = Root->getParentLoop();
  return *Root;
}

static void emit(const Loop &L, const WhyNot &No, StringRef What,
                 OptimizationRemarkEmitter &ORE) {
  ORE.emit([&] {
    RemarkPlace At = RemarkPlace::of(No.Where, L);
    OptimizationRemarkMissed Remark("tilesmith", name(No.Why), At.Loc,
                                    L.getHeader());
    // "what stands in the way; what to do"
    auto [Obstacle, Cure] = describe(No.Why).split(';');
    Remark << What << Obstacle;
    if (!No.Callee.empty())
      Remark << " ('" << ore::NV("Callee", No.Callee) << "')";
    if (!Cure.empty())
      Remark << ";" << Cure;
    Remark << At.Inlined;
    recordNest(Remark, rootOf(L), L);
    return Remark;
  });
}

void remarkMissed(const Loop &L, const WhyNot &No, const Options &Opts,
                  RemarkLog &Log, OptimizationRemarkEmitter &ORE) {
  if (!ORE.enabled())
    return;
  Likeness Like = Likeness::of(L);
  bool IsTold = (Like.isLikely() || Like.isLikelyVector()) && isNew(L, No, Log);
  if (Opts.Remarks == RemarkLevel::All || IsTold)
    emit(L, No,
         Like.isLikely()         ? "matrix product not replaced: "
         : Like.isLikelyVector() ? "matrix times vector not replaced: "
                                 : "sum of products not replaced: ",
         ORE);
}

void remarkProductMissed(const Loop &L, const WhyNot &No, RemarkLog &Log,
                         OptimizationRemarkEmitter &ORE, StringRef What) {
  if (ORE.enabled() && isNew(L, No, Log))
    emit(L, No, What, ORE);
}

} // namespace tilesmith
