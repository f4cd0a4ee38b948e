#!/usr/bin/env python3
#
# Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products with an epilogue, beside what a library and a second pass over C take: one thread, all in turn, in one
process; the median of the ratios of all rounds.

  epilogues.py --plugin build/lib/libTilesmith.so [--sizes 64,128,256,500,1000] [--blas=-lopenblas]

float and double: the speed of a product with an epilogue, beside that of the same product without one ("plain"), and
beside a library's product followed by a pass that clang makes vectors of ("library"). int8: a product that is requantised
to int8 (rounded, and clamped), beside oneDNN's matmul with a scale and an int8 result, which does the same in one go.
Set OPENBLAS_CORETYPE to the machine's best kernels; OMP_NUM_THREADS is set to 1."""

import argparse
import os
import pathlib
import subprocess
import tempfile

# Name, what is stored.
FORMS = [
    ("relu", "s > 0 ? s : 0"),
    ("bias and relu", "s + x[j] > 0 ? s + x[j] : 0"),
    ("residual", "s + x[i * n + j]"),
    ("scale and clamp", "s * x[0] < -1 ? -1 : s * x[0] > 1 ? 1 : s * x[0]"),
]

NEST = """
void {name}_{t}(long n, const {t} *restrict a, const {t} *restrict b, const {t} *restrict x, {t} *restrict c) {{
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {{
      {t} s = 0;
      for (long k = 0; k < n; k++)
        s += a[i * n + k] * b[k * n + j];
      c[i * n + j] = {stored};
    }}
}}
"""
PASS = """
void pass{number}_{t}(long n, const {t} *restrict x, {t} *restrict c) {{
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {{
      {t} s = c[i * n + j];
      c[i * n + j] = {stored};
    }}
}}
"""
REQUANTISED = """
void requantised(long n, const signed char *restrict a, const signed char *restrict b, float scale, signed char *restrict c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      int s = 0;
      for (long k = 0; k < n; k++)
        s += a[i * n + k] * b[k * n + j];
      float v = __builtin_rintf(s * scale);
      v = v < -128 ? -128 : v;
      v = v > 127 ? 127 : v;
      c[i * n + j] = v;
    }
}
"""

DRIVER = r"""
#include <algorithm>
#include <cblas.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <oneapi/dnnl/dnnl.hpp>
#include <time.h>
#include <vector>
using Work = std::function<void()>;
static double seconds(const Work &Do, long Times) {
  timespec From, Until;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &From);
  for (long T = 0; T < Times; T++)
    Do();
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &Until);
  return (Until.tv_sec - From.tv_sec + 1e-9 * (Until.tv_nsec - From.tv_nsec)) / Times;
}
/// The median of how many times as long the others take as the first one.
static std::vector<double> ratios(long n, const std::vector<Work> &All) {
  long Times = 1 + 2e6 / (double(n) * n * n), Rounds = n < 300 ? 41 : 11;
  std::vector<std::vector<double>> Found(All.size());
  for (long R = 0; R < Rounds; R++) {
    double First = 0;
    for (size_t I = 0; I < All.size(); I++) {
      double Took = seconds(All[I], Times);
      if (I == 0)
        First = Took;
      Found[I].push_back(Took / First);
    }
  }
  std::vector<double> Result;
  for (auto &Of : Found) {
    std::nth_element(Of.begin(), Of.begin() + Of.size() / 2, Of.end());
    Result.push_back(Of[Of.size() / 2]);
  }
  return Result;
}
extern "C" {
DECLARATIONS
void requantised(long, const signed char *, const signed char *, float, signed char *);
}
static void gemm(long n, const float *A, const float *B, float *C) {
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, A, n, B, n, 0, C, n);
}
static void gemm(long n, const double *A, const double *B, double *C) {
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, A, n, B, n, 0, C, n);
}
static std::vector<long> Sizes;
template <typename T> using Product = void (*)(long, const T *, const T *, const T *, T *);
template <typename T> using Pass = void (*)(long, const T *, T *);
template <typename T> static void show(const char *Name, Product<T> Fused, Product<T> Plain, Pass<T> After) {
  std::vector<double> OfPlain, OfLibrary;
  for (long n : Sizes) {
    std::vector<T> A(n * n), B(n * n), X(n * n), C(n * n);
    for (long I = 0; I < n * n; I++)
      A[I] = rand() % 201 / T(100) - 1, B[I] = rand() % 201 / T(100) - 1, X[I] = rand() % 201 / T(100) - 1;
    auto Found = ratios(n, {[&] { Fused(n, A.data(), B.data(), X.data(), C.data()); },
                            [&] { Plain(n, A.data(), B.data(), X.data(), C.data()); },
                            [&] {
                              gemm(n, A.data(), B.data(), C.data());
                              After(n, X.data(), C.data());
                            }});
    OfPlain.push_back(Found[1]);
    OfLibrary.push_back(Found[2]);
  }
  for (auto &[Of, All] : {std::pair("plain", OfPlain), {"library", OfLibrary}}) {
    printf("| %s, of the %s |", Name, Of);
    for (double R : All)
      printf(" %.2f |", R);
    puts("");
  }
}
static void showRequantised() {
  using namespace dnnl;
  engine Engine(engine::kind::cpu, 0);
  stream Stream(Engine);
  std::vector<double> All;
  for (long n : Sizes) {
    std::vector<signed char> A(n * n), B(n * n), C(n * n), D(n * n);
    for (long I = 0; I < n * n; I++)
      A[I] = rand() % 256 - 128, B[I] = rand() % 256 - 128;
    float Scale = 1 / (64 * std::sqrt(float(n)));
    memory::desc Of({n, n}, memory::data_type::s8, memory::format_tag::ab), One({1}, memory::data_type::f32, {1});
    primitive_attr Attributes;
#if DNNL_VERSION_MAJOR < 3
    Attributes.set_output_scales(0, {Scale});
    matmul Fused({{Of, Of, Of}, Attributes, Engine});
#else
    Attributes.set_scales_mask(DNNL_ARG_SRC, 0);
    matmul Fused({Engine, Of, Of, Of, Attributes});
#endif
    memory MA(Of, Engine, A.data()), MB(Of, Engine, B.data()), MC(Of, Engine, D.data()), MS(One, Engine, &Scale);
    auto Run = [&] {
      Fused.execute(Stream, {{DNNL_ARG_SRC, MA},
                             {DNNL_ARG_WEIGHTS, MB},
                             {DNNL_ARG_DST, MC},
#if DNNL_VERSION_MAJOR >= 3
                             {DNNL_ARG_ATTR_SCALES | DNNL_ARG_SRC, MS}
#endif
                            });
      Stream.wait();
    };
    auto Ours = [&] { requantised(n, A.data(), B.data(), Scale, C.data()); };
    Ours(), Run();
    if (C != D)
      puts("oneDNN's result differs");
    All.push_back(ratios(n, {Ours, Run})[1]);
  }
  printf("| int8, of oneDNN |");
  for (double R : All)
    printf(" %.2f |", R);
  puts("");
}
int main(int argc, char **argv) {
  for (int I = 1; I < argc; I++)
    Sizes.push_back(atol(argv[I]));
CALLS
  showRequantised();
}
"""


def sources():
    nests, passes, declarations, calls = [], [], [], []
    for t in ("float", "double"):
        product = "(long, const T *, const T *, const T *, T *)".replace("T", t)
        nests.append(NEST.format(name="plain", t=t, stored="s"))
        declarations.append(f"void plain_{t}{product};")
        for number, (name, stored) in enumerate(FORMS):
            nests.append(NEST.format(name=f"form{number}", t=t, stored=stored))
            passes.append(PASS.format(number=number, t=t, stored=stored))
            declarations.append(f"void form{number}_{t}{product}, pass{number}_{t}(long, const {t} *, {t} *);")
            calls.append(f'show<{t}>("{t}, {name}", form{number}_{t}, plain_{t}, pass{number}_{t});')
    driver = DRIVER.replace("DECLARATIONS", "\n".join(declarations)).replace("CALLS", "\n".join(calls))
    return {"nests.c": "".join(nests) + REQUANTISED, "passes.c": "".join(passes), "driver.cpp": driver}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plugin", required=True, type=pathlib.Path)
    parser.add_argument("--flags", default="-march=native")
    parser.add_argument("--sizes", default="64,128,256,500,1000")
    parser.add_argument("--blas", default="-lopenblas")
    args = parser.parse_args()
    sizes = args.sizes.split(",")
    options = ["-O3", "-fno-math-errno", *args.flags.split()]
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        for name, text in sources().items():
            (work / name).write_text(text)
        plugin = f"-fpass-plugin={args.plugin.resolve()}"
        subprocess.run(["clang-22", *options, plugin, "-c", work / "nests.c", "-o", work / "nests.o"], check=True)
        subprocess.run(["clang-22", *options, "-c", work / "passes.c", "-o", work / "passes.o"], check=True)
        subprocess.run(["clang++-22", "-std=c++20", *options, work / "driver.cpp", work / "nests.o", work / "passes.o",
                        args.blas, "-ldnnl", "-o", work / "bench"], check=True)
        print("| form | " + " | ".join(sizes) + " |")
        print("|---|" + "---:|" * len(sizes), flush=True)
        env = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        subprocess.run([work / "bench", *sizes], check=True, env=env)


if __name__ == "__main__":
    main()
