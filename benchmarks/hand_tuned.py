#!/usr/bin/env python3
#===- hand_tuned.py - loops tuned by hand, with and without -*- python -*-===//
#
# Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""Compiles kernels/hand_tuned.c with and without the plugin, runs both in turn, and prints the
speed with the plugin, as a multiple of that without, for each kernel and size, as a Markdown table.
Below it stands what the plugin adds to the object.

  hand_tuned.py --plugin build/lib/libTilesmith.so [--clang clang-22] [--flags="-O2"] [--rounds 5]"""

import argparse
import os
import statistics
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.join(HERE, "kernels", "hand_tuned.c")
KERNELS = ["sixteen_sums", "block_of_sums", "two_sums", "four_sums", "trmm_down", "vectors"]
SIZES = [4, 8, 15, 16, 31, 64, 100, 200, 400]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plugin", required=True)
    parser.add_argument("--clang", default="clang-22")
    parser.add_argument("--flags", default="-O3 -march=native")
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as work:
        size = {}
        for side, extra in (("plain", []), ("tilesmith", [f"-fpass-plugin={args.plugin}"])):
            flags = [args.clang, *args.flags.split(), *extra]
            subprocess.run([*flags, "-c", SOURCE, "-o", f"{work}/{side}.o"], check=True)
            subprocess.run([*flags, f"{work}/{side}.o", "-o", f"{work}/{side}"], check=True)
            size[side] = os.path.getsize(f"{work}/{side}.o")

        def seconds(side, kernel, n):
            return float(subprocess.run([f"{work}/{side}", kernel, str(n)], check=True,
                                        capture_output=True, text=True).stdout)

        print(f"| {args.flags} |", *(f"{n} |" for n in SIZES))
        print("|---|" + "---:|" * len(SIZES))
        for kernel in KERNELS:
            row = []
            for n in SIZES:
                ratios = [seconds("plain", kernel, n) / seconds("tilesmith", kernel, n) for _ in range(args.rounds)]
                row.append(f"{statistics.median(ratios):.2f} |")
            print(f"| {kernel} |", *row, flush=True)
        print(f"\nObject: {size['plain']} bytes, with the plugin {size['tilesmith']}.")


if __name__ == "__main__":
    main()
