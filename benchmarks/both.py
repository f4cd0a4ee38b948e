# Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Object files of the same nests, by clang alone and with the plugin."""

import subprocess


def compile_both(command, plugin, source, work, ours="ours"):
    """Compiles source twice, with PREFIX defined as "clang", and as ours with the flags in plugin; returns both files, in
    the folder work."""
    objects = []
    for prefix, more in ("clang", []), (ours, plugin):
        objects.append(work / f"{prefix}.o")
        subprocess.run([*command, *more, f"-DPREFIX={prefix}", "-c", source, "-o", objects[-1]], check=True)
    return objects
