//===- SegmentsTest.cpp - how steps in segments go by ---------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilesmith/Idiom/Recognize.h"
#include "tilesmith/Planning/Plan.h"
#include "tilesmith/Target/Engine.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"
#include "gtest/gtest.h"
#include <regex>

using namespace llvm;
using namespace tilesmith;

namespace {

// y[i] = sum over g of scales[i][g] * (the sum over STEPS of the products of LEFT and
// RIGHT, which are made of %a and %b, of types A and B).
const char SegmentsIR[] = R"(
define void @rows(i64 %m, i64 %n, ptr noalias %w, ptr noalias %s, ptr noalias %x, ptr noalias %y) {
entry:
  br label %row
row:
  %i = phi i64 [ 0, %entry ], [ %i.next, %row.latch ]
  %in = mul nsw i64 %i, %n
  br label %segment
segment:
  %g = phi i64 [ 0, %row ], [ %g.next, %segment.latch ]
  %sum = phi float [ 0.0, %row ], [ %sum.next, %segment.latch ]
  %ing = add nsw i64 %in, %g
  %first = mul nsw i64 %ing, STEPS
  %first.x = mul nsw i64 %g, STEPS
  br label %step
step:
  %k = phi i64 [ 0, %segment ], [ %k.next, %step ]
  %part = phi i32 [ 0, %segment ], [ %part.next, %step ]
  %at.a = add nsw i64 %first, %k
  %pa = getelementptr A, ptr %w, i64 %at.a
  %a = load A, ptr %pa
  %at.b = add nsw i64 %first.x, %k
  %pb = getelementptr B, ptr %x, i64 %at.b
  %b = load B, ptr %pb
  LEFT
  RIGHT
  %product = mul nsw i32 %left, %right
  %part.next = add nsw i32 %part, %product
  %k.next = add nuw nsw i64 %k, 1
  %k.more = icmp ult i64 %k.next, STEPS
  br i1 %k.more, label %step, label %segment.latch
segment.latch:
  %number = sitofp i32 %part.next to float
  %ps = getelementptr float, ptr %s, i64 %ing
  %scale = load float, ptr %ps
  %scaled = fmul float %number, %scale
  %sum.next = fadd float %sum, %scaled
  %g.next = add nuw nsw i64 %g, 1
  %g.more = icmp ult i64 %g.next, %n
  br i1 %g.more, label %segment, label %row.latch
row.latch:
  %py = getelementptr float, ptr %y, i64 %i
  store float %sum.next, ptr %py
  %i.next = add nuw nsw i64 %i, 1
  %i.more = icmp ult i64 %i.next, %m
  br i1 %i.more, label %row, label %exit
exit:
  ret void
}
)";

/// The factors, as IR.
struct Factors {
  StringRef A = "i8", Left = "%left = sext i8 %a to i32";
  StringRef B = "i8", Right = "%right = sext i8 %b to i32";
};

/// Of unsigned bytes.
const StringRef ZExtA = "%left = zext i8 %a to i32",
                ZExtB = "%right = zext i8 %b to i32";

constexpr StringRef AVX2 = "+avx2,+fma",
                    VNNI = "+avx2,+fma,+avx512f,+avx512vl,+avx512vnni",
                    Int8 = "+avx2,+fma,+avxvnniint8,+avxvnni";

/// What is planned with some \p Features, in registers of \p Bits.
std::string plan(const Factors &Of, unsigned Steps, StringRef Features,
                 unsigned Bits = 256) {
  std::string Text = SegmentsIR;
  for (auto [Name, Value] :
       {std::pair("\\bA\\b", Of.A.str()), std::pair("\\bB\\b", Of.B.str()),
        std::pair("LEFT", Of.Left.str()), std::pair("RIGHT", Of.Right.str()),
        std::pair("STEPS", std::to_string(Steps))})
    Text = std::regex_replace(Text, std::regex(Name), Value);
  LLVMContext Context;
  SMDiagnostic Error;
  std::unique_ptr<Module> M = parseAssemblyString(Text, Error, Context);
  if (!M)
    return Error.getMessage().str();
  M->setTargetTriple(Triple("x86_64-linux-gnu"));
  Function &F = *M->getFunction("rows");
  F.addFnAttr("target-features", Features);
  TargetLibraryInfoImpl TLII(M->getTargetTriple());
  TargetLibraryInfo TLI(TLII);
  DominatorTree DT(F);
  LoopInfo LI(DT);
  AssumptionCache AC(F);
  ScalarEvolution SE(F, TLI, AC, DT, LI);
  auto Found = recognize(*LI.getLoopsInPreorder().back(), {DT, LI, SE});
  if (auto *No = std::get_if<Refusal>(&Found))
    return name(No->Why).str();
  TargetModel Target;
  Target.VectorBits = Bits;
  Target.VectorRegisters = Bits > 256 ? 32 : 16;
  Target.Caches = cacheSizesOf("");
  auto Planned = makePlan(std::get<Nest>(Found), Target, Options());
  if (auto *No = std::get_if<Refusal>(&Planned))
    return name(No->Why).str();
  const Plan &P = std::get<PlannedNest>(Planned).ThePlan;
  auto Type = [](const NarrowType &Ty) {
    return (Ty.IsSigned ? "i" : "u") +
           std::to_string(Ty.Ty->getIntegerBitWidth());
  };
  return P.Engine->Name.str() + " " + std::to_string(P.MR) + "x" +
         std::to_string(P.NR) + " " + Type(P.Narrow->Packed.A) + " " +
         Type(P.Narrow->Packed.B) + (P.Narrow->FlipsA ? " flipped" : "");
}

TEST(Segments, BytesGoByAsTheyAreIfAnInstructionTakesThem) {
  EXPECT_EQ(plan({}, 32, Int8), "VNNI-INT8 8x32 i8 i8");
  Factors OfA{"i8", ZExtA}, OfB{"i8", Factors().Left, "i8", ZExtB};
  EXPECT_EQ(plan(OfA, 32, VNNI, 512), "VNNI 8x32 u8 i8");
  EXPECT_EQ(plan(OfB, 32, VNNI, 512), "VNNI 8x32 i8 u8");
}

TEST(Segments, SignsOfAAreFlippedForOneThatTakesOthers) {
  EXPECT_EQ(plan({}, 32, VNNI, 512), "VNNI 8x32 u8 i8 flipped");
  Factors Unsigned{"i8", ZExtA, "i8", ZExtB};
  EXPECT_EQ(plan(Unsigned, 32, VNNI, 512), "VNNI 8x32 i8 u8 flipped");
}

TEST(Segments, BytesAreWidenedForPairs) {
  EXPECT_EQ(plan({}, 32, AVX2), "pmaddwd 8x16 i16 i16");
  EXPECT_EQ(plan({}, 32, "+sse2", 128), "pmaddwd 4x8 i16 i16");
  Factors Unsigned{"i8", ZExtA, "i8", ZExtB};
  EXPECT_EQ(plan(Unsigned, 32, AVX2), "pmaddwd 8x16 i16 i16");
}

TEST(Segments, ValuesOfFactorsDecideHowWideTheyAre) {
  auto Of = [](StringRef Made) { return plan({"i8", Made}, 64, VNNI, 512); };
  // Four bits less eight, or as they are; a byte less 128; or less something else.
  EXPECT_EQ(Of("%wide = zext i8 %a to i32\n %low = and i32 %wide, 15\n"
               "%left = add nsw i32 %low, -8"),
            "VNNI 8x32 u8 i8 flipped");
  EXPECT_EQ(Of("%wide = zext i8 %a to i32\n %left = lshr i32 %wide, 4"),
            "VNNI 8x32 u8 i8");
  EXPECT_EQ(Of("%wide = zext i8 %a to i32\n %left = add nsw i32 %wide, -128"),
            "VNNI 8x32 u8 i8 flipped");
  EXPECT_EQ(Of("%wide = zext i8 %a to i32\n %left = add nsw i32 %wide, -131"),
            "VNNI 8x16 i16 i16");
  // What 16 bits may not hold.
  EXPECT_EQ(Of("%wide = zext i8 %a to i32\n %left = mul nsw i32 %wide, 129"),
            "ScaledGroups");
}

TEST(Segments, ShortsAreOfPairs) {
  Factors Shorts{"i16", "%left = sext i16 %a to i32"};
  EXPECT_EQ(plan(Shorts, 32, AVX2), "pmaddwd 8x16 i16 i16");
  Factors Unsigned{"i16", "%left = zext i16 %a to i32"};
  EXPECT_EQ(plan(Unsigned, 32, AVX2), "ScaledGroups");
}

TEST(Segments, ShortOnesFillShorterRegisters) {
  EXPECT_EQ(plan({}, 20, AVX2), "pmaddwd 8x16 i16 i16");
  EXPECT_EQ(plan({}, 12, AVX2), "pmaddwd 4x8 i16 i16");
  // 16 steps fill a register of pairs, and half of one of bytes.
  EXPECT_EQ(plan({}, 16, VNNI, 512), "VNNI 8x16 i16 i16");
  EXPECT_EQ(plan({}, 33, VNNI, 512), "VNNI 8x32 u8 i8 flipped");
}

TEST(Segments, VeryShortOnesAreLeftToClang) {
  EXPECT_EQ(plan({}, 8, AVX2), "ScaledGroups");
  EXPECT_EQ(plan({}, 9, AVX2), "pmaddwd 4x8 i16 i16");
  EXPECT_EQ(plan({}, 20, "+sse2", 128), "ScaledGroups");
  EXPECT_EQ(plan({}, 24, "+sse2", 128), "pmaddwd 4x8 i16 i16");
  EXPECT_EQ(plan({}, 8, VNNI, 512), "VNNI 4x8 i16 i16");
  EXPECT_EQ(plan({}, 7, VNNI, 512), "ScaledGroups");
}

} // namespace
