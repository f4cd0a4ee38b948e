//===- Loading.cpp - how the plugin is loaded -----------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two ways to load it do nothing, and are warned of:
//
//   clang -fplugin=libTilesmith.so    loads it, but asks for no pass: that is
//                                     -fpass-plugin=
//   ld.lld --load-pass-plugin=...     runs it with full LTO after the compile
//                                     step has unrolled and vectorised the loops
//
//===----------------------------------------------------------------------===//

#include "Loading.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/WithColor.h"

using namespace llvm;

namespace tilesmith {

namespace {

constexpr StringLiteral CompiledName = "tilesmith.compiled";

/// Whether a path is that of the plugin, as it is built or installed.
bool isPlugin(StringRef Path) {
  return sys::path::filename(Path).starts_with("libTilesmith");
}

/// Whether an argument asks for passes, or stands for others that may do so.
bool mayAskForPasses(StringRef Argument) {
  return Argument.starts_with("-fpass-plugin") ||
         Argument.contains("load-pass-plugin") || Argument.starts_with("@") ||
         Argument.starts_with("--config");
}

/// clang hands -fplugin=X to its compiler proper as -load X.
bool loadsOnly(ArrayRef<StringRef> Arguments) {
  bool Loads = false;
  for (unsigned I = 0; I < Arguments.size(); ++I) {
    StringRef Argument = Arguments[I];
    if (mayAskForPasses(Argument))
      return false;
    Loads |= Argument.consume_front("-fplugin=") && isPlugin(Argument);
    Loads |= I > 0 && Arguments[I - 1] == "-load" && isPlugin(Argument);
  }
  return Loads;
}

/// Looks at the arguments of the process, where the system shows them, when the
/// plugin is loaded: without a pass, nothing else of it is called.
struct LoadCheck {
  LoadCheck() {
    auto File = MemoryBuffer::getFileAsStream("/proc/self/cmdline");
    if (!File)
      return;
    SmallVector<StringRef, 64> Arguments;
    (*File)->getBuffer().split(Arguments, '\0');
    erase(Arguments, "-Xclang");
    if (loadsOnly(Arguments))
      WithColor::warning() << "tilesmith: '-fplugin=' does nothing; use "
                              "'-fpass-plugin='\n";
  }
};

const LoadCheck CheckAtStart;

bool isVectorized(const BasicBlock &BB) {
  const MDNode *Hints = BB.getTerminator()->getMetadata(LLVMContext::MD_loop);
  return Hints && any_of(Hints->operands(), [](const Metadata *Op) {
           auto *Hint = dyn_cast_or_null<MDNode>(Op);
           auto *Name = Hint && Hint->getNumOperands()
                            ? dyn_cast<MDString>(Hint->getOperand(0))
                            : nullptr;
           return Name && Name->getString() == "llvm.loop.isvectorized";
         });
}

} // namespace

void addVersion() {
  cl::AddExtraVersionPrinter(
      [](raw_ostream &OS) { OS << "  Tilesmith " TILESMITH_VERSION "\n"; });
}

void markCompiled(Module &M) {
  LLVMContext &Ctx = M.getContext();
  M.getOrInsertNamedMetadata(CompiledName)
      ->addOperand(MDNode::get(Ctx, MDString::get(Ctx, TILESMITH_VERSION)));
}

void warnIfLate(const Module &M) {
  if (M.getNamedMetadata(CompiledName) ||
      none_of(M, [](const Function &F) { return any_of(F, isVectorized); }))
    return;
  M.getContext().diagnose(DiagnosticInfoGeneric(
      "tilesmith: with full LTO, loops are vectorised before the plugin of the "
      "linker sees them; give -fpass-plugin= to the compiler, too",
      DS_Warning));
}

} // namespace tilesmith
