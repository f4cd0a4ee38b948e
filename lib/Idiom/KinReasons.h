//===- KinReasons.h - sums that are a kin of products -----------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sums that are no product as they are written, and that are one, or several, in
// another form. Each function returns what stands in the way; null if the nest is
// something else.
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_IDIOM_KINREASONS_H
#define TILESMITH_LIB_IDIOM_KINREASONS_H

namespace llvm {
class Instruction;
class Loop;
class ScalarEvolution;
} // namespace llvm

namespace tilesmith {

/// `c[i+j] += a[i] * b[j]`, also modulo the length of c; or by elements of c, of which
/// tests leave out steps: `if (i >= j && i - j < m) s += a[j] * b[i-j]`.
const llvm::Instruction *fullConvolution(const llvm::Loop &Innermost,
                                         llvm::ScalarEvolution &SE);

/// `s += A[i][j][k] * x[j] * y[k]`: two of the factors have no loop in common.
const llvm::Instruction *productOfThree(const llvm::Loop &Innermost,
                                        llvm::ScalarEvolution &SE);

/// `f[i][j] += d[k][l] * (2 * v[i][j][k][l] - v[i][k][j][l])`.
const llvm::Instruction *elementInTwoOrders(const llvm::Loop &Innermost,
                                            llvm::ScalarEvolution &SE);

/// `if (x > best) best = x, step = k`, with x a sum or a product of two elements:
/// the choice of the step.
const llvm::Instruction *stepOfBest(const llvm::Loop &Innermost);

/// `s += mask[i][k] ? a[i][k] * b[k][j] : 0`, or `if (mask[i][j]) c[i][j] = s`: what an
/// element decides that is no factor.
const llvm::Instruction *testOfMask(const llvm::Loop &Innermost);

} // namespace tilesmith

#endif
