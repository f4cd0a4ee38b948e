#===- counts.py - how often replaced nests were computed ---*- python -*-===//
#
# Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""Reads what a program prints that is compiled with the plugin's option count=1
and linked with runtime/Counts.c.

A remark says that a nest is replaced, not that its kernel ever runs: the guard may
be false for all that the program does. So tests ask the program, too.
"""

import os
import re
from collections import defaultdict, namedtuple

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../runtime/Counts.c")

Counter = namedtuple("Counter", "runs file line column function operation")


def environment(path):
    """That of a program which writes its counts to the file `path`."""
    if os.path.exists(path):
        os.remove(path)
    return dict(os.environ, TILESMITH_COUNTS=path)


def read(path):
    """The counters of a program that has ended, with those of its processes; line 0
    stands for no location."""
    if not os.path.exists(path):
        return []
    with open(path) as file:
        processes = [process.splitlines() for process in file.read().split("\n\n")[:-1]]
    counters = []
    for lines in zip(*processes):
        runs = sum(int(line.split(" ", 1)[0]) for line in lines)
        m = re.fullmatch(r"\d+ (?:(.*?):(\d+):(\d+): )?(.*?): (.*)", lines[0])
        counters.append(Counter(runs, m[1] or "", int(m[2] or 0), int(m[3] or 0), m[4], m[5]))
    return counters


def by_place(counters):
    """(function, line) -> counters: versions of one nest, or several products in it."""
    places = defaultdict(list)
    for counter in counters:
        places[counter.function, counter.line].append(counter)
    return places


def listed(counters):
    return "; ".join(sorted({f"line {c.line}: {c.operation}" for c in counters}))


def never_run(counters, products=1):
    """What to say about nests that were never computed, or ''. Of the versions of a
    nest, one is enough; `products` is how many nests there are at least."""
    idle = [c for group in by_place(counters).values() if not any(c.runs for c in group)
            for c in group]
    if not idle and counters and sum(c.runs > 0 for c in counters) < products:
        idle = [c for c in counters if not c.runs]
    return listed(idle)


def idle_versions(counters):
    """The same for versions of nests of which another one was computed."""
    return listed(c for group in by_place(counters).values() if any(c.runs for c in group)
                  for c in group if not c.runs)
