# Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The reference BLAS as shared objects: in two languages, with and without LTO and the plugin."""

import concurrent.futures
import dataclasses
import hashlib
import os
import pathlib
import re
import shlex
import shutil
import subprocess

from programs.recipe import Recipe, fetch

# name: compiler, options of f2c (None: the Fortran compiler reads the source), flags
LANGUAGES = {
    "flang": ("flang", None, ["-O3"]),
    "f2c": ("clang", [], ["-O3", "-ffp-contract=fast"]),
    # Without static variables, and as clang fuses by default: C as it is found in CLAPACK.
    "clapack": ("clang", ["-a"], ["-O3"]),
    # Without static variables, and arguments are restrict, as those of Fortran are.
    "f2c-restrict": ("clang", ["-a"], ["-O3", "-ffp-contract=fast"]),
}
# name: flags, whether the compile step gets the plugin, whether the link step does
MODES = {
    "plain": ([], True, False),
    "full": (["-flto"], True, False),
    "thin": (["-flto=thin"], True, False),
    "full-link": (["-flto"], True, True),
    "thin-link": (["-flto=thin"], False, True),
}


class Failure(Exception):
    """A command that did not succeed."""


class Missing(Exception):
    """What is needed and is not there: the source, or f2c."""


@dataclasses.dataclass(frozen=True)
class Configuration:
    language: str
    mode: str
    min_work: str  # a number, or "default"

    def __str__(self):
        return f"{self.language} {self.mode} min-work={self.min_work}"


# Those of the test: each language, each mode, both break-evens.
SHORT = [Configuration("flang", "plain", "default"), Configuration("flang", "full", "1"),
         Configuration("f2c-restrict", "thin", "1")]


class Builder:
    def __init__(self, options, routines):
        self.options, self.work = options, options.work
        self.files = [*routines, "lsame"]  # the driver has xerbla
        self.plugin = hashlib.sha256(options.plugin.read_bytes()).hexdigest()

    def source(self):
        """The folder of the Fortran files. They are fetched once."""
        tree = self.work / "lapack-source"
        if not tree.exists():
            new = self.work / "lapack-new"
            shutil.rmtree(new, ignore_errors=True)
            try:
                fetch(Recipe(name="lapack", source="lapack", test=""), self.work, new)
            except (OSError, StopIteration, subprocess.CalledProcessError) as error:
                raise Missing(f"no source package lapack: {error}") from error
            new.rename(tree)
        return tree / "BLAS/SRC"

    def sources(self, language):
        """Paths of the files to compile."""
        folder, translate = self.source(), LANGUAGES[language][1]
        if translate is None:
            return [folder / f"{f}.f" for f in self.files]
        if not shutil.which("f2c"):
            raise Missing("no f2c")
        into = self.work / language
        into.mkdir(exist_ok=True)
        for name in self.files:
            path = into / f"{name}.c"
            if path.exists():
                continue
            self.run(["f2c", *translate, "-d.", folder / f"{name}.f"], into)
            if language == "f2c-restrict":
                path.write_text(restricted(path.read_text()))
        return [into / f"{f}.c" for f in self.files]

    def run(self, command, folder, tilesmith=""):
        environment = {k: v for k, v in os.environ.items() if k != "TILESMITH"}
        done = subprocess.run(["timeout", "-k", "10", str(self.options.time_limit), *map(str, command)], cwd=folder,
                              env=environment | ({"TILESMITH": tilesmith} if tilesmith else {}),
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              errors="replace")
        if done.returncode:
            raise Failure(f"{' '.join(map(str, command))}: status {done.returncode}\n{done.stdout[-2000:]}")
        return done.stdout

    def driver(self):
        source = pathlib.Path(__file__).with_name("driver.c")
        command = [self.options.clang, "-O2", "-rdynamic", source, "-o", "driver", "-ldl", "-lm"]
        return self.kept("driver", source.read_text(), [command]) / "driver"

    def libraries(self, configuration):
        """The shared objects without and with the plugin, and the number of nests that are replaced."""
        plain, tilesmith = (self.library(configuration, with_plugin) for with_plugin in (False, True))
        return plain / "blas.so", tilesmith / "blas.so", replaced(tilesmith / "log")

    def library(self, configuration, with_plugin):
        """The folder of the shared object."""
        language, mode, min_work = dataclasses.astuple(configuration)
        compiler, _, flags = LANGUAGES[language]
        compiler = getattr(self.options, compiler)
        mode_flags, compile_step, link_step = MODES[mode]
        flags = [*flags, f"-march={self.options.march}", *mode_flags]
        label, more, loaded, tilesmith = f"{language}-{mode}-plain", [], [], ""
        if with_plugin:
            label = f"{language}-{mode}-tilesmith-{min_work}"
            tilesmith = "verify=1" if min_work == "default" else f"verify=1;min-work={min_work}"
            more = shlex.split(self.options.plant)
            if compile_step:
                more += [f"-fpass-plugin={self.options.plugin}", "-Rpass=tilesmith"]
            if link_step:
                loaded = [f"-Wl,--load-pass-plugin={self.options.plugin}", "-Wl,-mllvm,-pass-remarks=tilesmith"]
        sources = self.sources(language)
        objects = [f"{s.stem}.o" for s in sources]
        compiles = [[compiler, *flags, *more, "-fPIC", "-c", s, "-o", o] for s, o in zip(sources, objects)]
        link = [compiler, *flags, *loaded, "-shared", "-fuse-ld=lld", *objects, "-o", "blas.so"]
        return self.kept(label, self.plugin if with_plugin else "", compiles, link, tilesmith)

    def kept(self, label, depends, commands, last=None, tilesmith=""):
        """The folder where the commands ran, the last one behind the others. They do not run again if they
        are the same, and so is what they depend on."""
        folder = self.work / "builds" / label
        key = "\n".join([depends, tilesmith, *(" ".join(map(str, c)) for c in [*commands, last or []])])
        stamp = folder / "stamp"
        if stamp.exists() and stamp.read_text() == key:
            return folder
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        with concurrent.futures.ThreadPoolExecutor(self.options.jobs) as pool:
            log = list(pool.map(lambda c: self.run(c, folder, tilesmith), commands))
        if last:
            log.append(self.run(last, folder, tilesmith))
        (folder / "log").write_text("".join(log))
        stamp.write_text(key)
        return folder


def restricted(text):
    """Text of f2c with restrict in the parameters of its function."""
    start = re.search(r"^(/\* Subroutine \*/ int|logical) \w+\(", text, re.M).end()
    end = text.index("{", start)
    return text[:start] + text[start:end].replace("*", "*restrict ") + text[end:]


def replaced(log):
    """The number of nests that were replaced, by the remarks."""
    return len(re.findall(r"replaced \d+-loop nest", log.read_text()))
