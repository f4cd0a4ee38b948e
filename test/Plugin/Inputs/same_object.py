# Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""same_object.py [--levels O1,O2] <compiler> <plugin> <source> [flag...]

Compiles <source> with and without the plugin at every optimisation level, and
fails unless both give the same object file, byte for byte."""

import subprocess
import sys
import tempfile

args = sys.argv[1:]
levels = ["O1", "O2", "O3", "Os", "Oz"]
if args[0] == "--levels":
    levels = args[1].split(",")
    args = args[2:]
compiler, plugin, source, *flags = args
failed = False
with tempfile.TemporaryDirectory() as folder:
    for level in levels:
        objects = []
        for extra in ([], [f"-fpass-plugin={plugin}"]):
            path = f"{folder}/x.o"
            # The same name for both: it may be part of the object.
            subprocess.run([compiler, f"-{level}", "-c", source, "-o", path] + flags + extra,
                           check=True)
            with open(path, "rb") as file:
                objects.append(file.read())
        if objects[0] != objects[1]:
            print(f"{source}: the plugin changes the code at -{level} {' '.join(flags)}")
            failed = True
sys.exit(failed)
