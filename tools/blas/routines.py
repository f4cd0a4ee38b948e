# Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The routines of the levels 2 and 3 of the BLAS, and what arguments they take.

The name of an argument says what it is: see kind(). What an array holds follows from the other
arguments: rows and columns of a matrix, or elements of a vector or of packed storage.
"""

import dataclasses
import typing


@dataclasses.dataclass
class Family:
    """The routines that differ in the type of their elements only."""
    name: str
    types: str
    arguments: list
    shapes: dict  # array: function of the arguments that gives rows and columns, or elements
    real: set = dataclasses.field(default_factory=set)  # scalars that are real, also of a complex routine
    level: int = 2
    diagonal: typing.Callable | None = None  # of A: where it is in a column of band storage
    no_conjugate: bool = False  # a complex routine that takes N and T only
    no_transpose: bool = False  # a complex routine that takes N and C only


@dataclasses.dataclass
class Routine:
    name: str
    type: str
    family: Family


def kind(argument):
    """The kind of an argument, by its name."""
    for names, word in ((("alpha", "beta"), "scalar"), (("a", "b", "c"), "matrix"), (("ap",), "packed"),
                        (("x", "y"), "vector"), (("m", "n", "k", "kl", "ku"), "size"),
                        (("lda", "ldb", "ldc"), "leading"), (("incx", "incy"), "increment")):
        if argument in names:
            return word
    return "letter"


def family(name, types, arguments, shapes, **more):
    return Family(name, types, arguments.split(), shapes, **more)


def turned(letter, rows, columns):
    return (rows, columns) if letter == "N" else (columns, rows)


def square(v):
    return v.n, v.n


def length(v):
    return v.n


def triangle(v):
    return v.n * (v.n + 1) // 2


def beside(v):
    """The matrix that stands on one side of B."""
    return (v.m, v.m) if v.side == "L" else (v.n, v.n)


def band(v):
    return v.k + 1, v.n


def band_diagonal(v):
    return v.k if v.uplo == "U" else 0


def whole(v):
    return v.m, v.n


def level3():
    factor = lambda v: turned(v.trans, v.n, v.k)
    yield family("gemm", "sdcz", "transa transb m n k alpha a lda b ldb beta c ldc",
                 {"a": lambda v: turned(v.transa, v.m, v.k), "b": lambda v: turned(v.transb, v.k, v.n), "c": whole})
    for name, types in (("symm", "sdcz"), ("hemm", "cz")):
        yield family(name, types, "side uplo m n alpha a lda b ldb beta c ldc", {"a": beside, "b": whole, "c": whole})
    for name, types, real in (("syrk", "sdcz", set()), ("herk", "cz", {"alpha", "beta"})):
        yield family(name, types, "uplo trans n k alpha a lda beta c ldc", {"a": factor, "c": square}, real=real,
                     no_conjugate=name == "syrk", no_transpose=name == "herk")
    for name, types, real in (("syr2k", "sdcz", set()), ("her2k", "cz", {"beta"})):
        yield family(name, types, "uplo trans n k alpha a lda b ldb beta c ldc",
                     {"a": factor, "b": factor, "c": square}, real=real,
                     no_conjugate=name == "syr2k", no_transpose=name == "her2k")
    for name in ("trmm", "trsm"):
        yield family(name, "sdcz", "side uplo transa diag m n alpha a lda b ldb", {"a": beside, "b": whole},
                     diagonal=lambda v: 0)


def level2():
    rows = lambda v: v.m if v.trans == "N" else v.n
    columns = lambda v: v.n if v.trans == "N" else v.m
    both = {"x": length, "y": length}
    yield family("gemv", "sdcz", "trans m n alpha a lda x incx beta y incy", {"a": whole, "x": columns, "y": rows})
    yield family("gbmv", "sdcz", "trans m n kl ku alpha a lda x incx beta y incy",
                 {"a": lambda v: (v.kl + v.ku + 1, v.n), "x": columns, "y": rows})
    for name, types in (("ger", "sd"), ("geru", "cz"), ("gerc", "cz")):
        yield family(name, types, "m n alpha x incx y incy a lda", {"x": lambda v: v.m, "y": length, "a": whole})
    for p, types, real in (("sy", "sd", set()), ("he", "cz", {"alpha"})):
        yield family(p + "mv", types, "uplo n alpha a lda x incx beta y incy", {"a": square, **both})
        yield family(p + "r", types, "uplo n alpha x incx a lda", {"x": length, "a": square}, real=real)
        yield family(p + "r2", types, "uplo n alpha x incx y incy a lda", {**both, "a": square})
    for p, types, real in (("s", "sd", set()), ("h", "cz", {"alpha"})):
        yield family(p + "bmv", types, "uplo n k alpha a lda x incx beta y incy", {"a": band, **both})
        yield family(p + "pmv", types, "uplo n alpha ap x incx beta y incy", {"ap": triangle, **both})
        yield family(p + "pr", types, "uplo n alpha x incx ap", {"x": length, "ap": triangle}, real=real)
        yield family(p + "pr2", types, "uplo n alpha x incx y incy ap", {**both, "ap": triangle})
    for end in ("mv", "sv"):
        yield family("tr" + end, "sdcz", "uplo trans diag n a lda x incx", {"a": square, "x": length},
                     diagonal=lambda v: 0)
        yield family("tb" + end, "sdcz", "uplo trans diag n k a lda x incx", {"a": band, "x": length},
                     diagonal=band_diagonal)
        yield family("tp" + end, "sdcz", "uplo trans diag n ap x incx", {"ap": triangle, "x": length})


def routines():
    """All routines, by name."""
    found = {}
    for level, families in ((3, level3()), (2, level2())):
        for one in families:
            one.level = level
            found.update({t + one.name: Routine(t + one.name, t, one) for t in one.types})
    return found


# Those of the test: all kinds of products, in few files.
SHORT = "dgemm sgemm zgemm dsyrk zherk dsyr2k dsymm zhemm dtrmm ztrmm dtrsm dgemv zgemv dger dtrsv dsbmv".split()
