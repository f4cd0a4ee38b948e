# Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The report on products of narrow factors: run.py --narrow."""

import collections
import json

TYPES = {
    "u8s8": "`unsigned char` by `signed char`, summed in `int`",
    "s8s8": "`signed char` by `signed char`",
    "u8u8": "`unsigned char` by `unsigned char`",
    "s16": "`short` by `short`",
    "bf16": "`__bf16` by `__bf16`, summed in `float`, with `-ffast-math`",
}
IMPLS = {"naive": "clang -O3", "tilesmith": "Tilesmith", "onednn": "oneDNN, matmul",
         "onednn-gemm": "oneDNN, GEMM", "eigen": "Eigen"}
LIBRARIES = ["onednn", "onednn-gemm", "eigen"]


class Results:
    """GFLOP/s of one program: best[type, n][impl]."""

    def __init__(self, path):
        data = json.loads(path.read_text())
        self.context = data["context"]
        self.best = collections.defaultdict(dict)
        for run in data["benchmarks"]:
            if run["run_type"] == "iteration":
                impl, kind, n = run["run_name"].split("/")[:3]
                rates = self.best[kind, int(n)]
                rates[impl] = max(rates.get(impl, 0), run["GFLOP/s"])


def report(all_results, flags, cpu):
    text = ["""# Products of narrow factors

<!-- Written by benchmarks/run.py --narrow; do not edit. -->

One thread, row-major, n×n×n, 10⁹ operations a second (a product and an addition are two), best of
all repetitions. "/ best library" is Tilesmith divided by the faster of oneDNN and Eigen, which casts integers to
`int` first. Integer results are the same to the bit; those of `__bf16` are within the error of another order. Without
VNNI, oneDNN's sums of two products saturate, and Tilesmith's do not; so that both give the same, bytes have seven bits here. Loops by
clang alone, and Eigen, are measured up to n = 512. Debian's OpenBLAS has no such products. How to run it yourself:
[benchmarks/README.md](../benchmarks/README.md).
"""]
    for isa, results in all_results.items():
        text.append(f"## {isa}: `{flags[isa]}`\n\n{results.context['date'][:10]}. {cpu}. "
                    f"oneDNN {results.context['onednn']}.\n")
        for kind, what in TYPES.items():
            rows = sorted(n for k, n in results.best if k == kind)
            if not rows:
                continue
            text.append(f"### {what}\n")
            text.append("| n | " + " | ".join(IMPLS.values()) + " | / best library |\n|--:"
                        + "|--:" * (len(IMPLS) + 1) + "|")
            for n in rows:
                rates = results.best[kind, n]
                cells = [f"{rates[i]:.1f}" if i in rates else "" for i in IMPLS]
                best = max((rates[i] for i in LIBRARIES if i in rates), default=None)
                cells.append(f"{rates['tilesmith'] / best:.2f}" if best else "")
                text.append(f"| {n} | " + " | ".join(cells) + " |")
            text.append("")
    return "\n".join(text)
