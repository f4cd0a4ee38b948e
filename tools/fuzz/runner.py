# Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles a file of programs both ways, runs it, and says which programs fail."""

import collections
import json
import os
import re
import signal
import subprocess

from . import fortran, source
from .flags import ROOT, Setting

HERE = os.path.dirname(os.path.abspath(__file__))
WRAP = "-Wl,--wrap=malloc,--wrap=aligned_alloc,--wrap=posix_memalign"


class Broken(Exception):
    """A command failed for the file as a whole: (what, text)."""


Failure = collections.namedtuple("Failure", "program kind text")


def reasons():
    """The beginning of what a remark says, and its name."""
    with open(os.path.join(ROOT, "include/tilesmith/Idiom/Reason.def")) as file:
        text = re.sub(r'"\s*\n\s*"', "", file.read())
    return [(t[:40], name) for name, t in re.findall(r'TILESMITH_REASON\((\w+), "(.*?)"\)', text)]


class Tools:
    def __init__(self, clang, plugin, work, planted="", limit=180, lld="lld", flang="flang-22"):
        self.clang, self.plugin, self.work, self.planted, self.limit = clang, plugin, work, planted, limit
        self.lld, self.flang = lld, flang
        self.llvm_reduce = clang.replace("clang", "llvm-reduce")
        self.call_seconds = max(1, min(20, limit // 9))
        self.reasons = reasons()
        self.drivers = {}
        os.makedirs(work, exist_ok=True)

    def run(self, command, what, limit=None, check=True, env=None):
        # A group of its own, so that nothing is left behind.
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace",
                                   start_new_session=True, env=env)
        try:
            out, err = process.communicate(timeout=limit or self.limit)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            raise Broken(f"{what}-hang", f"over {limit or self.limit} s: {' '.join(command)}")
        if check and process.returncode:
            lines = err.splitlines()
            first = next((i for i, l in enumerate(lines) if re.search(r"error:|Assertion|LLVM ERROR|Stack dump|terminate", l)), 0)
            raise Broken(what, f"ended with {process.returncode}: " + "\n".join(lines[first:first + 60]))
        return process.returncode, out, err

    def driver(self, setting):
        """The driver's object file for a target."""
        if setting.target not in self.drivers:
            out = os.path.join(self.work, f"driver-{setting.target}.o")
            try:
                self.run([self.clang, *setting.target_flags, "-O2", "-w", "-c", os.path.join(HERE, "driver.c"), "-o", out],
                         "driver")
            except Broken as broken:
                raise SystemExit(f"tilesmith-fuzz: the driver for {setting.target} does not compile: {broken.args[1]}")
            self.drivers[setting.target] = out
        return self.drivers[setting.target]

    def commands(self, setting, stem):
        """(what it is, command): to compile without the plugin and with it, to optimise each side once more if
        it is for LTO, and to link."""
        clang, is_fortran = [self.clang, *setting.target_flags], setting.language == "fortran"
        lto = [f"-flto={setting.link}"] if setting.link != "plain" else []
        options = [*setting.options, "remarks=all"]
        environment = ["env", f"TILESMITH={';'.join(options)}"]
        steps, objects, others = [], [], []
        for what, side, flags in [("base", "base", setting.base_flags), ("compiler", "tile", setting.flags)]:
            object_, loads = f"{stem}-{side}.o", side == "tile" and setting.load != "link"
            remarks = ["-Rpass=tilesmith", "-Rpass-missed=tilesmith"]
            plugin = [f"-fpass-plugin={self.plugin}"]
            planted = ["-DPLANTED"] if self.planted and side == "tile" else []
            if is_fortran:
                # Remarks need lines, and flang optimises otherwise where it knows these: both sides ask for remarks.
                steps.append((what, [
                    *environment * loads, self.flang, *setting.target_flags, *flags, *lto, "-w", "-cpp", f'-DPREFIX="{side}"',
                    *planted, "-c", f"{stem}.f90", *remarks, *plugin * loads, "-o", object_]))
                others.append(f"{stem}-{side}-calls.o")
                steps.append(("link", [*clang, "-O1", "-Wno-everything", "-I", HERE, f"-DPREFIX={side}", "-c",
                                       f"{stem}-calls.c", "-o", others[-1]]))
            else:
                for option in options:
                    plugin += ["-mllvm", f"-tilesmith-{option}"]
                plugin += remarks
                steps.append((what, [
                    *clang, *flags, *lto, "-Wno-everything", "-fno-crash-diagnostics", "-I", HERE,
                    *["-x", "c++"] * (setting.language == "c++"), "-c", f"{stem}.c", f"-DPREFIX={side}", *planted,
                    *plugin * loads, "-o", object_]))
            if lto:
                # Never together with the driver: nothing is known of the calls.
                level = [f for f in flags if f.startswith(("-O", "-march"))]
                plugin = [f"-Wl,--load-pass-plugin={self.plugin}", "-Wl,-mllvm,-pass-remarks=tilesmith"]
                loads = side == "tile" and setting.load != "compile"
                whole = f"{stem}-{side}-lto.o"
                steps.append((what, [*environment * loads, *clang, *level, *lto, f"-fuse-ld={self.lld}", "-Wl,--thinlto-jobs=1",
                                     *plugin * loads, "-r", object_, "-o", whole]))
                object_ = whole
            objects.append(object_)
        return steps + [("link", [*clang, *objects, *others, self.driver(setting), WRAP, *setting.libraries, "-lm", "-o", stem])]


class Unit:
    """A file: programs with their cases, and a setting."""

    def __init__(self, tools, entries, setting, name):
        self.tools, self.entries, self.setting = tools, entries, setting
        self.stem = os.path.join(tools.work, name)
        self.replaced, self.missed = collections.Counter(), collections.Counter()
        self.kinds, self.reasons = collections.Counter(), collections.Counter()
        self.calls = self.allocated = self.guarded = self.kernels = 0

    def write(self):
        text, self.lines = source.writer_of(self.setting).translation_unit([p for p, _ in self.entries])
        calls = [case.line(program, i, number) for i, (program, cases) in enumerate(self.entries)
                 for number, case in enumerate(cases)]
        self.write_files(text, calls)

    def write_files(self, text, calls):
        with open(self.stem + self.setting.suffix, "w") as file:
            file.write(text)
        if self.setting.language == "fortran":
            with open(f"{self.stem}-calls.c", "w") as file:
                file.write(fortran.calls_in_c(text))
        with open(f"{self.stem}.calls", "w") as file:
            print(*calls, sep="\n", file=file)

    def check(self):
        """The failures; a Broken if no single program can be blamed."""
        self.write()
        # Without the plugin first: what fails there is none of its business.
        for what, command in self.tools.commands(self.setting, self.stem):
            _, _, remarks = self.tools.run(command, what)
            if what == "compiler":
                self.count(remarks)
        code, out, err = self.tools.run(
            [*self.setting.runner, self.stem, f"{self.stem}.calls", str(self.tools.call_seconds)], "run", check=False)
        failures = {}
        for line in out.splitlines():
            if line.startswith("FAIL "):
                name, case, what = line[5:].split(" | ", 2)
                without = re.fullmatch(r"signal \d+ with the plugin, (\d+) without", what)
                kind = "different" if not without else "signal" if without[1] == "0" else "base-signal"
                failures.setdefault(name, Failure(name, kind, f"call {case}: {what}"))
        done = re.search(r"^DONE (\d+) calls, (\d+)", out, re.M)
        if not done or code not in (0, 1):
            raise Broken("run", f"the driver ended with {code}: {out[-300:]}{err[-300:]}")
        self.calls, self.allocated = int(done[1]), int(done[2])
        if self.setting.always_packs:
            ran = collections.Counter(re.findall(r"^KERNEL (.*)", out, re.M))
            self.guarded = sum(len(calls) for p, calls in self.entries if self.replaced[p.name])
            self.kernels = sum(ran[p.name] for p, _ in self.entries if self.replaced[p.name])
        return list(failures.values())

    def count(self, remarks):
        by_line = {line: name for name, lines in self.lines.items() for line in lines}
        for line, text in re.findall(re.escape(os.path.basename(self.stem)) + r"\.\w+:(\d+):\d+: remark: (.*)", remarks):
            name = by_line.get(int(line))
            if text.startswith("replaced"):
                self.replaced[name] += 1
                self.kinds[re.sub(r" \(.*", "", text.split(" by ", 1)[1]).split(",")[0]] += 1
            elif " not replaced: " in text:
                self.missed[name] += 1
                text = text.split(" not replaced: ", 1)[1]
                self.reasons[next((n for t, n in self.tools.reasons if text.startswith(t)), text[:30])] += 1
        # The linker does not know the lines.
        for kind in re.findall(r"<unknown>:0:0: replaced .* by (\w+ \w+)", remarks):
            self.kinds[f"{kind} at the link"] += 1

    def remove_files(self):
        for end in (".c", ".f90", ".calls", "-calls.c", "", *(f"-{side}{end}.o" for side in ("base", "tile") for end in ("", "-lto", "-calls"))):
            if os.path.exists(self.stem + end):
                os.remove(self.stem + end)


class Replay(Unit):
    """A file that a campaign has saved."""

    def __init__(self, tools, path):
        with open(path) as file:
            self.text = file.read()
        self.lines = {}
        setting = Setting(**json.loads(re.search("^(?://|!) SETTING (.*)", self.text, re.M)[1]))
        super().__init__(tools, [], setting, os.path.splitext(os.path.basename(path))[0])

    def write(self):
        self.write_files(self.text, re.findall("^(?://|!) CALL (.*)", self.text, re.M))


def check(tools, entries, setting, name, stats=None):
    """The failures of all programs. If a command fails for all of them, each half is tried."""
    unit = Unit(tools, entries, setting, name)
    try:
        found = unit.check()
        if stats:
            stats.add(unit)
        return found
    except Broken as broken:
        if len(entries) == 1:
            return [Failure(entries[0][0].name, broken.args[0], broken.args[1])]
        half = len(entries) // 2
        return check(tools, entries[:half], setting, name, stats) + check(tools, entries[half:], setting, name, stats)
    finally:
        unit.remove_files()
