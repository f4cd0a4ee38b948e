# Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The plans that are tried for a nest."""

import dataclasses
import itertools
import math
import random
import re

MOST_ROWS = 64      # of a tile, in registers
LARGEST_SMALL = 64  # constant extents for which there are plans 'small'


@dataclasses.dataclass(eq=False)
class Candidate:
    plan: str | None      # the option's value; None: not said
    plugin: bool = True
    replaced: bool = False
    function: object = None
    seconds: dict = dataclasses.field(default_factory=dict)  # the least, by extents

    def score(self):
        """The geometric mean of the times."""
        return math.exp(sum(map(math.log, self.seconds.values())) / len(self.seconds))

    def __str__(self):
        if not self.replaced:
            return "clang's own loops"
        return "the default" if self.plan is None else self.plan


def tiles(nest, columns):
    """Tiles that fit the registers, those that should be the fastest first: two multiply-adds and two
    loads begin in a cycle, and a multiply-add takes four (KernelFamily.h)."""
    found = []
    for rows, n in itertools.product(range(1, MOST_ROWS), columns):
        if nest.fits(rows, n):
            share = rows * n / max(rows * n, rows + n, 8)
            found.append((-share, (rows + n) / (rows * n), (rows * nest.lanes, n)))
    return [tile for _, _, tile in sorted(found)]


def small_plans(nest):
    m, n, _ = map(int, nest.key.split()[-2].split("x"))  # as the kernel sees them
    for rows, columns in tiles(nest, range(1, n + 1)):
        if rows - nest.lanes < m:
            yield f"small tile={rows}x{columns} min-work=1"


def blocked_plans(nest):
    """The default plan with one thing changed, then two, and so on."""
    minimum = "packed min-work=1" if nest.is_constant else "packed"
    default = dict(w.split("=", 1) for w in nest.scheme(minimum).split() if "=" in w)
    scaled = lambda name, factors: [None] + [max(1, int(int(default[name]) * f)) for f in factors]
    rules = lambda axis, factors: [None] + (
        ["always", "never"] if nest.is_constant else
        [re.sub(axis + r">(\d+)", lambda x: f"{axis}>{max(1, int(int(x[1]) * f))}", default[name])
         for name in ["pack-a" if axis == "n" else "pack-b"] for f in factors])
    edges = [e for e in ("pad", "mask") if nest.is_possible(f"{minimum} edge={e}")
             and nest.scheme(f"{minimum} edge={e}") != nest.scheme(minimum)]
    powers = [1 << i for i in range(5)]
    choices = {
        "tile": [None] + [t for t in tiles(nest, powers) if t != nest.tile][:12],
        "mc": scaled("mc", [1 / 4, 1 / 2, 2]),
        "nc": scaled("nc", [1 / 2, 2]),
        "kc": scaled("kc", [1 / 2, 3 / 4, 3 / 2, 2]),
        "pack-a": rules("n", [1 / 2, 2, 4]),
        "pack-b": rules("m", [1 / 2, 2, 4]),
        "edge": [None] + edges,
    }
    plans = [dict(zip(choices, values)) for values in itertools.product(*choices.values())]
    random.Random(1).shuffle(plans)
    plans.sort(key=lambda plan: sum(v is not None for v in plan.values()))
    for plan in plans:
        rows, columns = plan["tile"] or nest.tile
        if plan["tile"]:
            plan["tile"] = f"{rows}x{columns}"
        for block, unit in ("mc", rows), ("nc", columns):
            if plan[block]:
                plan[block] = max(unit, plan[block] // unit * unit)
        yield " ".join([minimum] + [f"{name}={value}" for name, value in plan.items() if value])


def candidates(nest, number):
    """The default, then clang's own loops if that is known when compiling, then others."""
    found = [Candidate(None)]
    if nest.is_constant:
        found.append(Candidate(None, plugin=False))
        if max(nest.shape) <= LARGEST_SMALL:
            found += map(Candidate, itertools.islice(small_plans(nest), number * 2 // 3))
    return found + [Candidate(p) for p in itertools.islice(blocked_plans(nest), max(0, number - len(found)))]
