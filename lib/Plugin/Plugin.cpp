//===- Plugin.cpp - registration ------------------------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// opt -passes=             does
//   tilesmith              everything, as clang runs it
//   tilesmith-rewrite      recognition, planning and rewriting
//   tilesmith-lower        llvm.matrix.* to register tiles
//   print<tilesmith-idioms>, print<tilesmith-plan>
//
// The first two take options: tilesmith<mr=16;nr=4>.
//
//===----------------------------------------------------------------------===//

#include "Annotations.h"
#include "Driver.h"
#include "FallbackHalves.h"
#include "FusionTrial.h"
#include "KernelPasses.h"
#include "Loading.h"
#include "Remarks.h"
#include "UnrollProtection.h"
#include "tilesmith/Lowering/Lowering.h"
#include "tilesmith/Rewrite/Rewrite.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/StructuralHash.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Plugins/PassPlugin.h"

using namespace llvm;

namespace tilesmith {
namespace {

/// The options of the process overridden by pass parameters; an error in them
/// goes to the compiler's diagnostics, and nothing is done.
std::optional<Options> optionsFor(LLVMContext &Ctx, StringRef Parameters) {
  Expected<Options> Result = Options::fromProcess();
  if (Result)
    Result = Result->with(Parameters);
  if (Result)
    return *Result;
  Ctx.emitError("tilesmith: " + toString(Result.takeError()));
  return std::nullopt;
}

void verifyIfAsked(const Options &Opts, const Module &M, StringRef Step) {
  if (Opts.Verify && verifyModule(M, &errs()))
    report_fatal_error("tilesmith: broken module after " + Step);
}

enum class LTOStep { Other, BeforeFullLink, FullLink };

/// Where in a pipeline the pass stands.
struct Place {
  bool Lower = true; ///< llvm.matrix.* afterwards
  LTOStep LTO = LTOStep::Other;
  unsigned SpeedupLevel = 2;
  bool InPipeline = false; ///< of LLVM, which goes on afterwards
  LaterPasses Later;
};

/// Analyses of their own for functions of another context, of which the target's
/// come from \p Host.
void withManagers(
    FunctionAnalysisManager &Host, const Triple &Target,
    function_ref<void(ModuleAnalysisManager &, FunctionAnalysisManager &)> Do) {
  PassBuilder PB;
  LoopAnalysisManager LAM;
  FunctionAnalysisManager FAM;
  CGSCCAnalysisManager CGAM;
  ModuleAnalysisManager MAM;
  // Costs are those of the function's attributes, and of nothing else.
  FAM.registerPass([&] {
    return TargetIRAnalysis([&](const Function &Const) {
      auto &F = const_cast<Function &>(Const);
      TargetTransformInfo Costs =
          std::move(Host.getResult<TargetIRAnalysis>(F));
      Host.clear(F, F.getName());
      return Costs;
    });
  });
  FAM.registerPass(
      [&] { return TargetLibraryAnalysis(TargetLibraryInfoImpl(Target)); });
  PB.registerModuleAnalyses(MAM);
  PB.registerCGSCCAnalyses(CGAM);
  PB.registerFunctionAnalyses(FAM);
  PB.registerLoopAnalyses(LAM);
  PB.crossRegisterProxies(LAM, FAM, CGAM, MAM);
  Do(MAM, FAM);
}

struct TilesmithPass : PassInfoMixin<TilesmithPass> {
  std::string Parameters;
  Place At;
  /// What LLVM runs behind this pass, if that is known.
  std::shared_ptr<ModulePassManager> Rest;

  TilesmithPass(StringRef Parameters, const Place &At,
                std::shared_ptr<ModulePassManager> Rest = nullptr)
      : Parameters(Parameters), At(At), Rest(std::move(Rest)) {}

  /// Rewrites \p F, and notes that. True if it changed.
  bool rewrite(Function &F, FunctionAnalysisManager &FAM, const Options &Opts,
               RemarkLog &Log) const {
    bool Rewritten = rewriteFunction(F, FAM, Opts, At.Later, Log);
    bool Released = releaseProtectedLoops(F, FAM, At.SpeedupLevel);
    if (Rewritten && At.InPipeline)
      markFallback(F);
    return Rewritten || Released;
  }

  /// Notes what the passes behind this one fuse.
  NotedFunctions tryFusions(Module &M, FunctionAnalysisManager &FAM,
                            const Options &Opts) const {
    if (!Rest)
      return NotedFunctions();
    auto Managed = [&](function_ref<void(ModuleAnalysisManager &,
                                         FunctionAnalysisManager &)>
                           Do) { withManagers(FAM, M.getTargetTriple(), Do); };
    auto Rewrite = [&](Module &, ArrayRef<Function *> Functions,
                       ModuleAnalysisManager &, FunctionAnalysisManager &Of) {
      RemarkLog Log;
      for (Function *F : Functions)
        rewrite(*F, Of, Opts, Log);
    };
    auto Finish = [&](Module &Copy, ArrayRef<Function *>,
                      ModuleAnalysisManager &MAM, FunctionAnalysisManager &Of) {
      if (At.Lower)
        lowerModule(Copy, Of);
      finishKernels(Copy, Of);
      MAM.invalidate(Copy, PreservedAnalyses::none());
      Rest->run(Copy, MAM);
    };
    return noteFusions(M, FAM, {Managed, Rewrite, Finish});
  }

  PreservedAnalyses run(Module &M, ModuleAnalysisManager &MAM) {
    std::optional<Options> Opts = optionsFor(M.getContext(), Parameters);
    if (!Opts)
      return PreservedAnalyses::all();
    if (Opts->Code == CodeSize::OfLevel && At.InPipeline && At.SpeedupLevel < 3)
      Opts->Code = CodeSize::Small;
    auto &FAM =
        MAM.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
    SmallVector<Function *> Functions;
    for (Function &F : M)
      if (!F.isDeclaration())
        Functions.push_back(&F);
    if (At.LTO == LTOStep::BeforeFullLink)
      markCompiled(M);
    if (At.LTO == LTOStep::FullLink)
      warnIfLate(M);
    if (Opts->Profile && !canProfile(M))
      M.getContext().diagnose(DiagnosticInfoGeneric(
          "tilesmith: option 'profile' does nothing for this target; it needs "
          "Linux with 64 bits",
          DS_Warning));
    bool Changed = false;
    RemarkLog Log;
    NotedFunctions Noted = tryFusions(M, FAM, *Opts);
    for (Function *F : Functions)
      if (rewrite(*F, FAM, *Opts, Log)) {
        Changed = true;
        verifyIfAsked(*Opts, M, "rewriting");
        if (auto It = Noted.find(F); Opts->Verify && It != Noted.end() &&
                                     It->second != StructuralHash(*F))
          report_fatal_error("tilesmith: another function than in the trial");
      }
    if (!Noted.empty())
      removeFusions(M);
    if (At.Lower && lowerModule(M, FAM)) {
      Changed = true;
      verifyIfAsked(*Opts, M, "lowering");
    }
    if (At.InPipeline)
      finishKernels(M, FAM);
    return Changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }
};

struct LowerPass : PassInfoMixin<LowerPass> {
  PreservedAnalyses run(Function &F, FunctionAnalysisManager &FAM) {
    return lowerMatrixIntrinsics(F, FAM) ? PreservedAnalyses::none()
                                         : PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

struct PrinterPass : PassInfoMixin<PrinterPass> {
  bool WithPlan;
  PrinterPass(bool WithPlan) : WithPlan(WithPlan) {}

  PreservedAnalyses run(Function &F, FunctionAnalysisManager &FAM) {
    if (std::optional<Options> Opts = optionsFor(F.getContext(), ""))
      printNests(F, FAM, *Opts, WithPlan, errs());
    return PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

/// `Name` or `Name<Parameters>`: the parameters, if \p Text is one of those.
std::optional<StringRef> parametersOf(StringRef Text, StringRef Name) {
  if (!Text.consume_front(Name))
    return std::nullopt;
  if (Text.empty())
    return Text;
  if (!Text.consume_front("<") || !Text.consume_back(">"))
    return std::nullopt;
  return Text;
}

bool parseModulePass(StringRef Name, ModulePassManager &MPM,
                     ArrayRef<PassBuilder::PipelineElement>) {
  for (auto [PassName, Lower] :
       {std::pair("tilesmith-rewrite", false), std::pair("tilesmith", true)})
    if (std::optional<StringRef> Parameters = parametersOf(Name, PassName)) {
      Place At;
      At.Lower = Lower;
      MPM.addPass(TilesmithPass(*Parameters, At));
      return true;
    }
  return false;
}

bool parseFunctionPass(StringRef Name, FunctionPassManager &FPM,
                       ArrayRef<PassBuilder::PipelineElement>) {
  if (Name == "tilesmith-lower")
    FPM.addPass(LowerPass());
  else if (Name == "print<tilesmith-idioms>")
    FPM.addPass(PrinterPass(/*WithPlan=*/false));
  else if (Name == "print<tilesmith-plan>")
    FPM.addPass(PrinterPass(/*WithPlan=*/true));
  else
    return false;
  return true;
}

void registerCallbacks(PassBuilder &PB) {
  PB.registerPipelineParsingCallback(parseModulePass);
  PB.registerPipelineParsingCallback(parseFunctionPass);
  PB.registerPipelineStartEPCallback(
      [](ModulePassManager &MPM, OptimizationLevel Level) {
        if (Level != OptimizationLevel::O0)
          MPM.addPass(AnnotationsPass());
      });
  PB.registerLateLoopOptimizationsEPCallback(
      [](LoopPassManager &LPM, OptimizationLevel Level) {
        // Below -O2, LLVM unrolls only where the user asks for it.
        if (Level.getSpeedupLevel() >= 2)
          LPM.addPass(ProtectFromUnrollingPass(Level.getSpeedupLevel()));
      });
  auto AddTilesmith = [](ModulePassManager &MPM, OptimizationLevel Level,
                         bool LinksLater, LTOStep LTO,
                         std::shared_ptr<ModulePassManager> Rest = nullptr) {
    if (Level != OptimizationLevel::O0)
      MPM.addPass(
          TilesmithPass("",
                        {/*Lower=*/true,
                         LTO,
                         Level.getSpeedupLevel(),
                         /*InPipeline=*/true,
                         {LinksLater, /*Hoist=*/Level.getSpeedupLevel() < 2}},
                        std::move(Rest)));
  };
  auto IsForTrial = std::make_shared<bool>(false);
  PB.registerOptimizerEarlyEPCallback([=, &PB](ModulePassManager &MPM,
                                               OptimizationLevel Level,
                                               ThinOrFullLTOPhase Phase) {
    if (*IsForTrial)
      return;
    std::shared_ptr<ModulePassManager> Rest;
    if (Phase == ThinOrFullLTOPhase::None && Level.getSpeedupLevel() >= 2) {
      *IsForTrial = true;
      Rest = std::make_shared<ModulePassManager>(
          PB.buildModuleOptimizationPipeline(Level, Phase));
      *IsForTrial = false;
    }
    AddTilesmith(MPM, Level,
                 Phase == ThinOrFullLTOPhase::ThinLTOPreLink ||
                     Phase == ThinOrFullLTOPhase::FullLTOPreLink,
                 Phase == ThinOrFullLTOPhase::FullLTOPreLink
                     ? LTOStep::BeforeFullLink
                     : LTOStep::Other,
                 std::move(Rest));
  });
  PB.registerOptimizerLastEPCallback([](ModulePassManager &MPM,
                                        OptimizationLevel Level,
                                        ThinOrFullLTOPhase Phase) {
    if (Level == OptimizationLevel::O0)
      return;
    MPM.addPass(ReleaseKernelsPass());
    if (Phase != ThinOrFullLTOPhase::ThinLTOPreLink &&
        Phase != ThinOrFullLTOPhase::FullLTOPreLink)
      MPM.addPass(FallbackHalvesPass());
  });
  PB.registerFullLinkTimeOptimizationLastEPCallback(
      [](ModulePassManager &MPM, OptimizationLevel Level) {
        if (Level == OptimizationLevel::O0)
          return;
        MPM.addPass(ReleaseKernelsPass());
        MPM.addPass(FallbackHalvesPass());
      });
  PB.registerFullLinkTimeOptimizationEarlyEPCallback(
      [=](ModulePassManager &MPM, OptimizationLevel Level) {
        AddTilesmith(MPM, Level, /*LinksLater=*/true, LTOStep::FullLink);
      });
}

/// The last chance before code generation, which cannot lower llvm.matrix.*.
bool lowerLeftovers(Module &M, TargetMachine &TM, CodeGenFileType,
                    raw_pwrite_stream &) {
  if (!usesMatrixIntrinsics(M))
    return false;
  PassBuilder PB(&TM);
  LoopAnalysisManager LAM;
  FunctionAnalysisManager FAM;
  CGSCCAnalysisManager CGAM;
  ModuleAnalysisManager MAM;
  PB.registerModuleAnalyses(MAM);
  PB.registerCGSCCAnalyses(CGAM);
  PB.registerFunctionAnalyses(FAM);
  PB.registerLoopAnalyses(LAM);
  PB.crossRegisterProxies(LAM, FAM, CGAM, MAM);
  lowerModule(M, FAM);
  return false; // Code generation goes on.
}

} // namespace
} // namespace tilesmith

extern "C" LLVM_ATTRIBUTE_WEAK
    __attribute__((visibility("default"))) ::llvm::PassPluginLibraryInfo
    llvmGetPassPluginInfo() {
  tilesmith::addVersion();
  return {LLVM_PLUGIN_API_VERSION, "Tilesmith", TILESMITH_VERSION,
          tilesmith::registerCallbacks, tilesmith::lowerLeftovers};
}
