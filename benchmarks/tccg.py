#!/usr/bin/env python3
#
# Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the tensor contraction benchmark TCCG as plain C loops, beside GEMMs of equal size.

  tccg.py --plugin build/lib/libTilesmith.so [--against OLD.so] [--only abc-bda-dc,abcd-ebad-ce]
          [--orders c,k,a] [--extents run,constant] [--type f64] [--all] [--source FILE]
  tccg.py --plugin build/lib/libTilesmith.so --tblis libtblis.so
  tccg.py --plugin build/lib/libTilesmith.so --check

A contraction is written C-A-B, in column-major order. The loops stand in one of three orders:
c: those of C, the slowest outermost, and the sum innermost; k: the sum outermost; a: A's order.
A figure is the time of the faster of OpenBLAS' and BLIS' GEMM of equal size, divided by ours:
the best of several runs, in turn, in one process. With --tblis, the last column is the time of TBLIS,
of the same tensors, divided by ours. --check compares all bytes with those that clang
makes, at small sizes. The list of contractions is fetched from the benchmark's repository, unless
--source names a copy of its benchmark.py, or a file like contractions.txt: one contraction in each
line, with the extents that it has. An index that all three have is a batch: its mark is a GEMM each."""

import argparse
import ctypes
import itertools
import math
import os
import pathlib
import re
import statistics
import struct
import subprocess
import sys
import tempfile
import time
import urllib.request

URL = "https://raw.githubusercontent.com/HPAC/tccg/master/benchmark/benchmark.py"
TENSOR_BYTES = 200 << 20  # of the largest tensor
TYPES = {"f64": ("double", 8, "d"), "f32": ("float", 4, "s")}
FLAGS = ["-O3", "-march=native", "-fno-math-errno", "-w"]
SMALL = [5, 3, 7, 4, 6, 2, 8]  # extents for --check


def contractions(source, everything):
    """The list, each with the extents that are fixed; the short one unless everything is asked for."""
    text = open(source).read() if source else urllib.request.urlopen(URL).read().decode()
    if "testcases_" not in text:
        lines = re.findall(r"^([a-z]+-[a-z]+-[a-z]+)(.*)", text, re.M)
        return [(c, {i: int(n) for i, n in re.findall(r"\b([a-z])=(\d+)", extents)}) for c, extents in lines]
    sets = {}
    for name, body in re.findall(r"testcases_(\w+)\s*=\s*\[(.*?)\]", text, re.S):
        sets.setdefault(name, []).append(re.findall(r'"([a-z]+-[a-z]+-[a-z]+)"', body))
    result = []
    for name in ["intensli", "ao2mo", "ccsd", "ccsd_t"]:
        # Where there are two, the first one is the full set.
        chosen = sets[name][0] if everything or len(sets[name]) == 1 else sets[name][1]
        result += [(c, {"j": 24} if name == "intensli" else {}) for c in chosen]
    return result


def sizes(contraction, fixed, element):
    """As the benchmark chooses them: indices that are adjacent somewhere are multiples of 24, the
    others of 4, all about equal, and the largest tensor has TENSOR_BYTES."""
    tensors = contraction.split("-")
    average = (TENSOR_BYTES / element) ** (1 / max(map(len, tensors)))
    result = dict(fixed)
    for index in sorted(set("".join(tensors)) - set(fixed)):
        if index in [t[0] for t in tensors]:
            result[index] = math.ceil(average / 24) * 24
        else:
            up, down = math.ceil(average / 4) * 4, max(4, int(average / 4) * 4)
            result[index] = up if abs(average - up) < abs(average - down) else down
    return result


class Contraction:
    def __init__(self, text, extents):
        self.text, self.extents = text, extents
        self.c, self.a, self.b = text.split("-")
        self.batch = [i for i in self.c if i in self.a and i in self.b]
        self.m = [i for i in self.c if i in self.a and i not in self.b]
        self.n = [i for i in self.c if i in self.b and i not in self.a]
        self.k = [i for i in self.a if i not in self.c]
        self.name = "_".join([text.replace("-", "_"), *(f"{i}{n}" for i, n in sorted(extents.items()))])

    def extent(self, indices):
        return math.prod(self.extents[i] for i in indices)

    def loops(self, order):
        c, k = list(reversed(self.c)), list(reversed(self.k))
        if order == "c":
            return c + k
        if order == "k":
            return k + c
        a = list(reversed(self.a))
        return a + [i for i in c if i not in a]

    def code(self, order, constant, ty):
        indices = sorted(self.extents)

        def subscript(name, tensor):
            offset = tensor[-1]
            for i in reversed(tensor[:-1]):
                offset = f"({offset}) * N{i} + {i}" if offset != tensor[-1] else f"{offset} * N{i} + {i}"
            return f"{name}[{offset}]"

        lines = [f"void {self.name}_{order}({ty} *C, const {ty} *A, const {ty} *B"
                 + "".join(f", long N{i}_" for i in indices) + ") {"]
        for i in indices:
            lines.append(f"  const long N{i} = {self.extents[i] if constant else f'N{i}_'};")
        for depth, i in enumerate(self.loops(order)):
            lines.append("  " * (depth + 1) + f"for (long {i} = 0; {i} < N{i}; {i}++)")
        lines.append("  " * (len(indices) + 1) + f"{subscript('C', self.c)} += {subscript('A', self.a)} * {subscript('B', self.b)};")
        return "\n".join(lines) + "\n}\n"


FILL = """
void fill_TY(TY *X, long n, unsigned seed) {
  for (long i = 0; i < n; i++)
    X[i] = (seed = seed * 1664525u + 1013904223u) * 0x1p-32f - 0.5f;
}
"""


class Side:
    """The contractions, compiled."""

    def __init__(self, args, work, name, source, plugin, options=""):
        path = f"{work}/{name}.so"
        command = [args.clang, *FLAGS, "-shared", "-fPIC", source, "-o", path]
        if plugin:
            command += [f"-fpass-plugin={os.path.abspath(plugin)}", "-Rpass=tilesmith"]
        run = subprocess.run(command, check=True, text=True, capture_output=True,
                             env={**os.environ, "TILESMITH": options})
        self.replaced = len(re.findall("remark: replaced", run.stderr))
        self.remarks = run.stderr
        self.library = ctypes.CDLL(path)

    def function(self, name):
        return getattr(self.library, name)


class Gemms:
    def __init__(self, letter):
        os.environ["OPENBLAS_NUM_THREADS"] = os.environ["BLIS_NUM_THREADS"] = "1"
        os.environ.pop("OPENBLAS_CORETYPE", None)
        flags = open("/proc/cpuinfo").read()
        os.environ["OPENBLAS_CORETYPE"] = "SkylakeX" if "avx512f" in flags else "Haswell"
        self.functions = {}
        for name, soname in [("OpenBLAS", "libopenblas.so.0"), ("BLIS", "libblis.so.4")]:
            if name == "BLIS":
                # 0.9 takes numbers; it does not know all processors with AVX-512.
                probe = ctypes.CDLL(soname)
                probe.bli_arch_string.restype = ctypes.c_char_p
                wanted = b"skx" if "avx512f" in flags else b"haswell"
                for number in range(12):
                    if probe.bli_arch_string(number) == wanted:
                        os.environ["BLIS_ARCH_TYPE"] = str(number)
            self.functions[name] = getattr(ctypes.CDLL(soname, mode=os.RTLD_LOCAL | os.RTLD_DEEPBIND), f"cblas_{letter}gemm")
        self.scalar = ctypes.c_double if letter == "d" else ctypes.c_float

    def run(self, name, x, pointers):
        """As many products as the contraction has batches, each of its size."""
        i, size = ctypes.c_int, ctypes.sizeof(self.scalar)
        m, n, k = (x.extent(indices) for indices in (x.m, x.n, x.k))
        for batch in range(x.extent(x.batch)):
            c, a, b = (ctypes.c_void_p(p.value + batch * e * size) for p, e in zip(pointers, (m * n, m * k, n * k)))
            self.functions[name](i(102), i(111), i(111), i(m), i(n), i(k), self.scalar(1), a, i(m), b, i(k), self.scalar(1), c, i(m))


class Tblis:
    """TBLIS, built from its source without threads: C += A * B, of tensors of any strides."""

    def __init__(self, path, letter):
        class Tensor(ctypes.Structure):
            _fields_ = [("type", ctypes.c_int), ("conj", ctypes.c_int), ("one", ctypes.c_double * 2),
                        ("one_type", ctypes.c_int), ("data", ctypes.c_void_p), ("ndim", ctypes.c_uint),
                        ("len", ctypes.POINTER(ctypes.c_ssize_t)), ("stride", ctypes.POINTER(ctypes.c_ssize_t))]

        self.tensor, self.library = Tensor, ctypes.CDLL(path)
        self.type = "sd".index(letter)
        self.one = struct.pack(letter.replace("s", "f"), 1.0).ljust(16, b"\0")

    def operand(self, x, indices, pointer):
        extents = [x.extents[i] for i in indices]
        strides = [math.prod(extents[:i]) for i in range(len(extents))]
        array = ctypes.c_ssize_t * len(extents)
        return self.tensor(self.type, 0, (ctypes.c_double * 2).from_buffer_copy(self.one), self.type, pointer, len(extents),
                           array(*extents), array(*strides))

    def product(self, x, pointers):
        c, a, b = (self.operand(x, t, p) for t, p in zip((x.c, x.a, x.b), pointers))
        names = [t.encode() for t in (x.a, x.b, x.c)]
        return lambda: self.library.tblis_tensor_mult(None, None, ctypes.byref(a), names[0], ctypes.byref(b), names[1],
                                                      ctypes.byref(c), names[2])


def best(functions, seconds, rounds):
    """The least time of each, called in turn."""
    times = [math.inf] * len(functions)
    begin, done = time.perf_counter(), 0
    while done < rounds or (time.perf_counter() - begin < seconds and done < 100):
        for i, f in enumerate(functions):
            start = time.perf_counter()
            f()
            times[i] = min(times[i], time.perf_counter() - start)
        done += 1
    return times


def buffers(libc, side, ty, element, count):
    result = []
    for seed, n in enumerate(count):
        libc.aligned_alloc.restype = ctypes.c_void_p
        pointer = ctypes.c_void_p(libc.aligned_alloc(4096, (n * element + 4095) // 4096 * 4096))
        side.function(f"fill_{ty}")(pointer, ctypes.c_long(n), ctypes.c_uint(seed + 1))
        result.append(pointer)
    return result


def guarded_buffers(libc, side, ty, element, count):
    """The same, each with a page behind it that may not be accessed."""
    libc.mmap.restype, page, result = ctypes.c_void_p, 4096, []
    for seed, n in enumerate(count):
        size = (n * element + page - 1) // page * page
        base = libc.mmap(None, ctypes.c_size_t(size + page), 3, 0x22, -1, ctypes.c_long(0))
        libc.mprotect(ctypes.c_void_p(base + size), ctypes.c_size_t(page), 0)
        pointer = ctypes.c_void_p(base + size - n * element)
        side.function(f"fill_{ty}")(pointer, ctypes.c_long(n), ctypes.c_uint(seed + 1))
        result.append((pointer, base, size + page))
    return result


def call(f, pointers, extents):
    longs = [ctypes.c_long(extents[i]) for i in sorted(extents)]
    return lambda: f(*pointers, *longs)


def measure(args, work, libc, gemms, all_of, order, extents):
    ty, element, _ = TYPES[args.type]
    source = f"{work}/{order}_{extents}.c"
    with open(source, "w") as f:
        f.write(FILL.replace("TY", ty))
        for x in all_of:
            f.write(x.code(order, extents == "constant", ty))
    sides = [Side(args, work, f"{order}_{extents}_{i}", source, p) for i, p in enumerate([args.plugin] + args.against)]
    print(f"\n{args.type}, loops in order {order}, extents {extents}: {sides[0].replaced} of {len(all_of)} replaced\n")
    tblis = Tblis(args.tblis, TYPES[args.type][2]) if args.tblis else None
    print("| contraction | M x N x K | GEMM | of it: ours |" + " old |" * len(args.against) + " of TBLIS |" * bool(tblis))
    print("|---|---|---:|---:|" + "---:|" * (len(args.against) + bool(tblis)))
    ratios = [[] for _ in range(len(sides) + bool(tblis))]
    for x in all_of:
        m, n, k = (x.extent(i) for i in (x.m, x.n, x.k))
        pointers = buffers(libc, sides[0], ty, element, [x.extent(t) for t in (x.c, x.a, x.b)])
        functions = [call(s.function(f"{x.name}_{order}"), pointers, x.extents) for s in sides]
        functions += [lambda name=name: gemms.run(name, x, pointers) for name in gemms.functions]
        if tblis:
            functions.append(tblis.product(x, pointers))
        times = best(functions, args.seconds, args.rounds)
        gemm = min(times[len(sides):len(sides) + len(gemms.functions)])
        row = [gemm / t for t in times[:len(sides)]] + ([times[-1] / times[0]] if tblis else [])
        for r, all_ratios in zip(row, ratios):
            all_ratios.append(r)
        print(f"| {x.text} | {m} x {n} x {k} | {2 * m * n * k * x.extent(x.batch) / gemm / 1e9:.1f} |", *(f"{r:.2f} |" for r in row), flush=True)
        for p in pointers:
            libc.free(p)
    print("| geometric mean | | |", *(f"{statistics.geometric_mean(r):.2f} |" for r in ratios))
    print("| least | | |", *(f"{min(r):.2f} |" for r in ratios))


def check(args, work, libc, all_of, order, extents):
    ty, element, _ = TYPES[args.type]
    different = {x.text: x for x in all_of}.values()
    small = [Contraction(x.text, dict(zip(sorted(x.extents), itertools.cycle(SMALL)))) for x in different]
    source = f"{work}/check_{order}_{extents}.c"
    with open(source, "w") as f:
        f.write(FILL.replace("TY", ty))
        for x in small:
            f.write(x.code(order, extents == "constant", ty))
    sides = [Side(args, work, f"check_{order}_{extents}_{i}", source, p, args.options) for i, p in enumerate([None, args.plugin])]
    wrong = 0
    for x in small:
        for scale in [1] if extents == "constant" else [1, 2, 5]:
            e = {i: n * scale if len(x.extents) < 5 else n + scale for i, n in x.extents.items()} if scale > 1 else x.extents
            y = Contraction(x.text, e)
            counts = [y.extent(t) for t in (y.c, y.a, y.b)]
            results = []
            for s in sides:
                guarded = guarded_buffers(libc, s, ty, element, counts)
                pointers = [pointer for pointer, _, _ in guarded]
                call(s.function(f"{x.name}_{order}"), pointers, e)()
                results.append(ctypes.string_at(pointers[0], counts[0] * element))
                for _, base, size in guarded:
                    libc.munmap(ctypes.c_void_p(base), ctypes.c_size_t(size))
            if results[0] != results[1]:
                wrong += 1
                print(f"{x.text}, order {order}, extents {extents} {e}: other bits")
    print(f"{args.type}, order {order}, extents {extents}: {sides[1].replaced} of {len(small)} replaced, {wrong} with other bits")
    return wrong or sides[1].replaced < len(small)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plugin", required=True)
    parser.add_argument("--against", action="append", default=[], help="another plugin, to compare")
    parser.add_argument("--tblis", help="its shared library, to compare")
    parser.add_argument("--clang", default="clang-22")
    parser.add_argument("--source")
    parser.add_argument("--all", action="store_true", help="all 48 contractions, not 24")
    parser.add_argument("--only", default="")
    parser.add_argument("--orders", default="c")
    parser.add_argument("--extents", default="run")
    parser.add_argument("--type", default="f64", choices=TYPES)
    parser.add_argument("--seconds", type=float, default=1, help="for each contraction, at least")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--options", default="min-work=1;verify", help="of the plugin, for --check")
    args = parser.parse_args()
    only = args.only.split(",") if args.only else None
    all_of = [Contraction(text, sizes(text, fixed, TYPES[args.type][1]))
              for text, fixed in contractions(args.source, args.all) if not only or text in only]
    libc = ctypes.CDLL(None)
    status = 0
    with tempfile.TemporaryDirectory() as work:
        gemms = None if args.check else Gemms(TYPES[args.type][2])
        for order, extents in itertools.product(args.orders.split(","), args.extents.split(",")):
            if args.check:
                status |= bool(check(args, work, libc, all_of, order, extents))
            else:
                measure(args, work, libc, gemms, all_of, order, extents)
    return status


if __name__ == "__main__":
    sys.exit(main())
