#!/usr/bin/env python3
# Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times routines of the reference BLAS, level 3, as flang compiles them, or clang what f2c
makes of them: alone, with the plugin, and beside libraries.

    reference_blas.py --plugin libTilesmith.so LAPACK/BLAS/SRC [libopenblas.so ...]

One thread, square matrices, GFLOP/s of CPU time, the best of some runs. The last
column is the median of ratios of runs in turn. A form is marked where its bytes are
not those without the plugin. Prints a table in Markdown."""

import ctypes
import itertools
import random
import statistics
import tempfile
import time

import reference

COMPLEX = ["zgemm", "zsyrk", "zherk", "zsyr2k", "zher2k", "zsymm", "zhemm", "ztrmm"]
REAL = [t + r for r in ("gemm", "syrk", "syr2k", "symm", "trmm", "gemmtr") for t in "ds"]
ROUTINES = [*REAL, *COMPLEX]


def forms(betas):
    """(routine, options, beta); TRMM has no beta."""
    for routine, options in options_of_routines():
        for beta in betas if routine[1:] != "trmm" else [0.5]:
            yield routine, options, beta


def options_of_routines():
    """(routine, options)"""
    pairs = ["".join(p) for p in itertools.product("NT", repeat=2)]
    for t in "ds":
        yield from ((t + "gemm", p) for p in pairs)
        yield from ((t + r, u + o) for r in ("syrk", "syr2k") for u in "UL" for o in "NT")
        yield from ((t + "symm", s + u) for s in "LR" for u in "UL")
        yield from ((t + "trmm", s + u + o + "N") for s in "LR" for u in "UL" for o in "NT")
        yield from ((t + "gemmtr", u + p) for u in "UL" for p in pairs)
    yield from (("zgemm", a + b) for a in "NTC" for b in "NTC")
    yield from ((r, u + t) for r in ("zsyrk", "zsyr2k") for u in "UL" for t in "NT")
    yield from ((r, u + t) for r in ("zherk", "zher2k") for u in "UL" for t in "NC")
    yield from ((r, s + u) for r in ("zsymm", "zhemm") for s in "LR" for u in "UL")
    yield from (("ztrmm", s + u + t + "N") for s in "LR" for u in "UL" for t in "NTC")


class Problem:
    """The arguments of one form, square of size n."""

    def __init__(self, routine, options, beta, n, elements):
        self.real = ctypes.c_float if routine[0] == "s" else ctypes.c_double
        self.is_complex = routine[0] == "z"
        count = n * n * (1 + self.is_complex)
        self.a, self.b, self.start = (
            (self.real * count).from_buffer_copy(elements[self.real, i]) for i in range(3)
        )
        self.c = (self.real * count)()
        self.routine, self.options, self.beta, self.n = routine, options, beta, n
        triangular = routine[1:] in ("syrk", "trmm", "gemmtr")
        triangular = triangular or routine[1:] == "herk"
        self.flops = (1 if triangular else 2) * n**3 * (4 if self.is_complex else 1)

    def scalar(self, value):
        """α or β; with an imaginary part of zero, as HERK has them without one."""
        return (self.real * 2)(value, 0) if self.is_complex else self.real(value)

    @property
    def name(self):
        beta = "" if self.beta == 0.5 else f", β = {self.beta:g}"
        return f"{self.routine} {self.options}{beta}"

    def run(self, function):
        """CPU seconds."""
        n, ld = ctypes.c_int(self.n), ctypes.c_int(self.n)
        alpha, beta = self.scalar(0.75), self.scalar(self.beta)
        ctypes.memmove(self.c, self.start, ctypes.sizeof(self.c))
        a, b, c = self.a, self.b, self.c
        kind = self.routine[1:]
        arguments = [ctypes.c_char(o.encode()) for o in self.options]
        arguments += [n] * (3 if kind == "gemm" else 2) + [alpha, a, ld]
        if kind == "trmm":
            arguments += [c, ld]
        elif kind in ("syrk", "herk"):
            arguments += [beta, c, ld]
        else:
            arguments += [b, ld, beta, c, ld]
        references = [ctypes.byref(x) for x in arguments]
        lengths = [ctypes.c_size_t(1)] * len(self.options)
        begin = time.process_time()
        function(*references, *lengths)
        return time.process_time() - begin


def main():
    parser = reference.parser_of(__doc__)
    parser.add_argument("--size", type=int, default=1000)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--beta", default="0.5,0,1", help="values of β, with commas between")
    args = parser.parse_args()
    reference.use_one_thread()
    generator = random.Random(1)
    values = [[generator.uniform(-1, 1) for _ in range(2 * args.size**2)] for _ in range(3)]
    elements = {
        (real, i): (real * len(v))(*v) for real in (ctypes.c_float, ctypes.c_double) for i, v in enumerate(values)
    }
    with tempfile.TemporaryDirectory() as work:
        wanted = {r for r, options in options_of_routines() if f"{r} {options}".startswith(args.only)}
        stock, ours = reference.both(args, [r for r in ROUTINES if r in wanted], work)
        others = [ctypes.CDLL(path) for path in args.libraries]
        names = reference.names_of(args.libraries)
        compiler = "clang" if args.f2c else "flang"
        columns = ["routine", compiler, "with Tilesmith", *names, *["of the best"] * bool(names)]
        print(f"| {' | '.join(columns)} |")
        print("|" + "---|" * len(columns))
        for routine, options, beta in forms([float(beta) for beta in args.beta.split(",")]):
            if f"{routine} {options}".startswith(args.only):
                problem = Problem(routine, options, beta, args.size, elements)
                print_row(problem, stock, ours, others, args.repeat)


def print_row(problem, stock, ours, others, repeat):
    symbol = problem.routine + "_"
    present = [library for library in others if hasattr(library, symbol)]
    stock_time = problem.run(getattr(stock, symbol))
    expected = bytes(problem.c)
    rows = []
    for _ in range(repeat):
        ours_time = problem.run(getattr(ours, symbol))
        same = bytes(problem.c) == expected
        rows.append([ours_time, *(problem.run(getattr(library, symbol)) for library in present)])
    best = dict(zip([ours, *present], (min(column) for column in zip(*rows))))
    speed = [f"{problem.flops / t / 1e9:.1f}" if t else "" for t in (stock_time, *map(best.get, [ours, *others]))]
    if not same:
        speed[1] += " (other bits)"
    ratios = [statistics.median(row[i] / row[0] for row in rows) for i in range(1, len(present) + 1)]
    best = [f"{min(ratios):.2f}" if ratios else ""] if others else []
    print(f"| {problem.name} | " + " | ".join(speed + best) + " |", flush=True)


if __name__ == "__main__":
    main()
