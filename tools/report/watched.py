# Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What programs printed at their end that were compiled with the option "profile"."""

import dataclasses
import os
import re

ENTRY = re.compile(
    r"^tilesmith: (?P<file>.+?):(?P<line>\d+):(?P<column>\d+): .*\n"
    r"  kernel: (?P<kernel>\d+) times, (?P<kernel_seconds>[\d.]+) s, [\d.]+ % of the time, (?P<rate>[\d.]+) (?P<unit>\S+)\n"
    r"  loops: (?P<loops>\d+) times, (?P<loop_seconds>[\d.]+) s, [\d.]+ % of the time; "
    r"(?P<small>\d+) too small, (?P<assumption>\d+) assumption failed, (?P<unsafe>\d+) not safe, (?P<given_up>\d+) given up$", re.M)


@dataclasses.dataclass
class Runs:
    """Of a nest, in all programs together."""
    kernel: int = 0  # how often
    kernel_seconds: float = 0
    billions: float = 0  # of operations made in the kernel
    rate: float = 0  # the highest of one program
    unit: str = ""
    loops: int = 0
    loop_seconds: float = 0
    small: int = 0
    assumption: int = 0
    unsafe: int = 0
    given_up: int = 0

    @property
    def seconds(self):
        return self.kernel_seconds + self.loop_seconds

    @property
    def speed(self):
        """In the unit. Times are printed in ms, so short ones say nothing."""
        return self.billions / self.kernel_seconds if self.kernel_seconds >= 0.1 else self.rate

    def add(self, entry):
        self.unit = entry["unit"]
        self.billions += float(entry["rate"]) * float(entry["kernel_seconds"])
        self.rate = max(self.rate, float(entry["rate"]))
        for name in ("kernel", "loops", "small", "assumption", "unsafe", "given_up"):
            setattr(self, name, getattr(self, name) + int(entry[name]))
        for name in ("kernel_seconds", "loop_seconds"):
            setattr(self, name, getattr(self, name) + float(entry[name]))


def key_of(file, line, column):
    """Folders are left out: compilers and records name them in different ways."""
    return os.path.basename(file), line, column


def read(paths):
    """{key: Runs}, of files that may hold other output, too."""
    found = {}
    for path in paths:
        for entry in ENTRY.finditer(path.read_text(encoding="utf-8", errors="replace")):
            key = key_of(entry["file"], int(entry["line"]), int(entry["column"]))
            found.setdefault(key, Runs()).add(entry)
    return found
