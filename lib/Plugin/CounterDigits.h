//===- CounterDigits.h - what loops a counter stands for --------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A counter that is divided is a number whose digits are the counters of
// several loops:
//
//   i = t / (n * p);  r = t % (n * p);         t = i * (n * p) + j * p + k
//   j = r / p;        k = r % p;                   digits i, j, k
//                                                  units  n * p, p, 1
//
// Each quotient and remainder is made of some digits that follow each other.
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_PLUGIN_COUNTERDIGITS_H
#define TILESMITH_LIB_PLUGIN_COUNTERDIGITS_H

#include "tilesmith/Idiom/FusedCounter.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

namespace llvm {
class SCEV;
class ScalarEvolution;
class Type;
} // namespace llvm

namespace tilesmith {

class CounterDigits {
public:
  /// The digits of \p Counter, a phi of \p L.
  CounterDigits(const llvm::Loop &L, llvm::Instruction &Counter,
                llvm::ScalarEvolution &SE);

  unsigned count() const { return Order.size(); }

  /// A unit: how many units of a later digit make one of it.
  struct Unit {
    const llvm::SCEV *Size;        ///< in the type of the parts
    llvm::Value *Factor = nullptr; ///< null: the unit is one
    unsigned Of = 0;               ///< the number of that later unit
  };
  /// The units from the first digit's to one, by their numbers.
  llvm::ArrayRef<unsigned> order() const { return Order; }
  const Unit &unit(unsigned Number) const { return Units[Number]; }

  /// A value that consists of the digits from \p First on, before \p End.
  struct Part {
    llvm::Instruction *Inst;
    unsigned First, End;
    bool IsUnsigned; ///< if it is narrower than the counter
  };
  /// Each after that of which it is a part.
  llvm::SmallVector<Part, 8> parts() const;

  /// By what is divided.
  llvm::SmallVector<llvm::Value *, 8> divisors() const;

  /// A unit that another division finds as well: Factor times the unit \p Of is
  /// the unit \p Same.
  struct Again {
    llvm::Value *Factor;
    unsigned Of, Same;
  };
  llvm::ArrayRef<Again> again() const { return Agains; }

private:
  /// A value whose digits end with that of unit \p Last, and begin behind that of
  /// unit \p Before, if there is one.
  struct Range {
    llvm::Instruction *Inst;
    std::optional<unsigned> Before;
    unsigned Last;
    llvm::Value *Divisor;
    bool IsUnsigned;
  };
  void split(const Range &R, const llvm::Loop &L, llvm::ScalarEvolution &SE);
  std::optional<unsigned> unitOf(const Range &R, llvm::Value &Divisor,
                                 llvm::ScalarEvolution &SE);
  unsigned placeOf(unsigned Number) const;
  unsigned firstOf(const Range &R) const;

  llvm::SmallVector<Unit, 4> Units;
  llvm::SmallVector<unsigned, 4> Order;
  llvm::SmallVector<Range, 8> Ranges;
  llvm::SmallVector<Again, 2> Agains;
};

} // namespace tilesmith

#endif
