#!/usr/bin/env python3
#===- matrix.py - every form, with and without the plugin -*- python -*-===//
#
# Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""Compiles every form of forms.py twice, with and without the plugin, links
both into one executable, and checks that

  * -Rpass=tilesmith reports every product of the form as replaced,
  * driver.c finds all results equal, byte for byte, and
  * what is replaced has been computed by a kernel at least once (counts.py).

--matrix spellings does the same for spellings.py and spellings-driver.c, and
--matrix convolutions for convolutions.py.

Typical use, where P stands for --clang clang-22 --plugin libTilesmith.so:

  matrix.py --list                      the forms
  matrix.py --show ikj_rrr_add_f64      the C source of the forms so named
  matrix.py P --shard 3/16 --share 3    one sixteenth of them, as the tests do
  matrix.py P --form ikj_rrr_add_f64    the forms so named (regular expression)
  matrix.py P --form ... --config O2-off --case 'size 7x7x7'

A failure is printed with its source and the commands to repeat it, and written
as a line of JSON to failures.jsonl in the work folder.
"""

import argparse
import importlib
import json
import math
import os
import re
import subprocess
import sys
import time
import zlib

import counts

F = None          # the module of the forms

HERE = os.path.dirname(os.path.abspath(__file__))
BATCH = 24        # forms per file
TIME_LIMIT = 300  # seconds for one command

# name: (flags of both builds, options of the plugin, driver's options).
# Without min-work=1, products of small constant size may be left alone.
# Small blocks make small sizes go round every loop of the blocking.
NOW = ["min-work=1"]
SMALL = NOW + ["mc=40", "nc=48", "kc=24"]
CONFIGS = {
    "O3":       (["-O3"], NOW, []),
    "O3-size":  (["-O3"], [], []),
    "O2-small": (["-O2"], SMALL, []),
    "O2-off":   (["-O2", "-ffp-contract=off"], NOW, []),
    "O3-small": (["-O3"], SMALL, []),
    "O3-off":   (["-O3", "-ffp-contract=off"], SMALL, []),
    "O2-fast":  (["-O2", "-ffp-contract=fast"], [], []),
    "O3-fast":  (["-O3", "-ffp-contract=fast"], NOW, []),
    "O3-math":  (["-O3", "-ffast-math"], NOW, ["--fast-math"]),
    "O2-math":  (["-O2", "-ffast-math"], SMALL, ["--fast-math"]),
    "O3-avx2":  (["-O3", "-march=x86-64-v3"], NOW, []),
    "O2-sse2":  (["-O2", "-march=x86-64"], NOW, []),
    # The kernel of the machine, in a program for any: without fused operations.
    "O3-dispatch": (["-O3", "-march=x86-64", "-ffp-contract=off"],
                    NOW + ["dispatch=cpu"], []),
    "O3-full":  (["-O3"], NOW, ["--no-memory", "--quick"]),
}

# name: (flags, command that runs the executable, configurations)
# For AArch64, clang vectorises a sum in order, and then rounds the products of
# a vector but fuses those of the remainder. No replacement can follow that.
# The packages for other targets bring the C library only.
AARCH64 = ["--target=aarch64-linux-gnu", "-static", "-nostdinc++",
           "-mllvm", "-force-ordered-reductions=false"]
CROSS = ["O3", "O2-off"]


def qemu_sve(bits):
    return ["qemu-aarch64", "-cpu", f"max,sve-default-vector-length={bits // 8}"]


def sme(bits):
    """Streaming mode with vectors of so many bits."""
    return (AARCH64 + ["-march=armv9-a+sme+sme-f64f64"],
            ["qemu-aarch64", "-cpu", f"max,sme-default-vector-length={bits // 8}"], CROSS)


TARGETS = {
    "native": (["-march=native"], [], None),
    "aarch64": (AARCH64, ["qemu-aarch64"], CROSS),
    "aarch64-v9": (AARCH64 + ["-march=armv9-a"], qemu_sve(256), CROSS),
    "aarch64-sve256": (AARCH64 + ["-march=armv8.2-a+sve", "-msve-vector-bits=256"],
                       qemu_sve(256), CROSS),
    "aarch64-sve512": (AARCH64 + ["-march=armv9-a", "-msve-vector-bits=512"],
                       qemu_sve(512), CROSS),
    "aarch64-sme128": sme(128),
    "aarch64-sme256": sme(256),
    "aarch64-sme512": sme(512),
    "ppc64le": (["--target=powerpc64le-linux-gnu", "-mcpu=power9", "-static", "-nostdinc++"],
                ["qemu-ppc64le", "-cpu", "power9"], CROSS),
    "pwr10": (["--target=powerpc64le-linux-gnu", "-mcpu=power10", "-static", "-nostdinc++"],
              ["qemu-ppc64le", "-cpu", "power10"], ["O3", "O2-math"]),
    "riscv64": (["--target=riscv64-linux-gnu", "-march=rv64gcv", "-static", "-nostdinc++",
                 "-mllvm", "-force-ordered-reductions=false"],
                ["qemu-riscv64", "-cpu", "rv64,v=true,vlen=128,vext_spec=v1.0"], CROSS),
    "riscv64-256": (["--target=riscv64-linux-gnu", "-march=rv64gcv_zvl256b", "-static",
                     "-nostdinc++", "-mllvm", "-force-ordered-reductions=false"],
                    ["qemu-riscv64", "-cpu", "rv64,v=true,vlen=256,vext_spec=v1.0"], ["O3-small"]),
    "s390x": (["--target=s390x-linux-gnu", "-march=z14", "-static", "-nostdinc++"],
              ["qemu-s390x", "-cpu", "max"], CROSS),
}


class Failure(Exception):
    """Compiling, linking or running went wrong as a whole."""


class Batch:
    """Some forms in one file, in one configuration."""

    def __init__(self, args, forms, number, config):
        self.args, self.forms, self.config = args, forms, config
        self.target_flags, self.runner, _ = TARGETS[args.target]
        self.flags, self.options, self.driver_options = CONFIGS[config]
        # What has no options is compiled as users do it, and small sizes are left
        # alone. Where every allocation fails, nothing runs.
        self.counts = bool(self.options) and "--no-memory" not in self.driver_options
        self.text, self.lines = F.translation_unit(forms)
        self.stem = os.path.join(args.work, f"forms-{number}")
        self.source = f"{self.stem}.{forms[0].language}"
        self.exe = f"{self.stem}-{config}"
        self.commands = []

    def run(self, command, check=True, env=None):
        self.commands.append(command)
        try:
            result = subprocess.run(command, capture_output=True, text=True, env=env,
                                    errors="replace", timeout=TIME_LIMIT)
        except subprocess.TimeoutExpired as e:
            out = e.stdout.decode(errors="replace") if e.stdout else ""
            raise Failure(f"{command[0]} took over {TIME_LIMIT} s, after {out[-200:]!r}")
        if check and result.returncode:
            raise Failure(f"{command[0]} ended with {result.returncode}:\n{result.stderr[-4000:]}")
        return result

    def compile(self, prefix, extra):
        # The compiler takes the last -march.
        command = ([self.args.clang] + self.target_flags + self.flags +
                   ["-w", "-I", HERE, "-c", f"-DPREFIX={prefix}"] + extra +
                   [self.source, "-o", f"{self.exe}-{prefix}.o"])
        return self.run(command).stderr

    def build(self):
        """Returns the remarks, as (line, text)."""
        with open(self.source, "w") as file:
            file.write(self.text)
        self.compile("base", [])
        plugin = [f"-fpass-plugin={self.args.plugin}", "-Rpass=tilesmith",
                  "-Rpass-missed=tilesmith"]
        for option in ["verify=1"] + ["count=1"] * self.counts + self.options:
            plugin += ["-mllvm", f"-tilesmith-{option}"]
        remarks = self.compile("tile", plugin)
        objects = {"driver.o": os.path.join(HERE, F.DRIVER), "counts.o": counts.SOURCE}
        for name, source in objects.items():
            if not os.path.exists(os.path.join(self.args.work, name)):
                flags = [f for f in self.target_flags if "native" not in f]
                self.run([self.args.clang] + flags +
                         ["-O2", "-c", source, "-o", os.path.join(self.args.work, name)])
        wrap = "-Wl,--wrap=malloc,--wrap=aligned_alloc,--wrap=posix_memalign"
        # libgcc of Debian 12 has no conversions to bfloat16.
        runtime = ["-rtlib=compiler-rt"] if self.args.target == "native" else []
        self.run([self.args.clang] + self.target_flags + runtime +
                 [f"{self.exe}-base.o", f"{self.exe}-tile.o", wrap, "-lm", "-o", self.exe] +
                 [os.path.join(self.args.work, name) for name in objects])
        found = re.findall(re.escape(self.source) + r":(\d+):\d+: remark: (.*)", remarks)
        return [(int(line), text) for line, text in found]

    def check(self):
        """Yields (form, what went wrong)."""
        remarks = self.build()
        for form in self.forms:
            mine = [r for r in remarks if r[0] in self.lines[form]]
            replaced = [r for r in mine if r[1].startswith("replaced") and form.kind in r[1]]
            if not form.shared:  # versions of a nest have one line
                replaced = {line for line, _ in replaced}
            excuse = next((why for pattern, why in F.EXPECTED_MISSED.items()
                           if re.search(pattern, f"{form.name}@{self.config}")), None)
            if self.args.no_require_replaced or (F.may_be_mixed(form) and "-ffp-contract=fast" in self.flags):
                continue
            if excuse and len(replaced) >= form.products:
                yield form, f"is replaced, but EXPECTED_MISSED says: {excuse}"
            elif (not excuse and len(replaced) < form.products and
                  not self.needs_avx512(form, mine) and
                  not (F.is_small(form) and "min-work=1" not in self.options)):
                yield form, (f"{len(replaced)} of {form.products} products replaced; remarks: " +
                             ("; ".join(f"line {line}: {text}" for line, text in mine) or "none"))
        quick = ["--quick"] if self.runner else []
        case = [self.args.case] if self.args.case else []
        result = self.run(self.runner + [self.exe] + self.driver_options + quick + case, False,
                          counts.environment(f"{self.exe}.counts"))
        by_name = {form.name: form for form in self.forms}
        known = {name: why for name in by_name for pattern, why in F.KNOWN_BUGS.items()
                 if re.search(pattern, f"{name}@{self.config}")}
        different = set()
        for line in result.stdout.splitlines():
            if line.startswith("FAIL "):
                name, case, what = line[5:].split(" | ", 2)
                different.add(name)
                if name not in known:
                    yield by_name[name], f"{case}: {what}"
        for name in known.keys() - different:
            if not self.args.case:
                yield by_name[name], f"has the same result, but KNOWN_BUGS says: {known[name]}"
        if "\nDONE " not in result.stdout or result.returncode not in (0, 1):
            raise Failure(f"the driver ended with {result.returncode}:\n"
                          f"{result.stdout[-400:]}{result.stderr[-1000:]}")
        if self.counts and not case and not self.args.no_require_replaced:
            yield from self.check_counts()

    def needs_avx512(self, form, remarks):
        """Without it, clang's vectors of products of 32 bits in sums of 64 are as fast, and some plans need more
        registers than there are."""
        whys = ["needs more vector registers"] + ["clang's own vectors are as fast"] * (form.type == "i32i64")
        return (self.args.target == "native" and not has_feature("avx512dq") and
                any(why in text for _, text in remarks for why in whys))

    def check_counts(self):
        """Yields (form, what never ran)."""
        found = counts.read(f"{self.exe}.counts")
        for form in self.forms:
            mine = [c for c in found if c.line in self.lines[form] and
                    os.path.basename(c.file) == os.path.basename(self.source)]
            idle = counts.never_run(mine, form.products if form.shared else 1)
            if idle:
                yield form, f"is replaced, but never computed by its kernel: {idle}"
            elif versions := counts.idle_versions(mine):
                print(f"NOTE {form.name} [{self.config}]: a version never ran: {versions}")


def has_feature(name):
    """Whether this machine's CPU has it; no if that is not known."""
    if not os.path.exists("/proc/cpuinfo"):
        return False
    with open("/proc/cpuinfo") as file:
        return f" {name} " in file.read()


def turns():
    """After so many, choices of configurations repeat."""
    return math.lcm(*map(len, F.GROUPS))


def turn_of(form, share):
    """Tells which configurations a form is compiled with. It depends on the name
    alone, so that more forms do not change it for the others."""
    return checksum(form) % (share * turns())


def configs_of(turn, share):
    """One configuration of each group, or of every so many groups."""
    return [choices[turn % len(choices)] for choices in F.GROUPS[turn // turns()::share]]


def checksum(form):
    return zlib.crc32(form.name.encode())


def batches(args, forms):
    """(forms of one file, number, configurations) for all of `forms`."""
    groups = []
    for language in ("c", "cpp"):
        for turn in sorted({turn_of(f, args.share) for f in forms}):
            group = [f for f in forms if f.language == language and turn_of(f, args.share) == turn]
            files = -(-len(group) // BATCH)
            groups += [(group[i::files], turn) for i in range(files)]
    for number, (group, turn) in enumerate(groups):
        configs = args.config or TARGETS[args.target][2] or configs_of(turn, args.share)
        if not has_feature("avx2"):
            configs = [c for c in configs if c != "O3-avx2"]
        if args.target != "native" or "x86" not in os.uname().machine:
            configs = [c for c in configs if "-march" not in " ".join(CONFIGS[c][0])]
        yield group, number, configs


def report(args, batch, form, what):
    commands = [" ".join(map(quote, c)) for c in batch.commands]
    record = {"form": form.name if form else None, "target": args.target,
              "config": batch.config, "failure": what, "commands": commands}
    with open(os.path.join(args.work, "failures.jsonl"), "a") as file:
        print(json.dumps(record), file=file)
    print(f"FAIL {form.name if form else batch.exe} [{args.target} {batch.config}]: {what}")


def quote(word):
    return word if re.fullmatch(r"[\w./=:,+-]+", word) else f"'{word}'"


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--matrix", default="forms", choices=["forms", "spellings", "convolutions"])
    parser.add_argument("--clang", default="clang-22")
    parser.add_argument("--plugin", help="libTilesmith.so")
    parser.add_argument("--work", default="matrix-work", help="folder for all files made")
    parser.add_argument("--shard", default="1/1", metavar="I/N", help="the I-th of N parts")
    parser.add_argument("--subset", type=int, metavar="N", help="about N forms, spread evenly")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="every N-th of these forms")
    parser.add_argument("--form", help="only forms whose name matches this regular expression")
    parser.add_argument("--config", action="append", choices=CONFIGS)
    parser.add_argument("--share", type=int, default=1, metavar="N",
                        help="each form with one of N parts of its configurations only")
    parser.add_argument("--case", help="only calls whose description contains this text")
    parser.add_argument("--target", default="native", choices=TARGETS)
    parser.add_argument("--no-require-replaced", action="store_true",
                        help="check results only")
    parser.add_argument("--list", action="store_true", help="print the names of the forms")
    parser.add_argument("--show", metavar="FORM", help="print the source of these forms")
    args = parser.parse_args()
    args.shard = tuple(map(int, args.shard.split("/")))
    return args


def main():
    global F
    args = parse_arguments()
    F = importlib.import_module(args.matrix)
    forms = F.all_forms()
    pattern = args.form or args.show
    if pattern:
        forms = [f for f in forms if re.search(pattern, f.name)]
    if args.subset:
        forms = forms[::max(1, len(forms) // args.subset)]
    forms = forms[::args.every]
    # Forms that share configurations come together, in no other order.
    forms.sort(key=lambda form: (turn_of(form, args.share), checksum(form)))
    part, parts = args.shard
    forms = forms[len(forms) * (part - 1) // parts:len(forms) * part // parts]
    if args.list or args.show:
        for form in forms:
            print("\n".join(F.source(form)) if args.show else form.name)
        return 0
    if not args.plugin:
        sys.exit("matrix.py: --plugin is missing")
    if not forms:
        sys.exit("matrix.py: no such form")

    os.makedirs(args.work, exist_ok=True)
    for old in ("failures.jsonl", "driver.o", "counts.o"):
        if os.path.exists(os.path.join(args.work, old)):
            os.remove(os.path.join(args.work, old))
    begin, failed, runs = time.time(), {}, 0
    for group, number, configs in batches(args, forms):
        for config in configs:
            batch = Batch(args, group, number, config)
            runs += len(group)
            try:
                for form, what in batch.check():
                    report(args, batch, form, what)
                    failed.setdefault(form, batch)
            except Failure as e:
                report(args, batch, None, str(e))
                failed.setdefault(None, batch)
    for form, batch in list(failed.items())[:5]:
        if form:
            print("\n" + "=" * 78, *F.source(form), "", sep="\n")
            print("# repeat:", *map(quote, [
                "test/EndToEnd/matrix.py", "--matrix", args.matrix, "--clang", args.clang, "--plugin", args.plugin,
                "--target", args.target, "--config", batch.config, "--form", f"^{form.name}$"]))
        print("# commands:", *(" ".join(map(quote, c)) for c in batch.commands), sep="\n")
    print(f"\n{len(forms)} forms, {runs} runs in {time.time() - begin:.0f} s: "
          f"{len(failed)} forms failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
