# Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random calls, as lines of text: the driver makes them, and a line is all that repeats one.

    dgemm seed=7 magnitudes=1 zeros=4 specials=0 transa=N transb=T m=3 n=4 k=5 alpha=d:0.7 a=d[15] lda=3 …

An array has a type and a number of elements. Behind that may stand how far apart the elements of the
diagonal are, and where the first one is: a=d[20:5+0]. Elements depend on the seed, and on the place of
the array among the arguments.
"""

import random
import types

from blas.routines import kind

LETTERS = {"side": "LR", "uplo": "UL", "diag": "NU", "trans": "NTC", "transa": "NTC", "transb": "NTC"}
SCALARS = [0, 1, -1, 0.7, -0.3]
INCREMENTS = [1, 1, 2, -1, -3]
MOST = 8_000_000  # multiplications of a call


def random_sizes(draw, names, level):
    """Sizes on both sides of each break-even."""
    def small():
        return draw.choice((draw.randrange(0, 4), draw.randrange(0, 17), draw.randrange(0, 41)))

    large = draw.random()
    sizes = {n: small() for n in names}
    for name in names:
        if large < 0.06 or (large < 0.15 and draw.random() < 0.4):
            sizes[name] = draw.randrange(60, 261)

    def work():
        product = 1
        for size in sizes.values():
            product *= max(size, 1)
        # Routines without k have a product over m or n once more.
        return product * (max(sizes.values()) if level == 3 and len(sizes) == 2 and "k" not in sizes else 1)

    while work() > MOST:
        name = max(names, key=lambda n: sizes[n])
        sizes[name] = draw.randrange(20, sizes[name])
    return sizes


def scalar(draw, type, real):
    if type in "sd" or real:
        return f"{'s' if type in 'sc' else 'd'}:{draw.choice(SCALARS)}"
    return f"{type}:{draw.choice(SCALARS)},{draw.choice(SCALARS)}"


def letter(draw, routine, name):
    letters = LETTERS[name]
    if name.startswith("trans") and routine.type in "cz":
        letters = letters.replace("C", "") if routine.family.no_conjugate else letters
        letters = letters.replace("T", "") if routine.family.no_transpose else letters
    return draw.choice(letters)


def array(draw, routine, v, name):
    """The text for an array; sets its leading dimension or increment."""
    shape = routine.family.shapes[name](v)
    padded = draw.random() < 0.5
    behind = draw.choice((0, 0, 1, 7))
    if kind(name) == "packed":
        return f"{routine.type}[{shape + behind}]"
    if kind(name) == "vector":
        step = draw.choice(INCREMENTS)
        setattr(v, "inc" + name, step)
        return f"{routine.type}[{(shape - 1) * abs(step) + 1 + behind if shape else behind}]"
    rows, columns = shape
    leading = max(1, rows) + (draw.choice((1, 2, 3, 5, 8, 16)) if padded else 0)
    setattr(v, "ld" + name, leading)
    # The last column may end with its last row.
    elements = (columns - 1) * leading + rows if columns and rows else 0
    elements = columns * leading if behind == 7 else elements + behind
    diagonal = routine.family.diagonal if name == "a" else None
    if not diagonal:
        return f"{routine.type}[{elements}]"
    distance = leading if "k" in routine.family.arguments else leading + 1
    return f"{routine.type}[{elements}:{distance}+{diagonal(v)}]"


def random_call(draw, routine):
    v = types.SimpleNamespace()
    arguments = routine.family.arguments
    sizes = [a for a in arguments if kind(a) == "size"]
    bands = [a for a in sizes if a in ("kl", "ku") or (a == "k" and routine.family.level == 2)]
    for name, size in random_sizes(draw, [s for s in sizes if s not in bands], routine.family.level).items():
        setattr(v, name, size)
    for name in bands:
        setattr(v, name, draw.choice((0, 1, 2, draw.randrange(0, 9), draw.randrange(0, max(1, v.n + 2)))))
    for name in arguments:
        if kind(name) == "letter":
            setattr(v, name, letter(draw, routine, name))
        elif kind(name) == "scalar":
            setattr(v, name, scalar(draw, routine.type, name in routine.family.real))
    for name in arguments:
        if kind(name) in ("matrix", "vector", "packed"):
            setattr(v, name, array(draw, routine, v, name))
    data = {"seed": draw.randrange(1, 10**9), "magnitudes": draw.choice((0, 0, 1, 2, 3)),
            "zeros": draw.choice((0, 0, 8, 3, 2)), "specials": draw.choice((0, 0, 0, 200, 12))}
    return " ".join([routine.name, *(f"{k}={w}" for k, w in data.items()),
                     *(f"{name}={getattr(v, name)}" for name in arguments)])


def random_calls(seed, number, routines):
    """A call depends on the seed, its number and the routines. Those of level 3 are made three times as often."""
    names = [r for r in routines for _ in range(3 if r.family.level == 3 else 1)]
    for i in range(number):
        draw = random.Random(f"{seed} {i}")
        yield random_call(draw, draw.choice(names))


def parsed(call):
    """The name of the routine, and the arguments by name."""
    name, *words = call.split()
    return name, dict(w.split("=", 1) for w in words)


def variant(call):
    """The routine with its letters: dgemm TN."""
    name, arguments = parsed(call)
    return f"{name} " + "".join(w for a, w in arguments.items() if a in LETTERS)


def work(call):
    """The product of the sizes."""
    name, arguments = parsed(call)
    product = 1
    for a, w in arguments.items():
        if kind(a) == "size":
            product *= int(w)
    if "k" not in arguments and "side" in arguments:
        product *= int(arguments["m" if arguments["side"] == "L" else "n"])
    if "k" in arguments and "n" in arguments and "m" not in arguments:
        product *= int(arguments["n"])
    return product
