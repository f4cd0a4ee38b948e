# Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How much code the kernels are, by the symbols of a build's object files."""

import shutil
import subprocess
import typing

READERS = ("llvm-nm-22", "llvm-nm", "nm")


class Code(typing.NamedTuple):
    bytes: int  # of kernels, and of guards that were moved to functions of their own
    all: int  # bytes of all functions
    files: int  # object files that have kernels


def code_in(folder):
    """None if there are no kernels in object files, or no tool that reads them."""
    reader = next(filter(None, map(shutil.which, READERS)), None)
    files = sorted(path for path in folder.rglob("*.o") if path.is_file())
    if not reader or not files:
        return None
    kernels, everything, with_kernels = 0, 0, 0
    for path in files:
        listed = subprocess.run([reader, "--defined-only", "--format=posix", path], capture_output=True, text=True)
        mine = 0
        for line in listed.stdout.splitlines():
            name, kind, *numbers = line.rsplit(" ", 3)
            if kind not in "tTwW" or len(numbers) != 2 or not numbers[1]:
                continue
            size = int(numbers[1], 16)
            everything += size
            mine += size if "tilesmith." in name or ".tilesmith" in name else 0
        kernels += mine
        with_kernels += mine > 0
    return Code(kernels, everything, with_kernels) if kernels else None
