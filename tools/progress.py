# Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Progress bars by tqdm (Debian: python3-tqdm), or none where that is not installed."""

try:
    from tqdm import tqdm as Bar
except ModuleNotFoundError:
    class Bar:
        """What the tools use of tqdm, without showing anything."""

        def __init__(self, items=(), **_):
            self.items = items

        def __iter__(self):
            return iter(self.items)

        def update(self, count):
            pass

        def set_postfix(self, **_):
            pass

        def write(self, text):
            print(text)

        def close(self):
            pass
