//===- PlanningTest.cpp - register tiles, blocks, caches ------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilesmith/Idiom/Recognize.h"
#include "tilesmith/Planning/Plan.h"
#include "tilesmith/Target/CPULevel.h"
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
#include <random>
#include <regex>

using namespace llvm;
using namespace tilesmith;

namespace {

// Row-major C += A*B; T, ROWS, COLUMNS, DEPTH and FLAGS are replaced.
const char NestIR[] = R"(
define void @gemm(i64 %m, i64 %n, i64 %k, ptr %A, ptr %B, ptr %C) {
entry:
  br label %rows
rows:
  %i = phi i64 [ 0, %entry ], [ %i.next, %rows.latch ]
  %iA = mul nsw i64 %i, DEPTH
  %iC = mul nsw i64 %i, COLUMNS
  br label %columns
columns:
  %j = phi i64 [ 0, %rows ], [ %j.next, %columns.latch ]
  %ijC = add nsw i64 %iC, %j
  %pC = getelementptr T, ptr %C, i64 %ijC
  %start = load T, ptr %pC
  br label %sum
sum:
  %l = phi i64 [ 0, %columns ], [ %l.next, %sum ]
  %acc = phi T [ %start, %columns ], [ %next, %sum ]
  %ilA = add nsw i64 %iA, %l
  %pA = getelementptr T, ptr %A, i64 %ilA
  %a = load T, ptr %pA
  %lB = mul nsw i64 %l, COLUMNS
  %ljB = add nsw i64 %lB, %j
  %pB = getelementptr T, ptr %B, i64 %ljB
  %b = load T, ptr %pB
  %ab = fmul FLAGS T %a, %b
  %next = fadd FLAGS T %acc, %ab
  %l.next = add nuw nsw i64 %l, 1
  %l.more = icmp ult i64 %l.next, DEPTH
  br i1 %l.more, label %sum, label %columns.latch
columns.latch:
  store T %next, ptr %pC
  %j.next = add nuw nsw i64 %j, 1
  %j.more = icmp ult i64 %j.next, COLUMNS
  br i1 %j.more, label %columns, label %rows.latch
rows.latch:
  %i.next = add nuw nsw i64 %i, 1
  %i.more = icmp ult i64 %i.next, ROWS
  br i1 %i.more, label %rows, label %exit
exit:
  ret void
}
)";

/// A recognised product, and everything it refers to.
struct Product {
  LLVMContext Context;
  std::unique_ptr<Module> M;
  TargetLibraryInfoImpl TLII;
  TargetLibraryInfo TLI;
  DominatorTree DT;
  LoopInfo LI;
  AssumptionCache AC;
  ScalarEvolution SE;

  explicit Product(StringRef Ty, StringRef Rows = "%m",
                   StringRef Columns = "%n", StringRef Depth = "%k",
                   StringRef Flags = "contract")
      : M(parse(Context, Ty, Rows, Columns, Depth, Flags)),
        TLII(M->getTargetTriple()), TLI(TLII), DT(gemm()), LI(DT), AC(gemm()),
        SE(gemm(), TLI, AC, DT, LI) {}

  std::variant<Plan, Refusal> plan(const TargetModel &Target,
                                   const Options &Opts = Options()) {
    auto Op = recognize(*LI.getLoopsInPreorder().back(), {DT, LI, SE});
    if (auto *No = std::get_if<Refusal>(&Op))
      return *No;
    auto Planned = makePlan(std::get<Nest>(Op), Target, Opts);
    if (auto *No = std::get_if<Refusal>(&Planned))
      return *No;
    return std::get<PlannedNest>(Planned).ThePlan;
  }

private:
  Function &gemm() { return *M->getFunction("gemm"); }

  static std::unique_ptr<Module> parse(LLVMContext &Context, StringRef Ty,
                                       StringRef Rows, StringRef Columns,
                                       StringRef Depth, StringRef Flags) {
    std::string Text = NestIR;
    for (auto [Name, Value] :
         {std::pair("\\bT\\b", Ty), std::pair("ROWS", Rows),
          std::pair("COLUMNS", Columns), std::pair("DEPTH", Depth),
          std::pair("FLAGS", Flags)})
      Text = std::regex_replace(Text, std::regex(Name), Value.str());
    SMDiagnostic Error;
    std::unique_ptr<Module> M = parseAssemblyString(Text, Error, Context);
    EXPECT_TRUE(M) << Error.getMessage().str();
    return M;
  }
};

/// With -ffast-math.
struct FastProduct : Product {
  explicit FastProduct(StringRef Ty) : Product(Ty, "%m", "%n", "%k", "fast") {}
};

TargetModel target(unsigned VectorBits, unsigned VectorRegisters,
                   StringRef CPU = "") {
  TargetModel Model;
  Model.VectorBits = VectorBits;
  Model.VectorRegisters = VectorRegisters;
  Model.Caches = cacheSizesOf(CPU);
  return Model;
}

/// In code for POWER10, with its accumulators.
struct Power10Product : Product {
  template <typename... Texts>
  explicit Power10Product(Texts... T) : Product(T...) {
    M->setTargetTriple(Triple("powerpc64le-linux-gnu"));
    M->getFunction("gemm")->addFnAttr("target-cpu", "pwr10");
  }
  std::variant<Plan, Refusal> plan() {
    TargetModel Model = target(128, 64, "pwr10");
    Model.VectorName = "VSX";
    return Product::plan(Model);
  }
};

std::string summaryOf(const std::variant<Plan, Refusal> &P) {
  auto *ThePlan = std::get_if<Plan>(&P);
  return ThePlan ? ThePlan->summary() : name(std::get<Refusal>(P).Why).str();
}

TEST(Accumulators, TileFillsThem) {
  using Tile = std::pair<unsigned, unsigned>;
  EXPECT_EQ(chooseAccumulatorTile(2, 8, 4), Tile(8, 8));
  EXPECT_EQ(chooseAccumulatorTile(4, 8, 4), Tile(16, 8));
  EXPECT_EQ(summaryOf(Power10Product("double").plan()),
            "packed, 8x8 micro kernel, MMA");
  EXPECT_EQ(summaryOf(Power10Product("float").plan()),
            "packed, 16x8 micro kernel, MMA");
  // The products are rounded apart.
  EXPECT_EQ(summaryOf(Power10Product("float", "%m", "%n", "%k", "").plan()),
            "packed, 16x8 micro kernel, VSX");
}

TEST(Accumulators, FewStepsAndColumnsAreForVectors) {
  auto Summary = [](StringRef M, StringRef N, StringRef K) {
    return summaryOf(Power10Product("float", M, N, K).plan());
  };
  // C is row-major, so its rows are the tile's columns.
  EXPECT_EQ(Summary("8", "8", "4"), "in place, 16x8 micro kernel, MMA");
  EXPECT_NE(Summary("8", "8", "3").find("VSX"), std::string::npos);
  EXPECT_EQ(Summary("3", "8", "8"), "in place, 16x8 micro kernel, MMA");
  EXPECT_NE(Summary("2", "8", "8").find("VSX"), std::string::npos);
}

TEST(Library, GemmFlagsOfAllOrders) {
  constexpr Order R = Order::RowMajor, C = Order::ColMajor;
  constexpr Trans N = Trans::No, T = Trans::Yes;
  // What cblas_?gemm is told for orders of C, A and B: the flags of its first
  // and second operand, in row-major and in column-major layout.
  struct {
    Order C, A, B;
    Trans Row[2];
    bool RowMirrored;
    Trans Column[2];
  } Table[] = {
      {R, R, R, {N, N}, false, {N, N}}, {R, R, C, {N, T}, false, {T, N}},
      {R, C, R, {T, N}, false, {N, T}}, {R, C, C, {T, T}, false, {T, T}},
      {C, R, R, {T, T}, true, {T, T}},  {C, R, C, {N, T}, true, {T, N}},
      {C, C, R, {T, N}, true, {N, T}},  {C, C, C, {N, N}, true, {N, N}},
  };
  for (const auto &X : Table) {
    CallFlags Row = gemmFlags(X.A, X.B, X.C, R);
    EXPECT_EQ(Row.Layout, R);
    EXPECT_EQ(Row.Mirrored, X.RowMirrored);
    EXPECT_EQ(Row.First, X.Row[0]);
    EXPECT_EQ(Row.Second, X.Row[1]);
    CallFlags Column = gemmFlags(X.A, X.B, X.C, C);
    EXPECT_EQ(Column.Layout, C);
    EXPECT_EQ(Column.Mirrored, !X.RowMirrored);
    EXPECT_EQ(Column.First, X.Column[0]);
    EXPECT_EQ(Column.Second, X.Column[1]);
  }
}

TEST(Library, RankUpdateFlagsOfAllOrders) {
  constexpr Order R = Order::RowMajor, C = Order::ColMajor;
  constexpr Trans N = Trans::No, T = Trans::Yes;
  constexpr UpLo Lower = UpLo::Lower, Upper = UpLo::Upper;
  struct {
    Order A, C;
    UpLo Half;
    Trans Row;
    UpLo RowHalf;
    Trans Column;
    UpLo ColumnHalf;
  } Table[] = {
      {R, R, Lower, N, Lower, T, Upper}, {R, R, Upper, N, Upper, T, Lower},
      {C, R, Lower, T, Lower, N, Upper}, {C, R, Upper, T, Upper, N, Lower},
      {R, C, Lower, N, Upper, T, Lower}, {R, C, Upper, N, Lower, T, Upper},
      {C, C, Lower, T, Upper, N, Lower}, {C, C, Upper, T, Lower, N, Upper},
  };
  for (const auto &X : Table) {
    CallFlags Row = rankUpdateFlags(X.A, X.C, X.Half, R);
    EXPECT_EQ(Row.Layout, R);
    EXPECT_EQ(Row.Mirrored, X.C == C);
    EXPECT_EQ(Row.First, X.Row);
    EXPECT_EQ(Row.Half, X.RowHalf);
    CallFlags Column = rankUpdateFlags(X.A, X.C, X.Half, C);
    EXPECT_EQ(Column.Layout, C);
    EXPECT_EQ(Column.Mirrored, X.C == R);
    EXPECT_EQ(Column.First, X.Column);
    EXPECT_EQ(Column.Half, X.ColumnHalf);
  }
}

TEST(Library, TriangularFlagsOfAllOrders) {
  constexpr Order R = Order::RowMajor, C = Order::ColMajor;
  constexpr Trans N = Trans::No, T = Trans::Yes;
  constexpr UpLo Lower = UpLo::Lower, Upper = UpLo::Upper;
  constexpr Side Left = Side::Left, Right = Side::Right;
  // What cblas_?trmm is told of an upper triangle A that stands on the left, in
  // row-major and in column-major layout.
  struct Flags {
    Side Of;
    UpLo Half;
    Trans Op;
  };
  struct {
    Order A, C;
    Flags Row, Column;
  } Table[] = {
      {R, R, {Left, Upper, N}, {Right, Lower, N}},
      {C, R, {Left, Lower, T}, {Right, Upper, T}},
      {R, C, {Right, Upper, T}, {Left, Lower, T}},
      {C, C, {Right, Lower, N}, {Left, Upper, N}},
  };
  for (const auto &X : Table)
    for (Diag Diagonal : {Diag::Unit, Diag::NonUnit})
      for (auto [Layout, Expected] :
           {std::pair(R, X.Row), std::pair(C, X.Column)}) {
        CallFlags Found =
            triangularFlags(X.A, X.C, Upper, Left, Diagonal, Layout);
        EXPECT_EQ(Found.Layout, Layout);
        EXPECT_EQ(Found.Mirrored, Layout != X.C);
        EXPECT_EQ(Found.Of, Expected.Of);
        EXPECT_EQ(Found.Half, Expected.Half);
        EXPECT_EQ(Found.First, Expected.Op);
        EXPECT_EQ(Found.Diagonal, Diagonal);
        // A lower one on the right is the opposite in both.
        Found = triangularFlags(X.A, X.C, Lower, Right, Diagonal, Layout);
        EXPECT_EQ(Found.Of == Left, Expected.Of == Right);
        EXPECT_EQ(Found.Half == Lower, Expected.Half == Upper);
        EXPECT_EQ(Found.First, Expected.Op);
      }
}

TEST(Library, SymmetricFlagsOfAllOrders) {
  constexpr Order R = Order::RowMajor, C = Order::ColMajor;
  constexpr UpLo Lower = UpLo::Lower, Upper = UpLo::Upper;
  constexpr Side Left = Side::Left, Right = Side::Right;
  struct {
    Order A, C, Layout;
    Side Of;
    UpLo Half;
  } Table[] = {
      {R, R, R, Left, Lower},  {C, R, R, Left, Upper},  {R, C, R, Right, Lower},
      {C, C, R, Right, Upper}, {R, R, C, Right, Upper}, {C, R, C, Right, Lower},
      {R, C, C, Left, Upper},  {C, C, C, Left, Lower},
  };
  for (const auto &X : Table) {
    CallFlags Found = symmetricFlags(X.A, X.C, Left, X.Layout);
    EXPECT_EQ(Found.Layout, X.Layout);
    EXPECT_EQ(Found.Mirrored, X.Layout != X.C);
    EXPECT_EQ(Found.Of, X.Of);
    EXPECT_EQ(Found.Half, X.Half);
    Found = symmetricFlags(X.A, X.C, Right, X.Layout);
    EXPECT_EQ(Found.Of == Left, X.Of == Right);
    EXPECT_EQ(Found.Half, X.Half);
  }
}

TEST(Library, FlagsAgreeWithTheMirroredContraction) {
  constexpr Order R = Order::RowMajor, C = Order::ColMajor;
  auto Other = [](Order X) { return X == R ? C : R; };
  for (Order A : {R, C})
    for (Order B : {R, C})
      for (Order OfC : {R, C}) {
        CallFlags Mirrored = gemmFlags(Other(B), Other(A), Other(OfC), R);
        Mirrored.Mirrored ^= true;
        EXPECT_EQ(gemmFlags(A, B, OfC, R), Mirrored);
      }
}

TEST(Library, CoefficientsAreSumsOfProducts) {
  LLVMContext Context;
  Type *Double = Type::getDoubleTy(Context);
  Module M("test", Context);
  Function *F =
      Function::Create(FunctionType::get(Double, {Double, Double}, false),
                       Function::ExternalLinkage, "f", M);
  Coefficient X = Coefficient::of(F->getArg(0)),
              Y = Coefficient::of(F->getArg(1)), One = Coefficient::one();
  EXPECT_EQ(X * Y, Y * X);
  EXPECT_EQ(X + Y, Y + X);
  EXPECT_EQ((X + One) * Y, Y + X * Y);
  EXPECT_EQ(-(X * -Y), X * Y);
  EXPECT_EQ(Coefficient::of(ConstantFP::get(Double, 1)), One);
  EXPECT_TRUE(Coefficient::of(ConstantFP::get(Double, 0)).isZero());
  EXPECT_TRUE((X * Coefficient()).isZero());
  EXPECT_FALSE(X == Y);
  EXPECT_FALSE(X == -X);
  EXPECT_FALSE(X * X == X);

  IRBuilder<> B(BasicBlock::Create(Context, "entry", F));
  auto Build = [&](const Coefficient &Z, ArrayRef<double> Values) {
    return cast<ConstantFP>(Z.build(B, Double,
                                    [&](Value *V) -> Value * {
                                      unsigned I =
                                          cast<Argument>(V)->getArgNo();
                                      return ConstantFP::get(Double, Values[I]);
                                    }))
        ->getValueAPF()
        .convertToDouble();
  };
  EXPECT_EQ(Build(X * Y + -X + One, {3, 5}), 13);
  EXPECT_EQ(Build(Coefficient(), {3, 5}), 0);
  B.CreateUnreachable();
}

TEST(Library, IsUsedOnlyIfAskedForAndAllowed) {
  TargetModel Target = target(512, 32);
  Plan Own = std::get<Plan>(Product("double").plan(Target));
  EXPECT_FALSE(Own.Library);
  EXPECT_FALSE(Own.NoLibrary);
  Options Opts;
  Opts.Strategy = Strategy::BLAS;
  Plan Strict = std::get<Plan>(Product("double").plan(Target, Opts));
  EXPECT_FALSE(Strict.Library);
  ASSERT_TRUE(Strict.NoLibrary);
  EXPECT_EQ(Strict.NoLibrary->Why, Reason::LibraryOrder);
  EXPECT_EQ(Strict.MR, Own.MR);
  Plan Fast = std::get<Plan>(FastProduct("double").plan(Target, Opts));
  EXPECT_FALSE(Fast.NoLibrary);
  EXPECT_EQ(Fast.summary(), "cblas_dgemm(RowMajor, NoTrans, NoTrans)");
  EXPECT_FALSE(Fast.Mirrored);
  Opts.Layout = Layout::Column;
  EXPECT_TRUE(std::get<Plan>(FastProduct("float").plan(Target, Opts)).Mirrored);
  // A library needs no vectors.
  EXPECT_TRUE(std::holds_alternative<Plan>(
      FastProduct("double").plan(target(0, 0), Opts)));
}

using Tile = std::pair<unsigned, unsigned>;

TEST(RegisterTile, KnownTargets) {
  EXPECT_EQ(chooseRegisterTile(/*VL=*/8, /*Registers=*/32, /*Temporaries=*/1),
            Tile(24, 8));                                // AVX-512 f64
  EXPECT_EQ(chooseRegisterTile(16, 32, 1), Tile(48, 8)); // AVX-512 f32
  EXPECT_EQ(chooseRegisterTile(4, 16, 1), Tile(12, 4));  // AVX2 f64
  EXPECT_EQ(chooseRegisterTile(8, 16, 1), Tile(24, 4));  // AVX2 f32
  EXPECT_EQ(chooseRegisterTile(2, 16, 2), Tile(4, 4));   // SSE f64, no FMA
  EXPECT_EQ(chooseRegisterTile(2, 32, 1), Tile(6, 8));   // NEON f64
  EXPECT_EQ(chooseRegisterTile(2, 64, 1), Tile(8, 8));   // VSX f64
  // Rows and columns that are registers.
  EXPECT_EQ(chooseLaneTile(32, {1, 1}), Tile(4, 4));
  EXPECT_EQ(chooseLaneTile(16, {1, 1}), Tile(3, 4));
  EXPECT_EQ(chooseLaneTile(16, {3, 2}), Tile(2, 4)); // two products in a step
  // Two products that are added to each other first.
  EXPECT_EQ(chooseRegisterTile(8, 32, 3, /*ColumnsOfA=*/2), Tile(32, 4));
}

TEST(RegisterTile, OfSmallKernels) {
  auto Small = [](unsigned VL, unsigned Registers, unsigned MultiplyAdds,
                  uint64_t M = 64, uint64_t N = 64) {
    return chooseSmallTile(VL, Registers, StepNeeds(), MultiplyAdds, M, N);
  };
  EXPECT_EQ(Small(8, 32, 2), Tile(16, 8));        // AVX-512 f64
  EXPECT_EQ(Small(8, 32, 1), Tile(8, 8));         // with one unit
  EXPECT_EQ(Small(8, 32, 1, 64, 2), Tile(24, 8)); // of two columns
  EXPECT_EQ(Small(8, 32, 1, 27), Tile(16, 8));    // of ragged rows
  EXPECT_EQ(Small(16, 32, 1), Tile(16, 8));       // AVX-512 f32
  EXPECT_EQ(Small(4, 16, 2), Tile(12, 4));        // AVX2 f64
  EXPECT_EQ(Small(4, 0, 2), Tile(4, 1));
}

TEST(RegisterTile, FitsIntoTheRegisters) {
  for (unsigned VL : {2, 4, 8, 16})
    for (unsigned Registers = 8; Registers <= 64; ++Registers)
      for (unsigned Temporaries : {1, 2}) {
        auto [MR, NR] = chooseRegisterTile(VL, Registers, Temporaries);
        EXPECT_EQ(MR % VL, 0u);
        unsigned Rows = MR / VL;
        EXPECT_LE(Rows * NR + Rows + Temporaries, Registers)
            << VL << ' ' << Registers << ' ' << Temporaries;
      }
}

TEST(RegisterTile, StepsThatFit) {
  StepNeeds Apart{/*Temporaries=*/2, /*ColumnsOfA=*/1};
  EXPECT_EQ(stepsThatFit(2, 4, Apart, 16), 2u);  // AVX2
  EXPECT_EQ(stepsThatFit(3, 8, Apart, 32), 2u);  // NEON, AVX-512
  EXPECT_EQ(stepsThatFit(1, 1, Apart, 16), 12u); // an edge
  // i32 with SSE2: products are made of halves.
  EXPECT_EQ(stepsThatFit(2, 4, {4, 2}, 16), 1u);
  EXPECT_EQ(stepsThatFit(4, 8, Apart, 16), 1u);
}

TEST(RegisterTile, OneTileAlwaysExists) {
  EXPECT_EQ(chooseRegisterTile(4, 0, 2), Tile(4, 1));
}

TEST(Plan, BlocksAreMultiplesOfTheTile) {
  for (const char *Ty : {"double", "float"})
    for (auto [Bits, Registers] :
         {std::pair(512, 32), {256, 16}, {128, 16}, {128, 32}, {128, 64}})
      for (const char *CPU : {"", "haswell", "znver4", "pwr10", "apple-m1"}) {
        auto ThePlan = Product(Ty).plan(target(Bits, Registers, CPU));
        ASSERT_TRUE(std::holds_alternative<Plan>(ThePlan));
        const Plan &P = std::get<Plan>(ThePlan);
        EXPECT_EQ(P.VL * 8 * (Ty[0] == 'd' ? 8u : 4u), P.VectorBits);
        EXPECT_EQ(P.MR % P.VL, 0u);
        EXPECT_EQ(P.MC % P.MR, 0u);
        EXPECT_EQ(P.NC % P.NR, 0u);
        EXPECT_GT(P.KC, 0u);
        EXPECT_TRUE(P.Mirrored) << "C is row-major";
      }
}

TEST(Plan, BlocksFitIntoTheCaches) {
  TargetModel Target = target(512, 32, "znver4");
  Plan P = std::get<Plan>(Product("double").plan(Target));
  EXPECT_LE(P.KC * P.NR * 8, Target.Caches.L1);
  EXPECT_LE(P.KC * P.MC * 8, Target.Caches.L2);
}

TEST(Plan, OptionsOverrideAndAreRounded) {
  Options Opts;
  Opts.MR = 13;
  Opts.NR = 3;
  Opts.MC = 100;
  Opts.NC = 101;
  Opts.KC = 77;
  Plan P = std::get<Plan>(Product("double").plan(target(512, 32), Opts));
  EXPECT_EQ(P.MR, 16u);
  EXPECT_EQ(P.NR, 4u);
  EXPECT_EQ(P.MC, 112u);
  EXPECT_EQ(P.NC, 104u);
  EXPECT_EQ(P.KC, 77u);
}

/// The options with a scheme.
Options planned(StringRef Text) {
  Options Opts;
  Expected<Scheme> Plan = Scheme::parse(Text);
  if (Plan)
    Opts.Plan = *Plan;
  else
    ADD_FAILURE() << Text.str() << ": " << toString(Plan.takeError());
  return Opts;
}

TEST(Plan, IsASchemeThatGivesItAgain) {
  for (const char *Ty : {"double", "float"})
    for (auto [Bits, Registers] :
         {std::pair(512, 32), {256, 16}, {128, 16}, {128, 32}, {128, 64}})
      for (const char *CPU : {"", "haswell", "znver4", "pwr10", "apple-m1"}) {
        TargetModel Target = target(Bits, Registers, CPU);
        Plan P = std::get<Plan>(Product(Ty).plan(Target));
        // Whatever the caches are.
        Target.Caches = {1 << 10, 1 << 12, 1 << 14};
        auto Again = Product(Ty).plan(Target, planned(P.str()));
        ASSERT_TRUE(std::holds_alternative<Plan>(Again)) << P.str();
        EXPECT_EQ(std::get<Plan>(Again).str(), P.str());
        EXPECT_EQ(std::get<Plan>(Again).summary(), P.summary());
      }
}

TEST(Plan, SchemesTakeThePlaceOfOtherOptions) {
  Options Opts = planned("tile=16x4 kc=9 pack-a=always min-k=3");
  Opts.MR = 8;
  Opts.NR = 2;
  Opts.MC = 100;
  Opts.KC = 77;
  Opts.ReadA = 50;
  Opts.ReadB = 60;
  Opts.MinWork = 1000;
  Plan P = std::get<Plan>(Product("double").plan(target(512, 32), Opts));
  EXPECT_EQ(P.str(), "packed tile=16x4 mc=112 nc=8192 kc=9 pack-a=always "
                     "pack-b=m>60|span>393216 edge=pad min-work=1 min-k=3");
}

TEST(Plan, SchemesThatDoNotFitAreRefused) {
  const std::pair<const char *, Reason> Table[] = {
      {"tile=12x8", Reason::PlanTile},
      {"tile=4x4", Reason::PlanTile},
      {"tile=24x6", Reason::PlanTile},
      {"tile=32x8", Reason::PlanRegisters},
      {"tile=8x32", Reason::PlanRegisters},
      {"mc=25", Reason::PlanBlocks},
      {"nc=9", Reason::PlanBlocks},
      {"small", Reason::PlanNotSmall},
      {"small tile=8x4", Reason::PlanNotSmall},
      {"tile=24x8+8x8", Reason::PlanSecondTile},
      {"tile=16x4+16x2", Reason::PlanSecondTile},
      {"edge=mask", Reason::PlanEdge},
  };
  for (auto [Text, Why] : Table) {
    auto ThePlan = Product("double").plan(target(512, 32), planned(Text));
    ASSERT_TRUE(std::holds_alternative<Refusal>(ThePlan)) << Text;
    EXPECT_EQ(std::get<Refusal>(ThePlan).Why, Why) << Text;
  }
  // A product that is rounded before it is added takes one register more.
  TargetModel Target = target(512, 28);
  EXPECT_TRUE(std::holds_alternative<Plan>(
      Product("double").plan(Target, planned("tile=24x8"))));
  auto ThePlan = Product("double", "%m", "%n", "%k", "")
                     .plan(Target, planned("tile=24x8"));
  ASSERT_TRUE(std::holds_alternative<Refusal>(ThePlan));
  EXPECT_EQ(std::get<Refusal>(ThePlan).Why, Reason::PlanRegisters);
}

/// The options with a table.
Options tuned(StringRef Text) {
  Options Opts;
  Opts.Tuning =
      std::make_shared<TuningTable>(cantFail(TuningTable::parse(Text)));
  return Opts;
}

TEST(Plan, TunedIsWhatTheTableSays) {
  TargetModel Target = target(512, 32);
  Options Opts = tuned("GEMM f64 512 *x*x* mmk: tile=16x4 kc=9\n"
                       "GEMM f32 512 *x*x* mmk: tile=32x4 kc=7\n"
                       "GEMM f64 512 16x8x24 mmk: small tile=16x3\n");
  Plan P = std::get<Plan>(Product("double").plan(Target, Opts));
  EXPECT_TRUE(P.isTuned());
  EXPECT_EQ(P.EntryKey, "GEMM f64 512 *x*x* mmk");
  EXPECT_EQ(P.MR, 16u);
  EXPECT_EQ(P.KC, 9u);
  P = std::get<Plan>(Product("float").plan(Target, Opts));
  EXPECT_EQ(P.KC, 7u);
  // The sizes are those of the product as it is computed, mirrored.
  P = std::get<Plan>(Product("double", "8", "16", "24").plan(Target, Opts));
  EXPECT_TRUE(P.isTuned());
  EXPECT_TRUE(P.isSmall());
  EXPECT_EQ(P.NR, 3u);
  P = std::get<Plan>(Product("double", "16", "8", "24").plan(Target, Opts));
  EXPECT_FALSE(P.isTuned());
  EXPECT_EQ(P.NestKey, "GEMM f64 512 8x16x24 mmk");
  EXPECT_EQ(P.EntryKey, "");
  EXPECT_EQ(P.NR, 8u);
}

TEST(Plan, SchemesGoBeforeTheTable) {
  Options Opts = tuned("GEMM f64 512 *x*x* mmk: tile=16x4 kc=9");
  Opts.Plan = cantFail(Scheme::parse("kc=5"));
  Opts.MR = 8;
  Plan P = std::get<Plan>(Product("double").plan(target(512, 32), Opts));
  EXPECT_TRUE(P.isTuned());
  EXPECT_EQ(P.KC, 5u);
  EXPECT_EQ(P.MR, 16u);
}

TEST(Plan, AnEntryThatCannotBeUsedIsNot) {
  TargetModel Target = target(512, 32);
  std::string Own = std::get<Plan>(Product("double").plan(Target)).str();
  for (auto [Text, Why] : {std::pair("tile=12x8", Reason::PlanTile),
                           {"tile=32x8", Reason::PlanRegisters},
                           {"small", Reason::PlanNotSmall},
                           {"mc=25", Reason::PlanBlocks}}) {
    Plan P = std::get<Plan>(Product("double").plan(
        Target, tuned(std::string("GEMM f64 512 *x*x* mmk: ") + Text)));
    EXPECT_FALSE(P.isTuned()) << Text;
    ASSERT_TRUE(P.NotTuned) << Text;
    EXPECT_EQ(P.NotTuned->Why, Why) << Text;
    EXPECT_EQ(P.str(), Own) << Text;
  }
}

TEST(Plan, WhatIsNotRefusedCanBeEmitted) {
  std::mt19937 Random(1);
  auto UpTo = [&](unsigned Max) { return std::to_string(1 + Random() % Max); };
  Product Double("double"), Float("float");
  unsigned Accepted = 0;
  for (unsigned Round = 0; Round < 4000; ++Round) {
    std::string Text;
    if (Random() % 4)
      Text +=
          " tile=" + std::to_string(4 * (1 + Random() % 12)) + "x" + UpTo(9);
    if (Random() % 4 == 0)
      Text += " mc=" + std::to_string(8 * (1 + Random() % 30));
    if (Random() % 4 == 0)
      Text += " nc=" + std::to_string(4 * (1 + Random() % 30));
    if (Random() % 4 == 0)
      Text += " kc=" + UpTo(3000);
    if (Random() % 4 == 0)
      Text += " pack-a=n>" + UpTo(50);
    if (Random() % 4 == 0)
      Text += " pack-b=never";
    Options Opts;
    Expected<Scheme> Parsed = Scheme::parse(Text);
    if (!Parsed) {
      consumeError(Parsed.takeError());
      continue;
    }
    Opts.Plan = *Parsed;
    unsigned Registers = Random() % 2 ? 32 : 16;
    auto ThePlan = (Round % 2 ? Double : Float)
                       .plan(target(128 << Random() % 3, Registers), Opts);
    const auto *P = std::get_if<Plan>(&ThePlan);
    if (!P)
      continue;
    ++Accepted;
    EXPECT_TRUE(P->MR && P->NR && P->MC && P->NC && P->KC) << Text;
    EXPECT_EQ(P->MR % P->VL, 0u) << Text;
    EXPECT_EQ(P->NR & (P->NR - 1), 0u) << Text;
    EXPECT_LE(P->MR / P->VL * (P->NR + 1) + 1, Registers) << Text;
    EXPECT_EQ(P->MC % P->MR, 0u) << Text;
    EXPECT_EQ(P->NC % P->NR, 0u) << Text;
    EXPECT_TRUE(P->PackA && P->PackB) << Text;
    EXPECT_GE(P->MinWork, 1u) << Text;
  }
  EXPECT_GT(Accepted, 200u);
}

TEST(Plan, SchemesDoNotKeepALibraryAway) {
  Options Opts = planned("tile=12x8 min-work=1000000");
  Opts.Strategy = Strategy::BLAS;
  auto ThePlan = FastProduct("double").plan(target(512, 32), Opts);
  ASSERT_TRUE(std::holds_alternative<Plan>(ThePlan));
  EXPECT_TRUE(std::get<Plan>(ThePlan).Library);
  EXPECT_EQ(std::get<Plan>(ThePlan).MinWork, 512u);
}

TEST(Plan, NoVectorsNoPlan) {
  auto ThePlan = Product("double").plan(target(64, 16));
  ASSERT_TRUE(std::holds_alternative<Refusal>(ThePlan));
  // The IR of these tests names no target.
  EXPECT_EQ(std::get<Refusal>(ThePlan).Why, Reason::NoTarget);
}

TEST(Plan, SmallConstantSizesAreRefused) {
  TargetModel Target = target(512, 32);
  auto ThePlan = Product("double", "3", "4", "5").plan(Target);
  ASSERT_TRUE(std::holds_alternative<Refusal>(ThePlan));
  EXPECT_EQ(std::get<Refusal>(ThePlan).Why, Reason::TooSmall);
  EXPECT_TRUE(std::holds_alternative<Plan>(
      Product("double", "64", "64", "64").plan(Target)));
  // A size that is not known is tested at run time.
  EXPECT_TRUE(std::holds_alternative<Plan>(
      Product("double", "4", "4", "%k").plan(Target)));
}

TEST(Plan, MinWorkDecidesWhatIsSmall) {
  TargetModel Target = target(512, 32);
  Options Opts;
  Opts.MinWork = 4 * 4 * 4;
  EXPECT_TRUE(std::holds_alternative<Plan>(
      Product("double", "4", "4", "4").plan(Target, Opts)));
  Opts.MinWork++;
  EXPECT_TRUE(std::holds_alternative<Refusal>(
      Product("double", "4", "4", "4").plan(Target, Opts)));
}

TEST(CacheSizes, TableAndDefault) {
  EXPECT_EQ(cacheSizesOf("znver4").L1, 32u << 10);
  EXPECT_EQ(cacheSizesOf("znver4").L2, 1u << 20);
  EXPECT_EQ(cacheSizesOf("sapphirerapids").L1, 48u << 10);
  EXPECT_EQ(cacheSizesOf("sapphirerapids").L2, 2u << 20);
  for (const char *CPU : {"", "generic", "x86-64-v4", "no-such-cpu"}) {
    CacheSizes Guess = cacheSizesOf(CPU);
    EXPECT_EQ(Guess.L1, 32u << 10) << CPU;
    EXPECT_LT(Guess.L1, Guess.L2) << CPU;
    EXPECT_LT(Guess.L2, Guess.L3) << CPU;
  }
}

// What code for a level uses is what a program asks for.
TEST(CPULevel, EveryFeatureHasBits) {
  for (const CPULevel &Level : cpuLevels()) {
    llvm::SmallVector<llvm::StringRef, 32> Names;
    Level.Features.split(Names, '+');
    for (llvm::StringRef Name : Names) {
      CPULevel One{"one", Level.Arch, "", Name, ""};
      auto Bits = One.bits(), All = Level.bits();
      EXPECT_NE(Bits, decltype(Bits){}) << Name.str();
      for (unsigned W = 0; W < NumCPUWords; ++W)
        EXPECT_EQ(Bits[W] & ~All[W], 0u) << Name.str();
    }
    EXPECT_GE(Level.number(), 1u);
    EXPECT_LT(Level.number(), 32u);
  }
}

} // namespace
