# Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A report as one HTML page that needs no other file."""

import itertools
import pathlib

import jinja2
import markupsafe

from report import words


def code(text):
    """Markdown's `code` in a text."""
    parts = text.split("`")
    return markupsafe.Markup("").join(
        markupsafe.Markup("<code>{}</code>").format(part) if i % 2 else markupsafe.escape(part)
        for i, part in enumerate(parts))


def bars(counts):
    """(name, number, per cent of the largest one)"""
    most = max((number for _, number in counts), default=1)
    return [(name, number, round(100 * number / most)) for name, number in counts]


def render(report, reasons, title):
    environment = jinja2.Environment(loader=jinja2.FileSystemLoader(pathlib.Path(__file__).parent), autoescape=True,
                                     undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters["code"] = code
    numbers = itertools.count(1)
    return environment.get_template("page.html").render(
        report=report, title=title, kinds=bars(report.by_kind()),
        obstacles=bars(report.by_reason()), reasons=reasons, words=words, number=lambda: next(numbers))
