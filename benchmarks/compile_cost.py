#!/usr/bin/env python3
#===- compile_cost.py - what the plugin costs the compiler -*- python -*-===//
#
# Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""Compiles with and without the plugin, and prints the CPU time of both as a
Markdown table: sources without a product (a file of standard headers, files of
Tilesmith itself, 10,000 lines of loops), and sources with one or more replaced nests.

  compile_cost.py --clang clang-22 --plugin build/lib/libTilesmith.so [--runs 9] [--level=-O2] [--only loops] [--lines 1000]

The two compilations alternate, and the fastest of each counts."""

import argparse
import os
import re
import resource
import subprocess
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

HEADERS = "algorithm chrono deque fstream functional future iostream iterator list map memory \
numeric queue random regex set sstream string thread tuple unordered_map vector".split()
STANDARD = "".join(f"#include <{name}>\n" for name in HEADERS) + """
std::map<std::string, std::vector<double>> index(std::istream &in) {
  std::map<std::string, std::vector<double>> result;
  std::regex word("([a-z]+)=([0-9.]+)");
  for (std::string line; std::getline(in, line);)
    for (std::sregex_iterator i(line.begin(), line.end(), word), end; i != end; ++i)
      result[(*i)[1]].push_back(std::stod((*i)[2]));
  for (auto &[name, values] : result)
    std::sort(values.begin(), values.end());
  return result;
}
"""


def nests(*types):
    return "".join(f"""
void gemm{n}(long M, long N, long K, const {T} *A, const {T} *B, {T} *C) {{
  for (long i = 0; i < M; i++)
    for (long j = 0; j < N; j++)
      for (long k = 0; k < K; k++)
        C[i * N + j] += A[i * K + k] * B[k * N + j];
}}
""" for n, T in enumerate(types))


# One loop nest of each kind, none of them a product, or one that is left to clang; some look like one at first.
LOOPS = """
void axpy{n}(long n, double a, const double *x, double *y) {{
  for (long i = 0; i < n; i++)
    y[i] = a * x[i] + y[i] * {n}.0;
}}
double dot{n}(long n, const double *x, const double *y) {{
  double s = {n};
  for (long i = 0; i < n; i++)
    s += x[i] * y[i];
  return s;
}}
void matvec{n}(int m, int n, const int *a, const int *x, int *y) {{
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++)
      y[i + {n}] += a[i * n + j] * x[j];
}}
void stencil{n}(long n, double (*restrict a)[{n}00], double (*restrict b)[{n}00]) {{
  for (long t = 0; t < 100; t++)
    for (long i = 1; i < n - 1; i++)
      for (long j = 1; j < {n}00 - 1; j++)
        b[i][j] = 0.2 * (a[i][j] + a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]);
}}
void floyd{n}(int n, int *d, int *by) {{
  for (int k = 0; k < n; k++)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        if (d[i * n + k] + d[k * n + j] < d[i * n + j])
          d[i * n + j] = d[i * n + k] + d[k * n + j] + {n}, by[i * n + j] = k;
}}
void scaled{n}(int n, float *c, const float *a, const float *b) {{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        c[i * n + j] += a[i * n + j + k] * b[i] * {n};
}}
void blur{n}(long h, long w, const unsigned char *in, unsigned char *out, const int *f) {{
  for (long y = 2; y < h - 2; y++)
    for (long x = 2; x < w - 2; x++) {{
      int s = 0;
      for (long v = -2; v <= 2; v++)
        for (long u = -2; u <= 2; u++)
          s += in[(y + v) * w + x + u] * f[v * 5 + u + 12];
      out[y * w + x] = s / (256 + {n});
    }}
}}
void solve{n}(int n, double *restrict l, double *restrict x) {{
  for (int i = 0; i < n; i++) {{
    for (int j = 0; j < i; j++)
      x[i] -= l[i * n + j] * x[j];
    x[i] /= l[i * n + i] + {n};
  }}
}}
void histogram{n}(long n, const unsigned *x, unsigned *count) {{
  for (long i = 0; i < n; i++)
    count[x[i] % {n}7]++;
}}
"""


def loops(lines):
    each = LOOPS.count("\n")
    return "".join(LOOPS.format(n=n + 1) for n in range(-(-lines // each)))


def cpu_time(command):
    """Seconds of user and system time."""
    def so_far():
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    before = so_far()
    subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
    return so_far() - before


def fastest(commands, runs):
    times = [[cpu_time(command) for command in commands] for _ in range(runs)]
    return [min(column) for column in zip(*times)]


def time_in_passes(command):
    """Milliseconds of CPU in Tilesmith's passes, and in all, by -ftime-report."""
    report = subprocess.run(command + ["-ftime-report"], check=True, stderr=subprocess.PIPE,
                            text=True).stderr
    own = total = 0.0
    section = previous = ""
    for line in report.splitlines():
        if previous.startswith("===-") and "Total Execution" not in line:
            section = line
        previous = line
        # User, system and both, as far as there are any, and wall time.
        times = re.findall(r"([\d.]+) \(\s*[\d.]+%\)", line)
        if len(times) > 1 and "Pass execution" in section:
            if "tilesmith::" in line:
                own += float(times[-2])
            if line.endswith(" Total"):
                total += float(times[-2])
    return own * 1000, total * 1000


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clang", default="clang-22")
    parser.add_argument("--plugin", default=f"{ROOT}/build/lib/libTilesmith.so")
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--level", default="-O3", help="-O3, or another one")
    parser.add_argument("--lines", type=int, default=10000, help="of loops")
    parser.add_argument("--only", metavar="REGEX", default="", help="only these sources")
    args = parser.parse_args()

    llvm = subprocess.check_output(["llvm-config-22", "--cxxflags"], text=True).split()
    own = ["-x", "c++", f"-I{ROOT}/include"] + llvm
    with tempfile.TemporaryDirectory() as folder:
        def file(name, text):
            with open(f"{folder}/{name}", "w") as out:
                out.write(text)
            return f"{folder}/{name}"

        cases = [  # what, file, flags
            ("empty file", file("empty.c", "int x;\n"), []),
            ("standard headers", file("standard.cpp", STANDARD), []),
            ("lib/Idiom/Recognize.cpp", f"{ROOT}/lib/Idiom/Recognize.cpp", own),
            ("lib/Lowering/RegisterTiles.cpp", f"{ROOT}/lib/Lowering/RegisterTiles.cpp", own),
            (f"{args.lines:,} lines of loops", file("loops.c", loops(args.lines)),
             ["-march=x86-64-v4"]),
            ("1 nest, AVX-512", file("avx512.c", nests("double")), ["-march=x86-64-v4"]),
            ("1 nest, AVX2", file("avx2.c", nests("double")), ["-march=x86-64-v3"]),
            ("4 equal nests, AVX-512", file("equal.c", nests(*["double"] * 4)),
             ["-march=x86-64-v4"]),
            ("2 different nests, AVX-512", file("different.c", nests("double", "float")),
             ["-march=x86-64-v4"]),
        ]
        print(f"| source | clang {args.level}, ms | with Tilesmith, ms | more | in Tilesmith's passes |")
        print("|---|---:|---:|---:|---:|")
        for what, source, flags in cases:
            if not re.search(args.only, what):
                continue
            plain = [args.clang, args.level, "-w"] + flags + ["-c", source, "-o", f"{folder}/x.o"]
            plugin = plain + [f"-fpass-plugin={args.plugin}"]
            without, with_plugin = (1000 * t for t in fastest([plain, plugin], args.runs))
            inside, passes = time_in_passes(plugin)
            print(f"| {what} | {without:.0f} | {with_plugin:.0f} | {with_plugin - without:+.0f} ms "
                  f"({with_plugin / without - 1:+.1%}) | {inside:.1f} ms of {passes:.0f} |",
                  flush=True)


if __name__ == "__main__":
    main()
