# Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the remarks of a build say of each nest of loops: one entry, however many copies LLVM made."""

import collections
import dataclasses
import functools
import itertools
import os
import pathlib
import re
import typing

from report import compiling, names, objects, record, watched

SYSTEM = re.compile(r"^(/usr/(local/)?(include|lib)|/opt/[^/]+/include)/|/include/c\+\+/|/lib/(clang|gcc)/")
ABOUT_REPLACED = ("library not used: ", "tuning table not used: ")
LIKELY = "matrix product not replaced: "


class Sources:
    """The source files that remarks name: absolute, relative to where the compiler ran, or, in clang,
    to the folder that this has in common with the source."""

    def __init__(self, folders):
        self.folders, self.lines = folders, {}

    def resolve(self, name, record_file):
        """An absolute path; the name itself, if there is no such file."""
        if os.path.isabs(name):
            return os.path.normpath(name)
        beside = record_file.resolve().parent
        for folder in (beside, *beside.parents, *self.folders):
            path = os.path.normpath(folder.resolve() / name)
            if os.path.exists(path):
                return path
        return self.find(os.path.basename(name)) or name

    @functools.lru_cache(maxsize=None)
    def find(self, name):
        """The only file of this name in the folders: flang does not say where a source file is."""
        found = [path for folder in self.folders for path in folder.resolve().rglob(name)]
        return str(found[0]) if len(found) == 1 else None

    def text(self, path):
        if path not in self.lines:
            try:
                self.lines[path] = pathlib.Path(path).read_text(encoding="utf-8", errors="replace").splitlines()
            except OSError:
                self.lines[path] = []
        return self.lines[path]


class Line(typing.NamedTuple):
    number: int
    text: str
    mark: str  # "": none, "loop", "obstacle"


class Version(typing.NamedTuple):
    """How copies of a nest were replaced."""
    operation: str
    plan: str
    choices: tuple
    tests: tuple  # what must be true when the program runs
    formula: str = ""  # "C[i*n + j] += A[i*n + k] * B[k*n + j]", if names are known

    @property
    def kind(self):
        return self.operation.split(" (")[0]


class Obstacle(typing.NamedTuple):
    reason: str
    text: str  # what stands in the way
    cure: str  # what the remark says to do, or ""
    place: typing.Optional[record.Place]


def unique(items):
    return list(dict.fromkeys(items))


@dataclasses.dataclass
class Nest:
    file: str  # "": not known
    line: int
    column: int
    last: int = 0  # line
    loops: set = dataclasses.field(default_factory=set)  # lines where they begin
    functions: list = dataclasses.field(default_factory=list)
    versions: list = dataclasses.field(default_factory=list)
    obstacles: list = dataclasses.field(default_factory=list)
    notes: list = dataclasses.field(default_factory=list)
    remarks: list = dataclasses.field(default_factory=list)
    is_likely: bool = True
    hotness: int = 0
    runs: typing.Optional[watched.Runs] = None  # if they were watched
    state: str = ""  # since the earlier build: "", "new", "lost"

    @property
    def is_replaced(self):
        return bool(self.versions)

    @property
    def formulas(self):
        return unique(v.formula for v in self.versions if v.formula)

    @property
    def kinds(self):
        return unique(v.kind for v in self.versions)

    @property
    def kind(self):
        """Of all versions: "GEMM f32/f64" if the nest stands in a template."""
        types = collections.defaultdict(set)
        for kind in self.kinds:
            operation, _, element = kind.rpartition(" ")
            types[operation].add(element)
        return " + ".join(f"{operation} {'/'.join(sorted(types[operation]))}" for operation in types)

    @property
    def reasons(self):
        return unique(o.reason for o in self.obstacles)

    @property
    def is_in_system(self):
        return bool(SYSTEM.search(self.file))

    def add(self, remark, sources, path):
        self.functions = unique([*self.functions, remark.function])
        self.remarks = unique([*self.remarks, remark.text])
        self.hotness = max(self.hotness, remark.hotness)
        self.loops |= remark.loops
        if "End" in remark.places:
            self.last = max(self.last, remark.places["End"].line)
        if remark.name == "Replaced":
            lines = lambda name: tuple(line.strip() for line in remark.values.get(name, "").splitlines() if line.strip())
            self.versions = unique([*self.versions, Version(
                remark.values.get("Operation", ""), remark.values.get("Plan", ""), lines("Choices"), lines("Tests"),
                remark.values.get("Formula", ""))])
            return
        for start in ABOUT_REPLACED:
            if remark.text.startswith(start):
                self.notes = unique([*self.notes, remark.text])
                return
        self.is_likely = remark.text.startswith(LIKELY)
        text, _, cure = remark.text.split(" not replaced: ", 1)[-1].partition("; ")
        place = remark.place and remark.place._replace(file=sources.resolve(remark.place.file, path))
        self.obstacles = unique([*self.obstacles, Obstacle(remark.name, text, cure, place)])

    def snippet(self, sources, longest=16):
        """The lines of the nest, as far as the file can be read, and of what stands in the way."""
        text = sources.text(self.file)
        if not self.line or self.line > len(text):
            return []
        blocked = {o.place.line for o in self.obstacles if o.place and o.place.file == self.file}
        if self.is_replaced:
            blocked = set()
        last = max([self.line, self.last, *self.loops, *(n for n in blocked if n < self.line + longest)])
        shown = range(self.line, min(last, self.line + longest - 1, len(text)) + 1)
        mark = lambda n: "obstacle" if n in blocked else "loop" if n in self.loops else ""
        return [Line(n, text[n - 1], mark(n)) for n in shown]


def key_of(remark, sources, path):
    """What copies of a nest have in common: the place of their innermost loop."""
    place = remark.places.get("Innermost") or remark.place
    if not place:
        return ("", remark.function)
    return (sources.resolve(place.file, path), place.line, place.column)


class Lost(typing.NamedTuple):
    before: Nest
    now: typing.Optional[Nest]  # what its function has that is not replaced


@dataclasses.dataclass
class Report:
    build: pathlib.Path
    sources: Sources
    records: int  # files that were read
    nests: list
    hidden: int  # in system headers
    versions: list  # of Tilesmith: "0.1.0 for LLVM 22"
    code: typing.Optional[objects.Code] = None
    times: typing.Optional[compiling.Times] = None
    code_before: typing.Optional[objects.Code] = None  # in the earlier build
    lost: list = dataclasses.field(default_factory=list)
    since: typing.Optional[pathlib.Path] = None

    @staticmethod
    def of(build, folders, with_system):
        sources = Sources(folders)
        files, found, versions = record.files_in(build), {}, set()
        for path in files:
            for remark in record.read(path):
                if remark.kind == "Analysis":  # what -Rpass-analysis shows is in the remark before
                    continue
                versions.add(remark.values.get("Tilesmith", "of an unknown version"))
                key = key_of(remark, sources, path)
                if key not in found:
                    place = remark.places.get("Nest") or remark.place
                    file = sources.resolve(place.file, path) if place else ""
                    found[key] = Nest(file, *(place[1:] if place else (0, 0)))
                found[key].add(remark, sources, path)
        demangled = names.demangle({f for nest in found.values() for f in nest.functions})
        for nest in found.values():
            nest.functions = unique(demangled[f] for f in nest.functions)
        shown = [nest for nest in found.values() if with_system or not nest.is_in_system]
        shown.sort(key=lambda nest: (-nest.hotness, nest.file, nest.line, nest.column))
        return Report(build, sources, len(files), shown, len(found) - len(shown), sorted(versions),
                      objects.code_in(build), compiling.in_traces(build))

    def watch(self, runs):
        """Adds what programs printed of their runs. What takes longest comes first."""
        for nest in self.nests:
            nest.runs = runs.get(watched.key_of(nest.file, nest.line, nest.column))
        self.nests.sort(key=lambda nest: -nest.runs.seconds if nest.runs else 0)

    @property
    def replaced(self):
        return [nest for nest in self.nests if nest.is_replaced]

    @property
    def declined(self):
        return [nest for nest in self.nests if not nest.is_replaced and nest.is_likely]

    @property
    def others(self):
        """Sums of products that are no likely matrix products."""
        return [nest for nest in self.nests if not nest.is_replaced and not nest.is_likely]

    def by_kind(self):
        return collections.Counter(nest.kind for nest in self.replaced).most_common()

    def by_reason(self):
        return collections.Counter(reason for nest in self.declined for reason in nest.reasons).most_common()

    def by_file(self):
        """{file: its nests}, files in the order of their first nest."""
        groups = collections.defaultdict(list)
        for nest in self.nests:
            groups[nest.file].append(nest)
        return groups

    @functools.cached_property
    def root(self):
        """The folder that all source files have in common, or ""."""
        folders = {os.path.dirname(nest.file) for nest in self.nests
                   if os.path.isabs(nest.file) and not nest.is_in_system}
        return os.path.commonpath(folders) if folders else ""

    def relative(self, file):
        """A file of the program relative to its root; others as they are."""
        return os.path.relpath(file, self.root) if self.root and file.startswith(self.root + os.sep) else file

    def compare(self, earlier):
        """Nests are the same if they are in a function of the same name, and compute the same. Lines move."""
        self.since, self.code_before = earlier.build, earlier.code
        for before, now in paired(earlier.replaced, self.replaced):
            if not before:
                now.state = "new"
            elif not now:
                same = [n for n in self.declined + self.others if set(n.functions) & set(before.functions)]
                for nest in same[:1]:
                    nest.state = "lost"
                self.lost.append(Lost(before, same[0] if same else None))


def paired(earlier, later):
    """(before, now) of all nests; None where there is no other one. Nests that compute the same come first."""
    groups = collections.defaultdict(lambda: ([], []))
    for side, nests in enumerate((earlier, later)):
        for nest in nests:
            groups[os.path.basename(nest.file), min(nest.functions)][side].append(nest)
    for before, now in groups.values():
        for nest in list(before):
            if same := next((n for n in now if set(n.kinds) & set(nest.kinds)), None):
                before.remove(nest)
                now.remove(same)
                yield nest, same
        yield from itertools.zip_longest(before, now)


