#!/usr/bin/env python3
# Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints the headings, figures, nests and marked lines of a page of tilesmith-report. Fails if elements
are not closed in order, or if the page needs anything else.

  check_page.py FILE"""

import html.parser
import sys

VOID = {"meta", "link", "br"}
FOREIGN = {"script", "link", "img", "iframe", "object"}


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.text = [], ""

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        if tag in FOREIGN or {"src", "href", "onclick"} & values.keys():
            sys.exit(f"needs something else: {self.get_starttag_text()}")
        if tag == "article":
            print("article", values["class"])
        if tag not in VOID:
            self.open.append((tag, values.get("class", "")))
            self.text = self.text if tag in ("td", "b", "code") else ""

    def handle_data(self, data):
        if self.open and self.open[-1][0] == "style" and ("url(" in data or "@import" in data):
            sys.exit("needs another file")
        self.text += " " + data

    def handle_endtag(self, tag):
        if not self.open or self.open[-1][0] != tag:
            sys.exit(f"</{tag}> at line {self.getpos()[0]} does not close {self.open[-1:]}")
        _, kind = self.open.pop()
        text = " ".join(self.text.split())
        if tag == "h1":
            print("heading", text)
        if kind.startswith("figure "):
            print("figure", text)
        if tag == "tr" and kind:
            print(kind, text)


page = Page()
with open(sys.argv[1], encoding="utf-8") as file:
    page.feed(file.read())
if page.open:
    sys.exit(f"not closed: {page.open}")
print("no other files")
