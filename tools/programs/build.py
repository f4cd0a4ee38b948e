# Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds and tests one program, without and with the plugin.

A program is configured once; each build starts from a copy of that, in the same folder, so that
paths are the same. CC is a script that adds the flags of the build, and notes the CPU time.
"""

import hashlib
import json
import os
import re
import shutil
import subprocess

from programs.recipe import fetch

# name: (flags of both sides, options of Tilesmith)
CONFIGS = {
    "O2": ("-O2", ""),
    "O3": ("-O3 -march=native", ""),
    "O3-small": ("-O3 -march=native", "min-work=1"),
    "O2-lto": ("-O2 -flto -fuse-ld=lld", ""),
    "O3-thin": ("-O3 -march=native -flto=thin -fuse-ld=lld", ""),
}

COMPILER = """#!/bin/bash
TIMEFORMAT='%U %S'
exec {{err}}>&2
test -n "$TILESMITH_PASSES" && passes="{report} -mllvm -info-output-file=$TILESMITH_PASSES"
{{ time {compiler} "$@" $TILESMITH_FLAGS $passes 2>&$err {{err}}>&-; }} 2>>"${{TILESMITH_TIMES:-/dev/null}}"
"""


class Failure(Exception):
    """A step of a build that did not succeed; with the place of its log."""


class Build:
    def __init__(self, options, recipe):
        self.options, self.recipe = options, recipe
        self.home = options.work / recipe.name
        self.tree, self.configured = self.home / "tree", self.home / "configured"
        self.results = self.home / "results"
        self.results.mkdir(parents=True, exist_ok=True)

    def run(self, command, log, environment):
        tools = {"CC": "cc", "CXX": "c++", "FC": "fc", "F77": "fc"}
        environment = dict(os.environ, JOBS=str(self.options.jobs),
                           RECIPES=str(self.options.recipes.resolve().parent), LC_ALL="C.UTF-8", SOURCE_DATE_EPOCH="0",
                           AR="llvm-ar-22", RANLIB="llvm-ranlib-22", NM="llvm-nm-22",
                           **{f: "-O2" for f in ("CFLAGS", "CXXFLAGS", "FFLAGS", "FCFLAGS")},
                           **{k: str(self.options.work / "bin" / v) for k, v in tools.items()}, **environment)
        with open(log, "w") as file:
            # timeout ends what the command started, too.
            return subprocess.run(["timeout", "-k", "10", str(self.options.time_limit), "bash", "-c", command],
                                  cwd=self.tree, env=environment, stdin=subprocess.DEVNULL, stdout=file,
                                  stderr=subprocess.STDOUT).returncode

    def configure(self):
        """A configured tree, and the version of the source."""
        write_compilers(self.options)
        version = self.home / "version"
        if not version.exists():
            for folder in (self.tree, self.configured):
                shutil.rmtree(folder, ignore_errors=True)
            found = fetch(self.recipe, self.options.work, self.tree)
            log = self.results / "configure.log"
            if self.run(self.recipe.configure, log, {}):
                raise Failure(f"not configured, see {log}")
            self.tree.rename(self.configured)
            version.write_text(found)
        return version.read_text()

    def fresh_tree(self):
        shutil.rmtree(self.tree, ignore_errors=True)
        subprocess.run(["cp", "-a", self.configured, self.tree], check=True)

    def make(self, label, flags, environment, other=None):
        """Builds and tests; {what: result}. If all that was built is the same, byte for byte, as by
        the \p other one, so is what tests give, and they do not run."""
        self.fresh_tree()
        times = self.results / f"{label}.times"
        times.write_text("")
        passes = self.results / f"{label}.passes"
        passes.unlink(missing_ok=True)
        environment = dict(environment, TILESMITH_FLAGS=flags, TILESMITH_TIMES=str(times), TILESMITH_PASSES=str(passes))
        log = self.results / f"{label}.build.log"
        status = self.run(self.recipe.build, log, environment)
        if status:
            raise Failure(f"not built ({status}), see {log}")
        seconds = [float(s) for line in times.read_text().splitlines() for s in re.findall(r"^[\d.]+|[\d.]+$", line)]
        result = {"cpu": round(sum(seconds), 2), "share": share_of_passes(passes), "built": self.built()}
        if other and other.get("built") == result["built"]:
            return {**other, **result, "identical": True}
        log = self.results / f"{label}.test.log"
        status = self.run(self.recipe.test, log, dict(environment, TILESMITH_TIMES="", TILESMITH_PASSES=""))
        (passed, passed_names), (failed, failed_names) = self.recipe.results(log.read_text(errors="replace"))
        return {**result, "status": status, "passed": passed, "failed": failed,
                "passed_names": passed_names, "failed_names": failed_names,
                "files": {str(f.relative_to(self.tree)): self.digest(f)
                          for pattern in self.recipe.same for f in sorted(self.tree.glob(pattern))}}

    def built(self):
        """Digests of the objects, archives and programs in the folder."""
        digests = {}
        for path in sorted(self.tree.rglob("*")):
            if path.is_file() and not path.is_symlink():
                with open(path, "rb") as file:
                    if file.read(8).startswith((b"\x7fELF", b"!<arch>", b"BC\xc0\xde")):
                        file.seek(0)
                        digests[str(path.relative_to(self.tree))] = hashlib.file_digest(file, "sha256").hexdigest()
        return digests

    def digest(self, path):
        data = path.read_bytes()
        if self.recipe.ignore:
            data = b"\n".join(line for line in data.splitlines()
                              if not re.search(self.recipe.ignore.encode(), line))
        return hashlib.sha256(data).hexdigest()

    def kept(self, label, again, make):
        """The result of that name, made if it is not there."""
        path = self.results / f"{label}.json"
        if again or not path.exists():
            path.write_text(json.dumps(make(), indent=1))
        return json.loads(path.read_text())

    def without(self, flags):
        label = "without" + re.sub(r"[ =]+", "", flags.replace("-fuse-ld=lld", ""))
        return self.kept(label, False, lambda: self.make(label, both_sides(flags), {"TILESMITH": "off"}))

    def with_plugin(self, config, flags, chosen, without):
        from programs.remarks import read_remarks  # wants python3-yaml

        def make():
            flags_with = f"{both_sides(flags)} -fpass-plugin={self.options.plugin}"
            if "-flto" in flags:
                flags_with += f" -Wl,--load-pass-plugin={self.options.plugin}"
            verify = ";".join(filter(None, ["verify=1", "remarks=all", chosen]))
            result = self.make(config, flags_with, {"TILESMITH": verify}, without)
            return dict(result, **read_remarks(self.tree))
        return self.kept(config, self.options.again, make)


def both_sides(flags):
    return f"{flags} -fsave-optimization-record -foptimization-record-passes=^tilesmith|^count-loops -Qunused-arguments"


def share_of_passes(path):
    """What part of the time of all LLVM passes Tilesmith's take, in percent."""
    ours = total = 0
    in_passes = False
    for line in path.read_text().splitlines() if path.exists() else []:
        columns = re.match(r"((?: +[\d.]+ \( *[\d.]+%\))+) +(.*)", line)
        if "timing report" in line:
            in_passes = "Pass execution" in line
        elif columns and in_passes:
            # User + system, or the only one; then the wall.
            times = re.findall(r"([\d.]+) \(", columns[1])
            seconds = float(times[-2 if len(times) > 1 else -1])
            total += seconds * (columns[2] == "Total")
            ours += seconds * columns[2].startswith("tilesmith::")
    return round(100 * ours / total, 2) if total else None


def write_compilers(options):
    folder = options.work / "bin"
    folder.mkdir(parents=True, exist_ok=True)
    for name, compiler, report in (("cc", options.clang, "-ftime-report"),
                                   ("c++", options.clang + " --driver-mode=g++", "-ftime-report"),
                                   ("fc", options.flang, "-mllvm -time-passes")):
        text = COMPILER.format(compiler=compiler, report=report)
        # One that another build is running cannot be written.
        if not (folder / name).exists() or (folder / name).read_text() != text:
            (folder / name).write_text(text)
            (folder / name).chmod(0o755)
    # CMake looks beside the compiler, and may find those of another LLVM elsewhere.
    for name in ("llvm-ar", "llvm-ranlib", "llvm-nm"):
        if (found := shutil.which(name + "-22")) and not (folder / name).exists():
            (folder / name).symlink_to(found)


def differences(before, after):
    """What a person should look at."""
    found = []
    if before["status"] != after["status"]:
        found.append(f"the tests ended with {after['status']}, without the plugin with {before['status']}")
    for what in ("passed", "failed"):
        if before[what] != after[what]:
            found.append(f"{after[what]} tests {what}, without the plugin {before[what]}")
    for what in ("passed", "failed"):
        only = sorted(set(after[what + "_names"]) - set(before[what + "_names"]))
        found += [f"{what} only with the plugin: {name}" for name in only[:10]]
    if not before["passed"]:
        found.append("no test passed")
    files = set(before["files"]) | set(after["files"])
    found += [f"other contents: {f}" for f in sorted(files) if before["files"].get(f) != after["files"].get(f)]
    return found


def compare(options, recipe, config):
    """Both builds of a program; everything about them for a table."""
    flags, chosen = CONFIGS[config]
    result = {"program": recipe.name, "config": config, "differences": []}
    build = Build(options, recipe)
    try:
        result["version"] = build.configure()
        result["without"] = build.without(flags)
        result["with"] = build.with_plugin(config, flags, chosen, result["without"])
        result["differences"] = differences(result["without"], result["with"])
    except (Failure, subprocess.CalledProcessError) as e:
        result["differences"].append(str(e))
    if not options.keep:
        shutil.rmtree(build.tree, ignore_errors=True)
    (build.results / f"{config}.compared.json").write_text(json.dumps(result, indent=1))
    return result
