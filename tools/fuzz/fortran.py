# Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The Fortran source of programs, as far as Fortran can say them: subroutines with matrices by columns and
arguments by reference, as in the reference BLAS. How they are called is C, in comments that begin with !C."""

import re

from .program import (COMPLEX, ELEMENTS, Affine, Assign, Barrier, Bin, Block, Call, Cast, Choose, Counter, Declare,
                      For, If, Leave, Note, Number, Point, Ref, Scalar, Touch, of, walk)

TYPES = {"f64": "real(8)", "f32": "real(4)", "z64": "complex(8)", "z32": "complex(4)", "i64": "integer(8)",
         "i32": "integer(4)", "i16": "integer(2)", "i8": "integer(1)"}
KINDS = {"int": 4, "long": 8}
OPERATORS = {"!=": "/=", "&&": ".and."}
HEAD = """#ifdef PLANTED
#define PLANT(value) (-(value))
#else
#define PLANT(value) (value)
#endif
!C #include "fuzz.h\""""


class Unsupported(Exception):
    """Fortran has no such thing."""


class Writer:
    """Writes one program. Counters start from `base` as subscripts do."""

    def __init__(self, program):
        self.program, self.lines, self.depth = program, [], 1
        self.arrays = {a.name: a for a in program.arrays}
        number = int(re.sub(r"\D", "", program.name) or 0)
        self.base, self.by_value = int(number % 4 > 0), number % 3 == 0
        self.counters, self.locals, self.called = {}, {}, set()
        self.is_planted = False

    def put(self, text):
        self.lines.append("  " * self.depth + text)

    def declare(self, name, type_):
        if self.locals.setdefault(name, type_) != type_:
            raise Unsupported("a name of two types")

    def type(self, element):
        if element not in TYPES:
            raise Unsupported(element)
        return TYPES[element]

    # --- Subscripts ---

    def affine(self, a, first=0):
        """first: what is added, as the lower bound of a subscript or a counter."""
        if a.by > 1:
            raise Unsupported("a divided subscript")
        const = a.const + first - self.base * sum(f for n, f in a.terms.items() if n in self.counters)
        text = ""
        for name, factor in sorted(a.terms.items(), key=lambda t: t[1] < 0):
            times = "" if abs(factor) == 1 else f"{abs(factor)} * "
            text += (f" {'-' if factor < 0 else '+'} " if text else "-" * (factor < 0)) + times + self.name(name)
        if const:
            text = f"{text} {'-' if const < 0 else '+'} {abs(const)}" if text else str(const)
        return text or "0"

    def name(self, name):
        size = next((s for s in self.program.symbols() if s.name == name and s.where == "constant"), None)
        return str(size.value) if size else name

    def stride(self, stride):
        return str(stride) if isinstance(stride, int) else " * ".join(map(self.name, stride))

    def linear(self, array, index):
        parts, first = [], self.base
        for stride, a in zip(array.strides, index):
            if stride == 1:
                parts.append(self.affine(a, first))
                first = 0
            elif a.terms or a.const:
                factor = self.affine(a)
                factor = factor if factor.isidentifier() or factor.isdecimal() else f"({factor})"
                times = f"({self.stride(stride)})" if self.stride(stride).startswith("-") else self.stride(stride)
                parts.append(f"{factor} * {times}" if array.spelling != "swapped" else f"{times} * {factor}")
        if array.offset:
            parts.append(self.name(array.offset))
        parts = [p if not p.startswith("-") else f"({p})" for p in parts if p != "0"] + ["1"] * first
        return " + ".join(parts) or "0"

    def has_dimensions(self, array):
        return array.kind in ("matrix", "local")

    def ref(self, ref):
        array = self.arrays[ref.array]
        subscripts = [self.linear(array, ref.index)]
        if self.has_dimensions(array):
            subscripts = [self.affine(a, self.base) for a in reversed(ref.index)]
        for text in subscripts:  # which flang looks at also where the code never runs
            if re.fullmatch(r"[-+*()\d ]+", text) and eval(text) < self.base:
                raise Unsupported("a subscript below the first one")
        return f"{ref.array}({', '.join(subscripts)})"

    # --- Expressions ---

    def number(self, text):
        text = text.rstrip("f")
        if not ELEMENTS[self.program.element][2]:
            text += f"_{ELEMENTS[self.program.element][1]}"
        else:
            text = (text if "." in text else text + ".0").rstrip(".") + ".0" * text.endswith(".")
            text += {"f64": "d0", "z64": "d0"}.get(self.program.element, "e0")
        return f"({text})" if text.startswith("-") else text

    def expression(self, e, level=1):
        """level: of what is around it: 1 for sums, 2 for products and what is subtracted, 3 for factors behind."""
        if isinstance(e, Ref):
            self.type(self.arrays[e.array].type)
            return self.ref(e)
        if isinstance(e, Scalar):
            return e.name
        if isinstance(e, Number):
            return self.number(e.text)
        if isinstance(e, Bin):
            if e.op not in "+-*/":
                raise Unsupported(e.op)
            own = 1 if e.op in "+-" else 2
            text = f"{self.expression(e.left, own)} {e.op} {self.expression(e.right, own + 1)}"
            return f"({text})" if own < level else text
        if isinstance(e, Cast):
            kind = self.type(e.type).split("(")[1]
            function = {"r": "real", "c": "cmplx", "i": "int"}[self.type(e.type)[0]]
            return f"{function}({self.expression(e.value)}, {'kind=' * (function == 'cmplx')}{kind}"
        if isinstance(e, Call):
            if e.name.startswith("__builtin_fabs"):
                return f"abs({self.expression(e.args[0])})"
            raise Unsupported(e.name)
        if isinstance(e, Choose):
            left, right = (f"{TYPES[self.program.element].replace('complex', 'cmplx').replace('integer', 'int').split('(')[0]}"
                           f"({self.expression(x)}, {'kind=' * (self.program.element in COMPLEX)}{TYPES[self.program.element].split('(')[1]}"
                           for x in (e.left, e.right))
            return f"merge({left}, {right}, {self.condition(e.condition)})"
        if isinstance(e, Counter):
            return f"({self.affine(e.value)})"
        raise Unsupported(type(e).__name__)

    def condition(self, c):
        side = self.affine if isinstance(c.left, Affine) else self.expression
        op = c.op
        if self.program.element in COMPLEX and not isinstance(c.left, Affine):
            op = "==" if "=" in op and op != "!=" else "!="
        return f"{side(c.left)} {OPERATORS.get(op, op)} {side(c.right)}"

    # --- Statements ---

    def block(self, statements):
        self.depth += 1
        for s in statements:
            self.statement(s)
        self.depth -= 1

    def loop(self, s):
        if s.type not in KINDS or s.style == "around":
            raise Unsupported("a counter of that type")
        if s.lows:
            raise Unsupported("the greatest of several first values")
        if s.var in self.counters:
            raise Unsupported("a loop inside one of the same counter")
        self.declare(s.var, f"integer({KINDS[s.type]})")
        low, highs = self.affine(s.low, self.base), [self.affine(h, self.base - 1) for h in s.high]
        last = highs[0] if len(highs) == 1 else f"min({', '.join(f'int({h}, {KINDS[s.type]})' for h in highs)})"
        outer, self.counters = self.counters, {**self.counters, s.var: s.type}
        style = s.style
        if style in ("while", "do") and any(isinstance(n, Leave) and n.how == "continue" for n in walk(s.body)):
            style = "lt"
        if style == "while":
            self.put(f"{s.var} = {low}")
            self.put(f"do while ({s.var} <= {last})")
            self.block(s.body)
            self.put(f"  {s.var} = {s.var} + {s.step}")
        elif style == "down":
            self.put(f"do {s.var} = {last}, {low}, {-s.step}")
            self.block(s.body)
        else:
            self.put(f"do {s.var} = {low}, {last}" + (f", {s.step}" if s.step > 1 else ""))
            self.block(s.body)
        self.put("end do")
        self.counters = outer

    def assign(self, s):
        value = s.value if s.op == "=" else Bin(s.op[0], s.target, s.value)
        text = self.expression(value)
        if self.program.planted == "wrong" and isinstance(value, Bin) and not self.is_planted:
            text, self.is_planted = f"PLANT({text})", True
        self.put(f"{self.ref(s.target) if isinstance(s.target, Ref) else s.target.name} = {text}")

    def statement(self, s):
        if isinstance(s, For):
            self.loop(s)
        elif isinstance(s, Assign):
            self.assign(s)
        elif isinstance(s, Declare):
            self.declare(s.name, self.type(s.type))
            self.put(f"{s.name} = {self.expression(s.value)}")
        elif isinstance(s, If):
            self.put(f"if ({self.condition(s.condition)}) then")
            self.block(s.body)
            if s.other:
                self.put("else")
                self.block(s.other)
            self.put("end if")
        elif isinstance(s, Leave):
            self.put({"break": "exit", "continue": "cycle", "return": "return"}[s.how])
        elif isinstance(s, Note):
            self.called.add("note")
            self.put(f"call fuzz_note(int({self.affine(s.value)}, 8))")
        elif isinstance(s, Touch):
            type_ = self.arrays[s.ref.array].type
            if type_ in COMPLEX:
                raise Unsupported("a complex number that is touched")
            self.called.add((s.how, type_))
            self.put(f"call fuzz_{s.how}_{type_}({self.ref(s.ref)})")
        elif isinstance(s, Block):
            self.copy(s)
        elif isinstance(s, Barrier):
            raise Unsupported("assembler")
        elif not isinstance(s, Point):  # which is but another spelling
            raise Unsupported(type(s).__name__)

    def copy(self, s):
        """A loop, and not a section of an array: what may overlap would be copied by a library."""
        name = "at"
        self.declare(name, "integer(8)")
        index = lambda ref: self.ref(Ref(ref.array, ref.index[:-1] + [ref.index[-1] + of(name)]))
        self.put(f"do {name} = 0, {self.affine(s.count, -1)}")
        self.put(f"  {index(s.target)} = {index(s.source) if s.source else '0'}")
        self.put("end do")

    # --- The subroutine ---

    def dimensions(self, array):
        """As they are declared, the innermost first."""
        if array.kind == "local":
            extents = [str(n) for n in reversed(array.shape)]
        elif array.kind == "matrix":
            extents = [self.stride(s if isinstance(s, int) else [s[0]]) for s in reversed(array.strides[:-1])] + ["*"]
        else:
            extents = ["*"]
        if self.base == 0:
            extents = ["0:" + (e if e == "*" else str(int(e) - 1) if e.isdecimal() else f"{e} - 1") for e in extents]
        return f"({', '.join(extents)})"

    def copies(self, array, to, from_):
        """Of a local array, element by element."""
        names = [f"at{d}" for d in range(len(array.shape))]
        for name, extent in reversed(list(zip(names, reversed(array.shape)))):
            self.declare(name, "integer(8)")
            self.put(f"do {name} = {self.base}, {extent - 1 + self.base}")
        subscripts = f"({', '.join(names)})"
        self.put(f"  {to}{subscripts} = {from_}{subscripts}")
        for _ in names:
            self.put("end do")

    def function(self):
        p = self.program
        self.type(p.element)
        parameters, declarations, arguments, c_parameters, c_locals = [], [], [], [], []
        value = ", value" if self.by_value else ""
        dimensions = []

        def argument(name, fortran, c_type, c_value):
            parameters.append(name)
            declarations.append(f"{fortran}{value} :: {name}")
            c_parameters.append(c_type + "*" * (not self.by_value))
            c_locals.append(f"{c_type} {name} = ({c_type})c->{c_value};")
            arguments.append(name if self.by_value else f"&{name}")
        for i, s in enumerate(p.symbols()):
            if s.type not in KINDS:
                raise Unsupported("a size of that type")
            if s.where != "constant":
                argument(s.name, f"integer({KINDS[s.type]})", s.type, f"n[{i}]")
        for i, s in enumerate(p.scalars):
            argument(s, TYPES[p.element], ELEMENTS[p.element][0], f"r[{i}]")
        begin, end = [], []
        for i, a in enumerate(p.arrays):
            if a.kind not in ("pointer", "matrix", "local", "restrict") or a.where != "parameter" or a.volatile:
                raise Unsupported("an array of that kind")
            name = a.name + "_io" * (a.kind == "local")
            parameters.append(name)
            dimensions.append(f"{self.type(a.type)} :: {name}{self.dimensions(a)}")
            if a.kind == "local":
                dimensions.append(f"{self.type(a.type)} :: {a.name}{self.dimensions(a)}")
                begin.append((a, a.name, name))
                end += [(a, name, a.name)] * a.observed
            c_parameters.append("void *")
            arguments.append(f"c->a[{i}]")
        for copy in begin:
            self.copies(*copy)
        self.depth = 0
        self.block(p.body)
        self.depth = 1
        for copy in end:
            self.copies(*copy)
        body, self.lines, self.depth = self.lines, [], 0
        self.put(f'subroutine {p.name}({", ".join(parameters)}) bind(C, name=PREFIX//"_{p.name}")')
        self.lines += ["  implicit none"] + ["  " + d for d in declarations + dimensions]
        self.lines += [f"  {type_} :: {name}" for name, type_ in self.locals.items()]
        self.interfaces()
        self.lines += body + ["end subroutine"]
        self.lines += ["!C " + line for line in [
            f"void PREFIX_({p.name})({', '.join(c_parameters) or 'void'});",
            f"static void PREFIX_({p.name}_run)(const struct FuzzCall *c) {{", *["  " + l for l in c_locals],
            f"  PREFIX_({p.name})({', '.join(arguments)});", "}"]]
        return self.lines

    def interfaces(self):
        if not self.called:
            return
        self.put("  interface")
        for called in sorted(self.called, key=str):
            if called == "note":
                text = "fuzz_note(v) bind(C)\n      integer(8), value :: v"
            else:
                text = f"fuzz_{called[0]}_{called[1]}(v) bind(C)\n      {self.type(called[1])} :: v"
            self.lines += f"    subroutine {text}\n    end subroutine".split("\n")
        self.put("  end interface")


def translation_unit(programs):
    """The text, and the lines of each program, by its name."""
    lines, where = HEAD.split("\n"), {}
    for p in programs:
        first = len(lines) + 1
        lines += Writer(p).function()
        where[p.name] = range(first, len(lines) + 1)
    lines.append("!C const struct Entry PREFIX_(programs)[] = {")
    lines += [f'!C   {{"{p.name}", PREFIX_({p.name}_run)}},' for p in programs]
    lines += ["!C   {0, 0}};", ""]
    return "\n".join(lines), where


def calls_in_c(text):
    """The C part of a file."""
    return "\n".join(line[3:] for line in text.splitlines() if line.startswith("!C ")) + "\n"
