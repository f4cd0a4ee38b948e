#!/usr/bin/env python3
#===- arbitrary.py - llvm.matrix.* of any shape and type -*- python -*-===//
#
# Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""Makes functions of llvm.matrix.*, compiles each of them twice, with LLVM's own
lowering and with Tilesmith's, and compares what they compute, bit by bit.

  arbitrary.py --plugin libTilesmith.so                      some 100 functions
  arbitrary.py --plugin ... --target ppc64le --seed 7        others, under qemu
  arbitrary.py --plugin ... --only f17 --show                one, and its source

Without `reassoc`, both sum in the order of the inner dimension, so all bits are
equal. With it, the elements are ones and twos: no sum is rounded.
"""

import argparse
import os
import random
import subprocess
import sys

# LLVM cannot select bfloat for POWER, and neither that nor half for s390x; on
# ARMv8.0, it does not round the products of vectors of bfloat that are added; on
# x86 with instructions for bfloat, it fails for some shapes; libgcc has no half
# on RISC-V.
NOT_COMPARED = {"native": ["bfloat"], "aarch64": ["bfloat"], "ppc64le": ["bfloat"],
                "riscv64": ["bfloat", "half"], "s390x": ["bfloat", "half"]}

# name: (flags of clang, command that runs the program)
TARGETS = {
    "native": (["-march=native"], []),
    "avx512": (["-march=x86-64-v4", "-mprefer-vector-width=512"], []),
    "avx2": (["-march=x86-64-v3"], []),
    "sse2": (["-march=x86-64"], []),
    "aarch64": (["--target=aarch64-linux-gnu", "-static"], ["qemu-aarch64", "-cpu", "max"]),
    "armv8.6": (["--target=aarch64-linux-gnu", "-march=armv8.6-a", "-static"],
                ["qemu-aarch64", "-cpu", "max"]),
    "ppc64le": (["--target=powerpc64le-linux-gnu", "-mcpu=power9", "-static"],
                ["qemu-ppc64le", "-cpu", "power9"]),
    "riscv64": (["--target=riscv64-linux-gnu", "-march=rv64gcv", "-static"],
                ["qemu-riscv64", "-cpu", "rv64,v=true,vlen=128,vext_spec=v1.0"]),
    "s390x": (["--target=s390x-linux-gnu", "-march=z14", "-static"], ["qemu-s390x", "-cpu", "max"]),
}

# name: (bytes, bits of the mantissa, bias of the exponent)
FLOATS = {"double": (8, 52, 1023), "float": (4, 23, 127), "half": (2, 10, 15), "bfloat": (2, 7, 127)}
INTEGERS = {"i8": 1, "i16": 2, "i32": 4, "i64": 8}
SHORT = {"double": "f64", "float": "f32", "half": "f16", "bfloat": "bf16"}
FLAGS = ["", "", "contract", "reassoc", "reassoc contract", "fast"]
PRIMES = [1, 2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37]
WORK = 6000  # multiply-adds of a function


class Function:
    """A function of pointers to operands, and of a distance between columns."""

    def __init__(self, rng, name):
        self.rng, self.name = rng, name
        self.type = rng.choice(list(FLOATS) + list(INTEGERS))
        self.is_float = self.type in FLOATS
        self.flags = rng.choice(FLAGS) if self.is_float else ""
        # LLVM turns A' * B' into (B * A)', and back, and forgets the flags.
        self.may_transpose = self.flags != "contract"
        self.body, self.sizes, self.values = [], [], 0
        self.is_volatile = rng.random() < 0.1
        self.form = rng.choice(["product", "product", "update", "chain", "two", "scaled", "loop",
                                "turned", "copied", "shared", "widened"])
        self.is_whole = self.flags in FLAGS[3:]
        self.dims = self.some_dims()
        getattr(self, self.form)()

    def some_dims(self):
        # Ones and twos must add up without rounding.
        most = 5 if self.is_whole and self.type in ("half", "bfloat") else 40
        while True:
            kind = self.rng.random()
            pick = ((lambda: self.rng.randint(1, 9)) if kind < 0.4 else
                    (lambda: self.rng.choice(PRIMES)) if kind < 0.7 else
                    (lambda: self.rng.choice([1, 1, 2, 4, 8, 16, 32, self.rng.randint(1, 40)])))
            dims = [min(pick(), most) for _ in range(4)]
            m, k, n, p = dims
            # LLVM's own lowering of a row by a column, with reassoc, loads what
            # is not aligned as if it were.
            is_dot = self.is_whole and [m, n, p].count(1) > 1
            if m * k * n + m * n * p <= WORK and not is_dot:
                return dims

    # Pieces of IR.

    def emit(self, text):
        self.values += 1
        self.body.append(f"  %v{self.values} = {text}")
        return f"%v{self.values}"

    def vector(self, count):
        return f"<{count} x {self.type}>"

    def suffix(self, *counts):
        name = SHORT.get(self.type, self.type)
        return "".join(f".v{count}{name}" for count in counts)

    def stride(self, rows):
        """(distance of columns, its operand)."""
        kind = self.rng.random()
        if kind < 0.4:
            return rows, f"i64 {rows}"
        if kind < 0.7:
            gap = rows + self.rng.randint(1, 5)
            return gap, f"i64 {gap}"
        return 41, "i64 %stride"

    def pointer(self, size):
        self.sizes.append((size, self.type))
        return f"%p{len(self.sizes) - 1}"

    def load(self, rows, columns, pointer=None):
        align = FLOATS[self.type][0] if self.is_float else INTEGERS[self.type]
        count = rows * columns
        if self.rng.random() < 0.4 or pointer:
            pointer = pointer or self.pointer(count)
            return self.emit(f"load {self.vector(count)}, ptr {pointer}, align {align}")
        distance, operand = self.stride(rows)
        pointer = self.pointer(distance * columns)
        volatile = "true" if self.is_volatile else "false"
        return self.emit(f"call {self.vector(count)} @llvm.matrix.column.major.load"
                         f"{self.suffix(count)}.i64(ptr align {align} {pointer}, {operand}, "
                         f"i1 {volatile}, i32 {rows}, i32 {columns})")

    def store(self, value, rows, columns):
        align = FLOATS[self.type][0] if self.is_float else INTEGERS[self.type]
        count = rows * columns
        if self.rng.random() < 0.4:
            self.body.append(f"  store {self.vector(count)} {value}, ptr {self.pointer(count)}, "
                             f"align {align}")
            return
        distance, operand = self.stride(rows)
        pointer = self.pointer(distance * columns)
        volatile = "true" if self.is_volatile else "false"
        self.body.append(f"  call void @llvm.matrix.column.major.store{self.suffix(count)}.i64("
                         f"{self.vector(count)} {value}, ptr align {align} {pointer}, {operand}, "
                         f"i1 {volatile}, i32 {rows}, i32 {columns})")

    def transpose(self, value, rows, columns):
        count = rows * columns
        return self.emit(f"call {self.vector(count)} @llvm.matrix.transpose{self.suffix(count)}("
                         f"{self.vector(count)} {value}, i32 {rows}, i32 {columns})")

    def multiply(self, a, b, m, k, n):
        return self.emit(f"call {self.flags} {self.vector(m * n)} @llvm.matrix.multiply"
                         f"{self.suffix(m * n, m * k, k * n)}({self.vector(m * k)} {a}, "
                         f"{self.vector(k * n)} {b}, i32 {m}, i32 {k}, i32 {n})")

    def operation(self, name, x, y, count):
        name = f"f{name} {self.flags}" if self.is_float else name
        return self.emit(f"{name} {self.vector(count)} {x}, {y}")

    def operand(self, rows, columns):
        """A matrix that is loaded, now and then the other way round."""
        if self.rng.random() < 0.3 and self.may_transpose:
            return self.transpose(self.load(columns, rows), columns, rows)
        return self.load(rows, columns)

    def result(self, value, rows, columns):
        if self.rng.random() < 0.2 and self.may_transpose:
            return self.store(self.transpose(value, rows, columns), columns, rows)
        self.store(value, rows, columns)

    # Forms of functions.

    def product(self):
        m, k, n, _ = self.dims
        self.result(self.multiply(self.operand(m, k), self.operand(k, n), m, k, n), m, n)

    def update(self):
        m, k, n, _ = self.dims
        ab = self.multiply(self.operand(m, k), self.operand(k, n), m, k, n)
        c = self.operand(m, n)
        self.result(self.operation("add", *self.rng.sample([ab, c], 2), m * n), m, n)

    def chain(self):
        m, k, n, p = self.dims
        ab = self.multiply(self.operand(m, k), self.operand(k, n), m, k, n)
        if self.rng.random() < 0.5:
            self.result(self.multiply(ab, self.operand(n, p), m, n, p), m, p)
        else:
            self.result(self.multiply(self.operand(p, m), ab, p, m, n), p, n)

    def two(self):
        m, k, n, p = self.dims
        ab = self.multiply(self.operand(m, k), self.operand(k, n), m, k, n)
        cd = self.multiply(self.operand(m, p), self.operand(p, n), m, p, n)
        self.result(self.operation("add", ab, cd, m * n), m, n)

    def scaled(self):
        m, k, n, _ = self.dims
        a, c = self.operand(m, k), self.operand(m, n)
        ab = self.multiply(self.operation("mul", a, a, m * k) if not self.is_whole else a,
                           self.operand(k, n), m, k, n)
        if not self.is_whole:
            ab = self.operation("sub", ab, self.operation("mul", ab, c, m * n), m * n)
        self.result(ab, m, n)

    def loop(self):
        m, k, n, _ = self.dims
        steps = 3
        size = FLOATS[self.type][0] if self.is_float else INTEGERS[self.type]
        c = self.load(m, n)
        pa, pb = self.pointer(steps * m * k), self.pointer(steps * k * n)
        count = self.vector(m * n)
        self.body += ["  br label %loop", "loop:",
                      "  %i = phi i64 [ 0, %entry ], [ %i.next, %loop ]",
                      f"  %sum = phi {count} [ {c}, %entry ], [ %next, %loop ]",
                      f"  %a = getelementptr [{m * k} x {self.type}], ptr {pa}, i64 %i",
                      f"  %b = getelementptr [{k * n} x {self.type}], ptr {pb}, i64 %i"]
        ab = self.multiply(self.load(m, k, "%a"), self.load(k, n, "%b"), m, k, n)
        add = f"fadd {self.flags}" if self.is_float else "add"
        self.body += [f"  %next = {add} {count} %sum, {ab}", "  %i.next = add i64 %i, 1",
                      f"  %more = icmp ult i64 %i.next, {steps}",
                      "  br i1 %more, label %loop, label %exit", "exit:"]
        self.result("%next", m, n)

    def turned(self):
        m, _, n, _ = self.dims
        self.store(self.transpose(self.load(m, n), m, n), n, m)

    def copied(self):
        m, _, n, _ = self.dims
        self.result(self.operation("add", self.load(m, n), self.operand(m, n), m * n), m, n)

    def shared(self):
        """One matrix as both factors, in several products."""
        m = min(self.dims[0], 12)
        a = self.operand(m, m)
        self.result(self.multiply(a, a, m, m, m), m, m)
        self.result(self.multiply(self.transpose(a, m, m), a, m, m, m), m, m)

    def widened(self):
        """Narrow factors, as dot products take them."""
        m, k, n, _ = self.dims
        wide, narrow, casts = self.rng.choice([
            ("i32", "i8", ["sext", "zext"]), ("i32", "i16", ["sext", "zext"]),
            ("i64", "i32", ["sext", "zext"]), ("double", "float", ["fpext"]),
            ("float", "half", ["fpext"]), ("float", "bfloat", ["fpext"])])
        self.is_float = narrow in FLOATS
        self.flags = self.flags if self.is_float else ""
        factors = []
        for rows, columns in [(m, k), (k, n)]:
            self.type = narrow
            value, count = self.operand(rows, columns), rows * columns
            self.type = wide
            factors.append(self.emit(f"{self.rng.choice(casts)} <{count} x {narrow}> {value} to "
                                     f"{self.vector(count)}"))
        ab = self.multiply(*factors, m, k, n)
        if self.rng.random() < 0.5:
            ab = self.operation("add", self.load(m, n), ab, m * n)
        self.result(ab, m, n)

    def types(self):
        return {self.type} | {of for _, of in self.sizes}

    def source(self, prefix):
        args = ", ".join(f"ptr noalias %p{i}" for i in range(len(self.sizes)))
        return "\n".join([f"define void @{prefix}_{self.name}({args}, i64 %stride) {{", "entry:",
                          *self.body, "  ret void", "}", ""])


# 16 bytes in front of and behind each operand must keep their values.
DRIVER = r"""
#include <stdio.h>
#include <string.h>
enum { MaxBytes = 1 << 17, Canary = 16, MaxOperands = 8 };
static unsigned char Base[MaxOperands][MaxBytes], Tile[MaxOperands][MaxBytes];
static unsigned long long State = 1;
static unsigned long long next(void) {
  State = State * 6364136223846793005ull + 1442695040888963407ull;
  return State >> 16;
}
static int Failed, Run;
#ifdef __x86_64__
/// libgcc has it from version 13 on.
__attribute__((weak)) __bf16 __truncsfbf2(float X) {
  unsigned Bits;
  memcpy(&Bits, &X, 4);
  unsigned short Rounded = (Bits + 0x7FFF + (Bits >> 16 & 1)) >> 16;
  __bf16 Result;
  memcpy(&Result, &Rounded, 2);
  return Result;
}
#endif
/// Mantissa is 0 for integers.
static unsigned long long element(int Bytes, int Mantissa, int Bias, int IsWhole) {
  if (!Mantissa)
    return next();
  if (IsWhole)
    return (unsigned long long)(Bias + next() % 2) << Mantissa;
  unsigned long long Sign = (next() & 1) << (8 * Bytes - 1);
  unsigned long long Exponent = (Bias - 2 + next() % 4) << Mantissa;
  return Sign | Exponent | (next() & ((1ull << Mantissa) - 1));
}
static void fill(int Operand, int Elements, int Bytes, int Mantissa, int Bias, int IsWhole) {
  for (int I = 0; I != Canary; ++I)
    Base[Operand][I] = Base[Operand][Canary + Elements * Bytes + I] = 0xA5;
  for (int I = 0; I != Elements; ++I) {
    unsigned char *At = &Base[Operand][Canary + I * Bytes];
    unsigned long long V = element(Bytes, Mantissa, Bias, IsWhole);
    if (Bytes == 1) { unsigned char X = V; memcpy(At, &X, 1); }
    if (Bytes == 2) { unsigned short X = V; memcpy(At, &X, 2); }
    if (Bytes == 4) { unsigned X = V; memcpy(At, &X, 4); }
    if (Bytes == 8) memcpy(At, &V, 8);
  }
  memcpy(Tile[Operand], Base[Operand], MaxBytes);
}
static void compare(const char *Name, int Operands, int Bytes) {
  ++Run;
  for (int O = 0; O != Operands; ++O)
    for (int I = 0; I != MaxBytes; ++I)
      if (Base[O][I] != Tile[O][I]) {
        printf("FAIL %s: operand %d, element %d\n", Name, O, (I - Canary) / Bytes);
        ++Failed;
        return;
      }
}
"""


def driver(functions):
    lines = [DRIVER]
    for f in functions:
        types = "void *, " * len(f.sizes) + "long long"
        lines += [f"void base_{f.name}({types}), tile_{f.name}({types});"]
    lines += ["int main(void) {"]
    for f in functions:
        for i, (elements, of) in enumerate(f.sizes):
            size, mantissa, bias = FLOATS.get(of) or (INTEGERS[of], 0, 0)
            lines.append(f"  fill({i}, {elements}, {size}, {mantissa}, {bias}, {int(f.is_whole)});")
        for prefix, array in [("base", "Base"), ("tile", "Tile")]:
            args = "".join(f"{array}[{i}] + Canary, " for i in range(len(f.sizes)))
            lines.append(f"  {prefix}_{f.name}({args}41);")
        lines.append(f'  compare("{f.name}", {len(f.sizes)}, {size});')
    return "\n".join(lines + ['  printf("%d run, %d failed\\n", Run, Failed);',
                              "  return Failed != 0;", "}", ""])


def write(path, text):
    with open(path, "w") as file:
        file.write(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clang", default="clang-22")
    parser.add_argument("--plugin", required=True)
    parser.add_argument("--work", default="arbitrary-work", help="folder for all files made")
    parser.add_argument("--target", default="native", choices=TARGETS)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--types", help="of elements, with commas between them")
    parser.add_argument("--flag", action="append", default=[], help="of both compilers")
    parser.add_argument("--only", help="a function's name")
    parser.add_argument("--show", action="store_true", help="print the source")
    args = parser.parse_args()

    os.makedirs(args.work, exist_ok=True)
    rng = random.Random(args.seed)
    functions = [Function(rng, f"f{i}") for i in range(args.count)]
    types = args.types.split(",") if args.types else []
    functions = [f for f in functions
                 if args.only in (None, f.name) and (not types or f.types() <= set(types)) and
                 not f.types() & set(NOT_COMPARED.get(args.target, []))]
    if args.show:
        print("\n".join(f.source("tile") for f in functions))
    flags, runner = TARGETS[args.target]
    flags = [args.clang, "-w", "-O2", *flags, *args.flag]
    path = lambda name: os.path.join(args.work, name)
    write(path("driver.c"), driver(functions))
    for prefix, extra in [("base", ["-mllvm", "-enable-matrix"]),
                          ("tile", [f"-fpass-plugin={args.plugin}"])]:
        write(path(f"{prefix}.ll"), "\n".join(f.source(prefix) for f in functions))
        subprocess.run([*flags, *extra, "-c", path(f"{prefix}.ll"), "-o", path(f"{prefix}.o")],
                       check=True)
    subprocess.run([*flags, path("driver.c"), path("base.o"), path("tile.o"), "-lm",
                    "-o", path("program")], check=True)
    result = subprocess.run(runner + [path("program")], capture_output=True, text=True)
    print(result.stdout, end="")
    by_name = {f.name: f for f in functions}
    for line in result.stdout.splitlines()[:3]:
        if line.startswith("FAIL "):
            print(by_name[line[5:].split(":")[0]].source("tile"))
    return result.returncode


if __name__ == "__main__":
    sys.exit(main())
