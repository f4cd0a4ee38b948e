# Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A campaign: many files of programs, what was found, and what was counted. It can be
interrupted and continued: the state is written after each file."""

import collections
import dataclasses
import json
import os
import shlex
import time

from . import flags, generator, ir, runner
from .reducer import Reducer
from .source import writer_of

FILE = 50  # programs of a file; settings of files depend on it
COUNTS = ["programs", "with_candidates", "replaced_programs", "replaced", "declined", "calls", "calls_with_packing",
          "guarded_calls", "kernel_calls"]
SANITIZE = ["-fsanitize=undefined,float-cast-overflow", "-fsanitize-trap=undefined", "-fno-sanitize=alignment,vla-bound"]


class Stats:
    """What is counted; written to JSON and added up over runs."""

    def __init__(self, data=None):
        data = data or {}
        for name in COUNTS:
            setattr(self, name, data.get(name, 0))
        self.files, self.seconds = data.get("files", 0), data.get("seconds", 0)
        self.kinds, self.reasons, self.flags = (collections.Counter(data.get(k)) for k in ("kinds", "reasons", "flags"))
        self.failures, self.explained = data.get("failures", {}), data.get("explained", {})

    def add(self, unit):
        self.programs += len(unit.entries)
        names = [p.name for p, _ in unit.entries]
        self.with_candidates += sum(1 for n in names if unit.replaced[n] or unit.missed[n])
        self.replaced_programs += sum(1 for n in names if unit.replaced[n])
        self.replaced += sum(unit.replaced.values())
        self.declined += sum(unit.missed.values())
        self.calls += unit.calls
        self.calls_with_packing += unit.allocated
        self.guarded_calls += unit.guarded
        self.kernel_calls += unit.kernels
        self.kinds += unit.kinds
        self.reasons += unit.reasons
        for flag in unit.setting.flags + unit.setting.options:
            self.flags[flag] += len(unit.entries)

    def text(self):
        share = lambda part, whole: f"{100 * part / whole:.1f} %" if whole else "none"
        lines = [f"{self.programs} programs, {self.calls} calls in {self.seconds:.0f} s",
                 f"nests: {self.replaced + self.declined} candidates, {self.replaced} replaced "
                 f"({share(self.replaced, self.replaced + self.declined)}), {self.declined} declined",
                 f"programs with a candidate: {self.with_candidates}, with a product replaced: {self.replaced_programs} "
                 f"({share(self.replaced_programs, self.programs)})",
                 f"calls of programs with a product, where kernels always pack: {self.guarded_calls}; a kernel ran in "
                 f"{self.kernel_calls} ({share(self.kernel_calls, self.guarded_calls)}), the source's loops alone in the others",
                 "replaced: " + ", ".join(f"{k} {n}" for k, n in self.kinds.most_common()),
                 "declined: " + ", ".join(f"{k} {n}" for k, n in self.reasons.most_common()),
                 f"failures: {len(self.failures)}; explained: {len(self.explained)}"]
        lines += [f"  {name}: {what}" for name, what in self.failures.items()]
        return "\n".join(lines)


class Campaign:
    def __init__(self, tools, seed, target, planted="", reduce_seconds=120, max_reduced=10, wish=flags.Wish()):
        self.tools, self.seed, self.target, self.planted, self.wish = tools, seed, target, planted, wish
        self.reduce_seconds, self.max_reduced = reduce_seconds, max_reduced
        self.name = "-".join([str(seed), target] + wish.words()[1::2])
        self.path = os.path.join(tools.work, f"campaign-{self.name}.json")
        self.stats = Stats()
        if os.path.exists(self.path):
            with open(self.path) as file:
                self.stats = Stats(json.load(file))

    def entry(self, number):
        setting = self.setting(number)
        kinds = ["plain", "template"] + ["guard", "try"] * ("-fno-exceptions" not in setting.flags)
        program, calls = generator.make(self.seed, number, self.target in flags.HALVES, setting.taste,
                                        kinds if setting.language == "c++" else [setting.language],
                                        near=self.wish.break_even == "default",
                                        **({} if self.target == "native" else {"calls": 3, "work_limit": 40000}))
        # Every seventh, if bugs are planted.
        program.planted = self.planted if number % 7 == 3 else ""
        return program, calls

    def setting(self, number):
        return flags.draw(self.seed, number // FILE, self.target, self.wish)

    def file(self, unit, progress=None):
        """Makes, compiles and runs a file."""
        start = time.time()
        entries = [self.entry(unit * FILE + i) for i in range(FILE)]
        setting = self.setting(unit * FILE)
        for failure in runner.check(self.tools, entries, setting, f"file-{self.seed}-{unit}", self.stats):
            entry = next(e for e in entries if e[0].name == failure.program)
            self.found(failure, entry, setting)
        self.stats.files = unit + 1
        self.stats.seconds += time.time() - start
        with open(self.path + ".new", "w") as file:
            json.dump(dataclass_free(self.stats), file, indent=1)
        os.replace(self.path + ".new", self.path)

    def one(self, program, calls, setting):
        """One program alone."""
        failures = runner.check(self.tools, [(program, calls)], setting, f"only-{program.name}", self.stats)
        for failure in failures:
            self.found(failure, (program, calls), setting)
        print(self.stats.text())
        return 1 if failures else 0

    # --- Failures ---

    def explain(self, failure, entry, setting):
        """Why the plugin has nothing to do with it, if that is so."""
        program, calls = entry
        again = lambda s: runner.check(self.tools, [(program, calls)], s, f"explain-{program.name}")
        if failure.kind in ("base", "base-hang", "link"):
            return "the program is wrong: it does not compile without the plugin"
        if setting.base is not None and not any(f.kind == failure.kind for f in again(dataclasses.replace(setting, base=None))):
            return "clang alone gives these bits with these flags"
        if failure.kind in ("different", "signal", "base-signal") and setting.language != "fortran":
            checked = dataclasses.replace(setting, base=setting.base_flags + SANITIZE)
            if any(f.kind == "base-signal" for f in again(checked)):
                return "the program is wrong: its behaviour is undefined"
        return None

    def found(self, failure, entry, setting):
        why = self.explain(failure, entry, setting)
        if why:
            self.stats.explained[failure.program] = why
            if why.startswith("the program"):
                print(f"\n{failure.program}: {why}: {failure.text[:500]}")
            return
        program, calls = entry
        folder = os.path.join(self.tools.work, "failures", f"{self.name}-{program.name}")
        os.makedirs(folder, exist_ok=True)
        self.save(folder, "program", program, calls, setting, failure)
        what = f"{failure.kind}: {failure.text[:200].strip()}"
        is_new = what not in self.stats.failures.values()  # the same complaint of the compiler is reduced once
        if is_new and len(self.stats.failures) < self.max_reduced and self.reduce_seconds:
            reducer = Reducer(self.tools, failure, setting, self.reduce_seconds)
            small, small_calls = reducer.reduce(program, calls)
            self.save(folder, "reduced", small, small_calls, reducer.setting, failure)
            if failure.kind == "compiler" and setting.language != "fortran":
                ir.reduce(self.tools, reducer.setting, os.path.join(folder, "reduced"), failure, self.reduce_seconds)
        self.stats.failures[program.name] = what
        print(f"\nFAIL {program.name} [{setting}]: {failure.kind}: {failure.text[:300]}\n  in {folder}", flush=True)

    def save(self, folder, name, program, calls, setting, failure):
        """The source, with everything that --replay needs, and the commands."""
        stem = os.path.join(folder, name)
        mark = "!" if setting.language == "fortran" else "//"
        with open(stem + setting.suffix, "w") as file:
            print(f"{mark} {failure.kind}: " + failure.text.strip().split("\n")[0],
                  f"{mark} tools/tilesmith-fuzz --seed {self.seed} --target {self.target} --only {program.name} "
                  + " ".join(self.wish.words()),
                  f"{mark} SETTING " + json.dumps(dataclasses.asdict(setting)),
                  *(f"{mark} CALL " + c.line(program, 0, i) for i, c in enumerate(calls)), sep="\n", file=file)
            file.write(writer_of(setting).translation_unit([program])[0])
        commands = [*[c for _, c in self.tools.commands(setting, stem)],
                    ["sed", "-n", f"s,^{mark} CALL ,,p", stem + setting.suffix],
                    [*setting.runner, stem, stem + ".calls", "20"]]
        text = [shlex.join(c) for c in commands]
        text[-2] += f" > {shlex.quote(stem)}.calls"
        if setting.language == "fortran":
            text.insert(0, f"sed -n 's,^!C ,,p' {shlex.quote(stem)}.f90 > {shlex.quote(stem)}-calls.c")
        with open(stem + ".sh", "w") as file:
            print("#!/bin/sh", *text, sep="\n", file=file)


def dataclass_free(stats):
    return {k: dict(v) if isinstance(v, collections.Counter) else v for k, v in vars(stats).items()}
