#!/usr/bin/env python3
#===- compile_growth.py - how the plugin's time grows -*- python -*-===//
#
# Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""Makes IR that nobody would write, of sizes that double, and prints the time in
Tilesmith's pass (by opt -time-passes) as a Markdown table. If the time doubles as
well, it is linear.

  compile_growth.py --plugin build/lib/libTilesmith.so [--only nests] [--sizes 3]"""

import argparse
import os
import re
import subprocess
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

HEADER = """target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"
"""


def nest(name, inner, behind="", depth=3):
    """Loops, entered at <name>.entry, left to <name>.exit. Their counters are %<name>.0
    and so on; `inner` stands in the innermost one, `behind` after it."""
    text = f"{name}.entry:\n  br label %{name}.head0\n"
    for d in range(depth):
        before = f"{name}.entry" if d == 0 else f"{name}.head{d - 1}"
        latch = f"{name}.latch{d}" if d < depth - 1 else f"{name}.head{d}"
        text += f"{name}.head{d}:\n  %{name}.{d} = phi i64 [ 0, %{before} ], [ %{name}.next{d}, %{latch} ]\n"
        if d < depth - 1:
            text += f"  br label %{name}.head{d + 1}\n"
    text += inner
    for d in reversed(range(depth)):
        if d < depth - 1:
            text += f"{name}.latch{d}:\n"
            if d == depth - 2:
                text += behind
        to = f"{name}.latch{d - 1}" if d else f"{name}.exit"
        text += (f"  %{name}.next{d} = add nuw nsw i64 %{name}.{d}, 1\n"
                 f"  %{name}.more{d} = icmp ult i64 %{name}.next{d}, %n\n"
                 f"  br i1 %{name}.more{d}, label %{name}.head{d}, label %{to}\n")
    return text


def at(to, base, x, y):
    """The address of element (x, y) of a matrix with n columns."""
    return (f"  {to}.row = mul nsw i64 {x}, %n\n  {to}.index = add nsw i64 {to}.row, {y}\n"
            f"  {to} = getelementptr inbounds double, ptr {base}, i64 {to}.index\n")


def product(name, a, b, c, tag="", depth=3):
    """c += a * b in a nest, in memory."""
    i, j, k = (f"%{name}.{d}" for d in (0, depth - 2, depth - 1))
    v = f"%{name}{tag}"
    return (at(f"{v}.a", a, i, k) + f"  {v}.x = load double, ptr {v}.a\n" +
            at(f"{v}.b", b, k, j) + f"  {v}.y = load double, ptr {v}.b\n" +
            at(f"{v}.c", c, i, j) + f"  {v}.s = load double, ptr {v}.c\n"
            f"  {v}.xy = fmul double {v}.x, {v}.y\n  {v}.t = fadd double {v}.s, {v}.xy\n"
            f"  store double {v}.t, ptr {v}.c\n")


def function(name, pointers, *nests):
    """The nests, one after the other; each is a function of its name."""
    args = ", ".join(["i64 %n"] + [f"ptr %p{p}" for p in range(pointers)])
    text = f"define void @{name}({args}) {{\n  br label %n0.entry\n"
    for number, make in enumerate(nests):
        text += make(f"n{number}") + f"n{number}.exit:\n"
        text += f"  br label %n{number + 1}.entry\n" if number + 1 < len(nests) else "  ret void\n"
    return text + "}\n"


def plain(a=0, b=1, c=2):
    return lambda name: nest(name, product(name, f"%p{a}", f"%p{b}", f"%p{c}"))


def near_miss(name):
    """A division in place of the sum."""
    return nest(name, product(name, "%p0", "%p1", "%p2").replace("fadd", "fdiv")
                + f"  %{name}.f = load double, ptr %p0\n  %{name}.g = fmul double %{name}.f, %{name}.xy\n"
                  f"  %{name}.h = fadd double %{name}.g, 1.0\n  store double %{name}.h, ptr %{name}.c\n")


def deep(depth):
    return lambda name: nest(name, product(name, "%p0", "%p1", "%p2", depth=depth), depth=depth)


def deep_frame(depth):
    """A product of the three innermost loops, in a frame of others."""
    def make(name):
        i, j, k = (f"%{name}.{d}" for d in range(depth - 3, depth))
        inner = product(name, "%p0", "%p1", "%p2", depth=depth)
        return nest(name, inner.replace(f"%{name}.0,", f"{i},"), depth=depth)
    return make


def long_block(count):
    def make(name):
        inner = product(name, "%p0", "%p1", "%p2")
        value = f"%{name}.x"
        for n in range(count):
            inner += f"  %{name}.v{n} = fmul double {value}, %{name}.y\n"
            value = f"%{name}.v{n}"
        return nest(name, inner + f"  store double {value}, ptr %p3\n")
    return make


def many_pointers(count):
    """Beside a product, each array is read and written."""
    def make(name):
        behind = ""
        for p in range(3, count + 3):
            v = f"%{name}.r{p}"
            behind += (at(v, f"%p{p}", f"%{name}.0", f"%{name}.1") + f"  {v}.l = load double, ptr {v}\n"
                       f"  {v}.m = fadd double {v}.l, 1.0\n  store double {v}.m, ptr {v}\n")
        return nest(name, product(name, "%p0", "%p1", "%p2"), behind)
    return make


def many_products(count):
    def make(name):
        inner = "".join(product(name, "%p0", "%p1", f"%p{2 + p}", f".u{p}") for p in range(count))
        return nest(name, inner)
    return make


def many_terms(count):
    """c += a1 * b + a2 * b + ..."""
    def make(name):
        v, inner = f"%{name}", ""
        k, j = f"{v}.2", f"{v}.1"
        inner += at(f"{v}.c", "%p0", f"{v}.0", j) + f"  {v}.s = load double, ptr {v}.c\n"
        total = f"{v}.s"
        for p in range(count):
            inner += (at(f"{v}.a{p}", f"%p{p + 1}", f"{v}.0", k) + f"  {v}.x{p} = load double, ptr {v}.a{p}\n" +
                      at(f"{v}.b{p}", f"%p{p + 1}", k, j) + f"  {v}.y{p} = load double, ptr {v}.b{p}\n"
                      f"  {v}.m{p} = fmul double {v}.x{p}, {v}.y{p}\n"
                      f"  {v}.t{p} = fadd double {total}, {v}.m{p}\n")
            total = f"{v}.t{p}"
        return nest(name, inner + f"  store double {total}, ptr {v}.c\n")
    return make


def many_functions(count):
    return "".join(function(f"f{n}", 3, plain()) for n in range(count))


def matrices(count):
    """Sums of products of llvm.matrix.*, each needing the one before."""
    text = "define <64 x double> @f(<64 x double> %a, <64 x double> %v0) {\n"
    for n in range(count):
        text += (f"  %p{n} = call <64 x double> @llvm.matrix.multiply.v64f64.v64f64.v64f64("
                 f"<64 x double> %a, <64 x double> %v{n}, i32 8, i32 8, i32 8)\n"
                 f"  %v{n + 1} = fadd <64 x double> %p{n}, %v{n}\n")
    return text + (f"  ret <64 x double> %v{count}\n}}\ndeclare <64 x double> @llvm.matrix.multiply."
                   "v64f64.v64f64.v64f64(<64 x double>, <64 x double>, i32, i32, i32)\n")


CASES = [  # what, the smallest size, the IR of a size
    ("nests in one function", 250, lambda n: function("f", 3, *[plain()] * n)),
    ("nests in one function, refused", 15, lambda n: function("f", 3, *[near_miss] * n)),
    ("nests that hand on arrays", 64, lambda n: function("f", n + 2, *[plain(p, p + 1, p + 2) for p in range(n)])),
    ("functions", 250, many_functions),
    ("loops of a nest, in steps of 3", 3, lambda n: function("f", 3, deep(n))),
    ("loops of a nest around a product", 3, lambda n: function("f", 3, deep_frame(n))),
    ("instructions of a block", 12500, lambda n: function("f", 4, long_block(n))),
    ("arrays beside a product", 32, lambda n: function("f", n + 3, many_pointers(n))),
    ("products in a nest", 25, lambda n: function("f", n + 2, many_products(n))),
    ("terms of a sum", 25, lambda n: function("f", n + 1, many_terms(n))),
    ("products of llvm.matrix", 25, matrices),
]


def time_of(opt, plugin, path):
    """Milliseconds of CPU time in Tilesmith's pass, in reading the file, and what it said."""
    result = subprocess.run(
        [opt, f"-load-pass-plugin={plugin}", "-passes=tilesmith", "-disable-output", "-disable-verify",
         "-time-passes", "-mcpu=x86-64-v3", "-pass-remarks=tilesmith", "-pass-remarks-missed=tilesmith", "-tilesmith-remarks=all", path],
        stderr=subprocess.PIPE, text=True, check=True).stderr
    own = max((float(row.group(1)) for row in
               re.finditer(r"([\d.]+) \(\s*[\d.]+%\)\s+[\d.]+ \(\s*[\d.]+%\)\s+tilesmith::.*TilesmithPass", result)),
              default=0)
    own = own or max((float(row.group(1)) for row in
                      re.finditer(r"^\s*([\d.]+) \(.*tilesmith::.*TilesmithPass", result, re.M)), default=0)
    return own * 1000, result.count("remark: <unknown>:0:0: replaced"), result.count("not replaced")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--opt", default="opt-22")
    parser.add_argument("--plugin", default=f"{ROOT}/build/lib/libTilesmith.so")
    parser.add_argument("--sizes", type=int, default=4, help="how many sizes")
    parser.add_argument("--only", metavar="REGEX", default="", help="only these inputs")
    args = parser.parse_args()
    print("| number of | sizes | replaced, of the largest | ms in Tilesmith's pass | growth, of the last two |")
    print("|---|---|---:|---|---:|")
    with tempfile.TemporaryDirectory() as folder:
        for what, first, make in CASES:
            if not re.search(args.only, what):
                continue
            sizes = [first + 3 * n if "loops of a nest" in what else first << n for n in range(args.sizes)]
            times = []
            for size in sizes:
                path = os.path.join(folder, "x.ll")
                with open(path, "w") as out:
                    out.write(HEADER + make(size))
                times.append(time_of(args.opt, args.plugin, path))
            print(f"| {what} | {', '.join(map(str, sizes))} | {times[-1][1]} | "
                  f"{', '.join(f'{t[0]:.1f}' for t in times)} | {times[-1][0] / max(times[-2][0], 0.01):.1f} |",
                  flush=True)


if __name__ == "__main__":
    main()
