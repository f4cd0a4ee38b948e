#===- convolutions.py - convolutions, in all spellings -----*- python -*-===//
#
# Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""The forms of the third end-to-end matrix, 472 of them: lines, images and volumes of several
channels, with every two choices of layouts, loops, sums, strides, taps and borders
together. spelling_source.py has the language, and the variations of memory and types.
The list is the same on every run.
"""

import itertools
from collections import namedtuple

from forms import cover, random_numbers
from spelling_source import (DIMENSIONS, LOOPS, Form, is_small, may_be_mixed, nest, possible, source, spelling,
                             translation_unit)

DRIVER = "spellings-driver.c"
GROUPS = [["O3"]]

# Reason -> names, as in spellings.py.
MISSED = {
    "IndexRoles or UsedAfter: of clipped loops, some are moved or made into versions": r"""
        conv_image_batch_last_Tkm_mPTk_bias_2_1_up_clipped_minus_vla_long_f64_do
        conv_image_first_mkT_PmkT_zeroed_1_1_flipped_clipped_alpha_flat_int_f16f32_do
        conv_image_inner_batch_Tkm_PmkT_bias_2_1_flipped_clipped_plus_vla_long_i32i64_while
        conv_image_inner_batch_mkT_mPTk_scalar_2_1_up_clipped_plus_flat_long_i16i32_lt
        conv_line_first_mkT_PTmk_mem_2_1_flipped_clipped_alpha_flat_long_f16f32_lt
        conv_volume_first_Tkm_kmPT_mem_1_1_flipped_clipped_alpha_flat_int_i32i64_while""",
    "NotAffine or SumTile: windows of constant size are unrolled by clang": r"""
        conv_line_batch_last_Tmk_kmPT_mem_2_2_flipped_none_alpha_const_long_i8i32_lt
        conv_line_batch_last_kmT_PmkT_old_2_2_flipped_none_minus_const_uint_i16i32_while""",
    "UsedAfter: volumes whose steps are skipped in loops that count down, of which -O3 makes many": r"""
        conv_volume_first_Tmk_PmkT_bias_1_2_up_continue_alpha_flat_long_i8i32_down@O3""",
}
EXPECTED_MISSED = {f"^{name}{'' if '@' in name else '@'}": reason
                   for reason, names in MISSED.items() for name in names.split()}
KNOWN_BUGS = {}

# --- Choices ---------------------------------------------------------------------

# m: kernels, k: channels; places p, o, n of taps q, u, r; b: images of a batch.
PLACES = {"line": "n", "image": "pn", "volume": "pon"}
TAP = dict(zip("pon", "qur"))
# The loops, in which P and T stand for those of places and of taps.
ORDERS = ["mPkT", "mPTk", "PmkT", "PmTk", "TkmP", "PTkm", "TkPm", "mkPT", "mkTP", "kTPm", "PTmk", "kmPT"]

CHOICES = [("image", list(PLACES)),
           ("layout", ["first", "last", "batch_last", "inner_batch"]),  # NCHW, NHWC, CHWN
           ("weights", ["mkT", "Tkm", "kmT", "Tmk", "mTk"]),
           ("order", ORDERS),
           ("sum", ["mem", "scalar", "bias", "old", "zeroed"]),
           ("step", ["1", "2"]),        # of places
           ("apart", ["1", "2"]),       # of taps
           ("taps", ["up", "flipped"]),
           ("border", ["none", "none", "if", "ifs", "continue", "unsigned", "clipped", "element", "scalar"]),
           ("sign", ["plus", "minus", "alpha"])]
Choice = namedtuple("Choice", [name for name, _ in CHOICES])


def possible_choice(f):
    if f.image == "volume" and (f.step != "1" or "batch" in f.layout):
        return False
    if f.sum in ("scalar", "bias", "old") and not is_summed_inside(f.order):
        return False
    if f.border == "clipped" and (f.apart != "1" or f.step != "1" and f.order.index("P") > f.order.index("T")):
        return False
    return not (f.sum == "zeroed" and f.order[0] not in "mP")


def is_summed_inside(order):
    return max(order.index(v) for v in "mP") < min(order.index(v) for v in "kT")


class Writer:
    """Writes a choice in the language of spellings."""

    def __init__(self, f):
        self.f, self.places = f, PLACES[f.image]
        self.taps = "".join(TAP[v] for v in self.places)
        self.extent = dict(p="P + Q", o="P", n="N", m="M", k="K", b="Q", **{t: "Q" for t in self.taps})
        self.padded = f.border != "none"
        times = lambda factor, v: v if factor == "1" else f"{factor} * {v}"
        self.at = {v: f"{times(f.step, v)} + {times(f.apart, TAP[v])}" + f" - {f.apart}" * self.padded for v in self.places}
        self.size = {v: times(f.step, f"({self.extent[v]})") for v in self.places}  # of an image that is padded
        self.inside = {v: f"{self.at[v]} >= 0 && {self.at[v]} < {self.size[v]}" for v in self.places}
        batch = "b" if "batch" in f.layout else ""
        self.loops = [v for part in batch + f.order for v in {"P": self.places, "T": self.taps}.get(part, part)]

    def whole(self):
        """The test for all dimensions of the image."""
        if self.f.border == "unsigned":
            return " && ".join(f"(size_t)({self.at[v]}) < (size_t)({self.size[v]})" for v in self.places)
        return " && ".join(self.inside.values())

    def in_layout(self, channel):
        return {"first": channel + self.places, "last": self.places + channel, "batch_last": "b" + self.places + channel,
                "inner_batch": channel + self.places + "b"}[self.f.layout]

    def array(self, name, indices, extents):
        return f"{name}:" + ",".join(extents[v].replace(" ", "") for v in indices)

    def step(self, target):
        """One step, with the tests that stand there."""
        f, a_index, b_index = self.f, self.in_layout("k"), self.f.weights.replace("T", self.taps)
        a = f"A({','.join(self.at.get(v, v) for v in a_index)})"
        b = f"B({','.join(f'Q - 1 - {v}' if v in self.taps and f.taps == 'flipped' else v for v in b_index)})"
        before = ""
        if f.border == "element":
            a = f"({self.whole()} ? {a} : 0)"
        if f.border == "scalar":
            before, a = f"T x = 0;\nif ({self.whole()})\n  x = {a};\n", "x"
        step = f"{target} {'-=' if f.sign == 'minus' else '+='} {'alpha * ' if f.sign == 'alpha' else ''}{a} * {b};"
        if f.border in ("if", "unsigned"):
            return nest([f"if ({self.whole()})"], step)
        if f.border == "continue":
            return f"if (!({self.whole()}))\n  continue;\n{step}"
        return before + step

    def header(self, v):
        return f"{v} 0..{self.extent[v]}"

    def around(self, loops, step):
        """Loops, with what stands where the counters of a position are known."""
        for v in reversed(loops):
            known = self.loops[:self.loops.index(v) + 1]
            own = next((p for p in self.places if v in (p, TAP[p]) and {p, TAP[p]} <= set(known)), None)
            if own and self.f.border == "ifs":
                step = nest([f"if ({self.inside[own]})"], step)
            header = self.header(v)
            if own and self.f.border == "clipped":
                rest = self.at[own].replace(" - 1", "").replace(v, "0", 1)
                header = f"{v} (1 - ({rest}) > 0 ? 1 - ({rest}) : 0)..MIN({self.extent[v]}, {self.size[own]} + 1 - ({rest}))"
            step = nest([header], step)
        return step

    def spelling(self):
        f = self.f
        image = {v: self.size[v] + ("" if self.padded else f" + {f.apart} * Q") for v in self.places}
        c_index = self.in_layout("m")
        arrays = [self.array("C", c_index, self.extent) + "!", self.array("A", self.in_layout("k"), self.extent | image),
                  self.array("B", f.weights.replace("T", self.taps), self.extent)] + ["X:M"] * (f.sum == "bias")
        c = f"C({','.join(c_index)})"
        starts = {"scalar": "0", "bias": "X(m)", "old": c}
        if f.sum in starts:
            outer = [v for v in self.loops if v in c_index]
            text = nest([self.header(v) for v in outer], f"T s = {starts[f.sum]};",
                        self.around(self.loops[len(outer):], self.step("s")), f"{c} = s;")
        else:
            text = self.around(self.loops, self.step(c))
        if f.sum == "zeroed":
            text = nest([self.header(v) for v in c_index], f"{c} = 0;") + "\n" + text
        loops = ("lt", "while", "do", "down") if f.taps == "flipped" or self.padded else LOOPS
        loops = {"continue": ("lt", "down"), "clipped": ("lt", "while", "do")}.get(f.border, loops)
        return spelling("_".join(["conv", *f]), " ".join(arrays), text, loops=loops)


# --- The list --------------------------------------------------------------------

COUNT = 480


def all_choices():
    """Every pair of choices, and further ones."""
    choices = dict.fromkeys(cover(CHOICES, possible_choice, Choice, []))
    numbers = random_numbers(21)
    while len(choices) < COUNT:
        choice = Choice(*(values[next(numbers) % len(values)] for _, values in CHOICES))
        if possible_choice(choice):
            choices[choice] = None
    return list(choices)


def all_forms():
    """Each spelling in one variation."""
    numbers, forms = random_numbers(7), []
    for choice in all_choices():
        s, form = Writer(choice).spelling(), None
        while not form or not possible_form(form):
            form = Form(s, *(values[next(numbers) % len(values)] for _, values in DIMENSIONS))
        forms.append(form)
    # Unsigned taps that are flipped, and counted down: the test that subscripts do not wrap fails.
    return [f for f in dict.fromkeys(forms)
            if not ("_flipped_" in f.spelling.name and f.index in ("uint", "size") and f.loop == "down")]


def possible_form(form):
    # A counter that is no number below zero cannot be tested for that; members of a struct are not invariant
    # where integers are stored, or behind tests; windows of constant size are unrolled with their tests.
    if "_none_" not in form.spelling.name and (form.index in ("uint", "size") or form.memory in ("struct", "const")):
        return False
    return possible(form) and not (form.memory == "struct" and form.type not in ("f64", "f32", "f32f64"))
