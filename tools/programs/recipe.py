# Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How a program is configured, built and tested; and its source, from Debian."""

import dataclasses
import pathlib
import re
import subprocess
import tomllib


@dataclasses.dataclass
class Recipe:
    """A table of the file of recipes. The commands are run by bash in the folder of the source, with
    CC, CXX and FC in the environment, JOBS, and the folder of the RECIPES."""
    name: str
    test: str
    about: str = ""
    kind: str = ""  # a word for the table
    source: str = ""  # Debian's source package, if it has another name
    folder: pathlib.Path | None = None  # instead of a package: a folder beside the file of recipes
    needs: list = dataclasses.field(default_factory=list)  # Debian packages to build and test it
    configure: str = "true"  # done once
    build: str = "make -j$JOBS"
    # What the tests print. A number in the group is added up; a name is counted, and must be the
    # same with the plugin.
    passed: str = r"^PASS:? (.+)"
    failed: str = r"^(?:FAIL|ERROR|XPASS):? (.+)"
    same: list = dataclasses.field(default_factory=list)  # files that tests write, as globs
    ignore: str = ""  # lines of these files, and of names, that differ each time

    def results(self, log):
        """(tests that passed, names of them), and those that failed."""
        def found(pattern):
            names = [next(filter(None, m.groups()), m[0]) for m in re.finditer(pattern, log, re.M)]
            numbers = sum(int(n) if n.isdigit() else 1 for n in names)
            return numbers, sorted(re.sub(self.ignore, "", n) if self.ignore else n for n in names)
        return found(self.passed), found(self.failed)


def read_recipes(path):
    with open(path, "rb") as file:
        recipes = {name: Recipe(name=name, **entry) for name, entry in tomllib.load(file).items()}
    for recipe in recipes.values():
        recipe.source = recipe.source or recipe.name
        recipe.folder = recipe.folder and path.parent.resolve() / recipe.folder
    return recipes


def apt_options(work):
    """Where apt finds sources: those of the packages that it knows, in a list of our own."""
    lists = work / "apt"
    sources = lists / "sources.list"
    options = [f"-oDir::Etc::sourcelist={sources}", "-oDir::Etc::sourceparts=/dev/null",
               f"-oDir::State::lists={lists}/lists", "-oAPT::Sandbox::User=root"]
    if not sources.exists():
        (lists / "lists/partial").mkdir(parents=True, exist_ok=True)
        known = subprocess.run(["apt-get", "indextargets", "--format",
                                "$(CREATED_BY)|$(ORIGIN)|$(REPO_URI) $(RELEASE) $(COMPONENT)"],
                               check=True, capture_output=True, text=True).stdout
        keys = "/usr/share/keyrings/debian-archive-keyring.gpg"
        lines = [f"deb-src [signed-by={keys}] {line.split('|')[2]}\n" for line in known.splitlines()
                 if line.startswith("Packages|Debian|")]
        sources.write_text("".join(lines))
        subprocess.run(["apt-get", *options, "-q", "update"], check=True, stdout=subprocess.DEVNULL)
    return options


def fetch(recipe, work, into):
    """Puts the source to the folder \\p into; returns its version."""
    if recipe.folder:
        subprocess.run(["cp", "-a", recipe.folder, into], check=True)
        return "local"
    packed = work / recipe.name / "source"
    packed.mkdir(parents=True, exist_ok=True)
    if not list(packed.glob("*.dsc")):
        subprocess.run(["apt-get", *apt_options(work), "-q", "source", "--only-source", "--download-only",
                        recipe.source], cwd=packed, check=True, stdout=subprocess.DEVNULL)
    description = next(packed.glob("*.dsc"))
    subprocess.run(["dpkg-source", "--no-check", "-x", description, into], check=True, stdout=subprocess.DEVNULL)
    return re.search(r"^Version: (?:\d+:)?(\S+)", description.read_text(), re.M)[1]
