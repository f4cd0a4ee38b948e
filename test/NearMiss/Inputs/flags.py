# Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""flags.py [--list] <compiler> <plugin> <source>

A table of near misses that depend on flags, with their cures:

    // EXPECT Reason: what it does
    // FLAGS <flags>
    <function>
    // CURED <flags>
    <the function, if it is another one>

Each is compiled with these flags and -O2, together with what stands in front of the first one.
Fails unless it gets one remark of that reason, and the cured one none but of products that are replaced.
--list prints what was found."""

import os
import re
import shlex
import subprocess
import sys
import tempfile


def pairs(text):
    """[(reason, flags, source, flags when cured, source when cured)], and what stands in front."""
    head, *parts = re.split(r"^(?://|!) EXPECT ", text, flags=re.MULTILINE)
    result = []
    for part in parts:
        expected, flags, miss, cured_flags, cured = re.fullmatch(
            r"([\w|]+).*?\n(?://|!) FLAGS(.*?)\n(.*?)(?://|!) CURED(.*?)\n(.*)", part, re.DOTALL).groups()
        result.append((expected.split("|"), flags, miss, cured_flags, cured if cured.strip() else miss))
    return head, result


def remarks(compiler, plugin, source, flags):
    """[(whether it is of what was done, name)]"""
    record = source + ".yaml"
    subprocess.run(shlex.split(compiler) + [
        "-O2", "-c", source, "-o", source + ".o", f"-fpass-plugin={plugin}", "-fsave-optimization-record",
        f"-foptimization-record-file={record}", "-foptimization-record-passes=tilesmith"] + shlex.split(flags), check=True)
    if not os.path.exists(record):
        return []
    with open(record) as file:
        return [(kind == "Passed", name) for kind, name in re.findall(
            r"^--- !(Passed|Missed)\nPass: +tilesmith\nName: +(\w+)", file.read(), re.MULTILINE)]


def main():
    args = sys.argv[1:]
    is_list = args[:1] == ["--list"]
    compiler, plugin, path = args[is_list:]
    with open(path) as file:
        head, table = pairs(file.read())
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        for number, (expected, flags, miss, cured_flags, cured) in enumerate(table):
            found = []
            for text, with_flags in ((miss, flags), (cured, cured_flags)):
                source = f"{folder}/{number}-{len(found)}{os.path.splitext(path)[1]}"
                with open(source, "w") as file:
                    file.write(head + text)
                found.append(remarks(compiler, plugin, source, with_flags))
            missed = [name for done, name in found[0] if not done]
            is_right = len(missed) == 1 and missed[0] in expected and found[1] and all(done for done, _ in found[1])
            failed |= not is_right
            if is_list or not is_right:
                print(f"{'' if is_right else 'WRONG '}{'|'.join(expected)}: {found[0]}, cured: {found[1]}")
    sys.exit(failed)


main()
