# Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How programs are compiled: flags of both builds, and options of the plugin."""

import dataclasses
import os
import platform
import random
import shutil
import sys
from dataclasses import dataclass, field

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "test", "EndToEnd"))
from matrix import TARGETS  # flags, and the command that runs the executable

EIGEN = os.path.join(ROOT, "build", "lib", "libTilesmithEigen.so")

# CPUs that qemu plays, where kernels are chosen at run time.
CPUS = {"aarch64": ["cortex-a57", "max", "max,sve-default-vector-length=32"], "ppc64le": ["power9", "power10"],
        "aarch64-v9": [f"max,sve-default-vector-length={n}" for n in (16, 64)]}

# Those for which clang knows _Float16 and __bf16, and which need no library for them.
HALVES = {"native", "aarch64", "aarch64-v9", "aarch64-sve256", "aarch64-sve512"}


@dataclass
class Wish:
    """What a campaign is for; what is empty is drawn."""
    contract: str = ""  # of -ffp-contract
    link: str = ""  # plain, full, thin
    break_even: str = "none"  # or default: kernels run for products as large as they say
    language: str = ""  # c, fortran
    of: str = ""  # of KINDS: what programs are made of

    def words(self):
        """As options of tilesmith-fuzz."""
        return [w for f in dataclasses.fields(self) if getattr(self, f.name) != f.default
                for w in ("--" + f.name.replace("_", "-"), getattr(self, f.name))]


@dataclass
class Setting:
    """Everything but the program: the same for a whole file."""
    target: str = "native"
    flags: list = field(default_factory=list)
    options: list = field(default_factory=list)  # of the plugin
    base: list = None  # flags without the plugin, if they are others
    language: str = ""  # c++, fortran
    cpu: str = ""  # that qemu plays, if it is not the target's usual one
    link: str = "plain"  # full, thin: each side is optimised again by lld, on its own
    load: str = "compile"  # the step that loads the plugin: compile, link, both
    of: str = ""  # of KINDS

    def __str__(self):
        return " ".join([self.target, self.cpu][:1 + bool(self.cpu)] + self.flags + [self.language] * bool(self.language) +
                        [f"of {self.of}"] * bool(self.of) +
                        [f"LTO {self.link}, plugin in {self.load}"] * (self.link != "plain") +
                        [";".join(self.options) or "no options"])

    @property
    def suffix(self):
        return ".f90" if self.language == "fortran" else ".c"

    @property
    def base_flags(self):
        return self.flags if self.base is None else self.base

    @property
    def always_packs(self):
        """Whether each kernel that runs allocates memory, by which it is seen."""
        return not self.of and ("read-a=1" in self.options or any("pack-a=always pack-b=always" in o for o in self.options))

    @property
    def taste(self):
        """What its programs should be made of, so that the plan or the library has something to do."""
        text = " ".join(self.options)
        return (self.of if self.of else "narrow" if "group=" in text else "constant" if "plan=small" in text else
                "integer" if "strategy=eigen" in text else
                "sums" if "-ffp-contract=fast" in self.flags or self.language == "fortran" else "")

    @property
    def libraries(self):
        """What is linked beside the programs."""
        folder = os.path.join(ROOT, "build", "lib")
        eigen = [f"-L{folder}", "-lTilesmithEigen", f"-Wl,-rpath,{folder}"] * ("strategy=eigen" in self.options)
        return eigen + ["-lstdc++"] * (self.language == "c++" and self.target == "native")

    @property
    def target_flags(self):
        # The march of a native program is one of its own flags.
        return [f for f in TARGETS[self.target][0] if self.target != "native"]

    @property
    def runner(self):
        usual = TARGETS[self.target][1]
        return [usual[0], "-cpu", self.cpu] if self.cpu else usual


def x86_levels(contract=""):
    """-march for this machine, and those below. Without fused operations, contract=fast is not worth much."""
    if platform.machine() != "x86_64":
        return ["-march=native"]
    with open("/proc/cpuinfo") as file:
        has_avx2 = " avx2" in file.read()
    if contract == "fast" and has_avx2:
        return ["-march=native"] * 4 + ["-march=x86-64-v3"] * 4 + ["-march=x86-64"]
    return ["-march=native", "-march=x86-64"] + (["-march=x86-64-v3"] * 2 if has_avx2 else [])


def draw(seed, unit, target, wish=Wish()):
    """The setting of a file: it depends on these alone. Bits are promised to be equal for
    all of them."""
    rng = random.Random(f"{seed}:{unit}:{target}")
    pick = lambda *choices: rng.choices([v for _, v in choices], [w for w, _ in choices])[0]
    fortran = wish.language == "fortran"
    flags = [pick((3, "-O1"), (3, "-O2"), (3, "-O3"), (0.7, "-Os"))] if not fortran else [pick((1, "-O2"), (1, "-O3"))]
    dispatch = False
    if target == "native":
        flags.append(rng.choice(x86_levels(wish.contract or "fast" * fortran)))
        dispatch = flags[-1] == "-march=x86-64" and rng.random() < 0.3 and not wish.contract and not fortran
    contract = wish.contract or pick((6, None), (3, "off"), (1, "fast"))
    if dispatch:  # the levels above fuse, but for that
        contract = "off"
    cpu = ""
    if target in CPUS and rng.random() < 0.3:
        cpu, dispatch = rng.choice(CPUS[target]), target != "aarch64-v9" and not wish.contract and not fortran
    if fortran and not wish.contract:
        contract = None  # which is fast there
    if contract:
        flags.append(f"-ffp-contract={contract}")
    for chance, flag in FLAGS if not fortran else FORTRAN_FLAGS:
        if rng.random() < chance:
            flags.append(flag)
    link, load = draw_link(random.Random(f"{seed}:{unit}:{target}:link"), wish)
    of = draw_kind(random.Random(f"{seed}:{unit}:{target}:of"), wish)
    # Compiled soon, and with equal bits, unless it is left to the compiler what is fused.
    free = contract == "fast" or link != "plain" or fortran
    base = ["-O1"] + flags[1:] if not free and rng.random() < 0.8 else None
    masks = "-march=native" in flags or target.startswith(("aarch64-", "riscv"))
    options = draw_options(rng, pick, dispatch, target, masks, wish.break_even == "default",
                           wish.contract == "fast" or fortran)
    if of:  # no plans for matrices
        options = [o for o in options if not o.startswith(of[1])] + of[2]
    if wish.break_even == "default" and rng.random() < 0.5:
        options = ["verify=1"]  # what users have
    if rng.random() < 0.3:
        options.append(f"code={rng.choice(['fast', 'small'])}")
    if "strategy=eigen" in options and "-fwrapv" not in flags:  # or sums could not be reordered
        flags.append("-fwrapv")
        base = base and base + ["-fwrapv"]
    if wish.language:
        language = wish.language.removeprefix("c")
    else:
        language = "c++" if rng.random() < 0.12 else ""
    if language == "c++" and of and of[0] == "complex":
        language = ""
    if language == "c++" and target != "native":  # without its library
        flags.append("-fno-exceptions")
        base = base and base + ["-fno-exceptions"]
    return Setting(target, flags, options, base, language, cpu, link, load, of[0] if of else "")


FLAGS = [(0.12, "-fwrapv"), (0.25, "-fno-strict-aliasing"), (0.06, "-fPIC"), (0.1, "-fno-vectorize"),
         (0.06, "-fno-unroll-loops"), (0.04, "-g"), (0.04, "-fno-slp-vectorize"), (0.5, "-fcx-limited-range"),
         (0.03, "-fno-math-errno"), (0.02, "-fstrict-flex-arrays=3")]
FORTRAN_FLAGS = [(0.05, "-fwrapv"), (0.05, "-fPIC"), (0.07, "-fno-vectorize"), (0.04, "-fno-unroll-loops"), (0.04, "-g"),
                 (0.04, "-fno-slp-vectorize"), (0.04, "-fstack-arrays")]


def draw_link(rng, wish):
    """How a file is linked, and the steps that load the plugin."""
    link = wish.link or rng.choices(["plain", "full", "thin"], [24, 1, 1])[0]
    if not wish.link and not shutil.which("ld.lld"):
        link = "plain"
    # In a full link, nests that are compiled without the plugin are not found, but for those of -O1.
    return link, "compile" if link == "plain" else rng.choices(["compile", "both", "link"], [6, 3, 1])[0]


# What programs may be made of, and how often they are: a matrix times a vector, mostly; sums of what two elements make
# that is no product; sums that functions are applied to; windows of lines and images, without sums over
# channels and with; factors of several elements; complex numbers, in C.
KINDS = {"vectors": 0.06, "pairs": 0.06, "epilogues": 0.04, "filters": 0.03, "convolutions": 0.05, "factors": 0.04,
         "complex": 0.03, "segments": 0.02}


def draw_kind(rng, wish):
    """What programs are made of, if that is anything particular; plans that are not for that, and options."""
    if not wish.of and wish.language == "fortran":
        return None
    share = 0 if wish.of else rng.random()
    for of, most in KINDS.items():
        if wish.of == of or not wish.of and share < most:
            break
        share -= most
    else:
        return None
    if of == "vectors":
        return of, "plan=", rng.choice([[]] * 6 + [["plan=stream tile=16x8"], ["plan=stream tile=32x16"], ["plan=stream"]])
    if of == "convolutions":
        return of, "plan=", rng.choice([[]] * 5 + [["plan=gathered"], ["plan=gathered tile=8x4 mc=16 nc=16 kc=5"]])
    if of == "segments":
        return of, "plan=", []
    return of, ("plan=small", "plan=group"), []


def draw_options(rng, pick, dispatch, target, masks, break_even, sums):
    options = ["verify=1"] + (["min-work=1"] if rng.random() < 0.9 and not break_even else [])
    if dispatch:
        options.append("dispatch=cpu")
    how = rng.random()
    if how < 0.12 and not dispatch and not sums:
        return options + [f"plan={special_plan(rng, target, masks)}"]
    if rng.random() < 0.85:  # a small tile, which is compiled soon
        options += [f"mr={pick((4, 1), (2, 8), (1, 16))}", f"nr={pick((4, 2), (3, 4), (1, 1))}"]
    if rng.random() < 0.6:
        blocks = [8, 16, 24, 40]
        options += [f"mc={rng.choice(blocks)}", f"nc={rng.choice(blocks)}", f"kc={rng.choice([1, 3, 8, 24])}"]
    if how < 0.27:
        options += ["read-a=1", "read-b=1"]
    elif how < 0.42:
        options.append("plan=unpacked")
    elif how < 0.50:
        options.append("plan=edge=pad")
    elif how < 0.58:
        options.append("plan=pack-a=always pack-b=always")
    elif how < 0.64:
        options.append(f"plan={'edge=mask ' if masks else ''}pack-a=n>8 pack-b=m>16|span>4096")
    elif how < 0.66:
        options += ["l1=4096", "l2=16384", "l3=65536"]
    elif how < 0.68:
        options.append("strategy=blas")  # which does nothing where bits are to be equal
    elif how < 0.74 and target == "native" and os.path.exists(EIGEN):
        options += ["strategy=eigen"] + rng.choice([[], ["layout=row"], ["layout=column"]])
    if rng.random() < 0.1:
        options.append(f"vector-bits={rng.choice([128, 128, 256])}")
    return options


def special_plan(rng, target, masks):
    """Plans that are for some products alone: narrow factors, constant sizes. The words depend on each other."""
    if rng.random() < 0.5 or target in ("ppc64le", "riscv64", "s390x"):
        return "small" + rng.choice(["", "", " tile=4x2", " tile=8x3", " tile=16x4", " tile=1x4", " tile=24x2"])
    group = rng.choice([1, 2, 2, 4, 4, 8])
    if target == "native" and group > 4:
        group = 4
    more = ["", "", " edge=pad", " edge=mask" if masks else " kc=3", " pack-a=always pack-b=always", " unpacked", " kc=8", " mc=16 nc=16 kc=8 tile=16x2"]
    return f"group={group}" + rng.choice(more)
