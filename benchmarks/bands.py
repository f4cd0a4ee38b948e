#!/usr/bin/env python3
# Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times a band times a vector, by rows, with and without the plugin.

    bands.py --plugin libTilesmith.so [--widths 1,4,16] [--sizes 100,1000] [--flags=-march=native]

One thread; the best of 100 short rounds in turn. Prints a table in Markdown: GB/s of the band, and how many times as
fast as clang -O3. A width is known when compiling in the columns "known", and not in the others."""

import argparse
import pathlib
import subprocess
import tempfile

SOURCE = pathlib.Path(__file__).parent / "kernels" / "bands.c"


def numbers(text):
    return [int(n) for n in text.split(",")]


def built(arguments, real, width, folder):
    """The program for one type, and for one width if that is known."""
    common = [arguments.clang, "-O3", *arguments.flags.split(), f"-DT={real}", str(SOURCE)]
    known = [f"-DWIDTH={width}"] if width is not None else []
    objects = []
    for name, plugin in (("clang", []), ("ours", [f"-fpass-plugin={arguments.plugin}"])):
        objects.append(f"{folder}/{name}.o")
        subprocess.run([*common, *known, *plugin, f"-DNAME={name}", "-c", "-o", objects[-1]], check=True)
    subprocess.run([*common, "-DMAIN", *objects, "-o", f"{folder}/bands"], check=True)
    return f"{folder}/bands"


def measured(program, width, sizes):
    lines = subprocess.run([program, str(width), *map(str, sizes)], check=True, stdout=subprocess.PIPE, text=True).stdout
    for line in lines.splitlines():
        n, clang, ours, same = line.split()
        assert same == "1", "results differ"
        yield int(n), float(clang), float(ours)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plugin", required=True)
    parser.add_argument("--clang", default="clang-22")
    parser.add_argument("--flags", default="-march=native")
    parser.add_argument("--widths", type=numbers, default=[1, 2, 3, 4, 8, 16, 32, 64])
    parser.add_argument("--sizes", type=numbers, default=[100, 1000, 10000])
    arguments = parser.parse_args()
    print("| type | w | n | GB/s | of clang | known: GB/s | of clang |\n|---|---:|---:|---:|---:|---:|---:|")
    for real, size in (("double", 8), ("float", 4)):
        for width in arguments.widths:
            with tempfile.TemporaryDirectory() as folder:
                runs = [list(measured(built(arguments, real, known, folder), width, arguments.sizes))
                        for known in (None, width)]
            for free, known in zip(*runs):
                n, cells = free[0], []
                for _, clang, ours in (free, known):
                    cells += [f"{n * (2 * width + 1) * size / ours:.1f}", f"{clang / ours:.2f}"]
                print(f"| {'f64' if size == 8 else 'f32'} | {width} | {n} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
