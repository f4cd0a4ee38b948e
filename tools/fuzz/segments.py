# Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A matrix times a vector whose steps are in segments, each with a sum of integers that is scaled and added up, as of
quantised weights."""

from .program import Affine, Assign, Bin, Cast, Declare, Number, Ref, Scalar, of

LENGTHS = [8, 9, 12, 16, 17, 20, 24, 31, 32, 32, 32, 33, 40, 48, 64, 64, 100, 128]
KINDS = ["i8"] * 5 + ["u8"] * 3 + ["i16"] * 2 + ["i32"]


class Segments:
    def __init__(self, p):
        self.p, self.rng = p, p.rng
        self.i, self.g, self.k = p.fresh("i"), p.fresh("g"), p.fresh("k")
        self.rows, self.count = p.size(), p.size()
        self.length = self.rng.choice(LENGTHS) if p.chance(0.65) else None  # else it is a size
        self.steps = p.size()
        # How elements are found: a subscript for each loop, one for segments and steps, or a segment's first step.
        self.way = "loops" if not self.length else p.pick((2, "loops"), (3, "flat"), (2, "firsts"))

    def element(self, type_, dims, shift=0):
        """Of a row ("i") and a step, or of a step."""
        names, index, sizes = {"i": self.i, "g": self.g, "k": self.k}, [], []
        if "i" in dims:
            index, sizes = [of(names["i"])], [self.rows]
        if self.way == "loops":
            index, sizes = index + [of(self.g), of(self.k, shift)], sizes + [self.count, self.steps]
        else:
            first = {self.g: self.length if self.way == "flat" else 1, self.k: 1}
            index, sizes = index + [Affine(first, shift)], sizes + [self.steps]
        return Ref(self.p.array(type_, sizes).name, index)

    def of_segment(self, dims):
        """A scale: of a row, of a segment, or of both."""
        index, sizes = [], []
        if "i" in dims:
            index, sizes = [of(self.i)], [self.rows]
        if "g" in dims:
            index.append(Affine({self.g: 1}, by=self.length if self.way == "firsts" else 1))
            sizes.append(self.count)
        p = self.p
        return Ref(p.array(p.element if p.chance(0.9) else "f32", sizes).name, index)

    def halves(self, x):
        """Of a byte; an integer, whatever a mutation makes of `x`."""
        return Bin("&", Cast("i32", x), Number("15")), Bin(">>", Cast("i32", x), Number("4"))

    def factor(self, x):
        """As it is, or unpacked, or less a zero point."""
        p = self.p
        low, high = self.halves(x)
        return p.pick((12, x), (1, low), (1, Bin("-", low, Number("8"))), (1, Bin("-", high, Number("8"))),
                      (2, Bin("-", x, Number(self.rng.choice(["128", "8", "3", "255", "-1"])))),
                      (0.5, Cast("i16", x)), (0.5, Bin("*", x, Number("2"))), (0.3, Bin("*", x, Number("300"))))

    def product(self, left, right):
        return Bin("*", left, right) if self.p.chance(0.5) else Bin("*", right, left)

    def steps_of(self, part):
        p, kind = self.p, self.rng.choice(KINDS)
        other = kind if p.chance(0.7) else self.rng.choice(KINDS)
        w, x = self.element(kind, "ik"), self.element(other, "k")
        if p.chance(0.1):  # both halves of a byte
            y = self.element(other, "k", self.rng.choice([16, self.length or 1]))
            low, high = self.halves(w)
            first = self.product(Bin("-", low, Number("8")), x)
            second = self.product(Bin("-", high, Number("8")), y)
            return [Assign(part, "+=", Bin("+", first, second))] if p.chance(0.5) else \
                [Assign(part, "+=", first), Assign(part, "+=", second)]
        value = self.product(self.factor(w), self.factor(x) if p.chance(0.3) else x)
        return [p.pick((8, Assign(part, "+=", value)), (1, Assign(part, "-=", value)),
                       (1, Assign(part, "=", Bin("+", value, part))))]

    def scaled(self, part):
        p = self.p
        factors = [Cast(p.element, part) if p.chance(0.9) else part]
        for dims, share in (("ig", 0.7), ("g", 0.5), ("i", 0.2)):
            if p.chance(share):
                factors.append(self.of_segment(dims))
        if p.chance(0.15):
            factors.append(p.scalar())
        self.rng.shuffle(factors)
        value = factors[0]
        for other in factors[1:]:
            value = Bin("/" if p.chance(0.05) else "*", value, other)
        return Bin("+", value, self.of_segment("ig")) if p.chance(0.07) else value

    def segment(self, target):
        """The statements of a segment, and those in front of the loop over segments."""
        p = self.p
        name = p.fresh("part")
        part = Scalar(name)
        first = Declare(name, "i32", Number("0") if p.chance(0.95) else Number("3"))
        high = of(self.steps) if not self.length else Affine({}, self.length)
        value = self.scaled(part)
        add = p.pick((8, Assign(target, "+=", value)), (1, Assign(target, "=", Bin("+", value, target))),
                     (1, Assign(target, "-=", value)))
        body = [p.loop(self.k, high, self.steps_of(part)), add]
        if p.chance(0.1):
            return body + [Assign(part, "=", Number("0"))] * p.chance(0.9), [first]
        return [first] + body, []

    def over_segments(self, body):
        p = self.p
        if self.way == "firsts":
            loop = p.loop(self.g, of(self.count), body, step=self.length)
            loop.style = p.pick((3, "lt"), (1, "while"))
            return loop
        return p.loop(self.g, of(self.count), body)

    def make(self):
        p = self.p
        c = Ref(p.array(p.element if p.chance(0.95) else "f64", [self.rows], True).name, [of(self.i)])
        rows = lambda body: p.loop(self.i, of(self.rows), body)
        if p.chance(0.25):  # the sum is in memory
            body, before = self.segment(c)
            zero = [Assign(c, "=", Number("0"))] if p.chance(0.6) else []
            if p.chance(0.2) and not before:
                return [rows(zero)] * bool(zero) + [self.over_segments([rows(body)])]
            return [rows(zero + before + [self.over_segments(body)])]
        s = p.fresh("s")
        body, before = self.segment(Scalar(s))
        start = p.pick((6, Number("0")), (1, p.scalar()), (1, c), (1, self.of_segment("i")))
        stored = p.pick((6, Scalar(s)), (1, Bin("*", p.scalar(), Scalar(s))), (1, Bin("+", Scalar(s), self.of_segment("i"))))
        return [rows([Declare(s, p.element if p.chance(0.9) else "f64", start)] + before + [self.over_segments(body)] +
                     [Assign(c, p.pick((6, "="), (2, "+=")), stored)])]


def nest(p):
    return Segments(p).make()
