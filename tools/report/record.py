# Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads Tilesmith's remarks from the files that -fsave-optimization-record writes."""

import dataclasses
import re
import typing

import yaml

# What is behind the first of these is not part of the message.
EXTRA = {"Tilesmith", "Nest", "Loop", "Innermost", "End", "Tests", "Choices"}


class Place(typing.NamedTuple):
    file: str
    line: int
    column: int


@dataclasses.dataclass
class Remark:
    kind: str  # Passed, Missed, Analysis
    pass_name: str
    name: str  # Replaced, or a reason
    function: str
    text: str
    place: typing.Optional[Place]
    hotness: int
    values: dict  # of the parts of the message that have a name
    places: dict  # of the nest: Nest, Innermost, End
    loops: set  # the lines where they begin


class Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
    """Each document is a mapping with a tag: !Missed."""


def mapping_with_tag(loader, kind, node):
    return dict(loader.construct_mapping(node, deep=True), Kind=kind)


Loader.add_multi_constructor("!", mapping_with_tag)


def place_of(node):
    where = node.get("DebugLoc")
    return where and Place(where["File"], where["Line"], where["Column"])


def remark_of(document):
    """An argument is a mapping of its name to its value, perhaps with a place."""
    text, values, places, loops, is_message = "", {}, {}, set(), True
    for argument in document.get("Args", []):
        name, value = next(iter(argument.items()))
        is_message = is_message and name not in EXTRA
        if is_message:
            text += str(value)
        values[name] = str(value)
        if name in EXTRA and "DebugLoc" in argument:
            places[name] = place_of(argument)
            if name != "End":
                loops.add(places[name].line)
    return Remark(document["Kind"], document["Pass"], document["Name"], document["Function"], text,
                  place_of(document), document.get("Hotness", 0), values, places, loops)


def read(path, passes=("tilesmith",)):
    """The remarks of some passes in a file. LLVM's own, of which there are many, are not parsed."""
    wanted = re.compile(rf"^Pass: +(?:{'|'.join(passes)})$", re.M)
    for text in re.split(r"^(?=--- )", path.read_text(encoding="utf-8", errors="replace"), flags=re.M):
        if wanted.search(text):
            yield remark_of(yaml.load(text, Loader))


def files_in(folder):
    return sorted(path for path in folder.rglob("*opt*.yaml*") if path.is_file())
