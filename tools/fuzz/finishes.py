# Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What becomes of a sum: where it matters which of two products is rounded (with
-ffp-contract=fast, each of them could be fused with the addition), and in epilogues."""

from .mutations import replace
from .pairs import ORDER, least, magnitude, number, real
from .pieces import FACTORS
from .program import HALVES, Assign, Bin, Choose, Compare, Declare, If, Number, Ref, Scalar, of, unshared


def times(p, x, y):
    return Bin("*", x, y) if p.chance(0.6) else Bin("*", y, x)


def joined(p, x, y):
    """A sum or a difference."""
    op = p.pick((3, "+"), (2, "-"))
    return Bin(op, x, y) if p.chance(0.6) else Bin(op, y, x)


def beta_test(p):
    return Compare(p.pick((3, "=="), (1, "!="), (1, "<")), p.scalar(), Number(p.rng.choice(["0", "1"])))


def addend(p, c, names):
    """A product that is added to that of the sum: beta * c most often. names: counters that do not change."""
    other = lambda: p.some_ref(names)
    return p.pick((6, lambda: times(p, p.scalar(), c)), (1, lambda: times(p, other(), p.scalar())), (1, lambda: times(p, other(), other())),
                  (0.7, lambda: c), (1, lambda: times(p, times(p, p.scalar(), p.scalar()), c)),
                  (1, lambda: joined(p, times(p, p.scalar(), c), times(p, p.scalar(), other()))))()


def scaled(p, s, names):
    return p.pick((6, lambda: times(p, p.scalar(), s)), (1, lambda: s), (1, lambda: times(p, p.some_ref(names), s)),
                  (0.5, lambda: times(p, p.number(), s)))()


def finish(p, c, s, names):
    """C from the sum `s`: the statements in front of its loops, and those behind."""
    left, right = scaled(p, Scalar(s), names), addend(p, c, names)
    both = joined(p, left, right)
    how = p.pick((6, "plain"), (3, "tested"), (3, "before"), (2, "stored"), (2, "split"), (1, "outer"), (1, "branches"), (1, "later"))
    if how == "tested":
        return [], [If(beta_test(p), [Assign(c, "=", left)], [Assign(c, "=", both)])]
    if how == "branches":  # one of the products in each
        return [], [If(beta_test(p), [Assign(c, p.rng.choice(["=", "+="]), left)], [Assign(c, p.rng.choice(["=", "-="]), both)])]
    if how == "before":
        u = p.fresh("u")
        return [Declare(u, p.element, right)], [Assign(c, "=", joined(p, left, Scalar(u)))]
    if how == "stored":
        return [Assign(c, p.pick((2, "*="), (1, "=")), right if p.chance(0.3) else p.scalar())], \
            [Assign(c, p.pick((2, "+="), (1, "-=")), left)]
    if how == "split":
        t = p.fresh("t")
        return [], [Declare(t, p.element, left), If(beta_test(p), [Assign(c, "=", joined(p, Scalar(t), right))],
                                                    [Assign(c, "=", Scalar(t))] if p.chance(0.7) else [])]
    if how == "outer":
        return [], [Assign(c, "=", times(p, p.scalar(), joined(p, Scalar(s), right)))]
    if how == "later":
        return [], [Assign(c, "=", both), Assign(c, p.pick((1, "+="), (1, "-=")), addend(p, c, names))]
    return [], [Assign(c, "=", both)]


def operand(p, c, names, type_=None):
    """An element for each row, each column, or each element of C, or of C itself."""
    if p.chance(0.15):
        return c
    if p.chance(0.1):
        return p.some_ref(names)
    index = [unshared(a) for a in c.index if p.chance(0.6)] or [unshared(p.rng.choice(c.index))]
    if p.chance(0.05):
        index[-1] = index[-1] + p.rng.choice([1, -1, 2])
    return Ref(p.array(type_ or p.element, [p.size() for _ in index]).name, index)


def epilogue(p, c, s, names):
    """C from the sum `s` by a few functions, some with further operands: the statements behind its loops."""
    other = lambda type_=None: operand(p, c, names, type_)
    mask = p.rng.choice([t for t in FACTORS[p.element] if t not in HALVES - {p.element}])
    zero, test = Number("0"), lambda x, y: Compare(p.rng.choice(ORDER), x, y)
    half = "f" * (p.element in HALVES)
    kinds = [(3, lambda v: joined(p, v, other())), (2, lambda v: times(p, v, other())), (2, lambda v: times(p, v, p.scalar())),
             (4, lambda v: p.rng.choice([lambda: least(p, v, zero), lambda: Choose(test(v, zero), v, zero)])()),
             (2, lambda v: least(p, least(p, v, number(p, "-2", "0", "-7")), number(p, "60", "6", "7"))),
             (1, lambda v: least(p, v, other())), (2, lambda v: Choose(test(other(mask), zero), v, zero)),
             (1, lambda v: Choose(test(v, other()), v, p.rng.choice([zero, other()]))),
             (1, lambda v: magnitude(p, v)), (0.5, lambda v: Bin("*", v, v)), (0.5, lambda v: p.expression(names, [s], 1))]
    if p.is_float:
        leaky = lambda v: p.rng.choice([times(p, number(p, "0.5" + half, "0.125" + half, "0.1" + half), v), Bin("/", v, Number("8"))])
        sigmoid = lambda v: Bin("/", Number("1"), Bin("+", Number("1"), real(p, "exp", Bin("-", zero, v))))
        kinds += [(2, lambda v: Choose(test(v, zero), *p.rng.choice([(leaky(v), v), (v, leaky(v))]))),
                  (1.5, lambda v: real(p, p.rng.choice(["tanh", "exp", "erf", "log", "sin", "cbrt"]), v)), (0.5, sigmoid),
                  (0.3, lambda v: Bin("*", v, sigmoid(v))), (1.5, lambda v: real(p, "sqrt", v)),
                  (0.7, lambda v: real(p, p.rng.choice(["floor", "ceil", "trunc", "rint"]), v)),
                  (0.4, lambda v: real(p, p.rng.choice(["copysign", "fmin", "fmax", "hypot"]), v, other())),
                  (0.5, lambda v: Bin("/", v, other()))]
    else:
        kinds += [(1.5, lambda v: Bin(">>", v, number(p, "1", "3", "7"))), (0.7, lambda v: Bin("&", v, number(p, "15", "255"))),
                  (0.7, lambda v: Bin("/", v, number(p, "2", "3", "8"))), (0.5, lambda v: Bin("%", v, number(p, "7", "251"))),
                  (0.5, lambda v: Bin("^", v, other()))]
    body, value = [], Scalar(s)
    for _ in range(p.pick((3, 1), (3, 2), (2, 3), (1, 4))):
        if value == Scalar(s) and p.chance(0.12):
            body.append(If(test(value, zero), [Assign(Scalar(s), p.pick((3, "="), (1, "*=")), p.pick((2, zero), (1, p.scalar()), (1, other())))]))
            continue
        value = p.pick(*kinds)(value)
        if p.chance(0.6):
            body.append(Assign(Scalar(s), "=", value))
            value = Scalar(s)
    if p.chance(0.08):
        return body + [If(test(value, c), [Assign(c, "=", value)])]
    return body + [Assign(c, p.pick((6, "="), (1, "+="), (0.3, "-=")), value)]


def swapped(a, b, dims):
    """The second product of SYR2K: the same matrices with rows and columns exchanged. None if there are
    several of either."""
    m, n = [d[0] for d in dims if d[1] == "m"], [d[0] for d in dims if d[1] == "n"]
    if len(m) != 1 or len(n) != 1:
        return None
    first, second = unshared(Ref(b.array, b.index)), unshared(Ref(a.array, a.index))
    replace(first, n[0], of(m[0]))
    replace(second, m[0], of(n[0]))
    return first, second
