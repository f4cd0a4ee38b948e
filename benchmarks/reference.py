# Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the benchmarks of the reference BLAS have in common."""

import argparse
import ctypes
import os
import shutil
import subprocess
import sys


def parser_of(doc):
    """A parser with the sources, libraries, compiler and flags; doc is a docstring."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sources", help="the folder BLAS/SRC of LAPACK")
    parser.add_argument("libraries", nargs="*", help="shared libraries to compare with")
    parser.add_argument("--plugin", required=True)
    parser.add_argument("--flang", default="flang-22")
    parser.add_argument("--f2c", action="store_true", help="let f2c translate the sources, and clang compile them")
    parser.add_argument("--clang", default="clang-22")
    parser.add_argument("--flags", default="-O3 -march=native")
    parser.add_argument("--only", default="", help="forms whose names begin so, such as 'dsymm L' or 'dgemv'")
    return parser


def use_one_thread():
    """Starts the program again if libraries would use more threads: they ask when they are loaded."""
    for variable in ("OPENBLAS_NUM_THREADS", "BLIS_NUM_THREADS", "OMP_NUM_THREADS"):
        if os.environ.get(variable) != "1":
            os.environ[variable] = "1"
            os.execv(sys.executable, [sys.executable, *sys.argv])


def compile_routines(args, routines, work, name, flags):
    """The routines as a library: what the compiler makes of them with more flags."""
    routines = [*routines, "lsame"]
    sources = [os.path.join(args.sources, f"{r}.f") for r in [*routines, *([] if args.f2c else ["xerbla"])]]
    path = os.path.join(work, f"lib{name}.so")
    command = [args.clang if args.f2c else args.flang, *args.flags.split(), *flags, "-shared", "-fPIC", "-o", path]
    if args.f2c:
        sources = translated(sources, work)
        command += ["-w", "-lf2c"] if any(r[0] in "cz" for r in routines) else ["-w"]
    subprocess.run([*command, *sources], check=True)
    return ctypes.CDLL(path)


def translated(sources, work):
    """The sources in C, without static variables, as CLAPACK is. Nothing need report arguments: they are right."""
    if not shutil.which("f2c"):
        sys.exit("no f2c")
    subprocess.run(["f2c", "-a", f"-d{work}", *sources], check=True, stderr=subprocess.DEVNULL)
    xerbla = os.path.join(work, "xerbla.c")
    with open(xerbla, "w", encoding="ascii") as file:
        file.write("int xerbla_(char *name, int *argument, int length) { return 0; }\n")
    return [os.path.join(work, os.path.basename(s)[:-2] + ".c") for s in sources] + [xerbla]


def both(args, routines, work):
    """The routines without the plugin and with it."""
    return [compile_routines(args, routines, work, name, flags)
            for name, flags in (("stock", []), ("ours", [f"-fpass-plugin={args.plugin}"]))]


def names_of(libraries):
    """openblas, of /usr/lib/libopenblas.so.0"""
    return [os.path.basename(path).split(".")[0].removeprefix("lib") for path in libraries]
