//===- instrumented.c - builds that make profiles, or are to be debugged --===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// DEFINE: %{compile} = %clang -c %s -o %t.o -fpass-plugin=%tilesmith -Rpass=tilesmith -Rpass-missed=tilesmith
// Counters in registers are what the rest computes.
// RUN: %{compile} -O2 -fprofile-generate 2>&1 | FileCheck %s --implicit-check-not=remark: --check-prefix=REPLACED
// RUN: %{compile} -O2 -fcs-profile-generate 2>&1 | FileCheck %s --implicit-check-not=remark: --check-prefix=PROFILE
// RUN: %{compile} -O2 -fprofile-generate -fprofile-update=atomic 2>&1 | FileCheck %s --implicit-check-not=remark: --check-prefix=PROFILE
// RUN: %{compile} -O1 -fprofile-instr-generate 2>&1 | FileCheck %s --implicit-check-not=remark: --check-prefix=PROFILE
// RUN: %{compile} -O2 --coverage 2>&1 | FileCheck %s --implicit-check-not=remark: --check-prefix=PROFILE
// RUN: %{compile} -Og 2>&1 | FileCheck %s --implicit-check-not=remark: --check-prefix=DEBUG
// RUN: %{compile} -O1 -g 2>&1 | FileCheck %s --implicit-check-not=remark: --check-prefix=REPLACED
// PROFILE: remark: matrix product not replaced: the loops count how often they run, for a profile or for coverage; products are replaced in the build that uses the profile [
// DEBUG: remark: matrix product not replaced: variables are kept for the debugger (-Og, -fextend-variable-liveness); compile with -O1 or higher [
// REPLACED: remark: replaced 3-loop nest

#include "Inputs/gemm.h"
