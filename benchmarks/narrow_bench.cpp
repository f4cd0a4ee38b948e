//===- narrow_bench.cpp - products of narrow factors, side by side --------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Benchmarks are named <implementation>/<type>/<n>, after the functions of
// kernels/narrow.c. Every result is checked before anything is timed: integers
// to the bit, floats within the error of summing in another order. oneDNN has
// no product of two unsigned factors, none of 16-bit integers, and none of
// bfloat below AVX-512.
//
//===----------------------------------------------------------------------===//

#include "kernels/kernels.h"
#include <Eigen/Core>
#include <benchmark/benchmark.h>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>
#include <oneapi/dnnl/dnnl.hpp>
#include <random>
#include <type_traits>

// g++ 12 has no __bf16: only its bits are handled here.
struct BFloat {
  uint16_t Bits;
  explicit operator float() const {
    uint32_t Wide = uint32_t(Bits) << 16;
    float Result;
    std::memcpy(&Result, &Wide, sizeof Result);
    return Result;
  }
};
#define __bf16 BFloat

#define DECLARE(Prefix, Type, TA, TB, TC)                                      \
  extern "C" void NARROW(Prefix, Type)(long, const TA *, const TB *, TC *);
FOR_ALL_NARROW(DECLARE, naive)
FOR_ALL_NARROW(DECLARE, tilesmith)

namespace {

template <typename TA, typename TB, typename TC>
using Kernel = std::function<void(long, const TA *, const TB *, TC *)>;

template <typename T> constexpr dnnl::memory::data_type typeOf() {
  using Type = dnnl::memory::data_type;
  if (std::is_same_v<T, BFloat>)
    return Type::bf16;
  if (std::is_same_v<T, signed char>)
    return Type::s8;
  if (std::is_same_v<T, unsigned char>)
    return Type::u8;
  return std::is_same_v<T, float> ? Type::f32 : Type::s32;
}

/// oneDNN's matmul, in one thread, as OMP_NUM_THREADS says; none if it has none.
template <typename TA, typename TB, typename TC> Kernel<TA, TB, TC> onednn() {
  constexpr bool IsBFloat = std::is_same_v<TA, BFloat>;
  if (!IsBFloat && !std::is_same_v<TB, signed char>)
    return {};
  if (IsBFloat && dnnl::get_effective_cpu_isa() < dnnl::cpu_isa::avx512_core)
    return {};
  return [](long n, const TA *A, const TB *B, TC *C) {
    using namespace dnnl;
    static engine Engine(engine::kind::cpu, 0);
    static stream Stream(Engine);
    auto Row = memory::format_tag::ab;
    memory::desc OfA({n, n}, typeOf<TA>(), Row), OfB({n, n}, typeOf<TB>(), Row),
        OfC({n, n}, typeOf<TC>(), Row);
    static long Size = 0;
    static matmul Product;
    if (Size != n) {
      post_ops Add;
      Add.append_sum(1);
      primitive_attr Attributes;
      Attributes.set_post_ops(Add);
      Product = matmul({{OfA, OfB, OfC}, Attributes, Engine});
      Size = n;
    }
    memory MA(OfA, Engine, const_cast<TA *>(A)),
        MB(OfB, Engine, const_cast<TB *>(B)), MC(OfC, Engine, C);
    Product.execute(
        Stream,
        {{DNNL_ARG_SRC, MA}, {DNNL_ARG_WEIGHTS, MB}, {DNNL_ARG_DST, MC}});
    Stream.wait();
  };
}

/// oneDNN's GEMM of bytes, which is the faster one on some CPUs.
template <typename TA, typename TB, typename TC>
Kernel<TA, TB, TC> onednnGemm() {
  if constexpr (std::is_same_v<TB, signed char>)
    return [](long n, const TA *A, const TB *B, TC *C) {
      const int32_t Offset = 0;
      if constexpr (std::is_same_v<TA, signed char>)
        dnnl_gemm_s8s8s32('N', 'N', 'F', n, n, n, 1, A, n, 0, B, n, 0, 1, C, n,
                          &Offset);
      else
        dnnl_gemm_u8s8s32('N', 'N', 'F', n, n, n, 1, A, n, 0, B, n, 0, 1, C, n,
                          &Offset);
    };
  return {};
}

template <typename T> using Matrix = Eigen::Matrix<T, -1, -1, Eigen::RowMajor>;

template <typename TA, typename TB, typename TC> Kernel<TA, TB, TC> eigen() {
  if constexpr (std::is_integral_v<TA>)
    return [](long n, const TA *A, const TB *B, TC *C) {
      Eigen::Map<const Matrix<TA>> MA(A, n, n);
      Eigen::Map<const Matrix<TB>> MB(B, n, n);
      Eigen::Map<Matrix<TC>>(C, n, n).noalias() +=
          MA.template cast<TC>() * MB.template cast<TC>();
    };
  return {};
}

template <typename T> T randomElement(std::mt19937 &Random) {
  // Of seven bits: without VNNI, oneDNN's sums of two products saturate.
  if constexpr (std::is_integral_v<T>)
    return T(Random() % 128 - (std::is_signed_v<T> ? 64 : 0));
  else // One to two, and its negative.
    return {uint16_t(0x3f80 | (Random() & 0x807f))};
}

template <typename TA, typename TB, typename TC>
void registerType(const std::string &Type, Kernel<TA, TB, TC> Naive,
                  Kernel<TA, TB, TC> Tilesmith) {
  constexpr long Largest = 1536, LargestOfLoops = 512;
  static Matrix<TA> A(Largest, Largest);
  static Matrix<TB> B(Largest, Largest);
  static Matrix<TC> C(Largest, Largest);
  std::mt19937 Random{1};
  for (long I = 0; I < Largest * Largest; I++) {
    A.data()[I] = randomElement<TA>(Random);
    B.data()[I] = randomElement<TB>(Random);
  }
  const std::pair<const char *, Kernel<TA, TB, TC>> All[] = {
      {"naive", Naive},
      {"tilesmith", Tilesmith},
      {"onednn", onednn<TA, TB, TC>()},
      {"onednn-gemm", onednnGemm<TA, TB, TC>()},
      {"eigen", eigen<TA, TB, TC>()}};
  for (long n : {16, 32, 64, 100, 128, 256, 500, 512, 1000, 1024, 1536}) {
    Matrix<TC> Want = Matrix<TC>::Zero(n, n);
    if (n <= LargestOfLoops)
      Naive(n, A.data(), B.data(), Want.data());
    for (auto &[Name, Run] : All) {
      if (!Run || (n > LargestOfLoops && (!std::strcmp(Name, "naive") ||
                                          !std::strcmp(Name, "eigen"))))
        continue;
      if (n <= LargestOfLoops) {
        Matrix<TC> Got = Matrix<TC>::Zero(n, n);
        Run(n, A.data(), B.data(), Got.data());
        // Products are below four.
        double Tolerance = std::is_integral_v<TC> ? 0 : 4.0 * n * n * 0x1p-23;
        for (long I = 0; I < n * n; I++)
          if (!(std::abs(double(Got.data()[I]) - double(Want.data()[I])) <=
                Tolerance)) {
            std::fprintf(stderr, "narrow_bench: %s/%s/%ld: element %ld\n", Name,
                         Type.c_str(), n, I);
            std::exit(1);
          }
      }
      benchmark::RegisterBenchmark(
          (std::string(Name) + "/" + Type + "/" + std::to_string(n)).c_str(),
          [=, Run = Run](benchmark::State &State) {
            for (auto _ : State) {
              Run(n, A.data(), B.data(), C.data());
              benchmark::ClobberMemory();
            }
            State.counters["GFLOP/s"] = benchmark::Counter(
                2e-9 * n * n * n,
                benchmark::Counter::kIsIterationInvariantRate);
          });
    }
  }
}

} // namespace

int main(int argc, char **argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv))
    return 1;
#ifdef ONEDNN_ISA
  dnnl_set_max_cpu_isa(ONEDNN_ISA);
#endif
  benchmark::AddCustomContext("onednn",
                              std::to_string(dnnl_version()->major) + "." +
                                  std::to_string(dnnl_version()->minor));
#define REGISTER(Prefix, Type, TA, TB, TC)                                     \
  registerType<TA, TB, TC>(#Type, NARROW(naive, Type), NARROW(tilesmith, Type));
  FOR_ALL_NARROW(REGISTER, )
  benchmark::RunSpecifiedBenchmarks();
}
