# Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes a program that fails smaller, as long as it fails in the same way: by taking parts
of its tree away. Its memory is laid out anew each time, so it stays within bounds."""

import copy
import dataclasses
import time

from . import cases, runner
from .fortran import Unsupported
from .mutations import replace
from .program import Affine, Bin, Call, Cast, Choose, Compare, For, If, Number, Ref, Scalar, bodies, names_in, walk
from .ranges import Invalid

WORK = 10**7


def simpler_expressions(e):
    if isinstance(e, Bin):
        yield e.left
        yield e.right
    elif isinstance(e, Cast):
        yield e.value
    elif isinstance(e, Call):
        yield from e.args
    elif isinstance(e, Choose) or isinstance(e, Compare) and not isinstance(e.left, (Affine, Compare)):
        yield e.left
        yield e.right
    if not isinstance(e, (Number, Ref)):
        yield Number("1")


EXPRESSIONS = (Bin, Cast, Call, Choose, Compare, Scalar, Number, Ref)


def expression_places(tree):
    """(node, field or index) of all expressions."""
    for node in walk(tree):
        if not dataclasses.is_dataclass(node):
            continue
        for f in dataclasses.fields(node):
            value = getattr(node, f.name)
            if isinstance(value, EXPRESSIONS) and f.name not in ("target", "condition"):
                yield node, f.name


def changes(program):
    """Functions that each make a copy of the program simpler in one way, the greatest
    steps first. They find their place again in the copy by its number."""
    def at_body(number, action):
        def change(p):
            body = list(bodies(p.body))[number][0]
            action(body)
        return change

    def at_node(kind, number, action):
        def change(p):
            action([n for n in walk(p.body) if isinstance(n, kind)][number])
        return change

    for n, (body, loops) in enumerate(bodies(program.body)):
        for i, s in enumerate(body):
            def drop(b, i=i):
                del b[i]
            yield at_body(n, drop)
            if isinstance(s, If):
                def only_body(b, i=i):
                    b[i:i + 1] = b[i].body
                yield at_body(n, only_body)
            if isinstance(s, For):
                def only_once(b, i=i):
                    loop = b[i]
                    replace(loop.body, loop.var, loop.low)
                    b[i:i + 1] = loop.body
                yield at_body(n, only_once)
    nodes = [x for x in walk(program.body)]
    for number, (node, name) in enumerate(expression_places(program.body)):
        for option in range(len(list(simpler_expressions(getattr(node, name))))):
            def simplify(p, number=number, option=option):
                place, field = list(expression_places(p.body))[number]
                setattr(place, field, list(simpler_expressions(getattr(place, field)))[option])
            yield simplify
    for number, loop in enumerate(x for x in nodes if isinstance(x, For)):
        for name, value in [("style", "lt"), ("step", 1), ("pragma", ""), ("low", Affine()), ("type", "long"),
                            ("walks", []), ("lows", [])]:
            if getattr(loop, name) != value:
                yield at_node(For, number, lambda l, name=name, value=value: setattr(l, name, value))
        if len(loop.high) > 1:
            yield at_node(For, number, lambda l: l.high.pop(0))
            yield at_node(For, number, lambda l: l.high.pop())
    for number, ref in enumerate(x for x in nodes if isinstance(x, Ref)):
        for i, a in enumerate(ref.index):
            if a.const:
                yield at_node(Ref, number, lambda r, i=i: setattr(r.index[i], "const", 0))
            if len(a.terms) > 1:
                for name in a.terms:
                    yield at_node(Ref, number, lambda r, i=i, name=name: r.index[i].terms.pop(name))
    for number, a in enumerate(program.arrays):
        plain = [("spelling", "flat"), ("where", "parameter"), ("volatile", False), ("const", False), ("offset", ""), ("table", ""),
                 ("group", 100 + number)]
        if a.kind in ("restrict", "rows", "matrix"):
            plain.append(("kind", "pointer"))
        for name, value in plain:
            if getattr(a, name) != value:
                yield lambda p, number=number, name=name, value=value: setattr(p.arrays[number], name, value)
    if program.cxx not in ("", "plain"):
        yield lambda p: setattr(p, "cxx", "plain")
    for number, s in enumerate(program.symbols()):
        for name, value in [("where", "parameter"), ("type", "long")]:
            if getattr(s, name) != value and not (name == "where" and s.where == "constant"):
                yield lambda p, number=number, name=name, value=value: setattr(p.symbols()[number], name, value)


def without_unused(program, case):
    """Takes away the parameters that nothing uses any more."""
    used = names_in(program.body)
    program.arrays = [a for a in program.arrays if a.name in used]
    used.update(a.offset for a in program.arrays)
    for a in program.arrays:
        for stride in a.strides:
            if not isinstance(stride, int):
                used.update(stride)
    program.sizes = [s for s in program.sizes if s.name in used]
    program.leading = [s for s in program.leading if s.name in used]
    scalars = [(s, v) for s, v in zip(program.scalars, case.scalars) if s in used]
    program.scalars, case.scalars = [s for s, _ in scalars], [v for _, v in scalars]


class Reducer:
    def __init__(self, tools, failure, setting, seconds, log=None):
        self.tools, self.failure, self.setting = tools, failure, setting
        self.end, self.attempts = time.time() + seconds, 0
        self.log = log or (lambda text: None)

    def fails(self, program, calls, setting=None):
        """Whether it still fails like that."""
        if time.time() > self.end:
            return False
        try:
            calls = [cases.lay_out(program, c, WORK) for c in calls]
        except (Invalid, KeyError, IndexError):
            return False
        self.attempts += 1
        try:
            found = runner.check(self.tools, [(program, calls)], setting or self.setting, f"reduce-{program.name}")
        except Unsupported:
            return False
        return any(f.kind == self.failure.kind for f in found)

    def settings(self, program, calls):
        """Flags and options, one less at a time."""
        for name in ("options", "flags", "base"):
            i = 0
            while getattr(self.setting, name) and i < len(getattr(self.setting, name)):
                less = list(getattr(self.setting, name))
                dropped = less.pop(i)
                trial = dataclasses.replace(self.setting, **{name: less})
                if dropped.startswith(("-O", "-march", "verify")) or not self.fails(program, calls, trial):
                    i += 1
                else:
                    self.setting = trial

    def sizes(self, program, case):
        """Smaller numbers, and everything in memory of its own."""
        trials = [("how", "apart"), ("mode", cases.PLAIN)]
        for name, value in trials:
            if getattr(case, name) != value:
                trial = copy.deepcopy(case)
                setattr(trial, name, value)
                case = trial if self.fails(program, [trial]) else case
        for s in program.symbols():
            if s.where == "constant":
                continue
            for smaller in (lambda n: 1, lambda n: n // 2, lambda n: n - 1, lambda n: n - 1):
                trial = copy.deepcopy(case)
                trial.values[s.name] = smaller(trial.values.get(s.name, 1))
                # Leading dimensions follow.
                if abs(trial.values[s.name]) < abs(case.values.get(s.name, 1)) and self.fails(program, [trial]):
                    case = trial
        return case

    def reduce(self, program, calls):
        """The smaller program and its calls."""
        if self.failure.kind in ("different", "signal", "base-signal") and len(calls) > 1:
            calls = next(([c] for c in calls if self.fails(program, [c])), calls)
        self.settings(program, calls)
        changed = True
        while changed and time.time() < self.end:
            changed, number = False, 0
            while time.time() < self.end:
                # After a change, go on where it was made.
                change = next((c for i, c in enumerate(changes(program)) if i == number), None)
                if change is None:
                    break
                trial, trial_calls = copy.deepcopy(program), copy.deepcopy(calls)
                try:
                    change(trial)
                    without_unused(trial, trial_calls[0])
                    for c in trial_calls[1:]:
                        c.scalars = c.scalars[:len(trial.scalars)]
                except (KeyError, IndexError, StopIteration):
                    number += 1
                    continue
                if trial != program and self.fails(trial, trial_calls):
                    program, calls, changed = trial, trial_calls, True
                else:
                    number += 1
            self.log(f"{self.attempts} attempts")
            if len(calls) == 1:
                calls = [self.sizes(program, calls[0])]
        self.settings(program, calls)
        return program, calls
