#===- spelling_source.py - spellings as C ------------------*- python -*-===//
#
# Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""The C source of a form: a spelling, in the small language below, in a variation:
how the arrays are spelled, the type of the counters, the element type, and the
kind of loop.

  i 0..M down       for (I i = M; i-- > 0;) {
    j 0..=i           for (I j = 0; j <= i; j++) {
      k 0..K by 8       for (I k = 0; k < K; k += 8) {
        C(i,j) += ...     C's element, in whichever way the form spells it
        if (k > j)        any C; what is indented after a line without ; is a block
"""

import itertools
import re
from collections import namedtuple

from forms import random_numbers

# --- Variations ----------------------------------------------------------------

# The types of the sum, and of the elements that are only read.
TYPES = {"f64": ("double", "double"), "f32": ("float", "float"),
         "i32": ("int32_t", "int32_t"), "f32f64": ("double", "float"),
         "i8i32": ("int32_t", "int8_t"), "i16i32": ("int32_t", "int16_t"),
         "u8i32": ("int32_t", "uint8_t"), "i32i64": ("int64_t", "int32_t"),
         "f16f32": ("float", "_Float16"), "bf16f32": ("float", "__bf16"),
         "i16": ("int16_t", "int16_t")}
INDICES = {"int": "int", "uint": "unsigned", "long": "long", "size": "size_t"}
MEMORY = ["flat",      # C[i*ldc + j]
          "restrict",  # flat, all pointers restrict
          "vla",       # T C[][ldc] as a parameter
          "rows",      # T (*C)[264]
          "const",     # T (*C)[n], and constant extents
          "struct"]    # self->C[i*self->ldc + j], self->M
LOOPS = ("lt",         # for (i = 0; i < M; i++)
         "le1",        # for (i = 1; i <= M; i++), C(i, j) is C[(i - 1)*ldc + j - 1]
         "while", "do",
         "down")       # for (i = M; i-- > 0;)

DIMENSIONS = [("memory", MEMORY), ("index", list(INDICES)), ("type", [t for t in TYPES if t != "i16"]),
              ("loop", LOOPS)]
PLAIN = ("flat", "long", "f64", "lt")

# --- Spellings -----------------------------------------------------------------

# arrays: "C:M,N! A:M,K" - extents, and ! if it is written. products: how many are
# to be replaced. kind: what the remark must say. shared: products share loops.
# tame: results are operands again. loops: the kinds of loop it may be given.
# reals: for floating-point types only. vectors: what clang makes vectors of itself,
# "all" or the "integers", and the plugin leaves alone. parts: of complex numbers, which one
# kernel makes if they are floating-point numbers.
Spelling = namedtuple("Spelling", "name arrays text products kind shared tame loops reals vectors parts")


def spelling(name, arrays, text, products=1, kind="", shared=False, tame=False, loops=LOOPS,
             reals=False, vectors="", parts=False):
    return Spelling(name, arrays, text.strip("\n"), products, kind, shared, tame, loops, reals, vectors, parts)


class Form(namedtuple("Form", "spelling memory index type loop")):
    @property
    def name(self):
        return "_".join((self.spelling.name,) + self[1:])

    @property
    def products(self):
        is_integer = not TYPES[self.type][0] in ("double", "float")
        left = self.spelling.vectors
        if self.spelling.parts and self.type in ("f32", "f64"):
            return 1
        return 0 if left == "all" or left == "integers" and is_integer else self.spelling.products

    kind = property(lambda self: self.spelling.kind)
    shared = property(lambda self: self.spelling.shared)
    language = "c"


def possible(form):
    if form.loop not in form.spelling.loops:
        return False
    if form.memory == "rows" and any(len(a.extents) > 2 for a in arrays(form)):
        return False
    if form.memory == "const" and form.name.count("_rest_"):
        return False  # there may be no rest
    return not (form.spelling.reals and form.type not in ("f64", "f32", "f32f64"))


def indent(text, by=1):
    return "\n".join("  " * by + line for line in text.split("\n"))


def nest(loops, *body):
    """'i 0..M', 'j 0..N' around some lines."""
    text = "\n".join(body)
    for loop in reversed(loops):
        text = f"{loop}\n{indent(text)}"
    return text


def some(dimensions, possible, make, seed):
    """All choices in the first three dimensions, with any in the others."""
    numbers, forms = random_numbers(seed), []
    for fixed in itertools.product(*(values for _, values in dimensions[:3])):
        form = None
        while not form or not possible(form):
            form = make(*fixed, *(v[next(numbers) % len(v)] for _, v in dimensions[3:]))
        forms.append(form)
    return forms


# --- The source of a form ------------------------------------------------------

class Array:
    def __init__(self, form, number, text):
        self.form, self.number, self.written = form, number, text.endswith("!")
        self.name, extents = text.rstrip("!").split(":")
        self.extents = extents.split(",")
        self.ld = "ld" + self.name.lower()
        self.type = "T" if self.written else "Src"

    @property
    def fixed_ld(self):
        if self.form.memory == "rows":
            return "264"
        return f"{self.extents[-1]} + {padding(self.form)}" if self.form.memory == "const" else None

    def parameter(self):
        kind = f"{'' if self.written else 'const '}{self.type}"
        memory = self.form.memory
        if len(self.extents) == 1:
            return [f"{kind} *{'restrict ' if memory == 'restrict' else ''}{self.name}_"]
        if memory in ("rows", "const", "vla"):
            inner = "".join(f"[{e}]" for e in self.extents[1:-1])
            ld = [] if memory != "vla" else [f"I {self.ld}"]
            return ld + [f"{kind} {self.name}_[]{inner}[{self.fixed_ld or self.ld}]"]
        pointer = "*restrict " if memory == "restrict" else "*"
        return [f"{kind} {pointer}{self.name}_", f"I {self.ld}"]

    def argument(self):
        data, ld = f"c->data[{self.number}]", f"c->ld[{self.number}]"
        if len(self.extents) == 1 or self.fixed_ld:
            return [data]
        return [ld, data] if self.form.memory == "vla" else [data, ld]

    def macros(self):
        """C(i, j), and at_C(i, j) as it is stored."""
        names = "xyzwv"[:len(self.extents)]
        shift = " - 1" if self.form.loop == "le1" else ""
        terms = [f"({n}{shift})" for n in names]
        s = "self->" if self.form.memory == "struct" else ""
        cast = "" if self.written or self.form.type in ("f64", "f32", "i32") else "(T)"
        if len(names) == 1:
            access = f"{self.name}_[{terms[0]}]"
        elif self.form.memory in ("rows", "const", "vla"):
            access = f"{self.name}_" + "".join(f"[{t}]" for t in terms)
        else:
            row = terms[0]
            for term, extent in zip(terms[1:-1], self.extents[1:-1]):
                row = f"({row} * ({extent}) + {term})"
            access = f"{self.name}_[{row} * {s}{self.ld} + {terms[-1]}]"
        call = f"{self.name}({', '.join(names)})"
        return [f"#define at_{call} {s}{access}", f"#define {call} {cast}{s}{access}"]


def arrays(form):
    return [Array(form, *array) for array in enumerate(form.spelling.arrays.split())]


def padding(form):
    return sum(map(ord, form.name)) % 3 + 1


def constant_size(form):
    """M, N, K, P, Q of a form with constant extents."""
    sizes = [(48, 40, 56, 3, 2), (51, 70, 43, 9, 3), (97, 36, 72, 2, 2), (64, 64, 64, 4, 3)]
    return sizes[sum(map(ord, form.name)) % len(sizes)]


LOOP = re.compile(r"(\w+) ([^;{}=]+)\.\.(=?)(.+?)(?: by (\w+)| (down))?$")


def loop_header(style, variable, low, equal, high, step, down):
    """What stands before and after the body."""
    if down and style != "le1":
        style = "down"
    depends = lambda bound: re.search(r"\b[ijk]\b", bound)
    compare = "<=" if equal else "<"
    v = variable
    if step:
        return [f"for (I {v} = {low}; {v} {compare} {high}; {v} += {step}) {{"], ["}"]
    if style == "le1" and down:
        bottom = low if depends(low) else "1" if low == "0" else f"{low} + 1"
        top = f"{high} + 1" if equal or not depends(high) else high
        return [f"for (I {v} = {top}; {v}-- > {bottom};) {{"], ["}"]
    if style == "le1":
        low = low if depends(low) else "1" if low == "0" else f"{low} + 1"
        compare = compare if depends(high) else "<="
        return [f"for (I {v} = {low}; {v} {compare} {high}; {v}++) {{"], ["}"]
    if style == "down":
        top = f"{high} + 1" if equal else high
        return [f"for (I {v} = {top}; {v}-- > {low};) {{"], ["}"]
    if style == "while":
        return ["{", f"I {v} = {low};", f"while ({v} {compare} {high}) {{"], [f"{v}++;", "}", "}"]
    if style == "do":
        return (["{", f"I {v} = {low};", f"if ({v} {compare} {high})", "  do {"],
                [f"{v}++;", f"}} while ({v} {compare} {high});", "}"])
    return [f"for (I {v} = {low}; {v} {compare} {high}; {v}++) {{"], ["}"]


def translate(text, style):
    """C of the small language."""
    out, open_ = [], []  # open_: (indentation of the line, what closes it)
    lines = text.split("\n")
    for number, line in enumerate(lines):
        depth = len(line) - len(line.lstrip())
        while open_ and open_[-1][0] >= depth:
            out += open_.pop()[1]
        loop = LOOP.match(line.strip())
        if loop:
            before, after = loop_header(style, *loop.groups())
            out += before
            open_.append((depth, after))
        elif number + 1 < len(lines) and not line.rstrip().endswith(";") and \
                len(lines[number + 1]) - len(lines[number + 1].lstrip()) > depth:
            out.append(line.strip() + " {")
            open_.append((depth, ["}"]))
        else:
            out.append(line.strip())
    while open_:
        out += open_.pop()[1]
    level, shown = 0, []
    for line in out:
        level -= line.startswith("}")
        shown.append("  " * level + line)
        level += line.endswith("{")
    return shown


def source(form):
    name, s = f"PREFIX_({form.name})", form.spelling
    total, element = TYPES[form.type]
    used = arrays(form)
    # Scalars come first, as the shape of a VLA needs them.
    sizes = [x for x in "MNKPQ" if re.search(rf"\b{x}\b", s.text + s.arrays)]
    scalars = [x for x in ("alpha", "beta") if x in s.text]
    lines = ["", f"/* {form.name} */", f"#define T {total}", f"#define Src {element}",
             f"#define I {INDICES[form.index]}"]
    if form.memory == "struct":
        lines += [f"struct {form.name} {{"]
        lines += [f"  I {x};" for x in sizes]
        lines += [f"  {p};" for a in used for p in a.parameter()] + ["};"]
        lines += [f"#define {x} self->{x}" for x in sizes]
    macros = [line for a in used for line in a.macros()]
    lines += macros if "at_" in s.text else [line for line in macros if "at_" not in line]
    parameters = [f"T {x}" for x in scalars]
    values = [f"*(const T *)c->{x}" for x in scalars]
    setup = []
    if form.memory == "struct":
        parameters.insert(0, f"const struct {form.name} *self")
        values.insert(0, "&all")
        members = [f"c->{x}" for x in sizes] + [x for a in used for x in a.argument()]
        setup = [f"struct {form.name} all = {{{', '.join(members)}}};"]
    else:
        if form.memory == "const":
            constants = dict(zip("MNKPQ", constant_size(form)))
            lines += [f"#define {x} {constants[x]}" for x in sizes]
        else:
            parameters = [f"I {x}" for x in sizes] + parameters
            values = [f"c->{x}" for x in sizes] + values
        for a in used:
            parameters += a.parameter()
            values += a.argument()
    lines += [f"__attribute__((noinline)) void {name}(", f"    {', '.join(parameters)}) {{"]
    lines += ["  " + line for line in translate(s.text, form.loop)] + ["}"]
    defined = [line.split()[1].split("(")[0] for line in lines if line.startswith("#define")]
    lines += [f"#undef {x}" for x in defined if x not in ("T", "Src", "I")]
    lines += [f"static void {form.name}_run(const struct Call *c) {{"]
    lines += [f"  {line}" for line in setup + [f"{name}({', '.join(values)});"]] + ["}"]
    lines += [f"static void {form.name}_arrays(const struct Call *c, struct Array *a) {{",
              "  long M = c->M, N = c->N, K = c->K, P = c->P, Q = c->Q;"]
    for a in used:
        kind = element if not a.written else total
        lines += [f'  *a++ = (struct Array){{"{a.name}", {DRIVER_TYPES[kind]}, '
                  f"{{{', '.join(a.extents)}}}, {len(a.extents)}}};"]
    return lines + ["}", "#undef T", "#undef Src", "#undef I"]


DRIVER_TYPES = {"double": "F64", "float": "F32", "int32_t": "I32", "int64_t": "I64",
                "int16_t": "I16", "int8_t": "I8", "uint8_t": "U8", "_Float16": "F16",
                "__bf16": "BF16"}


def table_row(form):
    """What the driver must know about the form; see struct Spelling in driver.h."""
    size = constant_size(form) if form.memory == "const" else (0,) * 5
    ld = {"rows": 264, "const": -padding(form)}.get(form.memory, 0)
    flags = (["MAY_ALIAS"] * (form.memory != "restrict") + ["TAME"] * form.spelling.tame)
    return (f'    {{"{form.name}", {DRIVER_TYPES[TYPES[form.type][0]]}, {" | ".join(flags) or 0}, '
            f"{{{', '.join(map(str, size))}}}, {ld}, {form.name}_arrays, {form.name}_run}},")


def is_small(form):
    """Whether a form may do too little work to be worth replacing. Few steps that are written out are, on CPUs for
    which clang makes vectors as wide as the kernel's."""
    return form.memory == "const" or form.name.startswith("unrolled_k_whole")


# Several products in a step, adjacent in memory, or in parts of a tile that clang unrolls.
MIXED = re.compile("syr2k|unrolled_k|tiled|complex")


def may_be_mixed(form):
    """Whether clang may fuse only some multiply-adds with -ffp-contract=fast; see forms.py."""
    return ((form.memory == "const" or MIXED.match(form.name) is not None)
            and TYPES[form.type][0] in ("double", "float"))


PROLOGUE = """#include "driver.h"
#include <math.h>
#include <stddef.h>
#define JOIN2(a, b) a##_##b
#define JOIN(a, b) JOIN2(a, b)
#define PREFIX_(name) JOIN(PREFIX, name)
#define MIN(a, b) ((a) < (b) ? (a) : (b))
"""


def translation_unit(forms):
    """Source of one file with `forms`, and the line range of each of them."""
    lines, ranges = PROLOGUE.split("\n"), {}
    for form in forms:
        first = len(lines) + 1
        lines += source(form)
        ranges[form] = range(first, len(lines) + 1)
    lines += ["", "const struct Spelling PREFIX_(spellings)[] = {"]
    lines += [table_row(form) for form in forms]
    lines += ["    {0}};", ""]
    return "\n".join(lines), ranges
