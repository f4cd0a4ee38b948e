//===- Reason.cpp - why a nest is left alone ------------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilesmith/Idiom/Reason.h"
#include "llvm/Support/ErrorHandling.h"

using namespace llvm;

StringRef tilesmith::name(Reason R) {
  switch (R) {
#define TILESMITH_REASON(Name, Text)                                           \
  case Reason::Name:                                                           \
    return #Name;
#include "tilesmith/Idiom/Reason.def"
  }
  llvm_unreachable("unknown reason");
}

StringRef tilesmith::describe(Reason R) {
  switch (R) {
#define TILESMITH_REASON(Name, Text)                                           \
  case Reason::Name:                                                           \
    return Text;
#include "tilesmith/Idiom/Reason.def"
  }
  llvm_unreachable("unknown reason");
}
