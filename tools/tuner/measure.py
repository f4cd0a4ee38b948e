# Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles, compares and times the plans of a nest."""

import concurrent.futures
import ctypes
import functools
import math
import os
import sys

from progress import Bar
from tuner.nest import run
from tuner.plans import Candidate

FINALISTS = 6       # plans that are measured for longest
ODD = (37, 53, 29)  # extents at run time for which results are compared, too
SMALL = 4096        # bytes of a matrix of which there is room for more in the L1 cache

progress = functools.partial(Bar, leave=False, disable=None)  # None: not on a terminal


def build(nest, candidate, name):
    """Compiles it; a plan that cannot be followed leaves nothing to measure."""
    output = nest.work / f"{name}.so"
    command = [nest.options.clang, *nest.options.flags, "-shared", "-fPIC", nest.work / "nest.c", "-o", output]
    if candidate.plugin:
        command += [f"-fpass-plugin={nest.options.plugin}", "-Rpass=tilesmith"]
        if candidate.plan is not None:
            command += ["-mllvm", f"-tilesmith-plan={candidate.plan}"]
        candidate.replaced = "remark: replaced" in run(command)
    else:
        run(command)
    return output if candidate.replaced or candidate.plan is None else None


def build_all(nest, found):
    """The candidates that differ, in machine code."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        built = pool.map(lambda x: build(nest, x[1], x[0]), enumerate(found))
        outputs = list(progress(built, total=len(found), desc=f"{nest.name}: compiling"))
    kept = {}
    for candidate, output in zip(found, outputs):
        if output and output.read_bytes() not in kept:
            kept[output.read_bytes()] = candidate
            candidate.function = ctypes.CDLL(str(output)).product
    return list(kept.values())


class Operands:
    """A, B and C for some extents, as arguments."""

    def __init__(self, nest, extents):
        m, n, k = extents
        make = lambda count, seed: ctypes.c_void_p(nest.driver.matrix(ctypes.c_long(count), seed))
        self.size = m * n * nest.element
        # To the second matrix to write to, if there is room for it in the cache.
        next_c = -(-self.size // 64) * 64 // nest.element if self.size < SMALL else 0
        self.matrices = [make(m * k, 1), make(k * n, 2), make(m * n + next_c, 3)]
        self.arguments = [*map(ctypes.c_long, extents), *self.matrices]
        self.next_c = ctypes.c_long(next_c)

    def free(self):
        for matrix in self.matrices:
            ctypes.CDLL(None).free(matrix)


def check(nest, found):
    """Ends everything unless all results have the bits that clang alone gives."""
    plain = Candidate(None, plugin=False)
    build(nest, plain, "plain")
    plain.function = ctypes.CDLL(str(nest.work / "plain.so")).product
    odd = [] if nest.is_constant else [tuple(o if x == "*" else x for x, o in zip(nest.shape, ODD))]
    for extents in progress(nest.extents + odd, desc=f"{nest.name}: comparing"):
        operands = Operands(nest, extents)
        c = operands.matrices[2]
        before = ctypes.string_at(c, operands.size)
        plain.function(*operands.arguments)
        expected = ctypes.string_at(c, operands.size)
        for candidate in found:
            ctypes.memmove(c, before, operands.size)
            candidate.function(*operands.arguments)
            if ctypes.string_at(c, operands.size) != expected:
                sys.exit(f"tilesmith-tune: WRONG RESULT for {extents}, which is a bug of Tilesmith: {candidate}\n"
                         f"flags: {' '.join(nest.options.flags)}\n{nest.source}")
        operands.free()


def measure(nest, operands, found, repeats, quantum, what):
    """The least times, of samples that take about a quantum, taken in turn."""
    for candidate in found:
        candidate.seconds = {e: math.inf for e in nest.extents}
    turns = [(e, c) for _ in range(repeats) for e in nest.extents for c in found]
    for extents, candidate in progress(turns, desc=f"{nest.name}: {what}"):
        times = max(1, min(10**6, int(quantum / nest.pace[extents])))
        on = operands[extents]
        seconds = nest.driver.measure(candidate.function, *on.arguments, on.next_c, ctypes.c_long(times))
        candidate.seconds[extents] = min(candidate.seconds[extents], seconds)


def best_of(nest, found):
    """The finalists, the fastest first: the slower half goes after each round, but never the default."""
    operands = {e: Operands(nest, e) for e in nest.extents}
    default, quantum = found[0], 1e-3
    nest.pace = dict.fromkeys(nest.extents, 1e-4)
    measure(nest, operands, [default], 1, quantum, "pace")
    nest.pace = dict(default.seconds)
    while True:
        last = len(found) <= FINALISTS
        what = "the last " if last else ""
        measure(nest, operands, found, nest.options.repeats * (4 if last else 1), quantum, f"{what}{len(found)} plans")
        found.sort(key=Candidate.score)
        if last:
            break
        found = found[:max(FINALISTS - 1, len(found) // 2)]
        found += [] if default in found else [default]
        quantum = min(2 * quantum, 10e-3)
    for x in operands.values():
        x.free()
    return found
