# Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The C source of programs: a translation unit that is compiled once without the plugin
and once with it. PREFIX_ tells the two apart."""

import sys

from . import fortran
from .mutations import replace
from .pointers import behind, used_once
from .program import (COMPLEX, ELEMENTS, HALVES, INDICES, TABLES, UNSIGNED, Affine, Assign, Barrier, Bin, Block, Call, Cast,
                      Choose, Compare, Counter, Declare, For, If, Leave, Note, Number, Point, Ref, Scalar, Touch, of, unshared,
                      walk)


class Writer:
    """Writes one program."""

    def __init__(self, program):
        self.program, self.lines, self.depth = program, [], 0
        self.arrays = {a.name: a for a in program.arrays}
        self.types = {s.name: s.type for s in program.symbols()}
        self.counters = {}
        self.spelled = {}
        for s in program.symbols():
            self.spelled[s.name] = (str(s.value) if s.where == "constant" else
                                    f"s->{s.name}" if s.where == "struct" else s.name)
        self.is_planted, self.assignments = False, 0
        self.pointers, self.serial = {}, 0  # those in scope: (the name in C, where it points to, is it *p++)

    def put(self, text):
        self.lines.append("  " * self.depth + text)

    # --- Subscripts ---

    def name(self, name):
        return self.spelled.get(name, name)

    def affine(self, a):
        # What is added first, so that nothing unsigned is negative on the way.
        terms = sorted(a.terms.items(), key=lambda t: t[1] < 0)
        text = ""
        if a.const > 0 and all(f < 0 for _, f in terms):
            text = str(a.const)
        for name, factor in terms:
            sign = "-" if factor < 0 else "+" if text else ""
            times = "" if abs(factor) == 1 else f"{abs(factor)} * "
            text += f" {sign} " if text else sign
            text += times + self.name(name)
        if a.const and not (a.const > 0 and all(f < 0 for _, f in terms)):
            text = f"{text} {'-' if a.const < 0 else '+'} {abs(a.const)}" if text else str(a.const)
        if a.by > 1:
            return f"({text}) / {a.by}" if text else "0"
        return text or "0"

    def factor(self, a):
        text = self.affine(a)
        return text if text.isidentifier() or text.isdecimal() or text[:3] == "s->" and " " not in text else f"({text})"

    def stride(self, stride):
        return str(stride) if isinstance(stride, int) else " * ".join(map(self.name, stride))

    def subscript(self, array, index, whole=True):
        parts = []
        for stride, a in zip(array.strides, index):
            if stride == 1:
                # Sums that wrap are computed on their own, in their type.
                some = any(self.counters.get(n, self.types.get(n)) in UNSIGNED for n in a.terms)
                parts.append(self.factor(a) if some and a.const else self.affine(a))
            elif a.terms or a.const:
                parts.append(f"{self.factor(a)} * {self.stride(stride)}" if array.spelling != "swapped"
                             else f"{self.stride(stride)} * {self.factor(a)}")
        if array.offset and whole:
            parts.append(self.name(array.offset))
        if array.spelling == "swapped":
            parts.reverse()
        return " + ".join(p if not p.startswith("-") else f"({p})" for p in parts) or "0"

    def is_vector(self, array):
        """Whether it is an object of a class, in C++."""
        return (self.program.cxx and array.kind == "pointer" and array.where == "parameter" and
                self.program.arrays.index(array) % 3 == 1)

    def ref(self, ref):
        array = self.arrays[ref.array]
        if ref.via in self.pointers:
            name, base, moves = self.pointers[ref.via]
            rest = behind(array, ref, base)
            if rest is not None and moves:
                return f"*{name}++"
            if rest is not None:
                text = self.subscript(array, rest, False)
                return f"{name}[{text}]" if text != "0" or array.spelling != "deref" else f"*{name}"
        name = f"s->{array.name}" if array.where == "struct" else array.name
        if array.kind == "global":
            name = f"PREFIX_({self.program.name}_{array.name})"
        if array.kind == "matrix" and self.program.cxx:
            return f"{name}({', '.join(map(self.affine, ref.index))})"
        if array.kind in ("matrix", "local", "global"):
            return name + "".join(f"[{self.affine(a)}]" for a in ref.index)
        if array.kind == "member":
            return f"{name}[{self.affine(ref.index[0])}].v[{self.affine(ref.index[1])}]"
        if array.kind == "rows":
            return f"{name}[{self.affine(ref.index[0])}][{self.affine(ref.index[1])}]"
        subscript = self.subscript(array, ref.index)
        if array.spelling == "deref" and not self.is_vector(array):
            return f"*({name} + ({subscript}))"
        return f"{name}[{subscript}]"

    # --- Expressions ---

    def expression(self, e):
        if isinstance(e, Ref):
            # Nothing is computed in these types: not every target's library can round to them.
            type_ = self.arrays[e.array].type
            return ("(float)" if type_ in HALVES and type_ != self.program.element else "") + self.ref(e)
        if isinstance(e, Scalar):
            return e.name
        if isinstance(e, Number):
            return e.text
        if isinstance(e, Bin):
            return f"({self.expression(e.left)} {e.op} {self.expression(e.right)})"
        if isinstance(e, Cast):
            return f"({ELEMENTS[e.type][0]})({self.expression(e.value)})"
        if isinstance(e, Call):
            return f"{e.name}({', '.join(map(self.expression, e.args))})"
        if isinstance(e, Choose):
            return f"({self.condition(e.condition)} ? {self.expression(e.left)} : {self.expression(e.right)})"
        if isinstance(e, Counter):
            return f"({self.affine(e.value)})"
        if isinstance(e, Compare):
            return f"({self.condition(e)})"
        raise TypeError(e)

    def condition(self, c):
        side = self.affine if isinstance(c.left, Affine) else self.expression
        op = c.op
        if op == "u<":
            is_int = all(self.counters.get(n, self.types.get(n)) == "int" for n in c.left.terms | c.right.terms)
            type_ = "unsigned" if is_int else "unsigned long"
            return f"({type_})({side(c.left)}) < ({type_})({side(c.right)})"
        if self.program.element in COMPLEX and not isinstance(c.left, (Affine, Compare)):  # which have no order
            op = "==" if "=" in op and op != "!=" else "!="
        return f"{side(c.left)} {op} {side(c.right)}"

    # --- Statements ---

    def block(self, statements):
        self.depth += 1
        pointers = dict(self.pointers)
        for s in statements:
            self.statement(s)
        self.pointers = pointers
        self.depth -= 1

    def point(self, p, at, moves=False):
        """A pointer to `at`; its name is used for p.ref."""
        array = self.arrays[at.array]
        self.serial += 1
        name = f"p{self.serial}"
        text = self.ref(Ref(at.array, at.index))
        self.put(f"{self.element_type(array)} *{name} = " + (f"&{text};" if not text.startswith("*") else f"{text[1:]};"))
        self.pointers[p.name] = name, p.ref, moves
        return name

    def walks(self, s):
        """Declares the pointers that move with a loop. Returns what moves them, with the
        counter, and at the end of the body."""
        step, end = [], []
        for p in s.walks:
            array = self.arrays[p.ref.array]
            factors = [a.terms.get(s.var, 0) * s.step for a in p.ref.index]
            if s.style in ("down", "around") or s.lows or array.kind == "rows" and factors[0]:
                continue
            start = unshared(p.ref)
            replace(start, s.var, s.low)
            moves = [f"{{}} {'-' if f < 0 else '+'}= " + (f"{abs(f)} * " if abs(f) != 1 else "") + self.stride(stride)
                     for f, stride in zip(factors, array.strides) if f]
            by_one = sum(factors) == 1 == factors[-1] and array.strides[-1] == 1 and not any(factors[:-1])
            leaves = any(isinstance(n, Leave) and n.how == "continue" for n in walk(s.body))
            used = p.how == "use" and by_one and not leaves and used_once(array, p, s.body)
            name = self.point(p, start, used)
            if not used:
                (end if p.how != "step" and not leaves else step).extend(m.format(name) for m in moves)
        return step, end

    def loop(self, s):
        outer, self.counters = self.counters, {**self.counters, s.var: s.type}
        pointers = dict(self.pointers)
        if s.walks:
            self.put("{")
            self.depth += 1
        self.plain_loop(s, *self.walks(s))
        if s.walks:
            self.depth -= 1
            self.put("}")
        self.pointers, self.counters = pointers, outer

    def body_of(self, s, *after):
        self.block(s.body)
        for text in after:
            self.put(f"  {text};")

    def extreme(self, macro, bounds):
        first, *others = map(self.affine, bounds)
        return f"{macro}({first}, {self.extreme(macro, bounds[1:])})" if others else first

    def plain_loop(self, s, moves, at_end):
        v, step = s.var, f"{s.var} += {s.step}" if s.step > 1 else f"{s.var}++"
        step = ", ".join([step] + moves)
        type_, low = INDICES[s.type], self.extreme("MAX", [s.low] + s.lows)
        highs = [self.affine(h) for h in s.high]
        high = self.extreme("MIN", s.high)
        # There, the step is not part of what `continue` goes to.
        style = s.style
        if style in ("while", "do") and any(isinstance(p, Leave) and p.how == "continue" for p in walk(s.body)):
            style = "lt"
        if s.pragma:
            self.put(f"#pragma {s.pragma}")
            style = "lt"
        if style == "and":
            self.put(f"for ({type_} {v} = {low}; {' && '.join(f'{v} < {h}' for h in highs)}; {step}) {{")
        elif style == "le":
            last = self.affine(s.high[0] + -1) if len(highs) == 1 else f"{high} - 1"
            self.put(f"for ({type_} {v} = {low}; {v} <= {last}; {step}) {{")
        elif style in ("ne", "around"):
            self.put(f"for ({type_} {v} = {low}; {v} != {high}; {step}) {{")
        elif style == "down" and s.type in UNSIGNED | {"ushort", "uchar"}:
            self.put(f"for ({type_} {v} = {high}; {v}-- > {low};) {{")
        elif style == "down":
            last = self.affine(s.high[0] + -1) if len(highs) == 1 else f"{high} - 1"
            back = f"{v} -= {s.step}" if s.step > 1 else f"{v}--"
            self.put(f"for ({type_} {v} = {last}; {v} >= {low}; {back}) {{")
        elif style == "while":
            self.put("{")
            self.put(f"  {type_} {v} = {low}, end_{v} = {high};")
            self.put(f"  while ({v} < end_{v}) {{")
            self.depth += 1
            self.body_of(s, *at_end, step)
            self.depth -= 1
            self.put("  }")
            self.put("}")
            return
        elif style == "do":
            self.put(f"if ({low} < {high}) {{")
            self.put(f"  {type_} {v} = {low};")
            self.put("  do {")
            self.depth += 1
            self.body_of(s, *at_end, step)
            self.depth -= 1
            self.put(f"  }} while ({v} < {high});")
            self.put("}")
            return
        else:
            self.put(f"for ({type_} {v} = {low}; {v} < {high}; {step}) {{")
        self.body_of(s, *at_end)
        self.put("}")

    def statement(self, s):
        if isinstance(s, For):
            self.loop(s)
        elif isinstance(s, Assign):
            type_of = lambda r: self.arrays[r.array].type if isinstance(r, Ref) else None
            is_copy = type_of(s.target) and type_of(s.target) == type_of(s.value)
            if type_of(s.target) in HALVES and type_of(s.target) != self.program.element and not is_copy:
                return self.put(";")
            value = self.ref(s.value) if is_copy else self.expression(s.value)
            if self.program.planted == "wrong" and s.op == "+=" and not self.is_planted:
                value, self.is_planted = f"PLANT({value})", True
            target = self.ref(s.target) if isinstance(s.target, Ref) else s.target.name
            self.assignments += 1
            if self.program.cxx and s.op == "+=" and self.assignments % 3 == 0:
                return self.put(f"add_to({target}, {value});")
            self.put(f"{target} {s.op} {value};")
        elif isinstance(s, Point):
            self.point(s, s.ref)
        elif isinstance(s, Declare):
            self.put(f"{ELEMENTS[s.type][0]} {s.name} = {self.expression(s.value)};")
        elif isinstance(s, If):
            self.put(f"if ({self.condition(s.condition)}) {{")
            self.block(s.body)
            if s.other:
                self.put("} else {")
                self.block(s.other)
            self.put("}")
        elif isinstance(s, Leave):
            self.put(f"{s.how};")
        elif isinstance(s, Note):
            self.put(f"fuzz_note({self.affine(s.value)});")
        elif isinstance(s, Touch):
            array = self.arrays[s.ref.array]
            if array.type in HALVES | COMPLEX | {"bool", "i128"}:
                return self.put(f"fuzz_note({len(s.how)});")
            self.put(f"fuzz_{s.how}_{array.type}(&{self.ref(s.ref)});")
        elif isinstance(s, Barrier):
            self.put('__asm__ volatile("" ::: "memory");')
        elif isinstance(s, Block):
            size = f"({self.affine(s.count)}) * sizeof({ELEMENTS[self.arrays[s.target.array].type][0]})"
            source = f"&{self.ref(s.source)}" if s.source else "0"
            self.put(f"{'memmove' if s.source else 'memset'}((void *)&{self.ref(s.target)}, {source}, {size});")
        else:
            raise TypeError(s)

    # --- The function ---

    def element_type(self, a):
        return ("const " if a.const else "") + ("volatile " if a.volatile else "") + ELEMENTS[a.type][0]

    def declaration(self, a):
        type_ = self.element_type(a)
        if a.kind == "member":
            return f"{'const ' if a.const else ''}struct PREFIX_({self.program.name}_{a.name}) *{a.name}"
        if self.is_vector(a):
            return f"const Vector<{type_}> &{a.name}"
        if a.kind == "matrix" and self.program.cxx:
            return f"View<{type_}, {len(a.strides)}> {a.name}"
        if a.kind == "matrix":
            # Each stride is the product of the extents behind its dimension.
            inner = [self.stride([s[0]]) if not isinstance(s, int) else str(s) for s in a.strides[:-1]]
            return f"{type_} {a.name}[]" + "".join(f"[{e}]" for e in inner)
        if a.kind == "rows":
            return f"{type_} *const *{a.name}" if a.where != "struct" else f"{type_} **{a.name}"
        restrict = "__restrict " if self.program.cxx else "restrict "
        return f"{type_} *{restrict if a.kind == 'restrict' else ''}{a.name}"

    def function(self):
        p = self.program
        name = f"PREFIX_({p.name})"
        element = ELEMENTS[p.element][0]
        members, parameters, arguments, before, after = [], [], [], [], []
        before_struct = []
        for i, s in enumerate(p.symbols()):
            value = f"({INDICES[s.type]})c->n[{i}]"
            if s.where == "parameter":
                parameters.append(f"{INDICES[s.type]} {s.name}")
                arguments.append(value)
            elif s.where == "struct":
                members.append(f"{INDICES[s.type]} {s.name};")
                before_struct.append(f"s.{s.name} = {value};")
        for i, s in enumerate(p.scalars):
            parameters.append(f"{element} {s}" if not p.cxx or i else f"const {element} &{s}")
            arguments.append(f"({element}){'(float)' * (p.element in HALVES)}c->r[{i}]")
        inside, at_end, globals_ = [], [], []
        for i, a in enumerate(p.arrays):
            type_ = ELEMENTS[a.type][0]
            shape = "".join(f"[{n}]" for n in a.shape or [])
            value = f"({type_} *)c->a[{i}]"
            if a.kind == "global":
                g = f"PREFIX_({p.name}_{a.name})"
                globals_.append(f"{'static ' if i % 2 else ''}{type_} {g}{shape};")
                before.append(f"memcpy({g}, c->a[{i}], sizeof({g}));")
                after.append(f"memcpy(c->a[{i}], {g}, sizeof({g}));")
                continue
            if a.kind == "local":
                parameters.append(f"{type_} *{a.name}_io")
                inside += [f"{type_} {a.name}{shape};", f"memcpy({a.name}, {a.name}_io, sizeof({a.name}));"]
                if a.observed:
                    at_end.append(f"memcpy({a.name}_io, {a.name}, sizeof({a.name}));")
                arguments.append(value)
                continue
            if a.kind == "member":
                first, own, last = a.member
                self.put(f"struct PREFIX_({p.name}_{a.name}) {{ " + (f"{type_} first[{first}]; " if first else "") +
                         f"{type_} v[{own}]; {f'char last[sizeof({type_}) * {last}]' if last > 1 or a.type in COMPLEX else 'char last'}; }};")
                value = f"({value} - {first})"
            if a.kind == "rows":
                before += [f"{type_} *rows_{a.name}[MAX_ROWS];",
                           f"for (int r = 0; r < MAX_ROWS; r++) rows_{a.name}[r] = "
                           f"({value}) + {TABLES[a.table]} * c->n[{[s.name for s in p.symbols()].index(a.strides[0][0])}];"]
                value = f"rows_{a.name}"
            if a.where == "struct":
                members.append(self.declaration(a) + ";")
                before_struct.append(f"s.{a.name} = ANY({value});")
                continue
            parameters.append(self.declaration(a))
            if self.is_vector(a):
                before.append(f"Vector<{self.element_type(a)}> v_{a.name} = {{{value}, 0}};")
            elif p.cxx and a.kind == "matrix":
                names = {s.name: f"(long)c->n[{i}]" for i, s in enumerate(p.symbols())}
                strides = [str(s) if isinstance(s, int) else " * ".join(names[n] for n in s) for s in a.strides]
                before.append(f"View<{self.element_type(a)}, {len(strides)}> v_{a.name} = {{{value}, {{{', '.join(strides)}}}}};")
            is_object = self.is_vector(a) or p.cxx and a.kind == "matrix"
            arguments.append(f"v_{a.name}" if is_object else f"ANY({value})")
        if members:
            members = [m.replace("__restrict ", "").replace("restrict ", "") for m in members]
            self.put(f"struct PREFIX_({p.name}_s) {{ {' '.join(members)} }};")
            parameters.insert(0, f"struct PREFIX_({p.name}_s) *s")
            arguments.insert(0, "&s")
            before += [f"struct PREFIX_({p.name}_s) s;"] + before_struct
        for g in globals_:
            self.put(g)
        inlined = "always_inline)) inline" if p.inlined else "noinline))"
        if p.cxx == "template":
            self.put("template <int N>")
        self.put(f"__attribute__(({inlined} static void {name}({', '.join(parameters) or 'void'}) {{")
        if p.planted == "crash":
            self.lines += ["#ifdef PLANTED", "#pragma clang __debug crash", "#endif"]
        if p.planted == "hang":
            self.lines += ["#ifdef PLANTED", "  for (;;) __asm__ volatile(\"\");", "#endif"]
        self.block_of_text(inside + ["Guard guard = {3};"] * (p.cxx == "guard") + ["try {"] * (p.cxx == "try"))
        self.block(p.body)
        self.block_of_text(["} catch (...) {", "  fuzz_note(7);", "}"] * (p.cxx == "try") + at_end)
        self.put("}")
        self.put(f"static void PREFIX_({p.name}_run)(const struct FuzzCall *c) {{")
        self.block_of_text(before + [f"{name}{'<0>' * (p.cxx == 'template')}({', '.join(arguments)});"] + after)
        self.put("}")
        return self.lines

    def block_of_text(self, lines):
        self.lines += ["  " + line for line in lines]


def writer_of(setting):
    """The module that writes a setting's programs."""
    return fortran if setting.language == "fortran" else sys.modules[__name__]


def translation_unit(programs):
    """The text, and the lines of each program, by its name."""
    lines, where = ['#include "fuzz.h"'], {}
    for p in programs:
        first = len(lines) + 1
        lines += Writer(p).function()
        where[p.name] = range(first, len(lines) + 1)
    lines.append("const struct Entry PREFIX_(programs)[] = {")
    lines += [f'  {{"{p.name}", PREFIX_({p.name}_run)}},' for p in programs]
    lines += ["  {0, 0}};", ""]
    return "\n".join(lines), where
