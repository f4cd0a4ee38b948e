# Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random parts of programs: sizes, arrays, elements, expressions, single statements."""

from .program import (ELEMENTS, HALVES, INDICES, Affine, Array, Assign, Barrier, Bin, Block, Call, Cast, Choose,
                      Compare, Counter, Declare, For, If, Leave, Note, Number, Ref, Scalar, Size, Touch, of)

FACTORS = {  # types of factors, by that of the sum
    "f64": ["f64"] * 9 + ["f32"] * 2 + ["i32"], "f32": ["f32"] * 8 + ["f16", "bf16", "i16"],
    "i64": ["i64", "i64", "i32", "i16", "i8"], "i32": ["i32", "i32", "i16", "i8", "i8", "u8"] * 2 + ["bool"],
    "f16": ["f16"], "bf16": ["bf16"], "bool": ["bool", "bool", "u8"], "i128": ["i128", "i64", "i64", "u64", "i32"],
    "z64": ["z64"] * 5 + ["f64", "z32"], "z32": ["z32"] * 5 + ["f32"],
    "u64": ["u64", "u64", "u32", "u8"], "u32": ["u32", "u32", "u8", "i8"],
    "i16": ["i16", "i16", "i8", "u8"], "i8": ["i8"], "u8": ["u8", "u8", "bool"],
}
CONSTANTS = [4, 5, 7, 8, 9, 12, 13, 16, 17, 20, 24, 31, 32, 33, 40, 48]


class Pieces:
    """A program that grows. Everything random comes from one generator of numbers."""

    def __init__(self, rng, program, halves, taste=""):
        self.rng, self.program, self.halves, self.taste, self.counter = rng, program, halves, taste, 0
        self.element = program.element
        self.is_float = ELEMENTS[self.element][2]
        one, other = rng.choices(list(INDICES), [4] * 4 + [0.7] * 3, k=2)
        self.index_types = [one] if rng.random() < 0.7 else [one, other]
        if program.fortran:
            self.index_types = [rng.choice(["int", "int", "long"])]
        self.constant_sizes = rng.random() < (0.12 if taste != "constant" else 0.85)
        self.in_struct = rng.random() < 0.12 and not program.fortran
        self.restrict = rng.random() < (0.7 if taste == "segments" else 0.35) or program.fortran  # nothing overlaps what is written
        self.by_pointer = self.pick((8, 0), (1, 0.5), (1, 1))
        self.share = self.pick((3, 0.15), (3, 0.35), (2, 0.7))
        self.two_dimensional = rng.random() < (0.25 if not program.fortran else 0.85)

    def chance(self, p):
        return self.rng.random() < p

    def pick(self, *choices):
        """One of (weight, value)."""
        return self.rng.choices([v for _, v in choices], [w for w, _ in choices])[0]

    def fresh(self, prefix):
        self.counter += 1
        return f"{prefix}{self.counter}"

    def index_type(self):
        return self.rng.choice(self.index_types)

    # --- Parameters ---

    def size(self, small=False):
        """A size, most often one that there is; small: of a window."""
        p = self.program
        if small:
            fit = [s for s in p.sizes if s.small]
            if fit and self.chance(0.6):
                return self.rng.choice(fit).name
            s = Size(f"n{len(p.sizes)}", self.index_type(), small=True)
            if self.chance(0.2):
                s.value, s.where = self.rng.choice([2, 3, 3, 5, 7]), "constant"
            p.sizes.append(s)
            return s.name
        if p.sizes and (self.chance(0.55) or len(p.sizes) > 5):
            return self.rng.choice(p.sizes).name
        s = Size(f"n{len(p.sizes)}", self.index_type())
        if self.constant_sizes or self.chance(0.04):
            s.value, s.where = self.rng.choice(CONSTANTS), "constant"
        elif self.in_struct and self.chance(0.7):
            s.where = "struct"
        p.sizes.append(s)
        return s.name

    def scalar(self):
        """A parameter, or an element behind a pointer, which may be one of a matrix, too."""
        p = self.program
        if self.chance(self.by_pointer):
            fit = [a for a in p.arrays if a.type == self.element and len(a.strides) == 1]
            a = self.rng.choice(fit) if fit and self.chance(0.6) else self.new_array(self.element, [self.size()], True)
            return Ref(a.name, [Affine()])
        if len(p.scalars) < 2 and (not p.scalars or self.chance(0.4)):
            p.scalars.append(["alpha", "beta"][len(p.scalars)])
        return Scalar(self.rng.choice(p.scalars))

    def new_array(self, type_, extents, const=False):
        """extents: of each dimension, the outermost first: names of sizes."""
        p = self.program
        name = f"a{len(p.arrays)}"
        a = Array(name, type_, [1] * len(extents), const=const and self.chance(0.6))
        constants = [next(s.value for s in p.sizes if s.name == e) for e in extents]
        if len(extents) > 1 and None not in constants and self.chance(0.6):
            a.kind = self.pick((2, "local"), (2 * (not p.fortran), "global"), (1, "pointer"))
            a.shape = [c + self.rng.choice([0, 0, 1, 4]) for c in constants]
            stride = 1
            for d in range(len(extents) - 1, -1, -1):
                a.strides[d], stride = stride, stride * a.shape[d]
            a.const = a.const and a.kind == "pointer"
            if a.kind == "pointer":
                a.shape = None
        elif len(extents) == 2 and self.chance(0.25 if self.taste == "vectors" else 0.06) and not p.fortran:
            a.kind, a.strides = "rows", [(self.lead(), ), 1]
            a.table = self.pick((4, ""), (1, "same"), (1, "swapped"), (1, "repeated"), (1.5, "triangle"))
        elif len(extents) == 2 and self.chance(0.04) and not p.fortran:
            a.kind, a.member = "member", [self.rng.choice([0, 1, 3]), self.rng.choice([48, 64, 100]), self.rng.choice([1, 1, 5])]
            a.strides = [sum(a.member), 1]
        elif len(extents) > 1 and self.two_dimensional:
            a.kind = "matrix"
            inner = [self.matrix_extent(e) for e in extents[1:]]
            a.strides = [tuple(inner[d:]) for d in range(len(inner))] + [1]
        else:
            if self.restrict:
                a.kind = "restrict"
            last = self.pick((20, 1), (1, 2), (1, 3), (0.7 * (not p.fortran), -1))
            a.strides[-1] = last
            names = [(e, ) for e in extents]
            for d in range(len(extents) - 2, -1, -1):
                behind = extents[d + 1:]
                a.strides[d] = self.pick((6, (self.lead(), )), (3, tuple(behind)), (1, names[d]),
                                         (0.4, self.rng.choice(CONSTANTS)))
            if self.in_struct and self.chance(0.5):
                a.where = "struct"
            if len(extents) > 1 and self.chance(0.08):
                a.offset = self.lead()
            a.spelling = self.pick((6, "flat"), (1, "deref"), (1, "swapped"))
        a.group = len(p.arrays)
        if a.kind in ("pointer", "matrix", "rows", "member") and not self.restrict and not a.shape and self.chance(0.7):
            same = [b for b in p.arrays if b.type == type_ and b.kind in ("pointer", "matrix", "rows", "member") and not b.shape]
            if same:
                a.group = self.rng.choice(same).group
        a.volatile = self.chance(0.004) and not p.fortran
        p.arrays.append(a)
        return a

    def matrix_extent(self, size):
        return size if self.chance(0.5) else self.lead()

    def lead(self):
        p = self.program
        # Those that exist belong to other arrays, which lay them out.
        s = Size(f"ld{len(p.leading)}", self.index_type())
        if self.in_struct and self.chance(0.4):
            s.where = "struct"
        p.leading.append(s)
        return s.name

    def array(self, type_, extents, written=False):
        p = self.program
        fit = [a for a in p.arrays if a.type == type_ and len(a.strides) == len(extents) and
               not (written and a.const)]
        if fit and (self.chance(self.share) or len(p.arrays) > 9):
            return self.rng.choice(fit)
        return self.new_array(type_, extents, const=not written and self.chance(0.6))

    # --- Elements and expressions ---

    def subscript(self, scope):
        """Of one dimension, from the loops in scope."""
        if not scope or self.chance(0.06):
            return Affine({}, self.rng.randrange(3))
        v = self.rng.choice(scope[-4:] if self.chance(0.8) else scope)
        a = of(v)
        if self.chance(0.12):
            a = a + self.rng.choice([1, 1, 2, -1])
        if self.chance(0.04) and len(scope) > 1:
            a = a + of(self.rng.choice(scope))
        return a

    def some_array(self, written=False, like_sum=True):
        fit = [a for a in self.program.arrays if not (written and a.const) and a.type not in HALVES - {self.element} and
               (self.is_float or not ELEMENTS[a.type][2]) and
               (not like_sum or a.type == self.element)]
        return self.rng.choice(fit) if fit else self.new_array(self.element, [self.size(), self.size()])

    def some_ref(self, scope, written=False, like_sum=True):
        a = self.some_array(written, like_sum)
        return Ref(a.name, [self.subscript(scope) for _ in a.strides])

    def number(self):
        if self.element in HALVES:
            return Number(self.rng.choice(["0", "1", "2", "0.5f", "-1", "1.25f", "-0.0f"]))
        if self.is_float:
            return Number(self.rng.choice(["0", "1", "2", "0.5", "-1", "1.25", "3", "0.0", "-0.0"] +
                                          (["0.5f", "3.f"] if self.element == "f32" else [])))
        return Number(self.rng.choice(["0", "1", "2", "3", "5"] + (["-1", "-2"] if self.element[0] == "i" else [])))

    def expression(self, scope, scalars=(), depth=2):
        if depth == 0 or self.chance(0.25):
            return self.pick((6, self.some_ref(scope, like_sum=self.chance(0.7) or self.element[0] == "u")),
                             (2, Scalar(self.rng.choice(scalars)) if scalars else self.number()),
                             (1, self.scalar()), (1, self.number()),
                             (0.3, Counter(self.subscript(scope))))
        left, right = self.expression(scope, scalars, depth - 1), self.expression(scope, scalars, depth - 1)
        kinds = [(5, lambda: Bin("*", left, right)), (4, lambda: Bin("+", left, right)),
                 (2, lambda: Bin("-", left, right)),
                 (0.5, lambda: Choose(self.condition(scope), left, right)),
                 (0.4, lambda: Cast(self.element, left))]
        if self.is_float:
            single = "f" if self.element in HALVES | {"f32"} else ""
            kinds += [(0.3, lambda: Call("__builtin_fabs" + (single if self.element != "f32" else ""), [left])), (0.2, lambda: Bin("/", left, Cast(self.element, right))),
                      (0.3, lambda: Call("__builtin_fma" + single,
                                         [left, right, self.some_ref(scope)]))]
        return self.pick(*kinds)()

    def condition(self, scope):
        op = self.rng.choice(["<", ">", "<=", "==", "!="])
        kinds = [(2, lambda: Compare(op, self.some_ref(scope), self.number())),
                 (1, lambda: Compare(op, of(self.size()), Affine({}, self.rng.choice([0, 1, 4, 16])))),
                 (1, lambda: Compare(self.rng.choice(["!=", "=="]), self.scalar(), self.number()))]
        if scope:
            kinds += [(2, lambda: Compare(op, of(self.rng.choice(scope)), self.subscript(scope)))]
        return self.pick(*kinds)()

    # --- Statements ---

    def loop(self, var, high, body, low=None, step=1):
        return For(var, self.index_type(), low or Affine(), high if isinstance(high, list) else [high], step,
                   self.pick((12, "lt"), (1.5, "le"), (0.7, "ne"), (1, "down"), (1, "while"), (1, "do")), body)

    def statement(self, scope, scalars=(), depth=1):
        """Something or other with what there is."""
        def assign():
            op = self.pick((4, "+="), (4, "="), (1, "*="), (1, "-="))
            return [Assign(self.some_ref(scope, written=True), op, self.expression(scope, scalars, 1 + self.chance(0.4)))]

        def small_loop():
            v = self.fresh("v")
            return [self.loop(v, of(self.size()), self.statement(scope + [v], scalars, depth - 1))]

        def copy():
            to, from_ = self.some_ref(scope, written=True), self.some_ref(scope)
            if {self.program.array(r.array).strides[-1] for r in (to, from_)} != {1}:
                return assign()
            return [Block(to, from_ if self.chance(0.5) else None, of(self.size()))]

        def scalar():
            t = self.fresh("t")
            return [Declare(t, self.element, self.expression(scope, scalars, 1))] + \
                self.statement(scope, list(scalars) + [t], depth)

        kinds = [(6, assign), (0.7, lambda: [Note(self.subscript(scope))]),
                 (0.7, lambda: [Touch(self.rng.choice(["read", "write"]), self.touched(scope))]),
                 (0.2, lambda: [Barrier()]), (0.5, copy)]
        if depth > 0:
            kinds += [(2.5, small_loop), (0.8, scalar),
                      (1, lambda: [If(self.condition(scope), self.statement(scope, scalars, depth - 1),
                                      self.statement(scope, scalars, depth - 1) if self.chance(0.2) else [])]),
                      (0.2, lambda: [If(self.condition(scope), [Leave("return")])])]
        return self.pick(*kinds)()

    def touched(self, scope):
        ref = self.some_ref(scope, written=True)
        self.program.array(ref.array).const = False
        return ref
