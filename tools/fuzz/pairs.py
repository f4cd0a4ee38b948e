# Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sums of something else than products: what a step makes of two elements, and what the sum becomes by that.
Any of the first goes with any of the second."""

from .program import ELEMENTS, HALVES, Assign, Bin, Call, Cast, Choose, Compare, Counter, Declare, If, Number, Scalar, of

ORDER = ["<", ">", "<=", ">="]


def real(p, name, *args):
    """A function of the C library, in the type of the sum."""
    return Call(f"__builtin_{name}" + "f" * (p.element in HALVES | {"f32"}), list(args))


def least(p, x, y):
    """The smaller one, or the larger one."""
    if p.is_float and p.chance(0.05):
        return real(p, p.rng.choice(["fmin", "fmax"]), x, y)
    return Choose(Compare(p.rng.choice(ORDER), x, y), *p.rng.choice([(x, y), (y, x)]))


def number(p, *some):
    return Number(p.rng.choice(some))


def magnitude(p, x):
    if p.is_float and p.chance(0.4):
        return real(p, "fabs", x)
    ways = [x, Bin("-", Number("0"), x)]
    return Choose(Compare(p.rng.choice(ORDER), x, Number("0")), *p.rng.sample(ways, 2))


def compared(p, x, y):
    test = Compare(p.rng.choice(ORDER + ["==", "!="] * 2), x, y)
    return test if p.chance(0.6) else Choose(test, Number("1"), Number("0"))


def pair(p, x, y):
    """What a step makes of two elements: the statements in front, and the value."""
    d = p.fresh("d")
    difference = Bin("-", x, y)
    if p.chance(0.75):
        before, difference = [Declare(d, p.element, difference)], Scalar(d)
    else:
        before = []
    product = Bin("*", x, y)
    if not p.is_float and p.chance(0.2):
        product = Bin("*", Cast("i64", x), y)
    of_difference = [(4, lambda: Bin("*", difference, difference)), (3, lambda: magnitude(p, difference)),
                     (0.7, lambda: Bin("*", Bin("*", difference, difference), difference)), (1, lambda: difference),
                     (0.7, lambda: Choose(Compare(p.rng.choice(ORDER), difference, p.scalar()), difference, p.number()))]
    others = [(3, lambda: Bin("+", x, y)), (3, lambda: least(p, x, y)), (2, lambda: product), (2, lambda: compared(p, x, y)),
              (0.5, lambda: Bin("*", product, product)), (0.5, lambda: Bin("+", product, y)),
              (0.7, lambda: Choose(Compare(p.rng.choice(ORDER + ["==", "!="]), x, y), p.rng.choice([x, product]), p.number())),
              (0.5, lambda: Bin("*", p.scalar(), Bin("+", x, y)))]
    if p.is_float:
        others += [(0.5, lambda: Bin("/", x, Bin("+", Bin("*", y, y), Number("1")))), (0.3, lambda: real(p, "fma", x, y, y)),
                   (0.5, lambda: Bin("-", magnitude(p, x), magnitude(p, y)))]
    else:
        bits = Bin(p.rng.choice("&|^"), x, y)
        long = "ll" * (ELEMENTS[p.element][1] > 4)
        others += [(3, lambda: bits), (3, lambda: Call("__builtin_popcount" + long, [bits])),
                   (1.5, lambda: Bin(">>", product, number(p, "1", "3", "7", "15"))),
                   (1.5, lambda: Bin("%", product, divisor(p))),
                   (0.7, lambda: Bin("&", product, number(p, "1", "15", "255"))),
                   (0.7, lambda: Bin("/", difference, number(p, "2", "3", "7"))),
                   (0.7, lambda: Bin("*", Bin("&", x, number(p, "1", "15")), Bin("|", y, number(p, "1", "6"))))]
    value = p.pick(*of_difference, *others)()
    uses = isinstance(difference, Scalar) and any(part == difference for part in parts(value))
    return before if uses else [], value


def parts(value):
    """All parts of an expression."""
    yield value
    for child in [getattr(value, name, None) for name in ("left", "right", "condition", "value")] + getattr(value, "args", []):
        if child is not None:
            yield from parts(child)


def divisor(p, tests=None, sizes=()):
    """A constant; or the size of a loop, which is zero only if nothing is divided; or what is compared with zero in front
    of that, by `tests`."""
    if sizes and ELEMENTS[p.element][1] >= 4 and p.chance(0.2):  # a size of 256 is no byte
        return Cast(p.element, Counter(of(p.rng.choice(sizes))))
    if tests is None or p.chance(0.5):
        return number(p, "2", "3", "7", "10", "64", "251", "1000003") if p.element != "bool" else Number("1")
    by = p.scalar()
    tests.append(Compare(p.pick((3, "!="), (2, ">")), by, Number("0")))
    return by


def step(p, s, x, y, sizes, tests, reals=False):
    """The statements of a step. reals: the elements are not integers, but the sum is."""
    before, d = ([], compared(p, x, y)) if reals else pair(p, x, y)
    if p.chance(0.25):
        name = p.fresh("d")
        before.append(Declare(name, "i64" if p.element == "i32" and p.chance(0.15) else p.element, d))
        d = Scalar(name)
    plus = Bin("+", s, d) if p.chance(0.7) else Bin("+", d, s)
    kinds = [(6, lambda: Assign(s, "+=", d)), (1.5, lambda: Assign(s, "-=", d)), (1, lambda: Assign(s, "=", plus)),
             (4, lambda: Assign(s, "=", least(p, s, d))), (3, lambda: If(Compare(p.rng.choice(ORDER), d, s), [Assign(s, "=", d)])),
             (1, lambda: Assign(s, "+=", Bin("*", p.scalar(), d))),
             (0.7, lambda: Assign(s, "+=", Choose(Compare(p.rng.choice(ORDER), d, p.scalar()), d, Number("0")))),
             (0.7, lambda: If(Compare("!=", x, number(p, "3", "1")), [Assign(s, "=", least(p, s, d))])),
             (0.7, lambda: If(Compare(p.rng.choice(ORDER), y, p.scalar()), [Assign(s, "+=", d)])),
             (0.7, lambda: Assign(s, "=", least(p, plus, number(p, "100", "7", "0"))))]
    if p.is_float:
        kinds += [(1, lambda: Assign(s, "=", Bin("+", Bin("*", s, p.scalar()), d))),
                  (1, lambda: Assign(s, "=", Bin("*", plus, p.scalar()))),
                  (0.3, lambda: Assign(s, "*=", d))]
    else:
        by = lambda: divisor(p, tests, sizes)
        kinds += [(2.5, lambda: Assign(s, p.rng.choice(["|=", "&=", "^="]), d)), (3, lambda: Assign(s, "=", Bin("%", plus, by()))),
                  (1, lambda: Assign(s, "=", Bin("%", Bin("+", Bin("*", s, number(p, "2", "3", "31")), d), by()))),
                  (0.7, lambda: Assign(s, "=", Bin(">>", plus, number(p, "1", "4")))),
                  (0.7, lambda: Assign(s, "=", Bin("&", plus, number(p, "15", "255"))))]
        if p.element[0] == "u":
            kinds.append((1, lambda: Assign(s, "=", Bin("+", Bin("*", s, number(p, "3", "31")), d))))
    if not reals:
        kinds += [(4, lambda: where_both_let(p, s, x, y))]
    return before + [p.pick(*kinds)()]


def where_both_let(p, s, x, y):
    """A step that loads one element only where a test of the other one passes."""
    first, second = p.rng.sample([x, y], 2)
    test = lambda of: Compare(p.rng.choice(["!=", "!=", "==", "<"]), of, number(p, "0", "0", "3"))
    path = Bin("+", x, y)
    changes = [(2, lambda: [Assign(s, "=", number(p, "1", "5"))]), (2, lambda: [Assign(s, "+=", second)]),
               (1, lambda: [If(Compare(p.rng.choice(ORDER), path, s), [Assign(s, "=", path)])]),
               (1, lambda: [Assign(s, "=", least(p, s, second))])]
    if not p.is_float:
        changes.append((1, lambda: [Assign(s, p.rng.choice(["|=", "&=", "^="]), second)]))
    inner = p.pick(*changes)()
    if p.chance(0.6):
        inner = [If(test(second), inner)]
    return If(test(first), inner)
