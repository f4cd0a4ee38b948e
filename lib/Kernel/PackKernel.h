//===- PackKernel.h - copying blocks into panels ----------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The function that packs blocks of one operand: see PackKernel.cpp for what a
// panel is, and Lines.cpp for bundled dimensions.
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_KERNEL_PACKKERNEL_H
#define TILESMITH_LIB_KERNEL_PACKKERNEL_H

#include "MacroKernel.h"

namespace tilesmith {

/// A packing function under way. Strides are in bytes.
class MacroKernel::PackKernel {
public:
  PackKernel(MacroKernel &K, const Operand &X);

  llvm::Function *build();

private:
  /// Where panels go, and where the elements come from.
  struct Ends {
    llvm::Value *Dst, *Src;
  };
  /// What lies next to each other in the source: how many values of a dimension,
  /// and how far what is packed of two of them is apart, in elements.
  struct Lines {
    llvm::Value *Count, *Distance;
  };
  using LoadFn = llvm::function_ref<llvm::Value *(llvm::Type *, llvm::Value *)>;

  // PackKernel.cpp
  llvm::Function *buildSymmetric();
  llvm::Value *grouped(llvm::Value *Elements, unsigned Width);
  void emitGroups(llvm::Value *Begin, llvm::Value *End,
                  llvm::function_ref<void(llvm::Value *, bool)> Body);
  llvm::Value *emitGroup(llvm::Value *Src, llvm::Value *Group, bool IsWhole,
                         unsigned Width, LoadFn Load);
  /// Whether every second element along \p D is one of the operand's.
  bool isSecond(Dim D) const;
  bool isReversed(Dim D) const;
  /// Whether a panel has its rows in reversed order.
  bool isFlipped() const { return K.FlipsRows && X.P == tilesmith::M; }
  llvm::Value *firstOf(llvm::Value *Begin, llvm::Value *Count);
  /// A vector of elements along \p D: adjacent ones, or every second one. The
  /// mask may be null.
  llvm::Value *loadStrip(Dim D, llvm::Type *Ty, llvm::Value *From,
                         llvm::Value *Mask);
  void emitElementwise(llvm::Value *Dst, llvm::Value *Src, llvm::Value *Ld,
                       llvm::Value *Begin, llvm::Value *XBegin,
                       llvm::Value *XEnd, llvm::Value *Valid);
  void emitCopiedStrip(llvm::Value *Dst, llvm::Value *Src, llvm::Value *Ld,
                       llvm::Value *Mask);
  llvm::SmallVector<llvm::Value *, 16> rowsOfStrip(llvm::Value *Src,
                                                   llvm::Value *Valid);
  void emitTransposedStrip(llvm::Value *Dst, llvm::Value *Src, llvm::Value *Ld,
                           llvm::Value *Valid, llvm::Value *Width,
                           llvm::Value *Ahead);
  void emitMaskedTransposition(llvm::Value *Dst, llvm::Value *Src,
                               llvm::Value *Ld, llvm::Value *Valid,
                               llvm::Value *Ahead);
  void prefetchAhead(llvm::Value *From, unsigned Rows, llvm::Value *Stride,
                     uint64_t Bytes, llvm::Value *Ahead);
  void emitPanel(llvm::Value *Dst, llvm::Value *Src, llvm::Value *Valid,
                 llvm::Value *Width, llvm::Value *Ahead);
  void emitPanelAt(const Ends &Of, llvm::Value *Begin, llvm::Value *Valid,
                   llvm::Value *Width);
  void emitWholePanels(llvm::Value *Count);
  bool makesSquares() const;
  void emitTurnedSquares(llvm::Value *Begin, llvm::Value *Width);

  // ComplexPack.cpp
  llvm::Value *inOrder(llvm::Value *Loaded);
  llvm::Value *withSigns(llvm::Value *V);
  llvm::Value *loadPart(llvm::Value *From, llvm::Value *I);
  void transposeNumbers(llvm::MutableArrayRef<llvm::Value *> Rows);
  llvm::SmallVector<llvm::Value *, 16>
  inTurn(llvm::ArrayRef<llvm::Value *> Rows);
  llvm::Value *emitNarrowPanel(llvm::Value *Dst, llvm::Value *Src,
                               llvm::Value *Ld, llvm::Value *Valid,
                               llvm::Value *Ahead);
  void emitTransposedNumbers(llvm::Value *Dst, llvm::Value *Src,
                             llvm::Value *Ld, llvm::Value *Valid,
                             llvm::Value *Ahead);

  // Lines.cpp
  /// The groups of steps of a panel, in all chunks.
  llvm::Value *depthOf();
  /// Body(where a chunk begins in Dst, and in Src) for each chunk of a panel.
  void emitChunks(llvm::Value *Dst, llvm::Value *Src, llvm::Value *Width,
                  llvm::function_ref<void(llvm::Value *, llvm::Value *)> Body);
  llvm::Value *isMadeOfSquares(const Lines &Of, llvm::Value *Width);
  void emitSquareOfLines(const Lines &Of, llvm::Value *To,
                         llvm::ArrayRef<llvm::Value *> From);
  void emitPanelOfLines(const Lines &Of, llvm::Value *Dst, llvm::Value *Src,
                        llvm::Value *Valid, llvm::Value *Width);
  void emitPanelsOfLines(Split Panels);

  MacroKernel &K;
  llvm::IRBuilder<> &B;
  const Operand &X;
  PackArguments Pack; ///< of the function
};

} // namespace tilesmith

#endif
