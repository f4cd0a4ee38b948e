# Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A random program as a tree: one function, its parameters and its statements.

Everything that the function does to memory goes through a `Ref`, whose subscripts
are affine in loop counters and sizes, so that `ranges` can tell beforehand which
elements a call touches. Whatever tree the generator, a mutation or the reducer makes,
its memory is laid out to fit; a tree can be meaningless, but not out of bounds.
"""

import dataclasses
from dataclasses import dataclass, field

# name: (in C, bytes, is it a floating-point type)
ELEMENTS = {
    "f64": ("double", 8, True), "f32": ("float", 4, True),
    "i64": ("int64_t", 8, False), "u64": ("uint64_t", 8, False),
    "i32": ("int32_t", 4, False), "u32": ("uint32_t", 4, False),
    "i16": ("int16_t", 2, False), "i8": ("int8_t", 1, False), "u8": ("uint8_t", 1, False),
    "f16": ("_Float16", 2, True), "bf16": ("__bf16", 2, True), "bool": ("_Bool", 1, False), "i128": ("__int128", 16, False),
    "z64": ("_Complex double", 16, True), "z32": ("_Complex float", 8, True),
}
HALVES = {"f16", "bf16"}
COMPLEX = {"z64", "z32"}
INDICES = {"int": "int", "uint": "unsigned", "long": "long", "size": "size_t",
           "short": "short", "ushort": "unsigned short", "uchar": "unsigned char"}
UNSIGNED = {"uint", "size"}
# Counters that are computed with as ints: the least and the greatest value.
SHORT = {"short": (-2**15, 2**15 - 1), "ushort": (0, 2**16 - 1), "uchar": (0, 255)}
# Where the row r of a table of pointers begins, in rows: some begin at the same place, or are of different lengths.
TABLES = {"": "r", "same": "0", "swapped": "(r ^ 1)", "repeated": "(r % 5)", "triangle": "(r * (r + 1) / 2)"}


@dataclass
class Affine:
    """const + the sum of terms[name] * name; names are counters and sizes. by: divided by that, if it is
    more than one (a sum with others is not)."""
    terms: dict = field(default_factory=dict)
    const: int = 0
    by: int = 1

    def __add__(self, other):
        if isinstance(other, int):
            return Affine(dict(self.terms), self.const + other)
        terms = dict(self.terms)
        for name, factor in other.terms.items():
            terms[name] = terms.get(name, 0) + factor
        return Affine({n: f for n, f in terms.items() if f}, self.const + other.const)

    def __neg__(self):
        return Affine({n: -f for n, f in self.terms.items()}, -self.const)

    def __sub__(self, other):
        return self + (-other)


def of(name, const=0):
    return Affine({name: 1}, const)


# --- Expressions ---------------------------------------------------------------

@dataclass
class Ref:
    """An element: a subscript for each dimension of the array. via: a pointer (Point) that
    it is reached by, if that is in scope and does not point behind it."""
    array: str
    index: list
    via: str = ""


@dataclass
class Scalar:
    name: str


@dataclass
class Number:
    text: str


@dataclass
class Bin:
    op: str
    left: object
    right: object


@dataclass
class Cast:
    type: str
    value: object


@dataclass
class Call:
    """A function of the C library, or a macro of driver.h."""
    name: str
    args: list


@dataclass
class Choose:
    condition: object
    left: object
    right: object


@dataclass
class Counter:
    """A number that depends on counters, as an element."""
    value: Affine


@dataclass
class Compare:
    """Of elements, or of Affines, or && of two. u<: as unsigned numbers, so it is not negative, either."""
    op: str
    left: object
    right: object


# --- Statements ------------------------------------------------------------------

@dataclass
class Assign:
    target: object
    op: str
    value: object


@dataclass
class Declare:
    name: str
    type: str
    value: object


@dataclass
class For:
    """Counts `var` from the greatest of `low` and `lows` to below the smallest of `high`."""
    var: str
    type: str
    low: Affine
    high: list
    step: int = 1
    style: str = "lt"  # lt, le, ne, down, while, do; around: the counter wraps
    body: list = field(default_factory=list)
    pragma: str = ""
    walks: list = field(default_factory=list)  # Points that move with the counter
    lows: list = field(default_factory=list)


@dataclass
class Point:
    """A pointer to an element. how, of one that moves with a loop: where it is moved."""
    name: str
    ref: Ref
    how: str = "step"  # or end (of the body), or use (*p++)


@dataclass
class If:
    condition: object
    body: list
    other: list = field(default_factory=list)


@dataclass
class Leave:
    """break, continue or return."""
    how: str


@dataclass
class Note:
    """Tells the driver a number; the order of all of them is compared, too."""
    value: Affine


@dataclass
class Touch:
    """Gives the address of an element to a function that nothing is known of."""
    how: str
    ref: Ref


@dataclass
class Barrier:
    """Assembler that may change all memory."""


@dataclass
class Block:
    """memset or memmove of so many elements. `source` is a Ref, or None."""
    target: Ref
    source: object
    count: Affine


# --- The whole ---------------------------------------------------------------------

@dataclass
class Size:
    name: str
    type: str
    value: int = None  # if it is a constant
    where: str = "parameter"  # or struct, or constant
    small: bool = False  # of a window


@dataclass
class Array:
    """strides: of each dimension, in elements: a number, or names to be multiplied; the
    innermost is the last. kind: pointer, restrict, matrix (with dimensions in its type),
    local, global, rows (a table of pointers), member (of an array of structs). Arrays of one
    group may overlap."""
    name: str
    type: str
    strides: list
    kind: str = "pointer"
    group: int = 0
    const: bool = False
    where: str = "parameter"
    volatile: bool = False
    spelling: str = "flat"  # flat, deref, swapped
    shape: list = None  # of local and global arrays: extents, all constant
    offset: str = ""  # added to subscripts, so that rows may go backwards
    observed: bool = True  # a local array is written back at the end
    table: str = ""  # of rows: TABLES
    member: list = None  # elements before it in the struct, its own, and behind

    def leading(self):
        """The names of leading dimensions that are this array's own."""
        return [s for stride in self.strides if not isinstance(stride, int)
                for s in stride if s.startswith("ld")]


@dataclass
class Program:
    name: str
    element: str  # the type of sums
    sizes: list = field(default_factory=list)
    leading: list = field(default_factory=list)  # Sizes that are strides
    scalars: list = field(default_factory=list)  # names
    arrays: list = field(default_factory=list)
    body: list = field(default_factory=list)
    planted: str = ""
    inlined: bool = False  # into the function that calls it
    cxx: str = ""  # as C++: plain; guard, with a destructor to be run; try; template
    fortran: bool = False

    def array(self, name):
        return next(a for a in self.arrays if a.name == name)

    def symbols(self):
        return self.sizes + self.leading


PARTS = {}  # class: the names of its fields


def parts_of(node):
    """The names of a node's fields, or none."""
    cls = type(node)
    if cls not in PARTS:
        PARTS[cls] = [f.name for f in dataclasses.fields(cls)] if dataclasses.is_dataclass(cls) else None
    return PARTS[cls]


def unshared(node):
    """A copy without a part that occurs twice, so that each can be changed alone."""
    if isinstance(node, list):
        return [unshared(n) for n in node]
    if isinstance(node, dict):
        return dict(node)
    names = parts_of(node)
    return node if names is None else type(node)(*[unshared(getattr(node, n)) for n in names])


def walk(node):
    """All parts of a tree, the whole first."""
    stack = [node]
    while stack:
        node = stack.pop()
        if isinstance(node, (list, tuple)):
            stack += reversed(node)
            continue
        names = parts_of(node)
        if names is not None:
            yield node
            if not isinstance(node, Affine):
                stack += [getattr(node, n) for n in reversed(names)]


def bodies(statements):
    """All lists of statements, the outermost first, each with the loops around it."""
    def visit(body, loops):
        yield body, loops
        for s in body:
            if isinstance(s, For):
                yield from visit(s.body, loops + [s])
            elif isinstance(s, If):
                yield from visit(s.body, loops)
                yield from visit(s.other, loops)
    yield from visit(statements, [])


def names_in(node):
    """The names of counters, sizes, scalars and arrays that a part uses."""
    found = set()
    for part in walk(node):
        if isinstance(part, Affine):
            found.update(part.terms)
        elif isinstance(part, Ref):
            found.add(part.array)
        elif isinstance(part, Scalar):
            found.add(part.name)
    return found
