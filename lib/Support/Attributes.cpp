//===- Attributes.cpp - of a part of a function ---------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilesmith/Support/Attributes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Function.h"

using namespace llvm;

namespace tilesmith {

/// What a user asks for with compiler flags, rather than what LLVM infers.
static constexpr Attribute::AttrKind InheritedAttributes[] = {
    Attribute::UWTable,
    Attribute::NoRedZone,
    Attribute::MustProgress,
    Attribute::NullPointerIsValid,
    Attribute::StackProtect,
    Attribute::StackProtectStrong,
    Attribute::StackProtectReq,
    Attribute::SafeStack,
    Attribute::ShadowCallStack,
    Attribute::SpeculativeLoadHardening,
    Attribute::FnRetThunkExtern,
    Attribute::SanitizeAddress,
    Attribute::SanitizeHWAddress,
    Attribute::SanitizeMemory,
    Attribute::SanitizeMemTag,
    Attribute::SanitizeThread,
    Attribute::SanitizeType,
    Attribute::SanitizeAllocToken,
    Attribute::DisableSanitizerInstrumentation,
    Attribute::NoSanitizeCoverage,
    Attribute::NoProfile,
    Attribute::SkipProfile,
    Attribute::VScaleRange,
};

/// String attributes that say what one function is, by what they begin with: an
/// interrupt handler, what a module of WebAssembly exports, what must not be
/// called, state of its own. All others say how code is to be generated.
static constexpr StringLiteral OwnAttributes[] = {
    "tilesmith", "aarch64_new_", "interrupt", "signal",
    "wasm-",     "dontcall-",    "alloc-",    "cmse_nonsecure_entry",
    "thunk",     "xray-log-args"};

static bool isInherited(Attribute A) {
  if (!A.isStringAttribute())
    return is_contained(InheritedAttributes, A.getKindAsEnum());
  return none_of(OwnAttributes, [&](StringRef Own) {
    return A.getKindAsString().starts_with(Own);
  });
}

AttrBuilder attributesOfPart(const Function &F) {
  AttrBuilder Result(F.getContext());
  for (Attribute A : F.getAttributes().getFnAttrs())
    if (isInherited(A))
      Result.addAttribute(A);
  Result.addAttribute(Attribute::NoInline);
  Result.addAttribute(Attribute::NoUnwind);
  Result.addAttribute("tilesmith", "off");
  return Result;
}

} // namespace tilesmith
