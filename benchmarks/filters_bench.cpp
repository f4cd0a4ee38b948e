//===- filters_bench.cpp - filters, beside clang and oneDNN ---------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Filters are read from the standard input, a line each: form C H W R S step,
// H x W being the output. One line of GFLOP/s is printed for each: Tilesmith's
// loops, the same by clang, and, if it is compiled with ONEDNN, depthwise
// convolutions of oneDNN, in the same storage order and in the one that it
// likes best. The best of several rounds of CPU time, in turn. All bytes are compared.
//
//===----------------------------------------------------------------------===//

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <iostream>
#include <string>
#include <vector>
#ifdef ONEDNN
#include "onednn.h"
#endif

#ifndef ELEMENT
#define ELEMENT float
#endif
using Element = ELEMENT;
#define PARAMETERS                                                             \
  Element *, const Element *, const Element *, int, int, int, int, int, int
#define FORMS(X)                                                               \
  X(line)                                                                      \
  X(line_sweep)                                                                \
  X(image)                                                                     \
  X(image_sweep) X(nchw) X(nhwc) X(nhwc_sweep) X(nchw_padded) X(nhwc_padded)

extern "C" {
#define DECLARE(name)                                                          \
  void tilesmith_##name(PARAMETERS), plain_##name(PARAMETERS);
FORMS(DECLARE)
}

namespace {

struct Form {
  const char *Name;
  void (*Ours)(PARAMETERS);
  void (*Plain)(PARAMETERS);
};

const Form Forms[] = {
#define ENTRY(name) {#name, tilesmith_##name, plain_##name},
    FORMS(ENTRY)};

struct Filter {
  std::string Name;
  int C, H, W, R, S, Step;
  bool isPadded() const { return Name.find("padded") != std::string::npos; }
  int above() const { return isPadded() ? R / 2 : 0; }
  int beside() const { return isPadded() ? S / 2 : 0; }
  int height() const { return (H - 1) * Step + R - 2 * above(); }
  int width() const { return (W - 1) * Step + S - 2 * beside(); }
  double work() const { return 2.0 * C * H * W * R * S; }
};

#ifdef ONEDNN
using namespace dnnl;

/// A depthwise convolution; \p IsFree: in the order that oneDNN likes best.
DirectConvolution libraryFor(const Filter &F, bool IsFree, float *Out,
                             float *In, float *Taps) {
  using Tag = memory::format_tag;
  bool IsLast = F.Name.rfind("nhwc", 0) == 0;
  Tag Order = IsLast ? Tag::nhwc : Tag::nchw;
  auto F32 = memory::data_type::f32;
  memory::dims Padding{F.above(), F.beside()};
  return {{{1, F.C, F.height(), F.width()}, F32, Order, In},
          {{F.C, 1, 1, F.R, F.S}, F32, IsLast ? Tag::hwigo : Tag::goihw, Taps},
          {{1, F.C, F.H, F.W}, F32, Order, Out},
          {{F.Step, F.Step}, Padding, Padding},
          IsFree};
}
#endif

/// CPU time of this thread, which other work does not lengthen much.
double now() {
  timespec Now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &Now);
  return Now.tv_sec + Now.tv_nsec * 1e-9;
}

double seconds(const std::function<void()> &Run, int Times) {
  double Begin = now();
  for (int I = 0; I < Times; ++I)
    Run();
  return (now() - Begin) / Times;
}

/// How often it is run in a round.
int timesOf(const std::function<void()> &Run) {
  constexpr double Round = 0.01;
  int Times = 1;
  while (seconds(Run, Times) * Times < Round)
    Times *= 2;
  return Times;
}

void measure(const Filter &F) {
  const Form *Found =
      std::find_if(std::begin(Forms), std::end(Forms),
                   [&](const Form &X) { return X.Name == F.Name; });
  if (Found == std::end(Forms)) {
    std::cerr << F.Name << ": no such form\n";
    std::exit(2);
  }
  std::vector<Element> In(size_t(F.C) * F.height() * F.width()),
      Taps(size_t(F.C) * F.R * F.S), Out(size_t(F.C) * F.H * F.W), Plain(Out);
  for (size_t I = 0; I < In.size(); ++I)
    In[I] = Element(I * 7 % 23) / 16 - Element(0.7);
  for (size_t I = 0; I < Taps.size(); ++I)
    Taps[I] = Element(I * 5 % 19) / 32 - Element(0.3);
  auto Runs = [&](void (*Loops)(PARAMETERS), std::vector<Element> &To) {
    return [&To, Loops, &In, &Taps, &F] {
      Loops(To.data(), In.data(), Taps.data(), F.C, F.H, F.W, F.R, F.S, F.Step);
    };
  };
  std::vector<std::function<void()>> All = {Runs(Found->Ours, Out),
                                            Runs(Found->Plain, Plain)};
#ifdef ONEDNN
  std::vector<Element> Result(Out.size());
  if (F.Name[0] == 'n')
    for (bool IsFree : {false, true}) {
      All.push_back(
          libraryFor(F, IsFree, Result.data(), In.data(), Taps.data()));
    }
#endif
  std::vector<double> Best(All.size(), 1e9);
  std::vector<int> Times;
  for (const auto &Run : All)
    Times.push_back(timesOf(Run));
  if (std::memcmp(Out.data(), Plain.data(), Out.size() * sizeof(Element))) {
    std::cerr << F.Name << ": other bits\n";
    std::exit(1);
  }
  for (int Round = 0; Round < 9; ++Round)
    for (size_t I = 0; I < All.size(); ++I)
      Best[I] = std::min(Best[I], seconds(All[I], Times[I]));
  for (double Seconds : Best)
    std::printf("%.2f ", F.work() / Seconds / 1e9);
  std::printf("\n");
  std::fflush(stdout);
}

} // namespace

int main() {
  Filter F;
  while (std::cin >> F.Name >> F.C >> F.H >> F.W >> F.R >> F.S >> F.Step)
    measure(F);
}
