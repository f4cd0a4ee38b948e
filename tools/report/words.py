# Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What remarks say, in sentences."""

import re

FORMULAS = {
    "GEMM": "C += A·B",
    "SYRK": "one triangle of C += A·Aᵀ",
    "SYR2K": "one triangle of C += A·Bᵀ + B·Aᵀ",
    "triangular GEMM": "one triangle of C += A·B",
    "TRMM": "C += A·B, where A or B is triangular",
    "SYMM": "C += A·B, where A or B is symmetric",
    "sum of GEMMs": "C += A·B + … (several products)",
    "complex GEMM": "C += A·B of complex numbers",
    "GEMV": "y += A·x",
}

TYPES = {"f16": "_Float16", "f32": "float", "f64": "double", "i32": "32-bit integers", "i64": "64-bit integers"}

STRATEGIES = {
    "packed": "Blocks of A and B are copied to contiguous panels that fit the caches, unless they are used few times.",
    "unpacked": "A and B are read where they are, block by block.",
    "in place": "The sizes are small constants: A and B are read where they are, without blocks.",
    "a batch in lanes": "Many products whose elements lie side by side are computed at once, one in each lane.",
    "gathered": "Rows or steps of a factor come from several loops, and are gathered when they are packed.",
    "streamed": "The matrix goes by once.",
}


def kind_and_type(operation):
    """('SYRK', 'f64') of 'SYRK f64 (A row-major, …), MxNxK at run time'."""
    kind, _, type_name = operation.split(" (")[0].rpartition(" ")
    return kind, type_name


def formula(operation):
    kind, type_name = kind_and_type(operation)
    return f"{FORMULAS.get(kind, kind)}, sums of {TYPES.get(type_name, type_name)}"


def layout_of(operation):
    orders = re.search(r"\((.*?)\)", operation)
    rest = operation.split("), ", 1)[-1]
    sizes, *more = re.split(r", (?=with )| (?=in \d+ outer)", rest)
    sentences = []
    if orders:
        sentences.append(f"Storage: {orders[1]}.")
    if sizes.startswith("rows copied, "):
        sizes = sizes.removeprefix("rows copied, ")
        sentences.append("Rows that are found by pointers are copied first.")
    sentences.append(f"Sizes: {sizes}.")
    for text in more:
        if text.startswith("in "):
            sentences.append(f"The product is made for each step of {text.removeprefix('in ')}.")
        if text.startswith("with "):
            sentences.append("What the loops do with the finished sums is done tile by tile.")
    return sentences


def plan_of(version):
    """Sentences on how a version of a nest is computed."""
    sentences = layout_of(version.operation)
    strategy = next((s for s in sorted(STRATEGIES, key=len, reverse=True) if version.plan.startswith(s + ", ")), None)
    if not strategy:
        return sentences + [f"Calls {version.plan}."]
    sentences.append(STRATEGIES[strategy])
    rest, _, others = version.plan.partition(", dispatched: ")
    tile = re.search(r"(\d+)x(\d+) (micro kernel|at a time), ([^,]*)", rest)
    if tile and tile[3] == "micro kernel":
        sentences.append(f"A micro kernel keeps {tile[1]} x {tile[2]} sums in registers ({tile[4]}).")
    elif tile:
        sentences.append(f"{tile[1]} rows have their sums in registers, and {tile[2]} steps are made at a time "
                         f"({tile[4]}).")
    if rest.endswith(", tuned"):
        sentences.append("The plan comes from a tuning table.")
    for choice in version.choices:
        if choice.startswith("break-even: "):
            tests = "; ".join([choice.removeprefix("break-even: ").split(";")[0], *version.tests])
            sentences.append(f"The kernel runs if {tests}. Your own loops do otherwise.")
    if others:
        sentences.append(f"There are kernels for better CPUs, too: {others}.")
    return sentences


def versions_of(nest):
    """{(formula, sentences): choices}: once each, however many copies there are."""
    found = {}
    for version in nest.versions:
        found.setdefault((formula(version.operation), tuple(plan_of(version))), version.choices)
    return found


def advice(obstacle, reasons):
    """What the user can do: as the guide says, or else as the remark does."""
    if obstacle.reason in reasons:
        return reasons[obstacle.reason].cure
    cure = obstacle.cure
    return cure[:1].upper() + cure[1:] + "." if cure else ""


def obstacle_in_short(obstacle, reasons):
    """What stands in the way, and what to do, as the remark says it; or else the guide."""
    if obstacle.cure:
        return f"{obstacle.text}; {obstacle.cure}."
    return f"{obstacle.text}. {advice(obstacle, reasons)}".strip()


def runs_of(nest):
    """How often its kernel and its loops ran, and how fast; "" if nobody watched."""
    seen = nest.runs
    if not seen:
        return ""
    text = f"ran {count(seen.kernel, 'time')} by the kernel"
    if seen.kernel:
        text += f" ({seen.kernel_seconds:.3f} s, {seen.speed:.2f} {seen.unit})"
    whys = ((seen.small, "too small"), (seen.assumption, "assumption failed"), (seen.unsafe, "not safe"),
            (seen.given_up, "given up"))
    text += f", {count(seen.loops, 'time')} by your own loops"
    if seen.loops:
        text += f" ({seen.loop_seconds:.3f} s; {', '.join(f'{n} {why}' for n, why in whys if n)})"
    return text


def code_of(report):
    """How much code the kernels are; "" if there are no object files."""
    if not report.code:
        return ""
    size, everything, files = report.code
    share = f", {100 * size / everything:.0f} % of the functions there" if everything else ""
    before = f"; {report.code_before.bytes:,} in the earlier build" if report.code_before else ""
    return f"{size:,} bytes of kernels in {count(files, 'object file')}{share}{before}"


def times_of(report):
    """How long kernels took to compile; "" if nobody traced it."""
    if not report.times:
        return ""
    mine, everything, files = report.times
    return (f"{mine:,.0f} ms of {everything:,.0f} ms for Tilesmith and its kernels, "
            f"in {count(files, 'file')} compiled with -ftime-trace")


def count(number, singular, plural=None):
    return f"{number} {singular if number == 1 else plural or singular + 's'}"


def summary(report):
    """The first sentence of a report."""
    parts = [f"{len(report.replaced)} replaced", f"{len(report.declined)} declined"]
    if report.others:
        parts.append(count(len(report.others), "other sum of products", "other sums of products"))
    if report.since:
        parts.append(f"{len(report.lost)} lost since {report.since.name}")
    return f"{count(len(report.nests), 'nest')}: {', '.join(parts)}"
