#!/usr/bin/env python3
#
# Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the benchmark programs and writes docs/benchmarks.md with its plots.

A figure is the best of all repetitions, by CPU time: noise on a shared machine
only ever slows a program down.
"""

import argparse
import collections
import json
import pathlib
import re
import statistics
import subprocess
import sys

import narrow
import small

ROOT = pathlib.Path(__file__).resolve().parent.parent
ISAS = {"avx512": "-march=native", "avx2": "-march=native -mno-avx512f"}
TYPES = ["f64", "f32"]
# Name in the benchmark program: name in the table, colour.
IMPLS = {
    "naive": ("clang -O3", "#999999"),
    "polly": ("Polly", "#b58900"),
    "tilesmith": ("Tilesmith", "#d62728"),
    "openblas": ("OpenBLAS", "#1f77b4"),
    "blis": ("BLIS", "#2ca02c"),
    "eigen": ("Eigen", "#9467bd"),
}
LIBRARIES = ["openblas", "blis"]  # "best library" is the best of these
# Operation in the benchmark program: what it is.
KIN = {
    "syrk": "C += A·Aᵀ, lower half (SYRK)",
    "syr2k": "C += A·Bᵀ; C += B·Aᵀ, lower half (SYR2K)",
    "syr2k1": "C += A·Bᵀ + B·Aᵀ, lower half (SYR2K)",
    "trmm": "C = U·C in place, U unit upper (TRMM)",
    "batch": "C += A·B, many of them",
    "chain": "D = A·B; C += D·A",
}
SMALL_QUICK = "/(const|run)/.../rrr/(4x4x4|8x8x8|16x16x16|17x17x17|32x32x32|64x64x64)$"
QUICK = "/rrr/(32x32x32|100x100x100|256x256x256|1000x1000x1000)"


class Results:
    """GFLOP/s of one program: best[type, order, shape][impl] and peak[type]."""

    def __init__(self, path):
        data = json.loads(path.read_text())
        self.context = data["context"]
        rates = collections.defaultdict(list)
        for run in data["benchmarks"]:
            if run["run_type"] == "iteration":
                # The last part can be a setting such as iterations:1.
                parts = [p for p in run["run_name"].split("/") if ":" not in p]
                rates[tuple(parts)].append(run["GFLOP/s"])
        self.peak = {}
        self.best = collections.defaultdict(dict)
        for (impl, kind, *where), values in rates.items():
            if impl == "peak":
                self.peak[kind] = max(values)
            else:
                order, shape = where[0], tuple(map(int, where[1].split("x")))
                self.best[kind, order, shape][impl] = max(values)
        self.spread = statistics.median(
            1 - statistics.median(v) / max(v) for v in rates.values())

    def sizes(self, kind, operation):
        """The n of one of the KIN."""
        return sorted(key[2][0] for key in self.best if key[:2] == (kind, operation))

    def rows(self, kind):
        """(order, shape) of one type: squares, skewed shapes, other orders."""
        found = [key[1:] for key in self.best if key[0] == kind and key[1] not in KIN]
        return sorted(found, key=lambda x: (x[0] != "rrr", len(set(x[1])) > 1, x))


def run_small(program, out, pattern, repetitions):
    with open(out, "w") as file:
        subprocess.run([str(program), f"--benchmark_filter={pattern}",
                        f"--benchmark_repetitions={repetitions}",
                        "--benchmark_enable_random_interleaving=true"],
                       check=True, stdout=file)


def run(program, out, pattern, repetitions):
    command = [
        str(program),
        f"--benchmark_filter={pattern}",
        f"--benchmark_repetitions={repetitions}",
        "--benchmark_enable_random_interleaving=true",
        "--benchmark_min_time=0.05",
        "--benchmark_report_aggregates_only=false",
        f"--benchmark_out={out}",
        "--benchmark_out_format=json",
    ]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def table(results, kind):
    names = [name for name, _ in IMPLS.values()]
    lines = [
        "| M×N×K | " + " | ".join(names) + " | % of peak | / best library |",
        "|:--|" + "--:|" * (len(names) + 2),
    ]
    for order, shape in results.rows(kind):
        rates = results.best[kind, order, shape]
        name = "×".join(map(str, shape))
        if order != "rrr":
            name += " " + order
        cells = [f"{rates[i]:.1f}" if i in rates else "" for i in IMPLS]
        ours = rates.get("tilesmith")
        best = max((rates[i] for i in LIBRARIES if i in rates), default=None)
        cells.append(f"{100 * ours / results.peak[kind]:.0f}" if ours else "")
        cells.append(f"{ours / best:.2f}" if ours and best else "")
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def kin_table(results, kind):
    """Tilesmith and the libraries for all KIN: a row for each operation and n."""
    impls = ["naive", "tilesmith", *LIBRARIES]
    lines = ["| operation | n | " + " | ".join(IMPLS[i][0] for i in impls) + " | / best library |",
             "|:--|--:|" + "--:|" * (len(impls) + 1)]
    for operation, what in KIN.items():
        for n in results.sizes(kind, operation):
            rates = results.best[kind, operation, (n,)]
            cells = [f"{rates[i]:.1f}" if i in rates else "" for i in impls]
            best = max((rates[i] for i in LIBRARIES if i in rates), default=None)
            cells.append(f"{rates['tilesmith'] / best:.2f}"
                         if best and "tilesmith" in rates else "")
            lines.append(f"| {what} | {n} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def kin_report(all_results):
    text = ["""# Kin of the matrix product

<!-- Written by benchmarks/run.py --kin; do not edit. -->

One thread, row-major, GFLOP/s of the operations needed (one half of a symmetric
result), best of all repetitions. "/ best library" is Tilesmith divided by the faster
of OpenBLAS and BLIS. The results of Tilesmith have the same bits as those of the
loops by clang alone. A batch has 65536/n² products. The loops by clang alone are measured
up to n = 512. What is measured, and how to run it yourself:
[benchmarks/README.md](../benchmarks/README.md).
"""]
    for isa, results in all_results.items():
        c = results.context
        text.append(f"## {isa}: `{ISAS[isa]}`\n")
        text.append(
            f"{c['date'][:10]}. {cpu()}. Kernels: OpenBLAS {c['openblas']}, BLIS {c['blis']}. "
            f"Median repetition {100 * results.spread:.0f} % below the best.\n")
        for kind in TYPES:
            if any(results.sizes(kind, operation) for operation in KIN):
                text.append(f"### {kind}\n")
                text.append(kin_table(results, kind) + "\n")
    return "\n".join(text)


def cpu():
    found = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())
    return found[1] if found else "Unknown CPU"


def report(all_results):
    text = ["""# Benchmarks

<!-- Written by benchmarks/run.py; do not edit. -->

One thread, GFLOP/s, best of all repetitions. "% of peak" is Tilesmith's share of
the FMA peak measured in the same run; "/ best library" is Tilesmith divided by
the faster of OpenBLAS and BLIS. Products are row-major; `crc` means C
column-major, A row-major, B column-major. What is measured, and how to run it
yourself: [benchmarks/README.md](../benchmarks/README.md).

![GFLOP/s over n](benchmarks.svg)

![GFLOP/s for all storage orders](benchmarks-orders.svg)
"""]
    for isa, results in all_results.items():
        c = results.context
        text.append(f"## {isa}: `{ISAS[isa]}`\n")
        text.append(
            f"{c['date'][:10]}. Kernels: OpenBLAS {c['openblas']}, BLIS {c['blis']}. "
            f"Median repetition {100 * results.spread:.0f} % below the best.\n")
        for kind in TYPES:
            if results.rows(kind):
                text.append(f"### {kind}, peak {results.peak[kind]:.1f} GFLOP/s\n")
                text.append(table(results, kind) + "\n")
    return "\n".join(text)


def plot(all_results, out):
    plt = small.pyplot()
    if not plt:
        return

    def panels(draw, name):
        figure, axes = plt.subplots(len(TYPES), len(all_results), squeeze=False,
                                    figsize=(5.5 * len(all_results), 7))
        for row, kind in zip(axes, TYPES):
            for axis, (isa, results) in zip(row, all_results.items()):
                draw(axis, results, kind)
                axis.axhline(results.peak[kind], color="black", linestyle="--",
                             linewidth=1, label="FMA peak")
                axis.set_title(f"{kind}, {isa}")
                axis.set_ylabel("GFLOP/s")
                axis.set_ylim(bottom=0)
        axes[0][0].figure.legend(*axes[0][0].get_legend_handles_labels(),
                                 loc="lower center", ncol=7, frameon=False)
        figure.tight_layout(rect=(0, 0.04, 1, 1))
        figure.savefig(out / name, metadata={"Date": None})

    def sizes(axis, results, kind):
        for impl, (name, colour) in IMPLS.items():
            points = [(shape[0], results.best[kind, order, shape][impl])
                      for order, shape in results.rows(kind)
                      if order == "rrr" and len(set(shape)) == 1
                      and impl in results.best[kind, order, shape]]
            axis.plot(*zip(*points) if points else ([], []), label=name, color=colour,
                      marker=".", linewidth=2 if impl == "tilesmith" else 1)
        axis.set_xscale("log", base=2)
        ticks = [8, 16, 32, 64, 128, 256, 512, 1024, 2048]
        axis.set_xticks(ticks, labels=map(str, ticks))
        axis.set_xlabel("n")
        axis.grid(alpha=0.3)

    def orders(axis, results, kind):
        names = [o for o, shape in results.rows(kind) if shape == (1000,) * 3]
        width = 0.8 / len(IMPLS)
        for i, (impl, (name, colour)) in enumerate(IMPLS.items()):
            rates = [results.best[kind, o, (1000,) * 3].get(impl, 0) for o in names]
            axis.bar([x + i * width - 0.4 for x in range(len(names))], rates, width,
                     label=name, color=colour, align="edge")
        axis.set_xticks(range(len(names)), labels=names)
        axis.set_xlabel("storage orders of C, A, B at n = 1000")

    panels(sizes, "benchmarks.svg")
    panels(orders, "benchmarks-orders.svg")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin-dir", type=pathlib.Path, default=ROOT / "build/bin",
                        help="folder of gemm_bench_* (default: build/bin)")
    parser.add_argument("--isa", choices=ISAS, action="append",
                        help="only this program; may be repeated")
    parser.add_argument("--repetitions", type=int, help="default: 7, 5 with --small, 3 with --quick")
    parser.add_argument("--quick", action="store_true", help="four sizes only")
    parser.add_argument("--filter", metavar="REGEX",
                        help="only benchmarks <impl>/<type>/<orders>/<M>x<N>x<K> "
                             "that match")
    parser.add_argument("--kin", action="store_true",
                        help="measure symmetric updates, batches and chains instead of "
                             "products, and write benchmarks-kin.md")
    parser.add_argument("--small", action="store_true",
                        help="measure small and thin products, constant and not, and write "
                             "benchmarks-small.md")
    parser.add_argument("--narrow", action="store_true",
                        help="measure products of 8 and 16 bit factors, and write "
                             "benchmarks-narrow.md")
    parser.add_argument("--reuse", action="store_true",
                        help="do not measure: read the files of the last run")
    parser.add_argument("--out", type=pathlib.Path,
                        help="folder of the report and plots (default: docs, but "
                             "--bin-dir with --quick or --filter)")
    args = parser.parse_args()

    quick = "/(64|256|1000)$" if args.kin or args.narrow else SMALL_QUICK if args.small else QUICK
    pattern = args.filter or (quick if args.quick else ".")
    partial = args.quick or args.filter or args.isa
    out = args.out or (args.bin_dir if partial else ROOT / "docs")
    what = ("kin" if args.kin else "small" if args.small else "narrow" if args.narrow
            else "gemm")
    all_results = {}
    for isa in args.isa or ISAS:
        program = args.bin_dir / f"{what}_bench_{isa}"
        if not program.exists():
            sys.exit(f"run.py: {program} does not exist; build the target `benchmarks`")
        path = program.with_suffix(".json")
        repetitions = args.repetitions or (3 if args.quick else 5 if args.small else 7)
        if not args.reuse and args.small:
            run_small(program, path, pattern, repetitions)
        elif not args.reuse:
            run(program, path, f"^peak|{pattern}", repetitions)
        if args.small:
            code = small.Code(args.bin_dir.parent / "benchmarks", isa)
            all_results[isa] = small.Results(path, code)
        else:
            all_results[isa] = (narrow.Results if args.narrow else Results)(path)

    out.mkdir(parents=True, exist_ok=True)
    if args.small:
        plugin = args.bin_dir.parent / "lib/libTilesmith.so"
        text = small.report(all_results, ISAS, cpu(), plugin)
        small.plot(all_results, out)
    elif args.narrow:
        text = narrow.report(all_results, ISAS, cpu())
    else:
        text = kin_report(all_results) if args.kin else report(all_results)
        if not args.kin:
            plot(all_results, out)
    print(text)
    (out / f"benchmarks{'' if what == 'gemm' else '-' + what}.md").write_text(text)


if __name__ == "__main__":
    main()
