//===- onednn.h - oneDNN's convolution, to measure against ------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_BENCHMARKS_ONEDNN_H
#define TILESMITH_BENCHMARKS_ONEDNN_H

#include <oneapi/dnnl/dnnl.hpp>
#include <unordered_map>

/// An array of a convolution: its extents, the type of its elements, the order in
/// which they are stored, and where.
struct Tensor {
  dnnl::memory::dims Extents;
  dnnl::memory::data_type Type;
  dnnl::memory::format_tag Order;
  void *Data;
};

struct ConvolutionSizes {
  dnnl::memory::dims Steps, Before, Behind; ///< Before, Behind: the padding
};

/// A forward convolution by oneDNN. Weights are arranged as it likes them before it
/// is run, and so are images if they are \p Free to be stored in any order.
class DirectConvolution {
public:
  DirectConvolution(const Tensor &Image, const Tensor &Weights,
                    const Tensor &Result, const ConvolutionSizes &Sizes,
                    bool IsFree)
      : Stream(Engine) {
    using namespace dnnl;
    auto Wanted = [&](const Tensor &T, bool IsAny) {
      return memory::desc(T.Extents, T.Type,
                          IsAny ? memory::format_tag::any : T.Order);
    };
    convolution_forward::primitive_desc Chosen(
        {prop_kind::forward_inference, algorithm::convolution_direct,
         Wanted(Image, IsFree), Wanted(Weights, true), Wanted(Result, IsFree),
         Sizes.Steps, Sizes.Before, Sizes.Behind},
        Engine);
    Run = convolution_forward(Chosen);
    auto InOrder = [&](const Tensor &T) {
      return memory({T.Extents, T.Type, T.Order}, Engine, T.Data);
    };
    auto Arranged = [&](const Tensor &T, const memory::desc &Order) {
      memory From = InOrder(T), To(Order, Engine);
      reorder(From, To).execute(Stream, From, To);
      return To;
    };
    Arguments = {{DNNL_ARG_SRC,
                  IsFree ? Arranged(Image, Chosen.src_desc()) : InOrder(Image)},
                 {DNNL_ARG_WEIGHTS, Arranged(Weights, Chosen.weights_desc())},
                 {DNNL_ARG_DST, IsFree ? memory(Chosen.dst_desc(), Engine)
                                       : InOrder(Result)}};
    Stream.wait();
  }

  void operator()() {
    Run.execute(Stream, Arguments);
    Stream.wait();
  }

private:
  dnnl::engine Engine{dnnl::engine::kind::cpu, 0};
  dnnl::stream Stream;
  dnnl::convolution_forward Run;
  std::unordered_map<int, dnnl::memory> Arguments;
};

#endif
