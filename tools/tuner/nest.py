# Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A product to be tuned: its source, and what the plugin says of it."""

import ctypes
import math
import re
import subprocess
import sys

TYPES = {"f64": "double", "f32": "float", "i64": "long", "i32": "int"}


def run(command):
    """What it prints; an error ends everything."""
    done = subprocess.run([str(x) for x in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        sys.exit(f"tilesmith-tune: {' '.join(map(str, command))}\n{done.stdout}")
    return done.stdout


SOURCE = """\
typedef {c_type} T;
void product(long m, long n, long k, const T *A, const T *B, T *restrict C) {{
  const long M = {m}, N = {n}, K = {k};
  {loops}
    C[{c}] += A[{a}] * B[{b}];
}}
"""

DRIVER = """\
#include <stdlib.h>
#include <time.h>
typedef {c_type} T;
typedef void Product(long, long, long, const T *, const T *, T *);
T *matrix(long count, unsigned seed) {{
  T *x = aligned_alloc(64, (count * sizeof(T) + 63) / 64 * 64);
  for (long i = 0; i < count; i++)
    x[i] = (T)((int)((seed = seed * 1664525u + 1013904223u) >> 8) - (1 << 23)) / 1237;
  return x;
}}
static double now(void) {{
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}}
// The product goes to two matrices in turn: to wait for what the last call stored is another thing.
double measure(Product *f, long m, long n, long k, const T *a, const T *b, T *c, long next, long times) {{
  if (times > 1)
    f(m, n, k, a, b, c);
  double begin = now();
  for (long i = 0; i < times; i++)
    f(m, n, k, a, b, c + i % 2 * next);
  return (now() - begin) / times;
}}
"""


def source_of(shape, type_name, order, form):
    """C += A*B; the form is the order of the loops over i, j and k."""
    loops = {"i": ("i", "M"), "j": ("j", "N"), "k": ("l", "K")}
    element = {"r": "({0}) * {3} + {1}", "c": "({0}) + {2} * ({1})"}
    return SOURCE.format(
        c_type=TYPES[type_name],
        loops=" ".join("for (long {0} = 0; {0} < {1}; {0}++)".format(*loops[x]) for x in form),
        **{name: name if extent == "*" else extent for name, extent in zip("mnk", shape)},
        c=element[order[0]].format("i", "j", "M", "N"),
        a=element[order[1]].format("i", "l", "M", "K"),
        b=element[order[2]].format("l", "j", "K", "N"))


class Nest:
    """One product to be tuned."""

    def __init__(self, options, work, shape, type_name, order):
        self.options, self.work, self.shape = options, work, shape
        self.name = f"{'x'.join(map(str, shape))} {type_name} {order}"
        self.extents = [tuple(n if x == "*" else x for x in shape)
                        for n in (options.sizes if "*" in shape else [0])]
        self.is_constant = "*" not in shape
        self.source = source_of(shape, type_name, order, options.form)
        (work / "nest.c").write_text(self.source)
        (work / "driver.c").write_text(DRIVER.format(c_type=TYPES[type_name]))
        run([options.clang, *options.flags, "-O1", "-S", "-emit-llvm", work / "nest.c", "-o", work / "nest.ll"])
        run([options.clang, "-O2", "-shared", "-fPIC", work / "driver.c", "-o", work / "driver.so"])
        self.driver = ctypes.CDLL(str(work / "driver.so"))
        self.driver.matrix.restype = ctypes.c_void_p
        self.driver.measure.restype = ctypes.c_double
        self.element = 4 if "32" in type_name else 8
        # Of constant extents, plans are measured even if the default leaves the loops alone.
        said = self.explain("min-work=1" if self.is_constant else "")
        if "not replaced" in said or not said:
            sys.exit(f"tilesmith-tune: {self.name}: {said or 'no product found'}")
        self.key = re.search(r"tuning: no entry for '(.*)'", said)[1]
        unit = re.search(r"of (\d+) accumulators of (\d+) columns, (\d+) of A", said)
        if unit:
            self.accumulators, self.columns, rows = map(int, unit.groups())
        else:
            sums, rows, self.extra, self.registers = map(int, re.search(
                r"(\d+) sums, (\d+) of A and (\d+) more take \d+ of (\d+) registers", said).groups())
            self.accumulators = None
        tile_rows, tile_columns = map(int, re.search(r"tile=(\d+)x(\d+)", said).groups())
        self.tile, self.lanes = (tile_rows, tile_columns), tile_rows // rows

    def explain(self, plan):
        """What print<tilesmith-plan> says."""
        return run([self.options.opt, f"-load-pass-plugin={self.options.plugin}",
                    "-passes=print<tilesmith-plan>", "-disable-output", "-tilesmith-tuning=/dev/null",
                    f"-tilesmith-plan={plan}", self.work / "nest.ll"])

    def is_possible(self, plan):
        return "not replaced" not in self.explain(plan)

    def fits(self, rows, columns):
        """Whether a tile of so many registers in each column can be had."""
        if self.accumulators:
            return rows * math.ceil(columns / self.columns) <= self.accumulators
        return rows * (columns + 1) + self.extra <= self.registers

    def scheme(self, plan):
        """All of a plan, but for the break-even, which is not measured."""
        text = re.search(r"^  plan: (.*)$", self.explain(plan), re.M)[1]
        return " ".join(w for w in text.split() if not w.startswith("min-"))

    def entry(self, candidate):
        """The scheme that gives this candidate again."""
        if not candidate.replaced:
            return f"min-work={math.prod(self.shape) + 1}"
        return self.scheme(candidate.plan or "") + (" min-work=1" if self.is_constant else "")
