#===- vector_spellings.py - a matrix times a vector, spelled -*- python -*-===//
#
# Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""Matrix times vector for spellings.py: y(i) += A(i,k) * x(k), with all choices that
people make, and products of matrices with few columns."""

from collections import namedtuple

from forms import cover
from spelling_source import LOOPS, nest, some, spelling

NOT_SHIFTED = ("lt", "while", "do", "down")

VECTOR = [("order", ["ik", "ki"]),
          ("trans", ["N", "T"]),
          ("y", ["unit", "column"]),         # of a matrix: a stride that is known at run time
          ("sum", ["mem", "scalar"]),
          ("alpha", ["none", "left", "vector", "paren", "out"]),
          ("start", ["y", "zero", "scaled", "bias", "before", "end"]),
          ("x", ["unit", "column", "two", "back"]),
          ("sign", ["plus", "minus"]),
          ("place", ["whole", "part"])]
Vector = namedtuple("Vector", [name for name, _ in VECTOR])


def possible_vector(f):
    if f.order == "ki" and (f.sum == "scalar" or f.alpha == "out"):
        return False
    if f.start == "end":  # y = beta * y + alpha * s
        return f.sum == "scalar"
    return f.sum == "scalar" or f.alpha != "out"


def vector(f):
    y = "Y(i)" if f.y == "unit" else "Y(i,1)"
    x = {"unit": "X(k)", "column": "X(k,1)", "two": "X(2 * k)", "back": "X(K - 1 - k)"}[f.x]
    a = f"A({'i,k' if f.trans == 'N' else 'k,i'})"
    if f.place == "part":
        a = f"A({'i + 2,k + 1' if f.trans == 'N' else 'k + 1,i + 2'})"
    loops = {"i": "i 0..M", "k": "k 0..K"}
    before, inside = [], []
    term = {"left": f"alpha * {a} * {x}", "paren": f"alpha * ({a} * {x})"}.get(f.alpha, f"{a} * {x}")
    if f.alpha == "vector":
        if f.order == "ki":  # t = alpha * x(k), once for a column
            inside, term = [f"T t = alpha * {x};"], f"t * {a}"
        else:
            term = f"({x} * alpha) * {a}"
    sign = "+=" if f.sign == "plus" else "-="
    target = y if f.sum == "mem" else "s"
    start = {"y": y, "zero": "0", "scaled": f"beta * {y}", "bias": "Z(i)", "before": "0", "end": "0"}[f.start]
    if f.order == "ki":
        text = nest([loops["k"]], *inside, nest([loops["i"]], f"{target} {sign} {term};"))
        if f.start in ("zero", "bias"):
            before = [nest([loops["i"]], f"{y} = {start};")]
        elif f.start in ("scaled", "before"):
            before = [nest([loops["i"]], f"{y} *= beta;")]
    else:
        steps = nest([loops["k"]], f"{target} {sign} {term};")
        if f.sum == "mem":
            first = [] if f.start == "y" else [f"{y} = {start};"]
            if f.start == "before":
                before, first = [nest([loops["i"]], f"{y} *= beta;")], []
            text = nest([loops["i"]], *first, steps)
        else:
            s = "alpha * s" if f.alpha == "out" else "s"
            store = f"{y} = {s};"
            if f.start == "before":
                before, store = [nest([loops["i"]], f"{y} *= beta;")], f"{y} += {s};"
            elif f.start == "end":
                store = f"{y} = {s} + beta * {y};"
            text = nest([loops["i"]], f"T s = {start};", steps, store)
    more = "+3" if f.place == "part" else ""
    rows, columns = ("M" + more, "K" + more) if f.trans == "N" else ("K" + more, "M" + more)
    arrays = f"Y:M{',2' if f.y == 'column' else ''}! A:{rows},{columns}"
    arrays += {"unit": " X:K", "column": " X:K,2", "two": " X:2*K", "back": " X:K"}[f.x]
    if f.start == "bias":
        arrays += " Z:M"
    vectors = ""
    if f.order == "ik" and f.trans == "N":
        vectors = "integers"
    elif f.order == "ki" and f.trans == "T" and f.y == "unit":
        vectors = "all"
    return spelling("_".join(("gemv",) + f), arrays, "\n".join(before + [text]), vectors=vectors,
                    kind="GEMV", loops=NOT_SHIFTED if f.x == "back" else LOOPS)


# --- Few columns -------------------------------------------------------------------

THIN = [("order", ["ijk", "ikj", "jik", "kij"]),
        ("columns", ["2", "3", "4", "5", "8", "N"]),
        ("trans", ["NN", "NT", "TN", "TT"]),
        ("sum", ["mem", "scalar"])]
Thin = namedtuple("Thin", [name for name, _ in THIN])


def possible_thin(f):
    # A loop of a few columns is unrolled before there is a product to be seen.
    if f.columns != "N" and f.order[2] != "k":
        return False
    return f.sum == "mem" or f.order[2] == "k"


def thin(f):
    """Products of matrices with few columns."""
    n = f.columns
    loops = [{"i": "i 0..M", "j": f"j 0..{n}", "k": "k 0..K"}[v] for v in f.order]
    a = "A(i,k)" if f.trans[0] == "N" else "A(k,i)"
    b = "B(k,j)" if f.trans[1] == "N" else "B(j,k)"
    if f.sum == "mem":
        text = nest(loops, f"C(i,j) += {a} * {b};")
    else:
        text = nest(loops[:2], "T s = 0;", nest(loops[2:], f"s += {a} * {b};"), "C(i,j) = s;")
    arrays = f"C:M,{n}! A:{'M,K' if f.trans[0] == 'N' else 'K,M'} B:{f'K,{n}' if f.trans[1] == 'N' else f'{n},K'}"
    # Clang may make a matrix times a vector of each column.
    return spelling("_".join(("thin",) + f), arrays, text, vectors="integers" if n != "N" else "")


# --- Triangles -----------------------------------------------------------------------

TRIANGLE = [("rows", ["le", "lt", "ge", "gt"]),   # k <= i, k < i, k >= i, k > i
            ("trans", ["N", "T"]),
            ("sum", ["mem", "scalar"]),
            ("order", ["ik", "ki"]),
            ("start", ["y", "zero", "bias", "before"]),
            ("alpha", ["none", "left", "out"]),
            ("x", ["unit", "column"])]
TriangleOfVector = namedtuple("TriangleOfVector", [name for name, _ in TRIANGLE])


def possible_triangle(f):
    if f.order == "ki" and (f.sum == "scalar" or f.start != "before"):
        return False
    if f.order == "ki" and f.rows[0] == "l":  # a loop that begins at another's counter moves as that does
        return False
    if f.sum == "mem" and f.start in ("zero", "bias") and f.rows in ("lt", "gt"):
        return False  # elements without steps are set by another store
    return f.sum == "scalar" or f.alpha != "out"


def triangle(f):
    """One triangle of A, with or without its diagonal, times x."""
    steps = {"le": "k 0..=i", "lt": "k 0..i", "ge": "k i..M", "gt": "k i + 1..M"}[f.rows]
    rows = {"ge": "i 0..=k", "gt": "i 0..k"}.get(f.rows)
    x = "X(k)" if f.x == "unit" else "X(k,1)"
    term = f"A({'i,k' if f.trans == 'N' else 'k,i'}) * {x}"
    if f.alpha == "left":
        term = f"alpha * {term}"
    before = [nest(["i 0..M"], "Y(i) *= beta;")] if f.start == "before" else []
    start = {"zero": "0", "bias": "Z(i)"}.get(f.start, "Y(i)")
    if f.order == "ki":
        text = nest(["k 0..M", rows], f"Y(i) += {term};")
    elif f.sum == "mem":
        first = [f"Y(i) = {start};"] if start != "Y(i)" else []
        text = nest(["i 0..M"], *first, nest([steps], f"Y(i) += {term};"))
    else:
        text = nest(["i 0..M"], f"T s = {start};", nest([steps], f"s += {term};"),
                    f"Y(i) = {'alpha * s' if f.alpha == 'out' else 's'};")
    arrays = "Y:M! A:M,M" + (" X:M" if f.x == "unit" else " X:M,2") + (" Z:M" if f.start == "bias" else "")
    vectors = {"ikN": "integers", "kiT": "all"}.get(f.order + f.trans, "")
    return spelling("_".join(("triangle",) + f), arrays, "\n".join(before + [text]), kind="GEMV", vectors=vectors,
                    loops=("lt", "while", "do", "le1"))


def all_triangles():
    full = some(TRIANGLE, possible_triangle, TriangleOfVector, 7)
    return [triangle(f) for f in dict.fromkeys(cover(TRIANGLE, possible_triangle, TriangleOfVector, full))]


# --- In frames ---------------------------------------------------------------------

FRAMES = [
    spelling("gemv_batch", "Y:P,M! A:P,M,K X:P,K", """
p 0..P
  i 0..M
    T s = 0;
    k 0..K
      s += A(p,i,k) * X(p,k);
    Y(p,i) = s;""", kind="GEMV", vectors="integers"),
    spelling("gemv_layers", "Y:P+1,M! A:P,M,M", """
p 0..P
  i 0..M
    T s = 0;
    k 0..M
      s += A(p,i,k) * Y(p,k);
    Y(p + 1,i) = s;""", kind="GEMV", tame=True, vectors="integers"),
    spelling("gemv_recurrent", "Y:P+1,M! A:M,M", """
p 0..P
  i 0..M
    k 0..M
      Y(p + 1,i) += A(i,k) * Y(p,k);""", kind="GEMV", tame=True, vectors="integers"),
    spelling("gemv_recurrent_sum", "Y:P+1,M! A:M,M X:P,M", """
p 0..P
  i 0..M
    T s = X(p,i);
    k 0..M
      s += A(i,k) * Y(p,k);
    Y(p + 1,i) = s;""", kind="GEMV", tame=True, vectors="integers"),
    spelling("gemv_scaled_rows", "Y:M! A:M,K X:K Z:M", """
i 0..M
  T s = 0;
  k 0..K
    s += A(i,k) * X(k);
  Y(i) = Z(i) * s;""", kind="GEMV", vectors="integers"),
    spelling("gemv_two_matrices", "Y:M! A:M,K X:K B:M,K Z:K", """
i 0..M
  T s = 0;
  k 0..K
    s += A(i,k) * X(k) + B(i,k) * Z(k);
  Y(i) = s;""", kind="GEMV", vectors="integers"),
    spelling("gesummv", "Y:M! A:M,K B:M,K X:K", """
i 0..M
  T s = 0, t = 0;
  k 0..K
    s += A(i,k) * X(k);
    t += B(i,k) * X(k);
  Y(i) = alpha * s + beta * t;""", kind="GEMV", vectors="integers"),
    spelling("symv_lower", "Y:M! A:M,M X:M", """
i 0..M
  T s = 0;
  k 0..i
    Y(k) += X(i) * A(i,k);
    s += A(i,k) * X(k);
  Y(i) += s + A(i,i) * X(i);""", kind="GEMV", vectors="integers", reals=True),
    spelling("symv_upper", "Y:M! A:M,M X:M", """
i 0..M
  T t = alpha * X(i), s = 0;
  Y(i) += t * A(i,i);
  k i + 1..M
    Y(k) += t * A(i,k);
    s += A(i,k) * X(k);
  Y(i) += alpha * s;""", kind="GEMV", vectors="integers", reals=True),
    spelling("bicg", "Y:M! Z:K! A:M,K X:K W:M", """
i 0..M
  Y(i) = 0;
  k 0..K
    Z(k) += W(i) * A(i,k);
    Y(i) += A(i,k) * X(k);""", vectors="all"),
    spelling("atax", "Y:K! Z:M! A:M,K X:K", """
i 0..M
  T s = 0;
  k 0..K
    s += A(i,k) * X(k);
  Z(i) = s;
  k 0..K
    Y(k) += A(i,k) * s;""", kind="GEMV", vectors="integers"),
    spelling("mvt", "Y:M! Z:M! A:M,M X:M W:M", """
i 0..M
  k 0..M
    Y(i) += A(i,k) * X(k);
i 0..M
  k 0..M
    Z(i) += A(k,i) * W(k);""", 2, kind="GEMV", vectors="integers"),
    spelling("gemver", "Y:M! A:M,M! X:M Z:M W:M", """
i 0..M
  k 0..M
    A(i,k) += X(i) * Z(k);
i 0..M
  k 0..M
    Y(i) += beta * A(k,i) * W(k);""", kind="GEMV"),
    spelling("gemv_symmetric", "Y:M! A:M,M X:M", """
i 0..M
  T s = 0;
  k 0..M
    s += (k <= i ? A(i,k) : A(k,i)) * X(k);
  Y(i) = s;"""),
    spelling("gemv_triangle", "Y:M! A:M,M X:M", """
i 0..M
  T s = 0;
  k 0..=i
    s += A(i,k) * X(k);
  Y(i) = s;""", kind="GEMV", vectors="integers"),
    spelling("gemv_band", "Y:M! A:M,M+K X:M+K", """
i 0..M
  T s = 0;
  k 0..K
    s += A(i,i + k) * X(i + k);
  Y(i) = s;"""),
    spelling("gemv_filter", "Y:M! A:M+K X:K", """
i 0..M
  T s = 0;
  k 0..K
    s += A(i + k) * X(k);
  Y(i) = s;""", kind="GEMV", vectors="integers"),
    spelling("gemv_negated", "Y:M! A:M,K X:K", """
i 0..M
  T s = 0;
  k 0..K
    s += A(i,k) * -X(k);
  Y(i) = -s;""", kind="GEMV", vectors="integers"),
    spelling("gemv_zero_point", "Y:M! A:M,K X:K", """
i 0..M
  T s = 0;
  k 0..K
    s += (A(i,k) - 3) * X(k);
  Y(i) = s;""", kind="GEMV", vectors="integers"),
]


def all_vectors():
    full = some(VECTOR, possible_vector, Vector, 5) + some(VECTOR, possible_vector, Vector, 6)
    products = [vector(f) for f in dict.fromkeys(cover(VECTOR, possible_vector, Vector, full))]
    few = dict.fromkeys(cover(THIN, possible_thin, Thin, []))
    return products + [thin(f) for f in few] + FRAMES
