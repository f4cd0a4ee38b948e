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
#include "KernelPasses.h"
#include "Loading.h"
#include "Remarks.h"
#include "UnrollProtection.h"
#include "tilesmith/Lowering/Lowering.h"
#include "tilesmith/Rewrite/Rewrite.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/LLVMContext.h"
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

struct TilesmithPass : PassInfoMixin<TilesmithPass> {
  std::string Parameters;
  Place At;

  TilesmithPass(StringRef Parameters, const Place &At)
      : Parameters(Parameters), At(At) {}

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
    for (Function *F : Functions) {
      bool Rewritten = rewriteFunction(*F, FAM, *Opts, At.Later, Log);
      bool Released = releaseProtectedLoops(*F, FAM, At.SpeedupLevel);
      if (Rewritten && At.InPipeline)
        markFallback(*F);
      if (Rewritten || Released) {
        Changed = true;
        verifyIfAsked(*Opts, M, "rewriting");
      }
    }
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
                         bool LinksLater, LTOStep LTO) {
    if (Level != OptimizationLevel::O0)
      MPM.addPass(TilesmithPass(
          "", {/*Lower=*/true,
               LTO,
               Level.getSpeedupLevel(),
               /*InPipeline=*/true,
               {LinksLater, /*Hoist=*/Level.getSpeedupLevel() < 2}}));
  };
  PB.registerOptimizerEarlyEPCallback([=](ModulePassManager &MPM,
                                          OptimizationLevel Level,
                                          ThinOrFullLTOPhase Phase) {
    AddTilesmith(MPM, Level,
                 Phase == ThinOrFullLTOPhase::ThinLTOPreLink ||
                     Phase == ThinOrFullLTOPhase::FullLTOPreLink,
                 Phase == ThinOrFullLTOPhase::FullLTOPreLink
                     ? LTOStep::BeforeFullLink
                     : LTOStep::Other);
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
