# Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The pages of docs/ as a book: tools/book.sh."""

project = "Tilesmith"
author = "the Tilesmith project"
extensions = ["myst_parser"]
exclude_patterns = ["book"]
myst_heading_anchors = 4
html_theme = "alabaster"
html_theme_options = {"page_width": "72rem", "sidebar_width": "15rem", "fixed_sidebar": True}
html_sidebars = {"**": ["about.html", "navigation.html", "searchbox.html"]}
html_show_sourcelink = False
# Links to source files lead out of the book (test/Docs/links.test checks them); languages of examples have words behind them.
suppress_warnings = ["ref.myst", "myst.xref_missing", "myst.header", "misc.highlighting_failure"]
