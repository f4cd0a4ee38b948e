#!/usr/bin/env python3
#===- rooms.py - do rooms include what they may? -----------*- python -*-===//
#
# Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""Compares the #includes of each room with the table of docs/design.md.

  rooms.py ROOT"""

import pathlib
import re
import sys


def permitted(text):
    """{room: the rooms that it includes}, from the table with a column "includes"."""
    table = text.split("| room | includes |")[1].split("\n\n")[0]
    rows = re.findall(r"^\| (\w+) \| ([\w, ]*)\|", table, re.MULTILINE)
    return {room: set(re.findall(r"\w+", others)) for room, others in rows}


def included(root, room):
    """(file, room that it includes), without the room itself."""
    for folder in (root / "include" / "tilesmith" / room, root / "lib" / room):
        for file in sorted(folder.glob("*")):
            if file.suffix in (".h", ".cpp", ".def"):
                for other in re.findall(r'^#include "tilesmith/(\w+)/', file.read_text(), re.MULTILINE):
                    if other != room:
                        yield file.relative_to(root), other


def main():
    root = pathlib.Path(sys.argv[1])
    rooms = permitted((root / "docs" / "design.md").read_text())
    folders = {folder.name for folder in (root / "lib").iterdir() if folder.is_dir()}
    wrong = [f"{folder} is not in the table" for folder in sorted(folders - rooms.keys())]
    arrows = {room: set() for room in rooms}
    for room in rooms:
        for file, other in included(root, room):
            arrows[room].add(other)
            if other not in rooms[room]:
                wrong.append(f"{file} includes a header of {other}")
    wrong += [f"{room} includes no header of {other}, which the table permits"
              for room in rooms for other in sorted(rooms[room] - arrows[room])]
    print(*wrong, f"{len(rooms)} rooms, {len(wrong)} wrong", sep="\n")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
