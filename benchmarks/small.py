# Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The report of the sweeps over small and thin products, and its plots: run.py --small."""

import collections
import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile

TYPES = {"f64": "double", "f32": "float"}
CLANGS = ["o2", "o3"]
LIBRARIES = ["libxsmm", "eigen", "openblas"]
# Implementation: name, colour.
IMPLS = {
    "o2": ("clang -O2", "#bbbbbb"),
    "o3": ("clang -O3", "#777777"),
    "tilesmith": ("Tilesmith", "#d62728"),
    "libxsmm": ("LIBXSMM", "#2ca02c"),
    "eigen": ("Eigen", "#9467bd"),
    "openblas": ("OpenBLAS", "#1f77b4"),
}
# Group: what it is, and whether LIBRARIES are compared.
GROUPS = {
    "cubes": "constant n×n×n, n = 1…64",
    "mixed": "constant, mixed extents",
    "constant thin": "constant, extents of 1 and 2",
    "run": "run-time n×n×n, n = 1…128",
    "random": "run-time, random shapes",
    "m": "run-time M = 1…130, N = K = 128",
    "n": "run-time N = 1…130, M = K = 128",
    "thin": "run-time, extents of 1 and 2",
    "half thin": "run-time, an extent is the constant 1 or 2",
}
WORST = 5  # so many shapes are named that are not in a sweep
LEAST_OF_CLANG, LEAST_OF_LIBRARY = 0.97, 0.9


def group_of(sweep, shape, text):
    cube = len(set(shape)) == 1
    if sweep == "const":
        return "cubes" if cube else "constant thin" if min(shape) < 3 else "mixed"
    if sweep == "run":
        return "run" if cube else "random"
    if sweep == "thin" and "c" in text:
        return "half thin"
    return sweep


class Results:
    """groups[type, group, form][order, shape text] = {implementation: nanoseconds}"""

    def __init__(self, path, code):
        """path: the measurements; code: the Code of the programs measured."""
        data = json.loads(path.read_text())
        self.context = data["context"]
        self.code = code
        self.groups = collections.defaultdict(lambda: collections.defaultdict(dict))
        self.overlap = collections.defaultdict(lambda: collections.defaultdict(dict))
        for run in data["benchmarks"]:
            impl, kind, sweep, form, order, text = run["run_name"].split("/")[:6]
            shape = extents(text)
            if sweep == "overlap":
                self.overlap[kind][shape[0]][impl] = run["cpu_time"]
                continue
            group = group_of(sweep, shape, text)
            self.groups[kind, group, form][order, text][impl] = run["cpu_time"]

    def has_same_code(self, kind, group, form, order, text):
        """Whether the plugin left this product as clang -O3 makes it."""
        constant = group in ("cubes", "mixed", "constant thin")
        known = [n.lstrip("c") if constant or n[0] == "c" else "0" for n in text.split("x")]
        return "_".join(["f", order] + known) in self.code.same[kind, form]

    def forms(self, kind, group):
        return [key[2] for key in self.groups if key[:2] == (kind, group)]


class Code:
    """same[type, form]: the functions of kernels/small.c whose machine code is the
    same with and without the plugin."""

    def __init__(self, objects, isa):
        self.same = {}
        for path in objects.glob(f"small-tilesmith-*-{isa}.o"):
            kind, form = path.name.split("-")[2:4]
            base = functions(objects / path.name.replace("tilesmith", "o3"))
            ours = functions(path)
            self.same[kind, form] = {name for name in base if base[name] == ours.get(name)}


def functions(path):
    """{name: instructions, with addresses within the function only}"""
    text = subprocess.check_output(["llvm-objdump-22", "-d", "--no-show-raw-insn",
                                    "--no-leading-addr", path], text=True)
    found = {}
    for part in re.split(r"^<(?=\w+>:)", text, flags=re.MULTILINE)[1:]:
        name, body = part.split(">:", 1)
        body = re.sub(r"0x[0-9a-f]+ <", "<", body)
        found[name] = re.sub(r"(\s*(nop\w*\b.*|int3))*\s*$", "", body)  # padding behind it
    return found


def extents(text):
    return tuple(int(x.lstrip("c")) for x in text.split("x"))


def ratio(times, others):
    """How many times as fast as the best of the others Tilesmith is."""
    known = [times[i] for i in others if i in times]
    return min(known) / times["tilesmith"] if known and "tilesmith" in times else None


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def summary(results, kind):
    lines = ["| what | form | number | / clang | same code | least | below 0.97 | / library | least | below 0.9 |",
             "|:--|:--|--:|--:|--:|--:|--:|--:|--:|--:|"]
    for group, what in GROUPS.items():
        for form in results.forms(kind, group):
            points = results.groups[kind, group, form]
            clang = [ratio(t, CLANGS) for t in points.values()]
            ours = [ratio(t, CLANGS) for key, t in points.items()
                    if not results.has_same_code(kind, group, form, *key)]
            library = [r for r in (ratio(t, LIBRARIES) for t in points.values()) if r]
            cells = [what, form, str(len(points)), f"{geometric_mean(clang):.2f}",
                     str(len(clang) - len(ours)), *least_of(ours, LEAST_OF_CLANG),
                     f"{geometric_mean(library):.2f}" if library else "",
                     *least_of(library, LEAST_OF_LIBRARY)]
            lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def least_of(ratios, wanted):
    """The least one, and how many are below what is wanted."""
    return [f"{min(ratios):.2f}", str(sum(r < wanted for r in ratios))] if ratios else ["", ""]


def luck(results, kind):
    """How the ratios to clang are spread where both have the same code."""
    same = sorted(ratio(times, CLANGS[1:]) for (of, group, form), points in results.groups.items()
                  if of == kind for key, times in points.items()
                  if results.has_same_code(kind, group, form, *key))
    low = sum(r < LEAST_OF_CLANG for r in same)
    return (f"{len(same)} products have the same code in both; {100 * low / len(same):.0f} % of "
            f"their ratios to clang -O3 are below {LEAST_OF_CLANG}, the least is {same[0]:.2f}.")


def ranges(found):
    """{n: ratio} as "3–5 (0.80), 9 (0.95)", with the least ratio of each range."""
    parts, run = [], []
    for n in sorted(found) + [None]:
        if run and n != run[-1] + 1:
            name = str(run[0]) if len(run) == 1 else f"{run[0]}–{run[-1]}"
            parts.append(f"{name} ({min(found[i] for i in run):.2f})")
            run = []
        run.append(n)
    return ", ".join(parts)


def losses(results, kind, others, least):
    """The shapes below what is wanted, by group, form and order."""
    lines = []
    for group, what in GROUPS.items():
        for form in results.forms(kind, group):
            found = collections.defaultdict(dict)
            for (order, text), times in results.groups[kind, group, form].items():
                r = ratio(times, others)
                if others == CLANGS and results.has_same_code(kind, group, form, order, text):
                    continue
                if r and r < least:
                    found[order][text] = r
            for order, shapes in found.items():
                if group in ("cubes", "run", "m", "n"):
                    axis = 1 if group == "n" else 0
                    text = ranges({extents(s)[axis]: r for s, r in shapes.items()})
                else:
                    worst = sorted(shapes.items(), key=lambda x: x[1])
                    text = ", ".join(f"{s.replace('x', '×')} ({r:.2f})" for s, r in worst[:WORST])
                    if len(worst) > WORST:
                        text += f" and {len(worst) - WORST} more"
                lines.append(f"* {what}, {form}, {order}: {text}")
    return "\n".join(lines) or "None."


def drops(results, kind):
    """The largest drops of GFLOP/s between neighbours of the sweeps, above 16."""
    lines = []
    for group in "m", "n":
        axis = "mn".index(group)
        points = results.groups[kind, group, "ijk"]
        rates = {impl: {extents(text)[axis]: math.prod(extents(text)) / times[impl]
                        for (_, text), times in points.items() if impl in times}
                 for impl in IMPLS}
        worst = {}
        for impl, rate in rates.items():
            found = [(1 - rate[n] / rate[n - 1], n) for n in rate if n > 17 and n - 1 in rate]
            if found:
                worst[impl] = max(found)
        lines.append(f"* {GROUPS[group]}: " + ", ".join(
            f"{IMPLS[i][0]} {100 * drop:.0f} % at {n}" for i, (drop, n) in worst.items()))
    return "\n".join(lines)


def guard_cost(results, kind):
    """Nanoseconds more than clang -O3's loops when these run in the end."""
    def more(times):
        return f"{times['tilesmith'] - times['o3']:+.1f}"

    small = {extents(text)[0]: times
             for (order, text), times in results.groups[kind, "run", "may"].items()
             if order == "rrr" and extents(text)[0] <= 8}
    lines = ["* too small, n = " + ", ".join(f"{n}: {more(t)}" for n, t in sorted(small.items())),
             "* C overlaps A, n = " + ", ".join(
                 f"{n}: {more(t)}" for n, t in sorted(results.overlap[kind].items()))]
    return "\n".join(lines)


def text_size(source, flags, clang):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "nest.c"
        path.write_text(source)
        out = path.with_suffix(".o")
        subprocess.run([clang, "-O3", *flags, "-c", path, "-o", out], check=True)
        sections = [line.split() for line in
                    subprocess.check_output(["size", "-A", out], text=True).split("\n")[2:]]
        return sum(int(s[1]) for s in sections if s and s[0].startswith(".text"))


def code_growth(flags, clang, plugin):
    """KiB of code that the replacement of one nest adds to a file, without unwind tables."""
    lines = ["| nest | " + " | ".join(TYPES) + " |", "|:--|" + "--:|" * len(TYPES)]
    for what, M in ("extents at run time", "M"), ("constant 16×16×16", "16"), \
            ("constant 64×64×64", "64"):
        cells = []
        for T in TYPES.values():
            source = f"""
void f(long M, const {T} *A, const {T} *B, {T} *C) {{
  for (long i = 0; i < {M}; i++)
    for (long j = 0; j < {M}; j++)
      for (long k = 0; k < {M}; k++)
        C[i * {M} + j] += A[i * {M} + k] * B[k * {M} + j];
}}
"""
            without, with_plugin = (text_size(source, flags.split() + more, clang)
                                    for more in ([], [f"-fpass-plugin={plugin}"]))
            cells.append(f"{(with_plugin - without) / 1024:.1f}")
        lines.append(f"| {what} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def report(all_results, isas, cpu, plugin, clang="clang-22"):
    text = [f"""# Small and thin products

<!-- Written by benchmarks/run.py --small; do not edit. -->

One thread, warm caches, {cpu}. C += A·B without gaps between rows, in all eight storage orders
(of C, A, B: `r` row-major, `c` column-major). In the form `ijk` the sum is the
innermost loop, in `ikj` the columns are, and C is `restrict`; `may` is `ijk` without
`restrict`. "/ clang" is the geometric mean of the time of the faster of clang -O2 and -O3
without Tilesmith, divided by Tilesmith's at -O3; "/ library" the same for the
fastest of LIBXSMM (which knows half of the orders), Eigen (with fixed sizes; the cubes
`rrr`) and OpenBLAS. "least" is the least of the ratios. "same code" counts the products
that are left alone, where the machine code is clang -O3's: their ratios to clang tell how lucky
a place the code has in memory, and are not among "least" and "below 0.97". What is measured, and
how to run it yourself: [benchmarks/README.md](../benchmarks/README.md).

![GFLOP/s over constant n](benchmarks-small-constant.svg)

![GFLOP/s over n at run time](benchmarks-small-run.svg)

![GFLOP/s over M and N](benchmarks-small-sweeps.svg)
"""]
    for isa, results in all_results.items():
        c = results.context
        text.append(f"## {isa}: `{isas[isa]}`\n")
        text.append(f"{c['date'][:10]}. Kernels: OpenBLAS {c['openblas']}, "
                    f"LIBXSMM {c['libxsmm']}.\n")
        text.append("### Code growth\n\nKiB of code that one replaced nest adds (unwind tables, some 2 KiB, are not counted):\n")
        text.append(code_growth(isas[isa], clang, plugin) + "\n")
        for kind in TYPES:
            text.append(f"### {kind}\n\n{summary(results, kind)}\n")
            text.append(f"Largest drops between neighbours above 16:\n\n{drops(results, kind)}\n")
            text.append("Nanoseconds more than clang -O3's loops, if these run in the end:\n\n"
                        f"{guard_cost(results, kind)}\n")
            text.append(f"{luck(results, kind)}\n")
            text.append(f"Below {LEAST_OF_CLANG} of clang:\n\n"
                        f"{losses(results, kind, CLANGS, LEAST_OF_CLANG)}\n")
            text.append(f"Below {LEAST_OF_LIBRARY} of the best library:\n\n"
                        f"{losses(results, kind, LIBRARIES, LEAST_OF_LIBRARY)}\n")
    return "\n".join(text)


def pyplot():
    """matplotlib.pyplot for SVG files, or nothing, with a message, if it is
    missing."""
    try:
        import matplotlib
    except ImportError:
        print("run.py: no plots: matplotlib is not installed "
              "(Debian: python3-matplotlib)", file=sys.stderr)
        return None
    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.hashsalt": "tilesmith", "font.size": 9})
    import matplotlib.pyplot
    return matplotlib.pyplot


def plot(all_results, out):
    plt = pyplot()
    if not plt:
        return

    def panels(rows, name):
        """rows: (title, type, group, form, axis)"""
        figure, axes = plt.subplots(len(rows), len(all_results), squeeze=False,
                                    figsize=(5.5 * len(all_results), 3.3 * len(rows)))
        for row, (title, kind, group, form, axis) in zip(axes, rows):
            for panel, (isa, results) in zip(row, all_results.items()):
                points = {extents(text)[axis]: (math.prod(extents(text)), times)
                          for (order, text), times in results.groups[kind, group, form].items()
                          if order == "rrr"}
                for impl, (label, colour) in IMPLS.items():
                    line = [(n, 2 * work / times[impl])
                            for n, (work, times) in sorted(points.items()) if impl in times]
                    panel.plot(*zip(*line) if line else ([], []), label=label, color=colour,
                               linewidth=2 if impl == "tilesmith" else 1)
                panel.set_title(f"{title}, {kind}, {isa}")
                panel.set_ylabel("GFLOP/s")
                panel.set_xlabel("nMN"[axis + 1] if group in "mn" else "n")
                panel.set_ylim(bottom=0)
                panel.grid(alpha=0.3)
        figure.legend(*axes[0][0].get_legend_handles_labels(), loc="lower center", ncol=6,
                      frameon=False)
        figure.tight_layout(rect=(0, 0.04, 1, 1))
        figure.savefig(out / name, metadata={"Date": None})

    panels([(f"constant n, {form}", kind, "cubes", form, 0)
            for kind in TYPES for form in ("ijk", "ikj")], "benchmarks-small-constant.svg")
    panels([(f"n at run time, {form}", kind, "run", form, 0)
            for kind in TYPES for form in ("ijk", "ikj")], "benchmarks-small-run.svg")
    panels([(f"{'MN'[axis]} at run time, others 128", kind, "mn"[axis], "ijk", axis)
            for kind in TYPES for axis in (0, 1)], "benchmarks-small-sweeps.svg")
