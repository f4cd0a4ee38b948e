#===- pair_spellings.py - what pairs and sums become ------*- python -*-===//
#
# Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""For spellings.py: sums and minima over what two elements make that is no product, and
what is done to sums before they are stored."""

import itertools
from collections import namedtuple

from forms import cover
from spelling_source import nest, some, spelling

# --- Pairs ---------------------------------------------------------------------

# What a step makes of S, by x and y.
STEPS = {
    "squares": "T d = {x} - {y}; {S} += d * d;",
    "magnitudes": "T d = {x} - {y}; {S} += d < 0 ? -d : d;",
    "largest": "T d = {x} - {y}; d = d < 0 ? -d : d; {S} = d > {S} ? d : {S};",
    "minplus": "T d = (T){x} + {y}; {S} = d < {S} ? d : {S};",
    "maxplus": "T d = (T){x} + {y}; {S} = {S} < d ? d : {S};",
    "maxtimes": "T d = (T){x} * {y}; {S} = d > {S} ? d : {S};",
    "minmax": "T d = {x} > {y} ? {x} : {y}; {S} = d < {S} ? d : {S};",
    "differences": "{S} -= {x} != {y};",
    "weighted": "T d = {x} - {y}; {S} += alpha * d * d;",
    "thresholds": "T d = {x} - {y}; {S} += d > alpha ? d : 0;",
}
PAIRS = [("order", ["".join(p) for p in itertools.permutations("ijk")]),
         ("step", list(STEPS)),
         ("trans", ["NN", "NT", "TN", "TT"]),
         ("sum", ["mem", "scalar"]),
         ("start", ["c", "zero", "far"]),
         ("shape", ["whole", "lower"])]
Pairs = namedtuple("Pairs", [name for name, _ in PAIRS])


def possible_pairs(f):
    if f.order[2] != "k" and f.sum == "scalar":
        return False
    return f.shape == "whole" or f.order in ("ijk", "ikj", "kij")


def pair(f):
    x = "A(i,k)" if f.trans[0] == "N" else "A(k,i)"
    y = "B(k,j)" if f.trans[1] == "N" else "B(j,k)"
    bounds = {"i": "0..M", "j": "0..N", "k": "0..K"}
    columns = "N"
    if f.shape == "lower":
        bounds["j"], columns = "0..=i", "M"
    loops = [f"{v} {bounds[v]}" for v in f.order]
    start = {"c": "C(i,j)", "zero": "0", "far": "5"}[f.start]
    step = STEPS[f.step].format(x=x, y=y, S="C(i,j)" if f.sum == "mem" else "s").split("; ")
    step = [line if line.endswith(";") else line + ";" for line in step]
    if f.sum == "scalar":
        text = nest(loops[:2], f"T s = {start};", nest(loops[2:], *step), "C(i,j) = s;")
    else:
        text = nest(loops, *step)
        if f.start != "c":
            text = nest([x for x in loops if x[0] != "k"], f"C(i,j) = {start};") + "\n" + text
    a = "M,K" if f.trans[0] == "N" else "K,M"
    b = f"K,{columns}" if f.trans[1] == "N" else f"{columns},K"
    # With short vectors, clang's own ones of integers along k are as fast.
    return spelling("_".join(("pairs",) + f), f"C:M,{columns}! A:{a} B:{b}", text, kind="pairwise reduction",
                    reals=f.trans == "NT" and f.order[2] == "k")


# --- Epilogues -----------------------------------------------------------------

# What becomes of a sum s, with a row v, a column u, and a matrix R of further operands.
FINISHES = {
    "relu": "C(i,j) = s > 0 ? s : 0;",
    "relu_if": "if (s < 0) s = 0; C(i,j) = s;",
    "leaky": "C(i,j) = s < 0 ? s / 8 : s;",
    "clamp": "C(i,j) = s < -2 ? -2 : s > 60 ? 60 : s;",
    "column": "C(i,j) = s + V(j);",
    "row": "C(i,j) = s * U(i);",
    "both": "s = s * U(i) + V(j); C(i,j) = s > 0 ? s : 0;",
    "residual": "C(i,j) = s + R(i,j);",
    "residual_relu": "s += R(i,j) + V(j); C(i,j) = s < 0 ? 0 : s;",
    "mask": "C(i,j) = R(i,j) > 0 ? s : 0;",
    "threshold": "T u = U(i), v = V(j); C(i,j) = s > v ? s : u;",
    "magnitude": "C(i,j) = s < 0 ? -s : s;",
}
EPILOGUES = [("finish", list(FINISHES)),
             ("order", ["ijk", "jik"]),
             ("trans", ["NN", "NT", "TN", "TT"]),
             ("start", ["zero", "column", "row"]),
             ("alpha", ["none", "left", "out"]),
             ("step", ["product", "squares"])]
Epilogues = namedtuple("Epilogues", [name for name, _ in EPILOGUES])


def possible_epilogue(f):
    return f.step == "product" or f.alpha == "none"


def epilogue(f):
    x = "A(i,k)" if f.trans[0] == "N" else "A(k,i)"
    y = "B(k,j)" if f.trans[1] == "N" else "B(j,k)"
    product = f"alpha * {x} * {y}" if f.alpha == "left" else f"{x} * {y}"
    step = [f"s += {product};"] if f.step == "product" else [f"T d = {x} - {y};", "s += d * d;"]
    finish = [line if line.endswith(";") else line + ";" for line in FINISHES[f.finish].split("; ")]
    if f.alpha == "out":
        finish = ["s = alpha * s;"] + finish
    start = {"zero": "0", "column": "V(j)", "row": "U(i)"}[f.start]
    loops = [f"{v} 0..{'MNK'['ijk'.index(v)]}" for v in f.order]
    text = nest(loops[:2], f"T s = {start};", nest(loops[2:], *step), *finish)
    a = "M,K" if f.trans[0] == "N" else "K,M"
    b = "K,N" if f.trans[1] == "N" else "N,K"
    arrays = f"C:M,N! A:{a} B:{b} V:N U:M R:M,N"
    kind = "GEMM" if f.step == "product" else "pairwise reduction"
    return spelling("_".join(("epilogue",) + f), arrays, text, kind=kind,
                    reals=f.step == "squares" and f.trans == "NT")


def all_pairs():
    full = some(PAIRS, possible_pairs, Pairs, 3)
    return [pair(f) for f in dict.fromkeys(cover(PAIRS, possible_pairs, Pairs, full))]


def all_epilogues():
    full = some(EPILOGUES, possible_epilogue, Epilogues, 4)
    return [epilogue(f) for f in dict.fromkeys(cover(EPILOGUES, possible_epilogue, Epilogues, full))]
