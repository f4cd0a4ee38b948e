//===- libraries.h - OpenBLAS and BLIS, side by side -------------*- C++
//-*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Both libraries export cblas_*, so each is loaded on its own, with one thread
// and held to the vectors that the plain loops are compiled for.
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_BENCHMARKS_LIBRARIES_H
#define TILESMITH_BENCHMARKS_LIBRARIES_H

#include <benchmark/benchmark.h>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <string>

extern "C" const int peak_vector_bits;

/// The constants of CBLAS.
enum {
  RowMajor = 101,
  ColMajor = 102,
  NoTrans = 111,
  Trans = 112,
  Upper = 121,
  Lower = 122,
  Unit = 132,
  Left = 141
};

struct Library {
  void *Handle;

  explicit Library(const char *Soname)
      : Handle(dlopen(Soname, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND)) {
    if (!Handle) {
      std::fprintf(stderr, "benchmark: %s\n", dlerror());
      std::exit(1);
    }
  }
  /// The function \p Name; it must exist.
  template <typename F> F *get(const char *Name) const {
    void *Symbol = dlsym(Handle, Name);
    if (!Symbol) {
      std::fprintf(stderr, "benchmark: %s\n", dlerror());
      std::exit(1);
    }
    return reinterpret_cast<F *>(Symbol);
  }
};

inline Library loadOpenBLAS() {
  setenv("OPENBLAS_NUM_THREADS", "1", 1);
#ifdef __x86_64__
  if (peak_vector_bits < 512)
    setenv("OPENBLAS_CORETYPE", "Haswell", 0);
#endif
  Library L("libopenblas.so.0");
  benchmark::AddCustomContext("openblas",
                              L.get<char *()>("openblas_get_corename")());
  return L;
}

inline Library loadBLIS() {
  setenv("BLIS_NUM_THREADS", "1", 1);
  Library L("libblis.so.4");
  auto *ArchString = L.get<char *(int)>("bli_arch_string");
#ifdef __x86_64__
  // BLIS 0.9 takes only numbers, which differ between versions. By itself it
  // takes AVX2 kernels on AVX-512 processors whose model it does not know.
  const char *Said = std::getenv("BLIS_ARCH_TYPE");
  bool IsName = Said && !std::isdigit(*Said);
  std::string Arch = IsName ? Said : peak_vector_bits < 512 ? "haswell" : "skx";
  for (int Id = 0; Id < 26; Id++)
    if (ArchString(Id) == Arch)
      setenv("BLIS_ARCH_TYPE", std::to_string(Id).c_str(), IsName);
#endif
  L.get<void()>("bli_init")();
  benchmark::AddCustomContext("blis",
                              ArchString(L.get<int()>("bli_arch_query_id")()));
  return L;
}

inline void setGFlops(benchmark::State &State, double Flops) {
  State.counters["GFLOP/s"] = benchmark::Counter(
      Flops * 1e-9, benchmark::Counter::kIsIterationInvariantRate);
}

#endif
