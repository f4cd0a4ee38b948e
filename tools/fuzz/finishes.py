# Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What becomes of a sum, where it matters which of two products is rounded: with
-ffp-contract=fast, each of them could be fused with the addition."""

from .mutations import replace
from .program import Assign, Bin, Compare, Declare, If, Number, Ref, Scalar, of, unshared


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
