//===- Strategies.h - mutations beside LLVM's own ---------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's strategies insert and delete instructions, blocks and functions at
// random. After that, few nests are left that look like a product. These change
// what surrounds a product, and leave its form.
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_TOOLS_IR_FUZZ_STRATEGIES_H
#define TILESMITH_TOOLS_IR_FUZZ_STRATEGIES_H

#include "llvm/FuzzMutate/IRMutator.h"
#include <memory>
#include <vector>

/// LLVM's strategies, and our own:
/// * a constant becomes one at the end of its range;
/// * a load or store becomes volatile or atomic, or loses its alignment;
/// * two operands of an instruction change places, or one becomes a value of
///   the same type from elsewhere;
/// * a function gets an attribute, another linkage, or a comdat;
/// * an edge between blocks gets a call on it.
std::vector<std::unique_ptr<llvm::IRMutationStrategy>> allStrategies();

#endif
