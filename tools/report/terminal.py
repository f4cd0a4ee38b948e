# Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A report as a table in the terminal."""

import shutil
import textwrap

from report import words


def row_of(nest, reasons):
    """(line, state, kinds or reasons, what is said about it)"""
    line = str(nest.line) if nest.line else ""
    if nest.is_replaced:
        sizes = lambda operation: operation.split("), ", 1)[-1]
        plans = dict.fromkeys(f"{sizes(v.operation)}: {v.plan}" for v in nest.versions)
        return line, "replaced", nest.kind, "; ".join(
            filter(None, [*nest.formulas, *plans, words.runs_of(nest)]))
    said = [words.obstacle_in_short(obstacle, reasons) for obstacle in nest.obstacles]
    return line, "declined" if nest.is_likely else "other", ", ".join(nest.reasons), " ".join(said)


def lost_row(report, lost):
    now = f"now {', '.join(lost.now.reasons)}" if lost.now else "there is no such nest any more"
    at = lost.now or lost.before
    return f"{report.relative(at.file)}:{at.line}", "lost", lost.before.kind, now


def table(rows, width):
    """Rows of four cells; the last one is broken into lines."""
    widths = [max(len(row[i]) for row in rows) for i in range(3)]
    for *cells, text in rows:
        start = f"  {cells[0]:>{widths[0]}}  {cells[1]:<{widths[1]}}  {cells[2]:<{widths[2]}}  "
        indent = " " * min(len(start), width // 2)
        yield textwrap.fill(text, width, initial_indent=start, subsequent_indent=indent, break_long_words=False,
                            break_on_hyphens=False)


def render(report, reasons):
    width = max(shutil.get_terminal_size((100, 24)).columns, 60)
    lines = [words.summary(report)]
    if report.hidden:
        lines.append(f"{words.count(report.hidden, 'nest')} in system headers not shown (--system-headers)")
    for title, counts in (("replaced", report.by_kind()), ("declined", report.by_reason())):
        if counts:
            lines.append(f"{title}: " + ", ".join(f"{n} {name}" for name, n in counts))
    if report.code:
        lines.append(f"code: {words.code_of(report)}")
    if report.times:
        lines.append(f"time to compile: {words.times_of(report)}")
    for file, nests in report.by_file().items():
        lines += ["", report.relative(file) or "without a place in the source"]
        lines += table([row_of(nest, reasons) for nest in nests], width)
    if report.lost:
        lines += ["", f"lost since {report.since.name}"]
        lines += table([lost_row(report, lost) for lost in report.lost], width)
    return "\n".join(lines) + "\n"
