#!/usr/bin/env python3
#===- links.py - where the pages point to ------------------*- python -*-===//
#
# Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""Prints each link of a Markdown page to a file or a heading of the project that does not exist.

  links.py ROOT"""

import pathlib
import re
import sys

LINK = re.compile(r"\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ +(.*)$", re.MULTILINE)


def anchors(page):
    """As GitHub makes them of headings."""
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
            for heading in HEADING.findall(page.read_text())}


def broken(page):
    for target in LINK.findall(page.read_text()):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        to = (page.parent / name).resolve() if name else page
        if not to.exists() or (anchor and to.suffix == ".md" and anchor not in anchors(to)):
            yield target


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    pages = [page for page in sorted(root.rglob("*.md"))
             if not any(re.match(r"build|\.", part) for part in page.relative_to(root).parts)]
    found = [f"{page.relative_to(root)}: {target}" for page in pages for target in broken(page)]
    print("\n".join(found + [f"{len(found)} broken links in {len(pages)} pages"]))
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
