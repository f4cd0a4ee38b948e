# Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names of functions as they are in the source, without parameters."""

import shutil
import subprocess

FILTERS = ("llvm-cxxfilt-22", "llvm-cxxfilt", "c++filt")


def demangle(mangled):
    """{mangled: as in the source}; unchanged where no tool for it is installed."""
    mangled = sorted(mangled)
    tool = next(filter(None, map(shutil.which, FILTERS)), None)
    if not tool or not mangled:
        return {name: name for name in mangled}
    plain = subprocess.run([tool, "--no-params"], input="\n".join(mangled), capture_output=True, text=True, check=True)
    return dict(zip(mangled, plain.stdout.splitlines()))
