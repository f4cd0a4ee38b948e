# Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which elements a program touches for given sizes, and whether its index arithmetic is
defined: intervals, from the outermost loop inwards. What comes out is never too small."""

from .program import (SHORT, TABLES, UNSIGNED, Affine, Array, Assign, Block, Choose, Compare, Counter, For, If, Note, Point, Ref,
                      Touch, of, parts_of, walk)

LIMIT = 2**31 - 1


class Invalid(Exception):
    """The program is not defined for these sizes, or takes too long."""


class Ranges:
    def __init__(self, program, values, work_limit):
        """values: of sizes (and of leading dimensions, or none yet)."""
        self.program, self.values = program, values
        self.types = {s.name: s.type for s in program.symbols()}
        self.env = {name: (v, v) for name, v in values.items()}
        self.arrays = {a.name: a for a in program.arrays}
        self.index = {}  # array: an interval for each dimension
        self.used = {}  # array: the types of what its subscripts are made of
        self.tested = []  # (subscript, its least value, its greatest one), by the tests around
        self.pointed = {p.ref.array for p in walk(program.body) if isinstance(p, Point)}
        self.work, self.work_limit, self.times = 0, work_limit, 1
        self.some_unsigned = any(isinstance(p, For) and p.type in UNSIGNED for p in walk(program.body))
        self.visit(program.body)

    def interval(self, affine, wraps=False):
        """wraps: it may be negative if it is computed in one unsigned type of 32 bits."""
        low = high = affine.const
        is_unsigned = negative = False
        modular = affine.terms and all(self.types.get(n) == "uint" for n in affine.terms)
        for name, factor in affine.terms.items():
            if name not in self.env:
                raise Invalid("no such counter")
            a, b = self.env[name]
            is_unsigned |= self.types[name] in UNSIGNED
            negative |= a < 0
            a, b = a * factor, b * factor
            low, high = low + min(a, b), high + max(a, b)
        if is_unsigned and (low < 0 or negative) and not (modular and (low >= 0 or wraps)):
            raise Invalid("an unsigned number may be negative")
        if not -LIMIT < low <= high < LIMIT:
            raise Invalid("an index overflows")
        return int(low / affine.by), int(high / affine.by)

    def is_unsigned(self, affine):
        return any(self.types[n] in UNSIGNED for n in affine.terms)

    def compare(self, left, right):
        """Both sides, where one may be unsigned."""
        a, b = self.interval(left), self.interval(right)
        if (self.is_unsigned(left) or self.is_unsigned(right)) and min(a[0], b[0]) < 0:
            raise Invalid("a negative number is compared with an unsigned one")
        return a, b

    def visit(self, node):
        if isinstance(node, For):
            self.loop(node)
        elif isinstance(node, Ref):
            self.touch(node, 1)
        elif isinstance(node, Block):
            count = self.interval(node.count)
            if count[0] < 0:
                raise Invalid("a block of less than nothing")
            for ref in (node.target, node.source):
                if ref:
                    self.touch(ref, count[1])
            self.spend(count[1] // 8)
        elif isinstance(node, Compare) and isinstance(node.left, Affine):
            if node.op == "u<":
                self.interval(node.left)
                self.interval(node.right)
            else:
                self.compare(node.left, node.right)
        elif isinstance(node, If):
            self.visit(node.condition)
            before = len(self.tested)
            self.suppose(node.condition)
            self.visit(node.body)
            del self.tested[before:]
            self.visit(node.other)
        elif isinstance(node, Choose):
            self.visit(node.condition)
            before = len(self.tested)
            self.suppose(node.condition)
            self.visit(node.left)
            del self.tested[before:]
            self.visit(node.right)
        elif isinstance(node, (Counter, Note)):
            self.interval(node.value)
        elif isinstance(node, (list, tuple)):
            for child in node:
                self.visit(child)
        elif not isinstance(node, (str, Affine)) and parts_of(node):
            if isinstance(node, (Assign, Touch)):
                self.spend(1)
            for name in parts_of(node):
                self.visit(getattr(node, name))

    def suppose(self, test):
        """That a test of subscripts holds."""
        if not isinstance(test, Compare):
            return
        if test.op == "&&":
            self.suppose(test.left)
            self.suppose(test.right)
        elif isinstance(test.left, Affine):
            low, high = self.interval(test.right)
            if test.op in ("<", "<=", "==", "u<"):
                self.tested.append((test.left, -LIMIT, high - (test.op in ("<", "u<"))))
            if test.op in (">", ">=", "=="):
                self.tested.append((test.left, low + (test.op == ">"), LIMIT))
            if test.op == "u<" and low >= 0:
                self.tested.append((test.left, 0, LIMIT))

    def spend(self, amount):
        self.work += self.times * amount
        if self.work > self.work_limit:
            raise Invalid("too much work")

    def loop(self, loop):
        # Equal or not does not depend on the sign.
        wraps = loop.style == "ne" and loop.type == "uint" and loop.step == 1 and len(loop.high) == 1
        lows = [self.interval(l, wraps) for l in [loop.low] + loop.lows]
        low = max(l[0] for l in lows), max(l[1] for l in lows)
        highs = [self.interval(h, wraps) for h in loop.high]
        high = min(h[0] for h in highs), min(h[1] for h in highs)
        kinds = [loop.type in UNSIGNED] + [self.is_unsigned(a) for a in [loop.low] + loop.lows + loop.high]
        wraps &= all(self.types[n] == "uint" for a in [loop.low] + loop.lows + loop.high for n in a.terms)
        if any(kinds) and not wraps and (low[0] < 0 or high[0] < 0):
            raise Invalid("a bound is negative and compared with an unsigned counter")
        if loop.style == "ne" and (loop.step != 1 or low[1] > high[0]):
            raise Invalid("the loop might not end")
        if loop.style == "le" and any(kinds) and high[0] < 1:
            raise Invalid("the last index may be negative")
        if loop.style == "down" and (any(kinds) or loop.type in ("ushort", "uchar")) and loop.step != 1:
            raise Invalid("steps down from an unsigned number")
        if loop.style == "down" and loop.type not in UNSIGNED and any(kinds):
            raise Invalid("a counter goes below zero and is compared with an unsigned number")
        if loop.var in self.env:
            raise Invalid("a loop inside one of the same counter")
        if loop.type in SHORT and not SHORT[loop.type][0] <= min(low[0], high[0]) <= max(
                low[1], high[1] + loop.step) <= SHORT[loop.type][1]:
            raise Invalid("a counter that is too short")
        if loop.style == "around":
            if loop.type != "uchar" or loop.step != 1 or len(loop.high) != 1:
                raise Invalid("not a counter that wraps")
            low, high = (0, 0), (256, 256)
        self.spend(1)
        if high[1] <= low[0]:
            return
        was = self.env.get(loop.var), self.types.get(loop.var), self.times
        self.env[loop.var], self.types[loop.var] = (low[0], high[1] - 1), loop.type
        # A loop of a tile runs no longer than the tile.
        span = high[1] - low[0]
        for h in loop.high:
            difference = h - loop.low
            if loop.style != "around" and all(n in self.values for n in difference.terms):
                span = min(span, max(0, self.interval_of_difference(difference)))
        self.times *= -(-span // loop.step)
        before = len(self.tested)
        if loop.style != "around" and len(loop.lows + loop.high) > 1:
            self.tested += [(of(loop.var) - h, -LIMIT, -1) for h in loop.high]
            self.tested += [(of(loop.var) - l, 0, LIMIT) for l in [loop.low] + loop.lows]
        self.visit(loop.body)
        del self.tested[before:]
        self.visit(loop.walks)
        self.env[loop.var], self.types[loop.var], self.times = was
        if was[0] is None:
            del self.env[loop.var], self.types[loop.var]

    def interval_of_difference(self, affine):
        return affine.const + sum(f * self.values[n] for n, f in affine.terms.items())

    def touch(self, ref, count):
        array = self.arrays[ref.array]
        intervals = [self.interval(a) for a in ref.index]
        for i, a in enumerate(ref.index):
            for tested, low, high in self.tested if not ref.via else []:
                apart = a - tested
                if a.by == 1 and all(n in self.values for n in apart.terms):
                    by = self.interval_of_difference(apart)
                    intervals[i] = max(intervals[i][0], low + by), min(intervals[i][1], high + by)
        if any(low > high for low, high in intervals):
            return
        names = {n for a in ref.index for n in a.terms}
        self.used.setdefault(ref.array, set()).update(self.types[n] for n in names)
        if ref.via and any(self.types[n] in UNSIGNED and self.env[n][0] < 0 for n in names):
            raise Invalid("part of a subscript wraps before it is added to a pointer")
        low, high = intervals[-1]
        if count == 0:
            return
        intervals[-1] = low, high + count - 1
        if any(self.is_unsigned(a) for a in ref.index) and min(i[0] for i in intervals) < 0:
            raise Invalid("a subscript is negative and unsigned")
        old = self.index.get(ref.array)
        self.index[ref.array] = intervals if not old else [
            (min(a, c), max(b, d)) for (a, b), (c, d) in zip(old, intervals)]


def stride_value(stride, values):
    if isinstance(stride, int):
        return stride
    product = 1
    for name in stride:
        product *= values[name]
    return product


def extent(array: Array, intervals, values):
    """The first and the last element that is touched, relative to the array's start."""
    low = high = values[array.offset] if array.offset else 0
    for stride, (a, b) in zip(array.strides, intervals):
        if array.table and stride is array.strides[0]:
            rows = [eval(TABLES[array.table].replace("/", "//"), {"r": r}) for r in range(a, b + 1)]
            a, b = min(rows), max(rows)
        s = stride_value(stride, values)
        low, high = low + min(a * s, b * s), high + max(a * s, b * s)
    return low, high
