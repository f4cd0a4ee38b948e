//===- Mutants.cpp - random changes of IR, and the passes on them ---------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of tools/tilesmith-ir-fuzz that may crash. It mutates files of IR,
// runs passes on them, and says on its standard output, a line at a time, which
// mutant it is at:
//
//   mutate 17 seeds/gemm.ll
//   run 17
//   fail 17 changed, but nothing is replaced      (the next one follows)
//   refuse 17 ...                                 (an error of the passes')
//   done valid=1 candidates=1 replaced=0
//
// A mutant depends on the seed, its number and the list of files only. With
// -mutations=0, files are run as they are.
//
//===----------------------------------------------------------------------===//

#include "Strategies.h"
#include "llvm/FuzzMutate/Random.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Plugins/PassPlugin.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Target/TargetMachine.h"
#include <random>
#include <sys/resource.h>
#include <sys/time.h>

using namespace llvm;

namespace {

cl::list<std::string> Files(cl::Positional, cl::OneOrMore,
                            cl::desc("<files of IR>"));
cl::opt<unsigned> Seed("seed", cl::init(1), cl::desc("Seed of all mutants"));
cl::opt<unsigned> From("from", cl::desc("Number of the first mutant"));
cl::opt<unsigned> Count("count", cl::init(1), cl::desc("How many of them"));
cl::opt<unsigned> Mutations("mutations", cl::init(4),
                            cl::desc("At most so many changes to one mutant"));
cl::opt<std::string> Passes("passes", cl::init("tilesmith"),
                            cl::desc("What is run, as for opt"));
cl::list<std::string> Plugins("load-pass-plugin", cl::desc("As for opt"));
cl::opt<bool> Unchanged(
    "check-unchanged",
    cl::desc("Without a remark that something is replaced, nothing changes"));
cl::opt<bool> Again("check-again",
                    cl::desc("A second run of the passes changes nothing"));
cl::opt<bool> GenerateCode("generate-code", cl::desc("Make assembly, too"));
cl::opt<std::string> Write("write",
                           cl::desc("Write the mutant there, and run nothing"));
cl::opt<unsigned>
    CPUSeconds("cpu-seconds", cl::init(20),
               cl::desc("SIGPROF ends a mutant that takes longer"));
cl::opt<unsigned>
    MaxGiB("gib", cl::init(4),
           cl::desc("of memory; 0: any, as address sanitizers need"));
cl::opt<unsigned>
    MaxSize("max-size", cl::init(4000),
            cl::desc("About the largest mutant, in instructions"));

ExitOnError Exit("tilesmith-ir-mutants: ");

/// What the passes say.
struct Remarks : DiagnosticHandler {
  unsigned Candidates = 0, Replaced = 0;
  std::string Error;

  bool handleDiagnostics(const DiagnosticInfo &Info) override {
    if (auto *R = dyn_cast<DiagnosticInfoOptimizationBase>(&Info)) {
      if (R->getPassName() == "tilesmith") {
        ++Candidates;
        Replaced += R->getRemarkName() == "Replaced";
      }
    } else if (Info.getSeverity() == DS_Error && Error.empty()) {
      raw_string_ostream OS(Error);
      DiagnosticPrinterRawOStream Printer(OS);
      Info.print(Printer);
    }
    return true;
  }
  static bool isOurs(StringRef Pass) { return Pass == "tilesmith"; }
  bool isMissedOptRemarkEnabled(StringRef Pass) const override {
    return isOurs(Pass);
  }
  bool isPassedOptRemarkEnabled(StringRef Pass) const override {
    return isOurs(Pass);
  }
  bool isAnyRemarkEnabled() const override { return true; }
};

struct Totals {
  unsigned Valid = 0, Candidates = 0, Replaced = 0, Failed = 0;
};

class Mutant {
public:
  explicit Mutant(unsigned Number)
      : Number(Number), Rand(Seed * 1000003 + Number) {}

  /// False if the file cannot be read, or LLVM made IR that is not valid.
  bool make() {
    const std::string &File =
        Files[Mutations ? uniform<size_t>(Rand, 0, Files.size() - 1)
                        : Number % Files.size()];
    outs() << "mutate " << Number << ' ' << File << '\n';
    outs().flush();
    SMDiagnostic Why;
    M = parseIRFile(File, Why, Ctx);
    if (!M) {
      Why.print("tilesmith-ir-mutants", errs());
      return false;
    }
    if (Mutations)
      mutate();
    return !verifyModule(*M);
  }

  void write(StringRef To) {
    std::error_code Error;
    raw_fd_ostream OS(To, Error);
    Exit(errorCodeToError(Error));
    M->print(OS, nullptr);
  }

  void run(Totals &All) {
    outs() << "run " << Number << '\n';
    outs().flush();
    Ctx.setDiscardValueNames(false);
    std::string Before = Unchanged ? text() : "";
    Remarks First = runPasses();
    All.Candidates += First.Candidates;
    All.Replaced += First.Replaced;
    if (!First.Error.empty()) {
      outs() << "refuse " << Number << ' ' << First.Error << '\n';
      return;
    }
    if (verifyModule(*M, &errs()))
      return fail("broken module", All);
    if (Unchanged && !First.Replaced && text() != Before)
      return fail("changed, but nothing is replaced", All);
    if (Again) {
      std::string Once = text();
      if (runPasses().Replaced || text() != Once)
        return fail("changed by the second run", All);
    }
    if (GenerateCode)
      generateCode();
  }

private:
  void mutate() {
    std::vector<TypeGetter> Types{
        [](LLVMContext &C) { return Type::getInt1Ty(C); },
        [](LLVMContext &C) { return Type::getInt8Ty(C); },
        [](LLVMContext &C) { return Type::getInt32Ty(C); },
        [](LLVMContext &C) { return Type::getInt64Ty(C); },
        [](LLVMContext &C) { return Type::getFloatTy(C); },
        [](LLVMContext &C) { return Type::getDoubleTy(C); },
        [](LLVMContext &C) { return PointerType::getUnqual(C); },
        [](LLVMContext &C) {
          return FixedVectorType::get(Type::getDoubleTy(C), 4);
        },
        [](LLVMContext &C) {
          return FixedVectorType::get(Type::getFloatTy(C), 6);
        }};
    IRMutator Mutator(std::move(Types), allStrategies());
    unsigned Times = uniform<unsigned>(Rand, 1, Mutations);
    for (unsigned I = 0; I < Times; ++I)
      Mutator.mutateModule(*M, uniform<int>(Rand), MaxSize);
  }

  std::unique_ptr<TargetMachine> target() {
    std::string Error;
    const Target *T = TargetRegistry::lookupTarget(M->getTargetTriple(), Error);
    return std::unique_ptr<TargetMachine>(
        T ? T->createTargetMachine(M->getTargetTriple(), "", "", {}, {})
          : nullptr);
  }

  Remarks runPasses() {
    auto Handler = std::make_unique<Remarks>();
    Remarks &Said = *Handler;
    Ctx.setDiagnosticHandler(std::move(Handler));
    std::unique_ptr<TargetMachine> TM = target();
    PassBuilder PB(TM.get());
    for (PassPlugin &Plugin : Loaded)
      Plugin.registerPassBuilderCallbacks(PB);
    LoopAnalysisManager LAM;
    FunctionAnalysisManager FAM;
    CGSCCAnalysisManager CGAM;
    ModuleAnalysisManager MAM;
    PB.registerModuleAnalyses(MAM);
    PB.registerCGSCCAnalyses(CGAM);
    PB.registerFunctionAnalyses(FAM);
    PB.registerLoopAnalyses(LAM);
    PB.crossRegisterProxies(LAM, FAM, CGAM, MAM);
    ModulePassManager MPM;
    Exit(PB.parsePassPipeline(MPM, Passes));
    MPM.run(*M, MAM);
    return Said;
  }

  void generateCode() {
    std::unique_ptr<TargetMachine> TM = target();
    if (!TM)
      return;
    raw_null_ostream Nowhere;
    for (PassPlugin &Plugin : Loaded)
      Plugin.invokePreCodeGenCallback(*M, *TM, CodeGenFileType::AssemblyFile,
                                      Nowhere);
    legacy::PassManager PM;
    if (!TM->addPassesToEmitFile(PM, Nowhere, nullptr,
                                 CodeGenFileType::AssemblyFile))
      PM.run(*M);
  }

  std::string text() {
    std::string Result;
    raw_string_ostream OS(Result);
    M->print(OS, nullptr);
    return Result;
  }

  void fail(const Twine &What, Totals &All) {
    outs() << "fail " << Number << ' ' << What << '\n';
    outs().flush();
    ++All.Failed;
  }

  unsigned Number;
  std::mt19937 Rand;
  LLVMContext Ctx;
  std::unique_ptr<Module> M;

public:
  static std::vector<PassPlugin> Loaded;
};

std::vector<PassPlugin> Mutant::Loaded;

/// From now on, so many seconds of CPU time.
void startClock() {
  itimerval Limit{{0, 0}, {time_t(CPUSeconds), 0}};
  setitimer(ITIMER_PROF, &Limit, nullptr);
}

} // namespace

int main(int argc, char **argv) {
  InitLLVM X(argc, argv);
  InitializeAllTargets();
  InitializeAllTargetMCs();
  InitializeAllAsmPrinters();
  InitializeAllAsmParsers();
  cl::ParseCommandLineOptions(argc, argv,
                              "mutates IR, and runs passes on it\n");
  rlimit Memory{rlim_t(MaxGiB) << 30, rlim_t(MaxGiB) << 30};
  if (MaxGiB)
    setrlimit(RLIMIT_AS, &Memory);
  for (const std::string &Plugin : Plugins)
    Mutant::Loaded.push_back(Exit(PassPlugin::Load(Plugin)));

  Totals All;
  for (unsigned Number = From; Number < From + Count; ++Number) {
    startClock();
    Mutant Next(Number);
    if (!Next.make())
      continue;
    ++All.Valid;
    if (!Write.empty())
      Next.write(Write);
    else
      Next.run(All);
  }
  outs() << "done valid=" << All.Valid << " candidates=" << All.Candidates
         << " replaced=" << All.Replaced << '\n';
  return All.Failed ? 1 : 0;
}
