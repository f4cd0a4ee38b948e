# Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How programs are compiled: flags of both builds, and options of the plugin."""

import os
import platform
import random
import sys
from dataclasses import dataclass, field

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "test", "EndToEnd"))
from matrix import TARGETS  # flags, and the command that runs the executable

# Those for which clang knows _Float16 and __bf16, and which need no library for them.
HALVES = {"native", "aarch64", "aarch64-v9", "aarch64-sve256", "aarch64-sve512"}


@dataclass
class Setting:
    """Everything but the program: the same for a whole file."""
    target: str = "native"
    flags: list = field(default_factory=list)
    options: list = field(default_factory=list)  # of the plugin
    base: list = None  # flags without the plugin, if they are others

    def __str__(self):
        return " ".join([self.target] + self.flags + [";".join(self.options) or "no options"])

    @property
    def base_flags(self):
        return self.flags if self.base is None else self.base

    @property
    def always_packs(self):
        """Whether each kernel that runs allocates memory, by which it is seen."""
        return "read-a=1" in self.options or "plan=pack-a=always pack-b=always" in self.options

    @property
    def target_flags(self):
        # The march of a native program is one of its own flags.
        return [f for f in TARGETS[self.target][0] if self.target != "native"]

    @property
    def runner(self):
        return TARGETS[self.target][1]


def x86_levels():
    """-march for this machine, and those below."""
    if platform.machine() != "x86_64":
        return ["-march=native"]
    with open("/proc/cpuinfo") as file:
        has_avx2 = " avx2" in file.read()
    return ["-march=native", "-march=x86-64"] + (["-march=x86-64-v3"] * 2 if has_avx2 else [])


def draw(seed, unit, target):
    """The setting of a file: it depends on these alone. Bits are promised to be equal for
    all of them."""
    rng = random.Random(f"{seed}:{unit}:{target}")
    pick = lambda *choices: rng.choices([v for _, v in choices], [w for w, _ in choices])[0]
    flags = [pick((3, "-O1"), (3, "-O2"), (3, "-O3"), (0.7, "-Os"))]
    dispatch = False
    if target == "native":
        flags.append(rng.choice(x86_levels()))
        dispatch = flags[-1] == "-march=x86-64" and rng.random() < 0.3
    contract = pick((6, None), (3, "off"), (1, "fast"))
    if dispatch:  # the levels above fuse, but for that
        contract = "off"
    if contract:
        flags.append(f"-ffp-contract={contract}")
    for chance, flag in [(0.12, "-fwrapv"), (0.25, "-fno-strict-aliasing"), (0.06, "-fPIC"), (0.1, "-fno-vectorize"),
                         (0.06, "-fno-unroll-loops"), (0.04, "-g"), (0.04, "-fno-slp-vectorize"),
                         (0.03, "-fno-math-errno"), (0.02, "-fstrict-flex-arrays=3")]:
        if rng.random() < chance:
            flags.append(flag)
    # Compiled soon, and with equal bits, unless it is left to the compiler what is fused.
    base = ["-O1"] + flags[1:] if contract != "fast" and rng.random() < 0.8 else None
    return Setting(target, flags, draw_options(rng, pick, dispatch), base)


def draw_options(rng, pick, dispatch):
    options = ["verify=1"] + (["min-work=1"] if rng.random() < 0.9 else [])
    if dispatch:
        options.append("dispatch=cpu")
    if rng.random() < 0.7:  # a small tile, which is compiled soon
        options += [f"mr={pick((4, 1), (2, 8), (1, 16))}", f"nr={pick((4, 2), (3, 4), (1, 1))}"]
    if rng.random() < 0.6:
        blocks = [8, 16, 24, 40]
        options += [f"mc={rng.choice(blocks)}", f"nc={rng.choice(blocks)}", f"kc={rng.choice([1, 3, 8, 24])}"]
    how = rng.random()
    if how < 0.2:
        options += ["read-a=1", "read-b=1"]
    elif how < 0.4:
        options.append("plan=unpacked")
    elif how < 0.5:
        options.append("plan=edge=pad")
    elif how < 0.6:
        options.append("plan=pack-a=always pack-b=always")
    if rng.random() < 0.1:
        options.append("vector-bits=128")
    return options
