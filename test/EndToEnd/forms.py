#===- forms.py - every way to spell a matrix product -------*- python -*-===//
#
# Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""The forms of the end-to-end matrix: which there are, and their C source.

A form is one choice in each of eight dimensions (see DIMENSIONS). All loop
orders x storage orders x {direct, scalar} come in full for double and long;
beyond them, forms are added until every pair of choices that can occur
together occurs in some form. The list is the same on every run.
"""

import itertools
from collections import namedtuple

DRIVER = "driver.c"

# Forms that are known not to be replaced yet: regular expression -> reason. What
# it has to match is "<name of the form>@<configuration>". A form listed here that
# is replaced after all is a failure too.
EXPECTED_MISSED = {
}

# In the same way, forms whose results are known to differ.
KNOWN_BUGS = {
}

# Every file of forms is tested in the first configuration and in one of each
# following group, in turn.
GROUPS = [["O3"], ["O3-size", "O2-small"], ["O2-off", "O3-off"], ["O2-fast", "O3-fast"],
          ["O3-math", "O2-math"], ["O3-avx2", "O2-sse2", "O3-full"]]

# --- The dimensions ---------------------------------------------------------

ORDERS = ["".join(p) for p in itertools.permutations("ijk")]
# Storage orders of C, A and B: r = row-major, c = column-major.
LAYOUTS = ["".join(p) for p in itertools.product("rc", repeat=3)]

# How the sum is formed, and where alpha and beta stand. `loops` says which loop
# orders the style fits: any, k innermost, k not innermost, k not outermost.
# `reads` says whether the old value of C matters.
Style = namedtuple("Style", "loops reads text")
STYLES = {
    # Accumulating directly in C.
    "add":        Style("any", True, "C += A*B"),
    "assign":     Style("any", True, "C = A*B + C"),
    "addA":       Style("any", True, "C += alpha*A*B"),
    "addP":       Style("any", True, "C += alpha*(A*B)"),
    "hoist":      Style("not-inner", True, "a = A; C += a*B"),
    "betaSame":   Style("inner", True, "C *= beta; k: C += A*B"),
    "betaSameA":  Style("inner", True, "C = beta*C; k: C += alpha*A*B"),
    "betaRow":    Style("not-outer", True, "j: C *= beta; j,k: C += alpha*A*B"),
    "betaBefore": Style("any", True, "i,j: C *= beta; i,j,k: C += alpha*A*B"),
    "zeroSame":   Style("inner", False, "C = 0; k: C += A*B"),
    "zeroRow":    Style("not-outer", False, "j: C = 0; j,k: C += A*B"),
    "zeroBefore": Style("any", False, "i,j: C = 0; i,j,k: C += A*B"),
    # A scalar sum, stored afterwards.
    "sum":        Style("inner", False, "s = 0; s += A*B; C = s"),
    "sumP":       Style("inner", False, "s = 0; s += alpha*(A*B); C = s"),
    "sumA":       Style("inner", False, "s = 0; s += A*B; C = alpha*s"),
    "sumAdd":     Style("inner", True, "s = 0; s += A*B; C += s"),
    "sumAddA":    Style("inner", True, "s = 0; s += A*B; C += alpha*s"),
    "sumAB":      Style("inner", True, "s = 0; s += A*B; C = alpha*s + beta*C"),
    # A scalar sum that starts from C.
    "from":       Style("inner", True, "s = C; s += A*B; C = s"),
    "fromA":      Style("inner", True, "s = C; s += alpha*A*B; C = s"),
    "fromP":      Style("inner", True, "s = C; s += alpha*(A*B); C = s"),
    "fromBeta":   Style("inner", True, "s = beta*C; s += alpha*A*B; C = s"),
}

TYPES = {"f64": "double", "f32": "float", "i32": "int32_t", "i64": "int64_t",
         "u32": "uint32_t", "u64": "uint64_t"}
INDICES = {"int": "int", "uint": "unsigned", "long": "long", "size": "size_t"}

SPELLINGS = ["flat",      # A[i*lda + k]
             "ptr",       # *(A + (i*lda + k))
             "row",       # a = A + i*lda; a[k]
             "restrict",  # flat, all pointers restrict
             "vla",       # double A[][lda] as a parameter
             "global",    # constant two-dimensional global arrays
             "local",     # constant two-dimensional local arrays
             "sized",     # flat, constant extents and leading dimensions
             "inlined",   # flat, inlined into a larger function
             "classref",  # C++: const Matrix &A; A(i, k)
             "classval",  # C++: Matrix A; A(i, k)
             "2mm",       # C = (A*Q)*B, flat
             "3mm"]       # C = (A*Q)*(R*B), flat
CXX = {"classref", "classval"}
CONSTANT = {"global", "local", "sized"}
TWO_DIMENSIONAL = {"global", "local", "vla"}

# lt: for (i = 0; i < M; i++)    le1: for (i = 1; i <= M; i++) ... [i-1]
# start1: for (i = 1; i < M; i++)    stepN: for (i = 0; i < M; i += N)
LOOPS = ["lt", "le1", "start1", "step2", "step3"]
STEPPED = {"step2": "ik", "step3": "jk"}
SWAPS = ["ab", "ba"]      # A*B or B*A

DIMENSIONS = [("order", ORDERS), ("layout", LAYOUTS), ("style", list(STYLES)),
              ("type", list(TYPES)), ("index", list(INDICES)),
              ("spelling", SPELLINGS), ("loop", LOOPS), ("swap", SWAPS)]

Choice = namedtuple("Choice", [name for name, _ in DIMENSIONS])


class Form(Choice):
    kind = ""       # what the remark must say
    shared = False  # whether several products share their loops

    @property
    def name(self):
        return "_".join(self)

    @property
    def products(self):
        return {"2mm": 2, "3mm": 3}.get(self.spelling, 1)

    @property
    def language(self):
        return "cpp" if self.spelling in CXX else "c"


def possible(form):
    loops, k = STYLES[form.style].loops, form.order.index("k")
    if (loops == "inner" and k != 2 or loops == "not-inner" and k == 2 or
            loops == "not-outer" and k == 0):
        return False
    # Storing to an int element may change an int leading dimension that is
    # read through a reference: not a matrix product any more.
    if form.spelling == "classref" and form.type[0] != "f":
        return False
    return True


# --- The list ---------------------------------------------------------------

def random_numbers(seed):
    while True:
        seed = (seed * 6364136223846793005 + 1442695040888963407) % 2**64
        yield seed >> 33


def pairs(form):
    return {(a, form[a], b, form[b])
            for a, b in itertools.combinations(range(len(form)), 2)}


def cover(dimensions, possible, make, forms):
    """Adds to `forms` until every pair of choices that can occur together does."""
    wanted = set()
    for a, b in itertools.combinations(range(len(dimensions)), 2):
        wanted |= {(a, x, b, y) for x in dimensions[a][1] for y in dimensions[b][1]}
    for form in forms:
        wanted -= pairs(form)
    # Greedy: complete the first missing pair to the best of some random forms.
    numbers = random_numbers(22)
    while wanted:
        a, x, b, y = min(wanted)
        best, gain = None, 0
        for _ in range(300):
            choice = [values[next(numbers) % len(values)] for _, values in dimensions]
            choice[a], choice[b] = x, y
            form = make(*choice)
            if possible(form):
                new = len(wanted & pairs(form))
                if new > gain:
                    best, gain = form, new
        if best:
            forms.append(best)
            wanted -= pairs(best)
        else:
            wanted.remove((a, x, b, y))  # the two exclude each other
    return forms


def all_forms():
    return cover(DIMENSIONS, possible, Form,
                 [Form(order, layout, style, "f64", "long", "flat", "lt", "ab")
                  for order in ORDERS for layout in LAYOUTS
                  for style in ("add", "sum" if order[2] == "k" else "hoist")])


# --- The source of a form ---------------------------------------------------

def constant_size(form):
    """M, N, K of a form with constant arrays."""
    sizes = [(48, 40, 56), (128, 128, 128), (99, 130, 141), (97, 36, 72), (17, 23, 31), (9, 18, 15)]
    return sizes[sum(map(ord, form.name)) % len(sizes)]


def is_small(form):
    """Whether a form is known to do too little work to be worth replacing."""
    if form.spelling not in CONSTANT:
        return False
    work = 1
    for variable, extent in zip("ijk", constant_size(form)):
        step = int(form.loop[4]) if variable in STEPPED.get(form.loop, "") else 1
        work *= extent // step
    return work < 14 ** 3


def may_be_mixed(form):
    """Whether clang may unroll a floating-point form. With -ffp-contract=fast it
    then fuses only some multiply-adds, which no replacement can match."""
    return form.spelling in CONSTANT and form.type.startswith("f")


class Operand:
    """One matrix: its name, its two loop variables, and its storage order."""

    def __init__(self, form, name, variables, layout):
        self.form, self.name, self.ld = form, name, "ld" + name.lower()
        self.row, self.column = variables if layout == "r" else variables[::-1]

    def index(self, variable):
        return f"({variable} - 1)" if self.form.loop == "le1" else variable

    def row_pointer(self, const):
        return (f"{const}T *{self.name.lower()} = "
                f"{self.name} + {self.index(self.row)} * {self.ld};")

    def __str__(self):
        r, c = self.index(self.row), self.index(self.column)
        spelling = self.form.spelling
        if spelling in TWO_DIMENSIONAL:
            return f"{self.name}[{r}][{c}]"
        if spelling in CXX:
            return f"{self.name}({r}, {c})"
        if spelling == "row":
            return f"{self.name.lower()}[{c}]"
        if spelling == "ptr":
            return f"*({self.name} + ({r} * {self.ld} + {c}))"
        return f"{self.name}[{r} * {self.ld} + {c}]"

    def constant_shape(self):
        """Rows, columns, leading dimension of a constant array."""
        sizes = dict(zip("ijk", constant_size(self.form)))
        padding = sum(map(ord, self.form.name)) % 3
        return sizes[self.row], sizes[self.column], sizes[self.column] + padding


def operands(form):
    return (Operand(form, "C", "ij", form.layout[0]),
            Operand(form, "A", "ik", form.layout[1]),
            Operand(form, "B", "kj", form.layout[2]))


def indent(lines):
    return ["  " + line for line in lines]


def nest(form, style, C, A, B, extents="MNK"):
    """The loops that compute C from A and B."""
    order, extents = form.order, dict(zip("ijk", extents))

    def loops(variables, body):
        for v in reversed(variables):
            start = "1" if form.loop in ("le1", "start1") else "0"
            compare = "<=" if form.loop == "le1" else "<"
            step = f" += {form.loop[4]}" if v in STEPPED.get(form.loop, "") else "++"
            rows = [o.row_pointer("" if o is C else "const ") for o in (C, A, B)
                    if form.spelling == "row" and o.row == v]
            body = ([f"for (I {v} = {start}; {v} {compare} {extents[v]}; {v}{step}) {{"] +
                    indent(rows + body) + ["}"])
        return body

    def times(a, b):
        return f"{a} * {b}" if form.swap == "ab" else f"{b} * {a}"

    plain = times(A, B)
    alpha_a = f"alpha * {plain}" if form.swap == "ab" else f"{B} * (alpha * {A})"
    alpha_p = f"alpha * ({plain})"
    outer, inner = order[:2], order[2]

    # Accumulating directly in C.
    if style == "hoist":
        held, other = (A, B) if inner == "j" else (B, A)
        product = times("x", other) if held is A else times(other, "x")
        return loops(outer, [f"T x = {held};"] + loops(inner, [f"{C} += {product};"]))
    if style == "assign":
        return loops(order, [f"{C} = {plain} + {C};"])
    value = {"addA": alpha_a, "addP": alpha_p, "betaSameA": alpha_a,
             "betaRow": alpha_a, "betaBefore": alpha_a}.get(style, plain)
    first = [{"zero": f"{C} = 0;", "beta": f"{C} *= beta;"}.get(style[:4])]
    update = [f"{C} += {value};"]
    if style.startswith("add"):
        return loops(order, update)
    if style.endswith("Before"):
        return loops(order.replace("k", ""), first) + loops(order, update)
    if style.endswith("Row"):
        other = "j" if order[0] == "i" else "i"
        return loops(order[0], loops(other, first) + loops(order[1:], update))
    if "Same" in style:
        if style == "betaSameA":
            first = [f"{C} = beta * {C};"]
        return loops(outer, first + loops("k", update))

    # A scalar sum.
    start = f"beta * {C}" if style == "fromBeta" else f"{C}" if style[0] == "f" else "0"
    value = {"sumP": alpha_p, "fromA": alpha_a, "fromP": alpha_p,
             "fromBeta": alpha_a}.get(style, plain)
    store = {"sumA": f"{C} = alpha * s;", "sumAdd": f"{C} += s;",
             "sumAddA": f"{C} += alpha * s;",
             "sumAB": f"{C} = alpha * s + beta * {C};"}.get(style, f"{C} = s;")
    return loops(outer, [f"T s = {start};"] + loops("k", [f"s += {value};"]) + [store])


def source(form):
    """The form's function, and `<name>_run`, which gives it the driver's
    signature. PREFIX_ tells the two builds of a function apart."""
    C, A, B = operands(form)
    name, spelling = f"PREFIX_({form.name})", form.spelling
    arguments = "M, N, K, alpha, beta, A, lda, B, ldb, C, ldc"
    parameters = ("I M, I N, I K, T alpha, T beta, "
                  "const T *A, I lda, const T *B, I ldb, T *C, I ldc")
    # Declarations before the function; its body; around the call in _run.
    before, body, setup, cleanup = [], [], [], []

    if spelling in CONSTANT:
        M, N, K = constant_size(form)
        body = [f"enum {{ M = {M}, N = {N}, K = {K} }};"]
        shapes, bytes_ = {}, {}
        for o in (C, A, B):
            rows, columns, ld = o.constant_shape()
            shapes[o.name] = f"[{rows}][{ld}]"
            bytes_[o.name] = f"{(rows - 1) * ld + columns} * sizeof(T)"
    if spelling == "global":
        for o in (A, B, C):
            matrix, o.name = o.name, "global" + o.name
            before += [f"#undef {o.name}",
                       f"#define {o.name} PREFIX_({form.name}_{matrix})",
                       f"T {o.name}{shapes[matrix]};"]
            setup.append(f"memcpy({o.name}, {matrix}, {bytes_[matrix]});")
        cleanup = [f"memcpy(C, {C.name}, {bytes_['C']});"]
        parameters, arguments = "T alpha, T beta", "alpha, beta"
        body += nest(form, form.style, C, A, B)
    elif spelling == "local":
        parameters = "T alpha, T beta, const T *inA, const T *inB, T *inC"
        arguments = "alpha, beta, A, B, C"
        body += [f"T A{shapes['A']}, B{shapes['B']}, C{shapes['C']};"]
        body += [f"memcpy({x}, in{x}, {bytes_[x]});" for x in "ABC"]
        body += nest(form, form.style, C, A, B)
        body += [f"memcpy(inC, C, {bytes_['C']});"]
    elif spelling == "sized":
        parameters = "T alpha, T beta, const T *A, const T *B, T *C"
        arguments = "alpha, beta, A, B, C"
        body += [f"enum {{ {o.ld} = {o.constant_shape()[2]} }};" for o in (A, B, C)]
        body += nest(form, form.style, C, A, B)
    elif spelling in ("2mm", "3mm"):
        overwrite = "sum" if form.order[2] == "k" else "zeroBefore"
        extra = f"extra_{form.type}"
        layouts = dict(zip("CABQERF", form.layout + "rrrr"))

        def product(c, a, b, extents):
            o = [Operand(form, x, v, layouts[x]) for x, v in ((c, "ij"), (a, "ik"), (b, "kj"))]
            style = form.style if c == "C" else overwrite
            return nest(form, style, *o, extents)

        parameters += ", const T *Q, I ldq, T *E, I lde"
        arguments += ", Q, K, E, K"
        setup = [f"T *Q = {extra}(K, K), *E = {extra}(M, K);"]
        cleanup = ["free(Q), free(E);"]
        body = product("E", "A", "Q", "MKK")
        if spelling == "2mm":
            body += product("C", "E", "B", "MNK")
        else:
            parameters += ", const T *R, I ldr, T *F, I ldf"
            arguments += ", R, K, F, N"
            setup += [f"T *R = {extra}(K, K), *F = {extra}(K, N);"]
            cleanup += ["free(R), free(F);"]
            body += product("F", "R", "B", "KNK") + product("C", "E", "F", "MNK")
    else:
        body = nest(form, form.style, C, A, B)
        if spelling == "restrict":
            parameters = parameters.replace("*", "*restrict ")
        elif spelling == "vla":
            arguments = "M, N, K, lda, ldb, ldc, alpha, beta, A_, B_, C_"
            # Without the outer bound, which must not be zero.
            a, b, c = (f"{o.name}[][{o.ld}]" for o in (A, B, C))
            parameters = ("I M, I N, I K, I lda, I ldb, I ldc, T alpha, T beta, "
                          f"const T {a}, const T {b}, T {c}")
        elif spelling in CXX:
            kind = "const Matrix<T, I> &" if spelling == "classref" else "Matrix<T, I> "
            parameters = f"I M, I N, I K, T alpha, T beta, {kind}A, {kind}B, {kind}C"
            setup = [f"Matrix<T, I> {x.lower()} = {{{x}, (I)ld{x.lower()}}};" for x in "ABC"]
            arguments = "M, N, K, alpha, beta, a, b, c"
        elif spelling == "inlined":
            before = [f"static inline __attribute__((always_inline)) void {form.name}_mm(",
                      f"    {parameters}) {{"] + indent(body) + ["}"]
            body = ["T top = alpha;",
                    "if (N > 0)",
                    "  for (I k = 0; k < K; k++)",
                    "    if (B[k] > top)",
                    "      top = B[k];",
                    "if (top > alpha)",
                    "  alpha = beta;",
                    f"{form.name}_mm({arguments});",
                    "if (M > 0 && N > 0)",
                    "  C[0] += top;"]

    return (["", f"/* {form.name}: {STYLES[form.style].text} */",
             f"#define T {TYPES[form.type]}", f"#define I {INDICES[form.index]}"] + before +
            [f"__attribute__((noinline)) void {name}(", f"    {parameters}) {{"] +
            indent(body) +
            ["}", f"static void {form.name}_run(long M, long N, long K, const void *alpha_,",
             "    const void *beta_, void *A_, long lda, void *B_, long ldb,",
             "    void *C_, long ldc) {",
             "  T alpha = *(const T *)alpha_, beta = *(const T *)beta_;",
             "  T *A = (T *)A_, *B = (T *)B_, *C = (T *)C_;"] +
            indent(setup + [f"{name}({arguments});"] + cleanup) +
            ["}", "#undef T", "#undef I"])


def table_row(form):
    """What the driver must know about the form; see struct Form in driver.h."""
    fixed, lds = (0, 0, 0), (0, 0, 0)
    if form.spelling in CONSTANT:
        fixed = constant_size(form)
        lds = tuple(o.constant_shape()[2] for o in operands(form))
    flat = form.spelling in ("flat", "ptr", "row", "restrict", "inlined")
    # In a chain, overlapping operands would grow beyond 32 bits.
    aliases = (form.spelling not in ("global", "local", "restrict") and
               not (form.products > 1 and form.type == "i32"))
    flags = {"OVERWRITES_C": not STYLES[form.style].reads and form.spelling != "inlined",
             "MAY_ALIAS": aliases,
             "ANY_LD": flat and form.spelling != "inlined" or form.spelling in CXX,
             "SIGNED_INDEX": form.index in ("int", "long"),
             "WRAPS": form.index == "uint" and flat and form.spelling != "inlined",
             "VLA": form.spelling == "vla",
             "CHAIN": form.products > 1}
    flags = " | ".join(flag for flag, on in flags.items() if on) or "0"
    numbers = ", ".join(f"{{{a}, {b}, {c}}}" for a, b, c in (fixed, lds))
    return (f'    {{"{form.name}", "{form.layout}", {form.type.upper()}, {flags}, '
            f"{numbers}, {form.name}_run}},")


PROLOGUE = """#include "driver.h"
#include <stdlib.h>
#include <string.h>
#define JOIN2(a, b) a##_##b
#define JOIN(a, b) JOIN2(a, b)
#define PREFIX_(name) JOIN(PREFIX, name)
"""
PROLOGUE_C = """
#define EXTRA(name, type)                                                      \
  __attribute__((unused)) static type *name(long rows, long columns) {         \
    long n = rows > 0 && columns > 0 ? rows * columns : 0;                     \
    type *data = (type *)malloc(n * sizeof(type) + 1);                         \
    for (long i = 0; i < n; i++)                                               \
      data[i] = (type)((i * 2654435761u >> 7) % 31 + 1) /                      \
                ((type)0.5 == 0 ? 11 : 16);                                    \
    return data;                                                               \
  }
EXTRA(extra_f64, double)
EXTRA(extra_f32, float)
EXTRA(extra_i32, int32_t)
EXTRA(extra_i64, int64_t)
EXTRA(extra_u32, uint32_t)
EXTRA(extra_u64, uint64_t)
"""
PROLOGUE_CPP = """
template <typename T, typename I> struct Matrix {
  T *data;
  I ld;
  T &operator()(I row, I column) const { return data[row * ld + column]; }
};
"""


def translation_unit(forms):
    """Source of one file with `forms`, and the line range of each of them."""
    cpp = forms[0].language == "cpp"
    lines = (PROLOGUE + (PROLOGUE_CPP if cpp else PROLOGUE_C)).split("\n")
    ranges = {}
    for form in forms:
        first = len(lines) + 1
        lines += source(form)
        ranges[form] = range(first, len(lines) + 1)
    lines += ["", 'extern "C"' if cpp else "", "const struct Form PREFIX_(forms)[] = {"]
    lines += [table_row(form) for form in forms]
    lines += ["    {0}};", ""]
    return "\n".join(lines), ranges
