#!/usr/bin/env python3
#===- idioms.py - the examples in docs/idioms -*- python -*-===//
#
# Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""Compiles every fenced block of a page, and checks that the remarks are those
that the block's first line expects:

    ```c replaced="SYRK f64"          one nest, and the remark says this
    ```c replaced="GEMM; TRMM"        two nests, in any order
    ```c++ replaced=2                 two nests; 2+: or more
    ```c missed=Recurrence            the names of missed remarks (Reason.def)
    ```c replaced=1 missed=Branch     both
    ```c none                         no remark at all
    ```c missed=MixedFusion flags="-ffp-contract=fast"

What is not said is not there: replaced=1 alone means one nest and no missed
remark. A block without an expectation fails; commands and output are indented
instead. A block is a whole file. --list prints what was found.

In the tables, names of reasons must be those of Reason.def. Links within the
documentation must lead somewhere."""

import argparse
import os
import re
import subprocess
import sys
import tempfile

SUFFIX = {"c": "c", "c++": "cpp", "fortran": "f90", "rust": "rs"}
HERE = os.path.dirname(os.path.abspath(__file__))
TIME_LIMIT = 120  # seconds for one command


class Block:
    def __init__(self, page, line, info):
        self.where, self.lines = f"{page}:{line}", []
        self.language, _, expectation = info.strip().partition(" ")
        self.replaced, self.or_more, self.missed, self.flags = [], False, set(), []
        self.problem = None
        if self.language not in SUFFIX:
            self.problem = f"'{self.language}' is no language that is tested"
        parts = re.findall(r'(\w+)(?:=("[^"]*"|\S+))?', expectation)
        for name, value in parts:
            value = value.strip('"')
            if name == "replaced":
                self.or_more = value.endswith("+")
                count = value.rstrip("+")
                self.replaced = [""] * int(count) if count.isdigit() else value.split("; ")
            elif name == "missed":
                self.missed = set(value.split(","))
            elif name == "flags":
                self.flags = value.split()
            elif name != "none":
                self.problem = f"'{name}' is not understood"
        if not {name for name, _ in parts} & {"replaced", "missed", "none"}:
            self.problem = "the block says nothing about what becomes of it"

    def check(self, found):
        """found: (name, text) of each remark."""
        texts = [text for name, text in found if name == "Replaced"]
        missed = {name for name, _ in found if name != "Replaced"}
        open_ = list(texts)
        for wanted in sorted(self.replaced, key=len, reverse=True):
            fits = [text for text in open_ if wanted in text]
            if not fits:
                return False
            open_.remove(fits[0])
        return missed == self.missed and (self.or_more or not open_)


def blocks(page):
    block = None
    with open(page) as file:
        for number, line in enumerate(file, 1):
            fence = re.match(r" {0,3}```(.*)", line)
            if fence and block:
                yield block
                block = None
            elif fence:
                block = Block(os.path.basename(page), number, fence[1])
            elif block:
                block.lines.append(line)
    if block:
        sys.exit(f"{page}: the last block is not closed")


def run(command):
    result = subprocess.run(command, capture_output=True, text=True, errors="replace",
                            timeout=TIME_LIMIT, env={**os.environ, "TILESMITH": "verify=1"})
    if result.returncode:
        raise RuntimeError(f"{' '.join(command)}\n{result.stderr[-3000:]}")


def compile_block(args, block, folder):
    """Leaves an optimization record; false if the compiler is not there."""
    source, record = f"{folder}/block.{SUFFIX[block.language]}", f"{folder}/record.yaml"
    with open(source, "w") as file:
        file.writelines(block.lines)
    if os.path.exists(record):
        os.remove(record)
    compiler = {"c": [args.clang], "c++": [args.clang, "--driver-mode=g++"],
                "fortran": [args.flang], "rust": [args.rustc]}[block.language]
    if not compiler[0] or compiler[0].endswith("-not-found"):
        return False
    if block.language == "rust":
        # With positions, versions that LLVM makes of a nest are told as one.
        run(compiler + ["-O", "-C", "debuginfo=1", "-C", "no-prepopulate-passes", "-C", "codegen-units=1",
                        "--emit=llvm-bc", "--crate-type=lib", source, "-o", f"{folder}/block.bc"])
        run(args.opt.split() + ["-passes=default<O3>", "-tilesmith-remarks=all", f"{folder}/block.bc", "-o", os.devnull,
                                f"-pass-remarks-output={record}",
                                "-pass-remarks-filter=tilesmith"])
        return True
    modules = ["-module-dir", folder] if block.language == "fortran" else ["-w"]
    run(compiler + ["-O3", "-c", source, "-o", f"{folder}/block.o",
                    f"-fpass-plugin={args.plugin}", "-mllvm", "-tilesmith-remarks=all",
                    f"-foptimization-record-file={record}", "-foptimization-record-passes=tilesmith"] + modules + block.flags + args.flag)
    return True


def remarks(folder):
    """(name, text) of each remark in the record."""
    path = f"{folder}/record.yaml"
    if not os.path.exists(path):  # none at all
        return
    with open(path) as file:
        documents = file.read().split("\n--- ")
    for text in filter(str.strip, documents):
        arguments = text.partition("\nArgs:")[2]
        values = re.findall(r"^  - \w+: +(.*(?:\n {6,}.*)*)$", arguments, re.M)
        yield (re.search(r"^Name: +(\w+)$", text, re.M)[1],
               "".join(re.sub(r"\s+", " ", value).strip("'\"").replace("''", "'") for value in values))


def reasons():
    path = os.path.join(HERE, "../../include/tilesmith/Idiom/Reason.def")
    with open(path) as file:
        return set(re.findall(r"^TILESMITH_REASON\((\w+),", file.read(), re.M))


def anchors(path):
    with open(path) as file:
        for heading in re.findall(r"^#+ (.*)$", file.read(), re.M):
            words = re.sub(r"[^\w\s-]", "", heading.lower())
            yield words.strip().replace(" ", "-")


def check_text(page):
    with open(page) as file:
        text = file.read()
    known = reasons()
    for row in re.findall(r"^\|.*", text, re.M):
        for name in re.findall(r"`([A-Z][a-z]+(?:[A-Z][a-z]+)*)`", row):
            if name not in known:
                yield f"{page}: there is no reason '{name}'"
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        file, _, anchor = target.partition("#")
        path = os.path.join(os.path.dirname(page), file) if file else page
        if target.startswith("http"):
            continue
        if not os.path.exists(path):
            yield f"{page}: {target} does not exist"
        elif anchor and anchor not in anchors(path):
            yield f"{page}: {target}: there is no such heading"


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plugin", required=True, help="libTilesmith.so")
    parser.add_argument("--clang", default="clang-22")
    parser.add_argument("--flang", help="blocks in Fortran are left out without it")
    parser.add_argument("--rustc", help="blocks in Rust are left out without it")
    parser.add_argument("--opt", help="opt with the plugin, for Rust")
    parser.add_argument("--flag", action="append", default=[], help="one more flag, as --flag=-g")
    parser.add_argument("--list", action="store_true", help="print the remarks of each block")
    parser.add_argument("page", nargs="+")
    args = parser.parse_args()

    failures = []
    with tempfile.TemporaryDirectory() as folder:
        for page in args.page:
            failures += check_text(page)
            for block in blocks(page):
                if block.problem:
                    failures.append(f"{block.where}: {block.problem}")
                    continue
                try:
                    if not compile_block(args, block, folder):
                        print(f"{block.where}: left out, no compiler for {block.language}")
                        continue
                except RuntimeError as error:
                    failures.append(f"{block.where}: {error}")
                    continue
                found = list(remarks(folder))
                lines = "".join(f"\n    {name}: {text}" for name, text in found) or " none"
                if args.list:
                    print(f"{block.where}:{lines}")
                if not block.check(found):
                    failures.append(f"{block.where}: expected replaced={block.replaced} "
                                    f"missed={sorted(block.missed)}, found:{lines}")
    print("\n".join(failures))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
