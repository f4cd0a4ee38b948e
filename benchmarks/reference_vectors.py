#!/usr/bin/env python3
# Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times routines of the reference BLAS, level 2, as flang compiles them: alone,
with the plugin, and beside libraries.

    reference_vectors.py --plugin libTilesmith.so LAPACK/BLAS/SRC [libopenblas.so ...]

One thread, GB/s of the elements of the matrix that are used, the median of
some rounds in turn. A form is marked where its bytes are not those without the
plugin. Prints a table in Markdown."""

import ctypes
import itertools
import random
import statistics
import tempfile
import time

import reference

FORMS = [(r, o) for r in ("gemv", "gbmv") for o in "NT"] + [("ger", "")]
FORMS += [(r, u) for r in ("symv", "spmv", "sbmv", "syr", "spr", "syr2", "spr2") for u in "UL"]
FORMS += [(r, u + t + "N") for r in ("trmv", "tpmv", "tbmv", "trsv", "tpsv", "tbsv") for u in "UL" for t in "NT"]
FORMS = [(p + r, o) for p in "ds" for r, o in FORMS]


class Problem:
    """The arguments of one form, square of size n; of a band, width diagonals on each side of the main one."""

    def __init__(self, routine, options, n, width):
        self.routine, self.options, self.n = routine, options, n
        storage, rest = routine[1:3], routine[1:]
        self.width = width if storage in ("gb", "sb", "tb") else None
        self.real = ctypes.c_float if routine[0] == "s" else ctypes.c_double
        self.rows = n if self.width is None else 2 * width + 1 if storage == "gb" else width + 1
        generator = random.Random(1)
        # Solutions must not grow.
        least, most = (0.999, 1.001) if rest.endswith("sv") else (-1, 1)
        period = [generator.uniform(least, most) for _ in range(9973)]
        self.start = [(self.real * k)(*itertools.islice(itertools.cycle(period), k)) for k in (self.rows * n, n, n)]
        self.now = [(self.real * len(v))() for v in self.start]
        is_whole = storage in ("ge", "gb", "sb", "tb")
        elements = n * self.rows if is_whole else n * (n + 1) // 2
        self.bytes = elements * ctypes.sizeof(self.real)

    @property
    def name(self):
        return f"{self.routine} {self.options}".strip()

    def restore(self):
        for now, start in zip(self.now, self.start):
            ctypes.memmove(now, start, ctypes.sizeof(start))

    def arguments(self):
        """By reference, then the lengths of the characters."""
        n, one, alpha, beta = ctypes.c_int(self.n), ctypes.c_int(1), self.real(0.75), self.real(0.5)
        a, x, y = self.now
        width, rows = ctypes.c_int(self.width or 0), ctypes.c_int(self.rows)
        matrix_and_x, and_y = [alpha, a, rows, x, one], [beta, y, one]
        triangle = {"tr": [n, a, rows], "tp": [n, a], "tb": [n, width, a, rows]}
        rest = {
            "gemv": [n, n, *matrix_and_x, *and_y],
            "gbmv": [n, n, width, width, *matrix_and_x, *and_y],
            "symv": [n, *matrix_and_x, *and_y],
            "sbmv": [n, width, *matrix_and_x, *and_y],
            "spmv": [n, alpha, a, x, one, *and_y],
            "ger": [n, n, alpha, x, one, y, one, a, rows],
            "syr": [n, alpha, x, one, a, rows],
            "spr": [n, alpha, x, one, a],
            "syr2": [n, alpha, x, one, y, one, a, rows],
            "spr2": [n, alpha, x, one, y, one, a],
            **{s + o: [*args, x, one] for s, args in triangle.items() for o in ("mv", "sv")},
        }[self.routine[1:]]
        characters = [ctypes.c_char(o.encode()) for o in self.options]
        lengths = [ctypes.c_size_t(1)] * len(self.options)
        return [ctypes.byref(x) for x in [*characters, *rest]] + lengths

    def seconds(self, function, times):
        arguments = self.arguments()
        begin = time.process_time()
        for _ in range(times):
            function(*arguments)
        return (time.process_time() - begin) / times


def main():
    parser = reference.parser_of(__doc__)
    parser.add_argument("--sizes", default="500,1000,4096")
    parser.add_argument("--widths", default="4,32", help="of bands")
    parser.add_argument("--rounds", type=int, default=15)
    args = parser.parse_args()
    reference.use_one_thread()
    with tempfile.TemporaryDirectory() as work:
        stock, ours = reference.both(args, sorted({routine for routine, _ in FORMS}), work)
        names = reference.names_of(args.libraries)
        columns = ["routine", "n", "flang", "with Tilesmith", *names, "of flang", *(["of the best"] if names else [])]
        print("| " + " | ".join(columns) + " |\n|---" + "|---:" * (len(columns) - 1) + "|")
        for routine, options in FORMS:
            for n, width in itertools.product(map(int, args.sizes.split(",")), map(int, args.widths.split(","))):
                problem = Problem(routine, options, n, width) if f"{routine} {options}".startswith(args.only) else None
                if problem and (problem.width is not None or width == int(args.widths.split(",")[0])):
                    print_row(problem, [stock, ours, *map(ctypes.CDLL, args.libraries)], args.rounds)


def print_row(problem, libraries, rounds):
    functions = [getattr(library, problem.routine + "_") for library in libraries]
    results = []
    for function in functions[:2]:
        problem.restore()
        problem.seconds(function, 1)
        results.append([bytes(v) for v in problem.now])
    problem.restore()
    # Products of the same vector would grow, and with them, the time of some operations.
    scale = problem.now[1] if problem.routine[1] == "t" else problem.now[0]
    times = [[] for _ in functions]
    once = max(problem.seconds(functions[1], 1), 1e-6)
    for _ in range(rounds):
        for function, of in zip(functions, times):
            if problem.routine[1:] != "gemv":
                problem.restore() if scale is problem.now[0] else ctypes.memmove(
                    scale, problem.start[1], ctypes.sizeof(scale)
                )
            of.append(problem.seconds(function, max(1, min(20, int(2e-3 / once)))))
    medians = [statistics.median(of) for of in times]
    size = f"{problem.n}" + (f", {problem.width}" if problem.width is not None else "")
    cells = [f"{problem.bytes / t / 1e9:.1f}" for t in medians]
    cells[1] += "" if results[0] == results[1] else " (other bits)"
    cells.append(f"{medians[0] / medians[1]:.2f}")
    if medians[2:]:
        cells.append(f"{min(medians[2:]) / medians[1]:.2f}")
    print(f"| {problem.name} | {size} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
