# Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The calls of a program: its sizes and strides, and where in memory its arrays lie."""

import random
from dataclasses import dataclass, field

from .program import ELEMENTS, SHORT, UNSIGNED
from .ranges import Invalid, Ranges, extent, stride_value

TYPES = ["f64", "f32", "i32", "i64", "u32", "u64", "f16", "bf16", "i16", "i8", "u8",  # of driver.h
         "bool", "i128"]  # of driver.c
STORED = {"z64": "f64", "z32": "f32"}  # what others are made of
PLAIN, TAME, SPECIAL, NANS, ZEROS = range(5)  # values of driver.c
SMALL = [0, 1, 1, 2, 3, 4, 5, 6, 7]
USUAL = [8, 9, 10, 11, 12, 13, 15, 16, 17, 19, 20, 23, 24, 25, 29, 31, 32, 33, 34, 40, 41]
NEAR = [2, 3, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 20, 24]  # about the break-even, cubed
LARGE = [47, 48, 50, 53, 64, 65, 67, 97, 100, 128, 131, 200, 257]
SCALARS = ["0", "1", "-1", "1.25", "-0.75", "3", "2", "-3"]
UNSIGNED_SCALARS = ["0", "1", "2", "3", "4294967295"]
STRANGE = ["nan", "inf", "-0.0", "1e300", "1e-310"]
MAX_BYTES = 1 << 20
MAX_ROWS = 256


@dataclass
class Case:
    """values: of sizes and leading dimensions; groups: (type, bytes, at_end); starts: a
    group and an offset in bytes for each array."""
    seed: int
    mode: int
    how: str  # whether arrays of a group overlap
    values: dict
    scalars: list
    groups: list = field(default_factory=list)
    starts: list = field(default_factory=list)

    def line(self, program, index, number):
        symbols = [self.values[s.name] for s in program.symbols()]
        groups = [n for t, b, e in self.groups for n in (TYPES.index(STORED.get(t, t)), b, int(e))]
        starts = [n for s in self.starts for n in s]
        return " ".join(map(str, [
            index, number, self.seed, self.mode, len(symbols), *symbols, len(self.scalars), *self.scalars,
            len(self.groups), *groups, len(self.starts), *starts]))


def draw_sizes(rng, program, shrink, near):
    values = {}
    style = rng.random()
    usual = NEAR if near else USUAL
    same = rng.choice(usual) if rng.random() < 0.2 else None
    for s in program.sizes:
        pool = usual if style < (0.8 if near else 0.5) else rng.choices([SMALL, USUAL, LARGE], [2, 5, 2])[0]
        pool = SMALL if s.small else pool
        v = same if same is not None and rng.random() < 0.8 else rng.choice(pool)
        values[s.name] = s.value if s.value is not None else v >> rng.randrange(shrink + 1)
    return values


def natural(program, array, index, values, rng):
    """Own leading dimensions of an array, from the innermost outwards."""
    shape = [max(b, 0) + 1 for _, b in index] if index else [1] * len(array.strides)
    odd = rng.random() * (0.74 if program.fortran else 1)
    done = array.strides[-1] if isinstance(array.strides[-1], int) else 1
    for d in range(len(array.strides) - 2, -1, -1):
        stride = array.strides[d]
        done = abs(done) * shape[d + 1]
        if isinstance(stride, int):
            done = stride
            continue
        for name in stride:
            if name in values:
                continue
            if array.kind == "matrix":
                # The length of this dimension alone: strides are products of them.
                value = shape[d + 1] + rng.choice([0, 0, 1, 3, 8])
            elif array.table == "triangle":
                value = rng.choice([1, 1, 2, 3])
            elif odd < (0.75 if not array.offset else 0.4):
                value = done + rng.choice([0, 0, 0, 1, 2, 3, 8, 13])
            elif odd < (0.80 if not array.offset else 0.42):
                value = rng.choice([0, 1, 2, 5, 19])
            elif odd < (0.88 if not array.offset else 0.92):
                value = -(done + rng.choice([0, 1, 3]))
            elif odd < 0.94:
                value = done + rng.choice([64, 512, 1000, 4093, 4096])
            else:
                value = max(1, done - rng.choice([1, 2, 3]))
            values[name] = value
        done = stride_value(stride, values)
    if array.offset and array.offset not in values:
        values[array.offset] = 0
        low = extent(array, index, values)[0] if index else 0
        values[array.offset] = max(0, -low) + rng.choice([0, 0, 1, 5])


def wraps(program, array, ranges, values):
    """Whether a subscript may be computed with negative strides: in signed numbers, or all
    in one unsigned type, if what comes out is not negative."""
    types = {s.name: s.type for s in program.symbols()}
    names = [n for s in array.strides if not isinstance(s, int) for n in s] + [array.offset] * bool(array.offset)
    kinds = ranges.used.get(array.name, set()) | {types[n] for n in names}
    if array.name in ranges.pointed:  # subscripts are computed in parts
        return not kinds & UNSIGNED
    return not kinds & UNSIGNED or len(kinds) == 1 and extent(array, ranges.index[array.name], values)[0] >= 0


def check_strides(program, ranges, values):
    types = {s.name: s.type for s in program.symbols()}
    some_unsigned = any(t in UNSIGNED for t in types.values()) or ranges.some_unsigned
    for array in program.arrays:
        index = ranges.index.get(array.name)
        for d, stride in enumerate(array.strides):
            value = stride_value(stride, values)
            if index and value < 0 and not wraps(program, array, ranges, values):
                raise Invalid("a negative stride in unsigned arithmetic")
            if some_unsigned and index and index[d][0] < 0:
                raise Invalid("a negative stride in unsigned arithmetic")
            if abs(value) * max([abs(b) for pair in index or [] for b in pair], default=0) >= 2**31:
                raise Invalid("a subscript overflows")
        if program.fortran and index and (index[0][0] < 0 or extent(array, index, values)[0] < 0):
            raise Invalid("a subscript below the first one")
        if array.kind == "rows":
            if index and (index[0][0] < 0 or index[0][1] >= MAX_ROWS):
                raise Invalid("too many rows")
        if array.kind == "matrix":
            inner = [stride_value(s if isinstance(s, int) else [s[0]], values) for s in array.strides[:-1]]
            if min(inner, default=1) < 1 or index and any(
                    low < 0 or high >= n for (low, high), n in zip(index[1:], inner)):
                raise Invalid("outside of a row of a matrix")
        if array.member and index and not 0 <= index[1][0] <= index[1][1] < array.member[1]:
            raise Invalid("outside of a member")
        if array.shape and index and any(
                low < 0 or high >= n for (low, high), n in zip(index, array.shape)):
            raise Invalid("outside of an array")


def place(rng, program, ranges, values, how):
    """Groups of memory, and where in them arrays start."""
    spans = {}
    for a in program.arrays:
        if a.shape:
            total = 1
            for n in a.shape:
                total *= n
            spans[a.name] = (0, total)
        elif a.name in ranges.index:
            low, high = extent(a, ranges.index[a.name], values)
            spans[a.name] = (low, high + 1)
        else:
            spans[a.name] = (0, 0)
    groups, starts, members = [], {}, {}
    for a in program.arrays:
        members.setdefault(a.group, []).append(a)
    for arrays in members.values():
        size = ELEMENTS[arrays[0].type][1]
        if len(arrays) == 1 or how == "apart":
            for a in arrays:
                low, high = spans[a.name]
                starts[a.name] = (len(groups), -low * size)
                groups.append((a.type, (high - low) * size, rng.random() < 0.5))
            continue
        # In elements, relative to the group's start.
        positions, end = {}, 0
        for a in arrays:
            low, high = spans[a.name]
            if how == "near":
                positions[a.name] = end - low
                end += high - low + rng.choice([0, 0, 1, 7])
            elif how == "shift" and positions:
                other = rng.choice(list(positions))
                positions[a.name] = positions[other] + rng.choice(
                    [1, -1, 2, 8, -8, 16, rng.randrange(-200, 200), (high - low) // 2])
            else:
                positions[a.name] = 0
        first = min(positions[a.name] + spans[a.name][0] for a in arrays)
        last = max(positions[a.name] + spans[a.name][1] for a in arrays)
        for a in arrays:
            starts[a.name] = (len(groups), (positions[a.name] - first) * size)
        groups.append((arrays[0].type, (last - first) * size, rng.random() < 0.5))
    if any(b > MAX_BYTES for _, b, _ in groups) or len(groups) > 15:
        raise Invalid("too much memory")
    return groups, [starts[a.name] for a in program.arrays]


def lay_out(program, case, work_limit):
    """Finds leading dimensions, where the case has none, and the memory. It depends on the
    case's seed alone."""
    rng = random.Random(case.seed)
    ranges = Ranges(program, case.values, work_limit)
    for array in program.arrays:
        natural(program, array, ranges.index.get(array.name), case.values, rng)
    for s in program.leading:
        case.values.setdefault(s.name, 1)
    check_strides(program, ranges, case.values)
    for s in program.symbols():
        if s.type in SHORT and not SHORT[s.type][0] <= case.values[s.name] <= SHORT[s.type][1]:
            raise Invalid("a size that is too large for its type")
    case.groups, case.starts = place(rng, program, ranges, case.values, case.how)
    return case


def draw(rng, program, work_limit, shrink=0, near=False):
    values = draw_sizes(rng, program, shrink, near)
    is_float = ELEMENTS[program.element][2]
    mode = rng.choices([PLAIN, TAME, SPECIAL, NANS, ZEROS], [7, 4, 2, 0.3, 1] if is_float else [3, 2, 1.5, 0, 0])[0]
    how = rng.choices(["apart", "near", "shift", "same"], [5, 2, 2, 1])[0]
    pool = STRANGE if is_float and rng.random() < 0.05 else SCALARS if program.element[0] != "u" else UNSIGNED_SCALARS
    scalars = [rng.choice(pool) for _ in program.scalars]
    return lay_out(program, Case(rng.randrange(1 << 30), mode, how, values, scalars), work_limit)


def draw_cases(rng, program, count, work_limit, near=False):
    """Some calls, near: with products about as large as kernels are worth it. Fewer if the program is rarely
    defined. None: it never is."""
    found = []
    for attempt in range(6 * count):
        try:
            found.append(draw(rng, program, work_limit, min(attempt // 4, 3), near))
        except Invalid:
            continue
        if len(found) == count:
            break
    return found
