# Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Nests as the reference BLAS has them: GEMM, SYRK, SYR2K, SYMM and TRMM, with tests of alpha and beta and
of elements, and with other nests for other arguments."""

from .finishes import addend, finish, joined, scaled, times
from .program import Affine, Assign, Bin, Compare, Declare, If, Leave, Number, Ref, Scalar, of, unshared


class Blas:
    def __init__(self, p):
        self.p, self.rng = p, p.rng
        self.m, self.n, self.k = p.size(), p.size(), p.size()
        self.i, self.j, self.l = p.fresh("i"), p.fresh("j"), p.fresh("l")
        self.alpha = p.scalar() if p.chance(0.9) else p.number()

    def matrix(self, rows, columns, written=False):
        """By columns most often: the first subscript is the column's."""
        p = self.p
        a = p.array(p.element, [columns, rows], written)
        by_rows = p.chance(0.15)
        return lambda row, column: Ref(a.name, [of(row), of(column)] if by_rows else [of(column), of(row)])

    def loop(self, var, high, body, low=None):
        return self.p.loop(var, high if isinstance(high, Affine) else of(high), body, low)

    def is_zero(self, x, op="=="):
        return Compare(op, x, Number("0"))

    def nest(self):
        p = self.p
        what = p.pick((5, self.gemm), (3, self.syrk), (4, self.syr2k), (1.5, self.symm), (1.5, self.trmm))
        body = what()
        if p.chance(0.3):  # TRANS, or UPLO
            self.i, self.j, self.l = p.fresh("i"), p.fresh("j"), p.fresh("l")
            test = Compare(p.rng.choice(["<", "==", ">"]), of(p.size()), Affine({}, p.rng.choice([9, 12, 16])))
            body = [If(test, body, what())]
        if p.chance(0.15):
            body.insert(0, If(self.is_zero(p.scalar()), [Leave("return")]))
        return body

    # --- Parts ---

    def scale(self, c, rows):
        """The column times beta, before the product is added."""
        p, i = self.p, self.i
        beta = p.scalar()
        zero = [self.loop(i, rows[1], [Assign(c, "=", Number("0"))], rows[0])]
        scale = [self.loop(i, rows[1], [Assign(unshared(c), "=", times(p, beta, c))], unshared(rows[0]))]
        one = Compare("!=", beta, Number("1"))
        return p.pick((4, lambda: [If(self.is_zero(beta), zero, [If(one, scale)])]), (1, lambda: zero), (1, lambda: scale), (1, lambda: []))()

    def update(self, c, values):
        """C plus the products, which are (temp, element)."""
        p = self.p
        value, op = c, p.pick((6, "+"), (1, "-"))
        for temp, element in values:
            product = times(p, temp, element)
            value = Bin(p.pick((8, op), (1, "-")), value, product) if p.chance(0.9) else Bin(op, product, value)
        if len(values) == 2 and p.chance(0.2):
            value = Bin(op, c, joined(p, *[times(p, t, e) for t, e in values]))
        return [Assign(c, "=", value)]

    def columns(self, c, terms, rows, columns):
        """For each column: scaled, then for each l a multiple of another column is added. terms: (row's element
        with i, multiplier with j)."""
        p, i, j, l = self.p, self.i, self.j, self.l
        inner, values = [], []
        for element, other in terms:
            temp = p.fresh("temp")
            inner.append(Declare(temp, p.element, times(p, self.alpha, other) if p.chance(0.85) else other))
            values.append((Scalar(temp), element))
        inner.append(self.loop(i, rows[1], self.update(c, values), rows[0]))
        if p.chance(0.3):
            test = self.is_zero(terms[-1][1], "!=")
            inner = [If(test, inner)]
        body = self.scale(c, rows) + [self.loop(l, self.k, inner)]
        return [self.loop(j, columns, body)]

    def elements(self, c, terms, rows, columns):
        """Each element as a sum, then alpha and beta."""
        p, i, j, l = self.p, self.i, self.j, self.l
        sums = [p.fresh("temp") for _ in (terms if p.chance(0.7) else terms[:1])]
        inner = []
        for number, (x, y) in enumerate(terms):
            s = Scalar(sums[number % len(sums)])
            inner.append(Assign(s, p.pick((8, "+="), (1, "-=")), times(p, x, y)))
        body = [Declare(s, p.element, Number("0")) for s in sums] + [self.loop(l, self.k, inner)]
        if len(sums) == 1:
            before, after = finish(p, c, sums[0], [i, j])
            body = body[:1] + before + body[1:] + after
        else:
            left = joined(p, *[scaled(p, Scalar(s), [i, j]) for s in sums])
            both = joined(p, left, addend(p, c, [i, j]))
            beta = p.scalar()
            body.append(p.pick((3, If(self.is_zero(beta), [Assign(c, "=", left)], [Assign(c, "=", both)])), (1, Assign(c, "=", both)),
                               (1, Assign(c, "+=", left))))
        return [self.loop(j, columns, [self.loop(i, rows[1], body, rows[0])])]

    # --- The functions ---

    def rows(self, triangle):
        if not triangle:
            return Affine(), of(self.m)
        return (Affine(), of(self.j, 1)) if self.p.chance(0.5) else (of(self.j), of(self.n))

    def gemm(self):
        p, i, j, l = self.p, self.i, self.j, self.l
        c, a, b = self.matrix(self.m, self.n, True)(i, j), self.matrix(self.m, self.k), self.matrix(self.k, self.n)
        return self.either(c, [(a(i, l), b(l, j))], False)

    def either(self, c, terms, triangle):
        return self.p.rng.choice([self.columns, self.elements])(c, terms, self.rows(triangle), self.n)

    def syrk(self):
        i, j, l = self.i, self.j, self.l
        c, a = self.matrix(self.n, self.n, True)(i, j), self.matrix(self.n, self.k)
        return self.either(c, [(a(i, l), a(j, l))], True)

    def syr2k(self):
        i, j, l = self.i, self.j, self.l
        c, a, b = self.matrix(self.n, self.n, True)(i, j), self.matrix(self.n, self.k), self.matrix(self.n, self.k)
        return self.either(c, [(a(i, l), b(j, l)), (b(i, l), a(j, l))], self.p.chance(0.8))

    def symm(self):
        """One half of the matrix, used twice: the element's sum, and a column that is added to above it."""
        p, i, j, l = self.p, self.i, self.j, self.l
        matrix, a, b = self.matrix(self.m, self.n, True), self.matrix(self.m, self.m), self.matrix(self.m, self.n)
        temp1, temp2 = p.fresh("temp"), p.fresh("temp")
        c = matrix(i, j)
        inner = [Assign(matrix(l, j), "=", Bin("+", matrix(l, j), times(p, Scalar(temp1), a(l, i)))),
                 Assign(Scalar(temp2), "=", Bin("+", Scalar(temp2), times(p, b(l, j), a(l, i))))]
        ends = Bin("+", times(p, Scalar(temp1), a(i, i)), times(p, self.alpha, Scalar(temp2)))
        beta = p.scalar()
        body = [Declare(temp1, p.element, times(p, self.alpha, b(i, j))), Declare(temp2, p.element, Number("0")),
                self.loop(l, of(i), inner),
                If(self.is_zero(beta), [Assign(c, "=", ends)], [Assign(c, "=", joined(p, times(p, beta, c), ends))])]
        return [self.loop(j, self.n, [self.loop(i, self.m, body)])]

    def trmm(self):
        """B := alpha * A * B in place, or with a second matrix."""
        p, i, j, l = self.p, self.i, self.j, self.l
        a, b = self.matrix(self.m, self.m), self.matrix(self.m, self.n, True)
        from_ = b if p.chance(0.6) else self.matrix(self.m, self.n)
        temp = p.fresh("temp")
        if p.chance(0.5):
            inner = [Declare(temp, p.element, times(p, self.alpha, from_(l, j))),
                     self.loop(i, of(l), [Assign(b(i, j), "+=", times(p, Scalar(temp), a(i, l)))]),
                     Assign(b(l, j), "=", times(p, Scalar(temp), a(l, l)))]
            if p.chance(0.5):
                inner = [If(self.is_zero(from_(l, j), "!="), inner)]
            return [self.loop(j, self.n, [self.loop(l, self.m, inner)])]
        body = [Declare(temp, p.element, times(p, from_(i, j), a(i, i)) if p.chance(0.6) else from_(i, j)),
                self.loop(l, self.m, [Assign(Scalar(temp), "+=", times(p, a(l, i), from_(l, j)))], of(i, 1)),
                Assign(b(i, j), "=", times(p, self.alpha, Scalar(temp)))]
        return [self.loop(j, self.n, [self.loop(i, self.m, body)])]


def nest(p):
    return Blas(p).nest()
