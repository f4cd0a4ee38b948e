# Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""The code that one replaced nest with extents known at run time adds to a
file, for nests of several kinds: code-growth.py CLANG PLUGIN CPU..."""

import itertools
import subprocess
import sys
import tempfile

LIMITS = {"-O3": 22.5 * 1024, "-O3 -mllvm -tilesmith-plan=tile=16x8": 15 * 1024, "-O2": 10 * 1024, "-Os": 10 * 1024}
THIN = {("-O3", "B transposed"): 27 * 1024}  # both ways
NESTS = {
    "product": "F(i, m) F(j, n) F(k, p) c[i*n+j] += a[i*p+k] * b[k*n+j];",
    "B transposed": "F(i, m) F(j, n) F(k, p) c[i*n+j] += a[i*p+k] * b[j*p+k];",
    "alpha and beta": """F(i, m) F(j, n) {
        T s = 0;
        F(k, p) s += a[i*p+k] * b[k*n+j];
        c[i*n+j] = alpha * s + beta * c[i*n+j];
    }""",
    "alpha": "F(i, m) F(k, p) F(j, n) c[i*n+j] += alpha * a[i*p+k] * b[k*n+j];",
    "syrk": "F(i, n) F(k, p) F(j, i + 1) c[i*n+j] += alpha * a[i*p+k] * a[j*p+k];",
    "syr2k": """F(i, n) F(k, p) F(j, i + 1)
        c[i*n+j] += a[i*p+k] * b[j*p+k] + b[i*p+k] * a[j*p+k];""",
    "trmm": "F(i, m) F(j, n) F(k, i + 1) c[i*n+j] += a[i*m+k] * b[k*n+j];",
}


def code_size(clang, flags, source):
    with tempfile.NamedTemporaryFile(suffix=".o") as out:
        subprocess.run([clang, "--target=x86_64-linux-gnu", *flags, "-xc", "-", "-c", "-o", out.name],
                       input=source, text=True, check=True)
        sections = subprocess.check_output(["llvm-size", "-A", out.name], text=True)
        return sum(int(line.split()[1]) for line in sections.splitlines()
                   if line.startswith(".text"))


clang, plugin, *cpus = sys.argv[1:]
too_large = False
for (level, limit), cpu, T, (name, nest) in itertools.product(LIMITS.items(), cpus, ("double", "float"), NESTS.items()):
    source = f"""
        #define F(i, n) for (long i = 0; i < n; i++)
        typedef {T} T;
        void f(long m, long n, long p, T alpha, T beta, const T *a, const T *b, T *c) {{ {nest} }}
    """
    optimised, *options = level.split()
    flags = [optimised, "-march=" + cpu]
    growth = (code_size(clang, [*flags, "-fpass-plugin=" + plugin, *options], source)
              - code_size(clang, flags, source))
    print(f"{level}, {cpu}, {T}, {name}: {growth} bytes")
    too_large |= not 0 < growth < THIN.get((level, name), limit)
sys.exit(too_large)
