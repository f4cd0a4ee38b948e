# Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random programs. A program starts from contractions, as people might write them, with
something before, between and after them that uses the same arrays; then some mutations
turn it into something else."""

import random

from . import blas, cases, fortran, pairs, segments
from .finishes import epilogue, finish, operand, swapped
from .mutations import mutate
from .pieces import FACTORS, HALVES, Pieces
from .pointers import add_pointer
from .program import (COMPLEX, ELEMENTS, Affine, Assign, Bin, Block, Call, Cast, Compare, Counter, Declare, For, If, Leave, Number,
                      Program, Ref, Scalar, bodies, of, unshared, walk)
from .windows import Windows


class Loop:
    """A loop of a nest that is being made: a dimension, or the tiles of one."""

    def __init__(self, var, low, high, step=1, tiles=None, role=""):
        self.var, self.low, self.high, self.step, self.tiles, self.role = var, low, high, step, tiles, role


class Nest:
    """One contraction: C[m..,n..] += A[m..,k..] * B[n..,k..], in any order."""

    def __init__(self, pieces):
        self.p, self.rng = pieces, pieces.rng
        p = pieces
        roles = ["m", "n", "k"]
        while p.chance(0.15) and len(roles) < 6:
            roles.append(p.pick((2, "m"), (2, "n"), (2, "k"), (2, "b")))
        if p.taste in VECTORS and p.chance(VECTORS[p.taste]):
            roles = [r for r in roles if r != "n"]
        elif p.chance(0.03):
            roles.remove(self.rng.choice(roles))
        self.windows, self.divisors, self.scalars = None, [], []
        if p.taste in WINDOWS and p.chance(0.9):
            self.windows = Windows(p, p.taste == "convolutions")
            self.dims = self.windows.dims
            return
        square = p.size() if p.chance(0.3) else None
        self.dims = [(p.fresh("ijkl"[len(roles) % 4]), r, square or p.size()) for r in roles]

    def of_roles(self, *roles):
        dims = [d for d in self.dims if d[1] in roles or d[1] == "b"]
        self.rng.shuffle(dims)
        return dims

    def ref(self, dims, type_, written=False, array=None):
        p = self.p
        a = array or p.array(type_, [d[2] for d in dims] or [p.size()], written)
        index = [of(d[0]) for d in dims] or [Affine()]
        for i, d in enumerate(dims):
            if p.chance(0.03):
                index[i] = index[i] + self.rng.choice([1, -1, 2])
            elif p.chance(0.02):
                index[i] = of(d[2], -1) - index[i]
            elif p.chance(0.015):
                index[i] = index[i] + of(d[0])
            elif p.chance(0.01):
                index[i] = index[i] + of(p.size())
        return Ref(a.name, index)

    # --- The arithmetic ---

    def factor(self, ref):
        p, type_ = self.p, self.p.program.array(ref.array).type
        if ELEMENTS[type_][2] and not p.is_float:
            return ref
        if type_ == "i16" and p.element == "f32" and p.chance(0.5):
            return Call("fuzz_upper_half", [ref])
        if type_ != p.element and (type_ in HALVES or p.chance(0.6)):
            ref = Cast(p.element, ref)
        if p.element in HALVES and p.chance(0.4):
            ref = Cast("f32", ref)
        if ELEMENTS[type_][1] < 4 and not p.is_float and p.chance(0.2):  # a zero point
            return Bin("-", ref, p.pick((2, Number(self.rng.choice(["128", "1", "3", "255", "-128"]))), (1, p.scalar())))
        if p.chance(0.04):
            ref = self.rng.choice([lambda: Bin("-", ref, p.number()), lambda: Bin("+", ref, p.scalar()),
                                   lambda: Bin("*", p.number(), ref)])()
        return ref

    def several(self, ref, role):
        """A factor of several elements: weights, masks, zero points."""
        p, rng = self.p, self.rng
        value = self.factor(ref)
        for _ in range(p.pick((5, 1), (1, 2))):
            dims = [d for d in self.of_roles(role, "k") if p.chance(0.6)]
            if p.chance(0.03):
                dims = dims[:2] + [rng.choice(self.dims)]
            ref_of_other = self.ref(dims, p.program.array(ref.array).type)
            other = self.factor(ref_of_other)
            for index in ref_of_other.index:  # one for each group
                if p.chance(0.15) and len(index.terms) == 1:
                    index.by = rng.choice([2, 2, 4, 8, 16, 3])
            if p.chance(0.05):
                steps = self.of_roles(role, "k")
                other = Bin("*", other, Counter(of(rng.choice(steps)[0]))) if steps else other
            op = p.pick((6, "*"), (2, "-"), (2, "+"))
            value = Bin(op, *((value, other) if p.chance(0.7) else (other, value)))
        return value

    def product(self, term):
        p = self.p
        at = p.pick((1, 0), (1, 1)) if p.chance(0.8 if p.taste == "factors" else 0.06) else None
        a, b = [self.several(r, "mn"[i]) if i == at or at is not None and p.chance(0.1) else self.factor(r)
                for i, r in enumerate(term)]
        if p.chance(0.4):
            a, b = b, a
        if p.taste == "complex" and p.chance(0.35):
            is_complex = isinstance(a, Ref) and p.program.array(a.array).type in COMPLEX
            a = Call("~", [a if is_complex else Cast(p.element, a)])  # the conjugate
        if p.chance(0.25):
            s = p.scalar()
            return self.rng.choice([lambda: Bin("*", Bin("*", s, a), b), lambda: Bin("*", s, Bin("*", a, b)),
                                    lambda: Bin("*", Bin("*", a, b), s), lambda: Bin("*", a, Bin("*", b, s))])()
        return Bin("*", a, b)

    def update(self, target, terms):
        """target += the products, spelled in some way."""
        p = self.p
        reals = not p.is_float and ELEMENTS[p.program.array(terms[0][0].array).type][2]
        if p.taste in PAIRS and (p.chance(PAIRS[p.taste]) or reals):
            return self.pair_update(target, terms, reals)
        products = [self.product(t) for t in terms]
        if p.chance(0.15 if len(products) > 1 or p.taste in ("narrow", "sums") else 0.03):  # c = c - a * b - d * e
            sign, value = p.pick((2, "-"), (1, "+"), (1, None)), target
            for product in products:
                value = Bin(sign or self.rng.choice("+-"), value, product)
            return [Assign(target, "=", value)]
        if len(products) > 1 and p.chance(0.4):
            return [Assign(target, "+=", v) for v in products]
        value = products[0]
        for other in products[1:]:
            value = Bin(p.pick((5, "+"), (3 if p.taste == "sums" else 1, "-")), value, other)
        if p.is_float and p.chance(0.04) and len(products) == 1:
            fma = "__builtin_fmaf" if p.element in HALVES | {"f32"} else "__builtin_fma"
            return [Assign(target, "=", Call(fma, [value.left, value.right, target]))]
        return [p.pick((10, Assign(target, "+=", value)), (1, Assign(target, "=", Bin("+", target, value))),
                       (1, Assign(target, "=", Bin("+", value, target))), (2 if p.taste == "sums" else 1, Assign(target, "-=", value)),
                       (1 if p.taste == "sums" else 0, Assign(target, "=", Bin("-", value, target))))]

    def pair_update(self, target, terms, reals):
        """What each step makes of two elements that is no product."""
        p, body = self.p, []
        for term in terms:
            x, y = [self.factor(r) for r in term]
            if p.chance(0.3):
                x, y = y, x
            tests = []
            body += pairs.step(p, target, x, y, [d[2] for d in self.dims], tests, reals)
            if tests and p.chance(0.2):
                body[-1] = If(tests.pop(), [body[-1]])
            self.divisors += tests
        return body

    # --- The loops ---

    def loops(self):
        p, rng = self.p, self.rng
        order = list(self.dims)
        rng.shuffle(order)
        if p.chance(0.85 if p.taste == "epilogues" else 0.45):
            order.sort(key=lambda d: d[1] == "k")
        loops = [Loop(v, Affine(), [of(n)], role=r) for v, r, n in order]
        if p.chance(0.06 if self.windows else 0.5 if p.taste == "vectors" else 0.25):  # a diagonal
            y = rng.randrange(1, len(loops)) if len(loops) > 1 else 0
            x = rng.randrange(y) if y else 0
            if x != y:
                outer, offset = of(loops[x].var), rng.choice([0, 0, 0, 1, 1, -1, 2])
                if p.chance(0.5):
                    loops[y].high = [outer + offset] + (loops[y].high if p.chance(0.1) else [])
                elif p.chance(0.85):
                    loops[y].low = outer + offset
                else:
                    loops[y].high = [loops[y].high[0] - outer + offset]
        elif p.chance(0.05):
            rng.choice(loops).low = Affine({}, rng.choice([1, 1, 2, 3]))
        elif p.chance(0.04):
            loop = rng.choice(loops)
            loop.high = [loop.high[0] + rng.choice([-1, 1, -2])]
        for loop in list(loops):
            if p.chance(0.08 if not self.windows else 0.03):
                self.tile(loops, loop)
            elif p.chance(0.03):
                loop.step = rng.choice([2, 3, 4])
        return loops

    def tile(self, loops, loop):
        p, rng = self.p, self.rng
        size = rng.choice([2, 4, 5, 8, 16]) if p.chance(0.9) else None
        outer = p.fresh("t")
        inner_high = of(outer, size) if size else of(outer) + of(p.size())
        tiles = Loop(outer, loop.low, loop.high, size or 8, role=loop.role)
        at = loops.index(loop)
        loop.low = of(outer)
        loop.high = [inner_high] + (tiles.high if p.chance(0.85) else [])
        needed = [i for i, l in enumerate(loops[:at]) if any(l.var in a.terms for a in [tiles.low] + tiles.high)]
        loops.insert(rng.randrange(max(needed, default=-1) + 1, at + 1), tiles)

    def as_for(self, loop, body):
        p = self.p
        f = p.loop(loop.var, loop.high[:2], body, loop.low, loop.step)
        if len(f.high) > 1 and p.chance(0.3):
            f.style = "and"
        if len(f.high) > 1 and f.style in ("le", "ne", "down"):
            f.style = "lt"
        if p.chance(0.003):
            f.pragma = rng_pragma(self.rng)
        return f

    def wrap(self, loops, body):
        for loop in reversed(loops):
            body = [self.as_for(loop, body)]
        return body

    # --- The whole ---

    def make(self):
        p, rng = self.p, self.rng
        factors = FACTORS[p.element]
        usable = [f for f in factors if p.halves or f not in HALVES]
        if p.taste == "narrow":
            usable = [f for f in usable if ELEMENTS[f][1] < 4] or usable
        type_ = rng.choice(usable)
        if p.taste == "pairs" and p.element in ("i32", "u32", "i64") and p.chance(0.1):
            usable = [rng.choice(["f32", "f64"])]
            type_ = usable[0]
        elif p.taste == "pairs" and p.element in ("i32", "u32", "i16") and p.chance(0.1):  # counts of what is wider
            usable = [rng.choice(["i64", "u64"])]
            type_ = usable[0]
        cd = self.of_roles("m", "n", "t")
        kind, scatters = p.element, self.windows and self.windows.scatters
        if p.taste == "epilogues" and p.chance(0.3):  # sums are stored in a smaller type
            kind = rng.choice([f for f in usable if f not in HALVES and f[0] == kind[0]] or [kind])
        c = self.ref(cd, kind, written=True) if not scatters else self.windows.image(kind, "mnt", written=True)
        terms, alone = [], type_ == p.element and p.chance(0.06)  # all in one matrix, as factorisations are
        sums = p.taste == "sums"
        rare = p.taste in ("pairs", *WINDOWS)
        for _ in range(p.pick((12, 1), (6 if sums else 0.7 if rare else 2.5, 2), (1 if sums else 0.1 if rare else 0.5, 3))):
            if sums and terms and p.chance(0.5) and swapped(*terms[0], self.dims):
                terms.append(swapped(*terms[0], self.dims))
                continue
            other = type_ if p.chance(0.85) else rng.choice(usable)
            if self.windows:
                a = self.windows.image(type_, "mk") if not scatters else self.ref(self.of_roles("m", "k"), type_)
                b = self.windows.flipped(self.ref(self.of_roles("n", "k", "t"), other))
                terms.append((a, b))
                break
            a, b = self.ref(self.of_roles("m", "k"), type_), self.ref(self.of_roles("n", "k"), other)
            if p.chance(0.12):  # SYRK's, or C itself
                b = Ref(a.array, b.index) if len(a.index) == len(b.index) else b
            if p.chance(0.06) and len(b.index) == len(c.index):
                b = Ref(c.array, b.index)
            if alone and len(a.index) == len(c.index):
                a = Ref(c.array, a.index)
            if alone and len(b.index) == len(c.index):
                b = Ref(c.array, b.index)
            terms.append((a, b))
        loops = self.loops()
        inside = len(loops)  # loops over k at the end
        while inside and loops[inside - 1].role == "k":
            inside -= 1
        before = []
        init = p.pick((6, None), (2, "="), (2, "*="), (1, "x"))
        op, value = {"=": ("=", Number("0")), "*=": ("*=", p.scalar()), "x": ("=", p.expression([d[0] for d in cd], (), 1)),
                     None: (None, None)}[init]
        all_k_inside = inside < len(loops) and all(l.role != "k" for l in loops[:inside])
        finished = p.taste == "epilogues"
        if all_k_inside and p.chance(0.6 if not finished else 0.95):
            body = self.with_scalar(c, terms, loops[inside:]) if p.chance(0.8 if sums else 0.95 if finished else 0.6) else \
                self.wrap(loops[inside:], self.update(c, terms))
            if p.chance(0.15):
                body += self.once_more(c, body, loops[inside:])
            if op and p.chance(0.8):
                body.insert(0, Assign(c, op, value))
                op = None
            nest = self.wrap(loops[:inside], body)
        elif p.chance(0.06) and not scatters and loops[0].role == "m" and [d for d in cd if d[1] == "n"]:
            nest = self.by_rows(loops, c, cd, terms)
            op = None
        else:
            nest = self.wrap(loops, self.update(c, terms))
        if self.windows:
            nest = self.windows.leave_out(nest)
        for test in self.divisors:
            nest = [If(test, nest)]
        if p.chance(0.25):
            self.scatter(nest)
        if op and (cd or p.chance(0.5)):
            before = self.initialise(c, cd, op, value)
        if finished and cd and not self.windows and p.chance(0.4):
            nest = nest + (p.statement([]) if p.chance(0.05) else []) + self.next_nest(c, cd)
        if p.chance(0.1):
            nest = [If(p.condition([]), nest, p.statement([]) if p.chance(0.2) else [])]
        if p.chance(0.05):
            v = p.fresh("time")
            high = Affine({}, rng.choice([2, 3]))
            return [p.loop(v, high, before + nest)]
        return before + nest

    def by_rows(self, loops, c, cd, terms):
        """The sums of a row in a row of their own, which is used again for the next one."""
        p = self.p
        columns = [d for d in cd if d[1] == "n"]
        row = p.new_array(p.element, [d[2] for d in columns])
        sums = Ref(row.name, [of(d[0]) for d in columns])
        outer = [l for l in loops if l.role in ("m", "b")]
        inner = [l for l in loops if l not in outer]
        names = {l.var for l in inner}
        if any(names & set(a.terms) for l in outer for a in [l.low] + l.high):
            return self.wrap(loops, self.update(c, terms))

        def over_row(body):
            return self.wrap([Loop(v, Affine(), [of(n)]) for v, _, n in columns], body)
        before = over_row([Assign(sums, "=", p.pick((5, Number("0")), (1, c)))])
        after = over_row([Assign(c, p.pick((3, "="), (2, "+=")), p.pick((3, sums), (1, Bin("*", p.scalar(), sums))))])
        return self.wrap(outer, before + self.wrap(inner, self.update(sums, terms)) + after)

    def once_more(self, c, body, inner):
        """Something else that becomes of the element: other steps, or a function of it."""
        p = self.p
        if p.chance(0.3):
            return [Assign(c, p.pick((2, "*="), (1, "+=")), p.pick((2, p.scalar()), (1, p.number())))]
        again = unshared([s for s in body if isinstance(s, For)])
        sums = next((s.target for s in body if isinstance(s, Assign)), c)
        others = [n for n in walk(again) if isinstance(n, Ref) and n != c]
        if others and p.chance(0.7):
            ref = self.rng.choice(others)
            fit = [a for a in p.program.arrays if len(a.strides) == len(ref.index) and
                   a.type == p.program.array(ref.array).type]
            ref.array = self.rng.choice(fit).name
        for loop in again:
            if p.chance(0.3):
                loop.high[-1] = loop.high[-1] + self.rng.choice([-1, -2, 1])
        if p.chance(0.2):
            again = self.wrap(inner[:1], [Assign(sums, "+=", p.number())])
        return again

    def scatter(self, nest):
        """Other statements in the nest, at any depth."""
        p = self.p
        for _ in range(p.pick((3, 1), (1, 2))):
            places = [(b, l) for b, l in bodies(nest) if l]
            if places:
                body, loops = self.rng.choice(places)
                scalars = [s.name for s in body if isinstance(s, Declare)]
                at = self.rng.choice([0, len(body)]) if not scalars else len(body)
                body[at:at] = p.statement([l.var for l in loops], scalars)

    def next_nest(self, c, cd):
        """What becomes of each element of C, in loops of its own behind the nest."""
        p = self.p
        s, dims = p.fresh("s"), list(cd)
        if p.chance(0.2):
            self.rng.shuffle(dims)
        body = [Declare(s, p.element, c)] + epilogue(p, c, s, sorted(names_of(c)))
        return self.wrap([Loop(v, Affine(), [of(n)]) for v, _, n in dims], body)

    def initialise(self, c, cd, op, value):
        p = self.p
        a = p.program.array(c.array)
        dims = list(cd)
        scatters = self.windows and self.windows.scatters  # into elements of several loops
        if op == "=" and isinstance(value, Number) and not scatters and p.chance(0.25) and a.strides[-1] == 1 and dims:
            last = dims[-1]
            loops = [Loop(v, Affine(), [of(n)]) for v, _, n in dims[:-1]]
            start = Ref(c.array, c.index[:-1] + [Affine()])
            return self.wrap(loops, [Block(start, None, of(last[2]))])
        self.rng.shuffle(dims)
        return self.wrap([Loop(v, Affine(), [of(n)]) for v, _, n in dims], [Assign(c, op, value)])

    def with_scalar(self, c, terms, inner):
        p, rng = self.p, self.rng
        s = p.fresh("s")
        wider = {"f32": "f64", "i32": "i64", "f16": "f32", "bf16": "f32", "bool": "i32"}
        kind = wider.get(p.element, p.element) if p.chance(0.4 if p.element in HALVES else 0.05) else p.element
        start = p.pick((6, Number("0")), (3, c), (1, Bin("*", p.scalar(), c)), (0.7, p.scalar()), (0.4, p.expression([], (), 1)))
        has_operands = p.taste == "epilogues" or p.taste == "vectors" and p.chance(0.3)
        if has_operands and p.chance(0.3 if p.taste == "epilogues" else 0.6):
            start = operand(p, c, sorted(names_of(c)))
        update = self.wrap(inner, self.update(Scalar(s), terms))
        if has_operands and p.chance(0.9):
            return [Declare(s, kind, start)] + update + epilogue(p, c, s, sorted(names_of(c)))
        if p.taste in ("sums", "complex") and p.chance(0.75):
            before, after = finish(p, c, s, sorted(names_of(c)))
            return [Declare(s, kind, start)] + before + update + after
        value = p.pick((6, Scalar(s)), (2, Bin("*", p.scalar(), Scalar(s))), (1, Bin("+", Scalar(s), c)),
                       (1, Bin("+", Bin("*", p.scalar(), Scalar(s)), Bin("*", p.scalar(), c))),
                       (0.4, p.expression(sorted(names_of(c)), [s], 1)))
        op = p.pick((5, "="), (3, "+="), (0.5, "-="))
        return [Declare(s, kind, start)] + update + [Assign(c, op, value)]


def names_of(ref):
    return {n for a in ref.index for n in a.terms if not n.startswith(("n", "ld"))}


def rng_pragma(rng):
    return rng.choice(["clang loop unroll(disable)", "clang loop vectorize(disable)", "clang loop unroll_count(2)",
                       "clang loop interleave(disable)", "clang loop distribute(enable)"])


SUMS = ["f64", "f32", "i32", "i64", "u32", "u64", "f16", "bf16", "bool", "i128", "z64", "z32", "i16", "i8", "u8"]
WEIGHTS = {"": [40, 18, 16, 8, 10, 6, 3, 1, 1, 1.5, 2, 1, 2, 1, 1], "narrow": [0, 1, 20, 1, 6, 0, 0, 0, 0, 0, 0, 0, 5, 2, 2],
           "integer": [1, 1, 10, 8, 10, 6, 0, 0, 0, 0, 0, 0, 5, 3, 3],
           "sums": [50, 30, 0.5, 0, 0, 0, 2, 1, 0, 0, 5, 4], "pairs": [20, 20, 20, 9, 8, 5, 1.5, 0.5, 0.5, 1, 0, 0, 6, 4, 4],
           "epilogues": [30, 40, 10, 5, 3, 2, 2, 1], "filters": [25, 40, 15, 6, 5, 3, 1, 0.5, 0.3, 0.5, 0.5, 0.5],
           "convolutions": [25, 45, 20, 4, 4, 2, 1, 0.5, 0.2, 0.3, 0.3, 0.3],
           "complex": [0] * 10 + [5, 4], "segments": [2, 10]}
WINDOWS = ("filters", "convolutions")
MUTATIONS = {"": [8, 5, 4, 2], "sums": [10, 5, 2, 1], **{of: [10, 4, 2, 1] for of in ("pairs", "epilogues", "factors", "complex", "segments", *WINDOWS)}}
PAIRS = {"pairs": 0.9, "epilogues": 0.2, "filters": 0.03}  # how often steps are no products
VECTORS = {"vectors": 0.85, "complex": 0.5}  # how often a matrix is times a vector


def build(rng, name, halves, taste, languages):
    weights = WEIGHTS.get(taste, WEIGHTS[""])
    element = rng.choices(SUMS[:len(weights)], weights)[0]
    if element in HALVES and not halves:
        element = "f32"
    program = Program(name, element)
    program.cxx, program.fortran = rng.choice(languages), list(languages) == ["fortran"]
    if program.fortran:
        program.cxx = ""
    if program.cxx and element in COMPLEX:  # which do not become real numbers by themselves there
        program.element = "f64"
    p = Pieces(rng, program, halves, taste)
    if taste in WINDOWS and p.chance(0.6):  # windows may begin before the image
        p.index_types = [rng.choice(["int", "long"])]
    for _ in range(p.pick((6, 1), (3, 2), (1, 3))):
        if p.chance(0.15):
            program.body += p.statement([])
        if taste == "segments" and p.chance(0.95):
            program.body += segments.nest(p)
        else:
            program.body += blas.nest(p) if taste == "sums" and p.chance(0.35) else Nest(p).make()
    if p.chance(0.2):
        program.body += p.statement([])
    if p.chance(0.05):
        program.body.insert(0, If(p.condition([]), [Leave("return")]))
    program.inlined = p.chance(0.15)
    for _ in range(rng.choices([0, 1, 2, 4], MUTATIONS.get(taste, MUTATIONS[""]))[0]):
        program.body = unshared(program.body)
        mutate(p)
    program.body = unshared(program.body)
    for _ in range(p.pick((3, 0), (1, 1), (1, 3))):
        add_pointer(p)
    return program


def make(seed, number, halves=True, taste="", languages=("", ), calls=5, work_limit=150000, near=False):
    """The program `number` of a campaign, and its calls; `taste` is what the setting is for."""
    rng = random.Random(f"{seed}:{number}")
    work_limit *= 3 if taste == "convolutions" else 1  # which have six loops and more
    while True:
        program = build(rng, f"p{number}", halves, taste, languages)
        found = cases.draw_cases(rng, program, calls, work_limit, near)
        if found and len(program.arrays) <= 15 and len(program.symbols()) <= 30 and can_be_written(program):
            return program, found


def can_be_written(program):
    try:
        return not program.fortran or bool(fortran.Writer(program).function())
    except fortran.Unsupported:
        return False
