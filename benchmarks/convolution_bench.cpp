//===- convolution_bench.cpp - layers, beside oneDNN ----------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Layers are read from the standard input, a line each: name C K H R step, H
// being the side of the output. One line is printed for each and each storage
// order: GFLOP/s of Tilesmith's loops, of oneDNN in the same order (its weights
// arranged before), and of oneDNN in the orders that it likes best. The best of
// several rounds, in turn. With -DBYTES, images are of unsigned bytes, weights of
// signed ones, and sums of int.
//
//===----------------------------------------------------------------------===//

#include "onednn.h"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <iostream>
#include <string>
#include <vector>

using namespace dnnl;

#ifdef BYTES
using Image = uint8_t;
using Weight = int8_t;
using Sum = int32_t;
#else
using Image = float;
using Weight = float;
using Sum = float;
#endif

extern "C" {
void tilesmith_nchw(Sum *, const Image *, const Weight *, int, int, int, int,
                    int, int, int);
void tilesmith_nhwc(Sum *, const Image *, const Weight *, int, int, int, int,
                    int, int, int);
}

namespace {

#ifdef BYTES
constexpr auto ImageType = memory::data_type::u8,
               WeightType = memory::data_type::s8,
               SumType = memory::data_type::s32;
constexpr double Scale = 1; // bytes are whole numbers
constexpr Weight Least = -9;
#else
constexpr auto ImageType = memory::data_type::f32, WeightType = ImageType,
               SumType = ImageType;
constexpr double Scale = 1.0 / 32;
constexpr Weight Least = -0.3f;
#endif

struct Layer {
  std::string Name;
  int C, K, H, R, Step;
  int side() const { return H * Step; }
  int padding() const { return (R - 1) / 2; }
  /// Behind the last element.
  int paddingBehind() const {
    return std::max(0, (H - 1) * Step + R - side() - padding());
  }
  double work() const { return 2.0 * C * K * H * H * R * R; }
};

/// \p IsFree: in the order that oneDNN likes best.
DirectConvolution libraryFor(const Layer &L, bool IsChannelsLast, bool IsFree,
                             Sum *Out, Image *In, Weight *W) {
  using Tag = memory::format_tag;
  Tag Order = IsChannelsLast ? Tag::nhwc : Tag::nchw;
  return {{{1, L.C, L.side(), L.side()}, ImageType, Order, In},
          {{L.K, L.C, L.R, L.R},
           WeightType,
           IsChannelsLast ? Tag::hwio : Tag::oihw,
           W},
          {{1, L.K, L.H, L.H}, SumType, Order, Out},
          {{L.Step, L.Step},
           {L.padding(), L.padding()},
           {L.paddingBehind(), L.paddingBehind()}},
          IsFree};
}

/// Those of this thread: what else the core does, does not count.
double threadSeconds() {
  timespec Now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &Now);
  return double(Now.tv_sec) + 1e-9 * double(Now.tv_nsec);
}

double seconds(const std::function<void()> &Run, int Times) {
  double Begin = threadSeconds();
  for (int I = 0; I < Times; ++I)
    Run();
  return (threadSeconds() - Begin) / Times;
}

void measure(const Layer &L, bool IsChannelsLast) {
  size_t NumIn = size_t(L.C) * L.side() * L.side(),
         NumOut = size_t(L.K) * L.H * L.H,
         NumWeights = size_t(L.C) * L.K * L.R * L.R;
  std::vector<Image> In(NumIn);
  std::vector<Weight> W(NumWeights);
  std::vector<Sum> Out(NumOut), Expected(NumOut);
  for (size_t I = 0; I < NumIn; ++I)
    In[I] = Image(double(I * 7 % 23) * Scale);
  for (size_t I = 0; I < NumWeights; ++I)
    W[I] = Weight(double(I * 5 % 19) * Scale + Least);
  auto *Loops = IsChannelsLast ? tilesmith_nhwc : tilesmith_nchw;
  auto Ours = [&] {
    Loops(Out.data(), In.data(), W.data(), L.C, L.K, L.H, L.R, L.Step, L.side(),
          L.padding());
  };
  auto LibraryFor = [&](bool IsFree) {
    return libraryFor(L, IsChannelsLast, IsFree, Expected.data(), In.data(),
                      W.data());
  };
  DirectConvolution Same = LibraryFor(false), Free = LibraryFor(true);
  Same();
  Ours();
  for (size_t I = 0; I < NumOut; ++I)
    if (std::fabs(double(Out[I]) - Expected[I]) >
        1e-3 * (std::fabs(double(Out[I])) + L.C)) {
      std::cerr << L.Name << ": other results\n";
      std::exit(1);
    }
  const std::function<void()> All[] = {Ours, [&] { Same(); }, [&] { Free(); }};
  double Best[] = {1e9, 1e9, 1e9};
  int Times = std::max(1, int(2e9 / L.work()));
  for (int Round = 0; Round < 7; ++Round)
    for (int I = 0; I < 3; ++I)
      Best[I] = std::min(Best[I], seconds(All[I], Times));
  std::printf("%s %s %.1f %.1f %.1f\n", L.Name.c_str(),
              IsChannelsLast ? "nhwc" : "nchw", L.work() / Best[0] / 1e9,
              L.work() / Best[1] / 1e9, L.work() / Best[2] / 1e9);
  std::fflush(stdout);
}

} // namespace

int main() {
  Layer L;
  // With channels first, oneDNN multiplies bytes one by one, for minutes.
  bool HasBytes = ImageType == memory::data_type::u8;
  while (std::cin >> L.Name >> L.C >> L.K >> L.H >> L.R >> L.Step)
    for (bool IsChannelsLast : {false, true})
      if (IsChannelsLast || !HasBytes)
        measure(L, IsChannelsLast);
}
