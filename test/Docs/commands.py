#!/usr/bin/env python3
#===- commands.py - do the commands of a page work? --------*- python -*-===//
#
# Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""Runs the commands of a Markdown page in a new folder, one after the other.

  ```sh               commands, in one shell; they must succeed
  ```sh needs=TOOL    if there is such a tool, or the machine is of that kind
  ```text             lines that the commands before print; … stands for anything
  ```LANG file=NAME   is written to a file; JSON must be JSON

  commands.py PAGE FOLDER PLUGIN              commands whose need is there
  commands.py PAGE FOLDER PLUGIN NEED TOOL    those that need NEED, which is TOOL"""

import json
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys

BLOCK = re.compile(r"^```(\w+)(?: (\w+)=(\S+))?\n(.*?)^```$", re.M | re.S)


def is_there(tool):
    return platform.machine() == "x86_64" if tool == "x86" else shutil.which(tool)


def says(output, line):
    pattern = ".*".join(map(re.escape, line.split("…")))
    return re.search("^" + pattern + "$", output, re.M)


def run(commands, folder, variables):
    """What they print. Later blocks begin in the folder again."""
    done = subprocess.run(["bash", "-euo", "pipefail", "-c", commands], cwd=folder, text=True, env=variables,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    print(f"{commands}{done.stdout}", end="")
    if done.returncode:
        sys.exit(f"status {done.returncode}")
    return done.stdout


def main():
    page, folder, plugin = map(pathlib.Path, sys.argv[1:4])
    only, tool = sys.argv[4:] or (None, None)
    root = page.resolve().parent.parent
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / "examples").symlink_to(root / "examples")
    tools = folder / "tools"
    tools.mkdir()
    (tools / "tilesmith-report").symlink_to(root / "tools" / "tilesmith-report")
    if only:
        (tools / pathlib.Path(tool).name).symlink_to(tool)
    variables = dict(os.environ, plugin=str(plugin), COLUMNS="300", PATH=f"{tools.resolve()}:{os.environ['PATH']}")
    output, number = "", 0
    for language, key, value, text in BLOCK.findall(page.read_text(encoding="utf-8")):
        if key == "file":
            path = folder / value
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
            if language == "json":
                json.loads(text)
        elif language == "sh" and (value != only if only else key == "needs" and not is_there(value)):
            output = None
        elif language == "sh":
            output, number = run(text, folder, variables), number + 1
        elif language == "text" and output is not None:
            for line in text.splitlines():
                if not says(output, line):
                    sys.exit(f"not printed: {line}")
    print(f"{number} blocks of commands")
    sys.exit(number == 0)


if __name__ == "__main__":
    main()
