#!/usr/bin/env python3
# Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whole networks, as onnx2c prints them in C: how long they take with and without
the plugin, and which of their layers are replaced.

    benchmarks/onnx2c.py --plugin build/lib/libTilesmith.so --onnx2c path/to/onnx2c

makes ONNX files of networks of arbitrary weights, has them translated, compiles each
by clang -O3, by clang -O3 -ffast-math, and with the plugin, demands that the results
of the first and the last are the same bytes, and prints a table: microseconds for one
image, the median of --rounds alternating runs, each the fastest of some images.

It needs Python's onnx package (Debian: python3-onnx), and onnx2c
(https://github.com/kraiskil/onnx2c), which is built by CMake from its repository.
"""

import argparse
import collections
import re
import statistics
import subprocess
import sys
from pathlib import Path

try:
    import numpy as np
    import onnx
    from onnx import TensorProto, helper, numpy_helper
except ImportError:  # --help works without them
    onnx = None

# Calls what onnx2c prints: main in-elements out-elements images file
MAIN = r"""
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
void entry(const float *in, float *out);
static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return now.tv_sec + 1e-9 * now.tv_nsec;
}
int main(int argc, char **argv) {
  long inputs = atol(argv[1]), outputs = atol(argv[2]);
  float *x = malloc(inputs * sizeof(float)), *y = malloc(outputs * sizeof(float));
  FILE *results = fopen(argv[4], "wb");
  uint32_t state = 1;
  double best = 1e9;
  for (int image = 0; image < atoi(argv[3]); image++) {
    for (long i = 0; i < inputs; i++) {
      state = state * 1664525u + 1013904223u;
      x[i] = ((int32_t)state >> 8) * (1.0f / (1 << 23));
    }
    double time = seconds();
    entry(x, y);
    time = seconds() - time;
    best = time < best ? time : best;
    fwrite(y, sizeof(float), outputs, results);
  }
  fclose(results);
  printf("%f\n", 1e6 * best);
}
"""


class Network:
    """Nodes in their order. Each method takes and returns the name of a tensor."""

    def __init__(self, side, channels):
        self.random = np.random.default_rng(7)
        self.nodes, self.weights = [], []
        self.shapes = {"input": (1, channels, side, side)}

    def weight(self, *shape, low=None):
        """Normal numbers, such that sums are moderate; from `low` to 1.5, if given."""
        name = f"w{len(self.weights)}"
        steps = int(np.prod(shape[1:]))
        values = (self.random.standard_normal(shape) * np.sqrt(2 / steps) if low is None
                  else self.random.uniform(low, 1.5, shape))
        self.weights.append(numpy_helper.from_array(np.array(values, np.float32), name))
        return name

    def node(self, kind, operands, shape, **attributes):
        name = f"t{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, operands, [name], name=f"{kind}{len(self.nodes)}",
                                           **attributes))
        self.shapes[name] = shape
        return name

    def same(self, kind, x, *more, **attributes):
        return self.node(kind, [x, *more], self.shapes[x], **attributes)

    def windows(self, kind, operands, maps, size, stride, pad, **attributes):
        places = [(n + 2 * pad - size) // stride + 1 for n in self.shapes[operands[0]][2:]]
        return self.node(kind, operands, (1, maps, *places), kernel_shape=[size] * 2,
                         strides=[stride] * 2, pads=[pad] * 4, **attributes)

    def conv(self, x, maps, size, stride=1, pad=0, group=1, bias=True):
        w = self.weight(maps, self.shapes[x][1] // group, size, size)
        biases = [self.weight(maps)] if bias else []
        return self.windows("Conv", [x, w, *biases], maps, size, stride, pad, group=group)

    def max_pool(self, x, size, stride, pad=0):
        return self.windows("MaxPool", [x], self.shapes[x][1], size, stride, pad)

    def relu(self, x):
        return self.same("Relu", x)

    def relu6(self, x):
        bounds = [f"bound{len(self.weights)}_{n}" for n in (0, 6)]
        self.weights += [numpy_helper.from_array(np.array(n, np.float32), name)
                         for n, name in zip((0, 6), bounds)]
        return self.same("Clip", x, *bounds)

    def normalise(self, x):
        return self.same("BatchNormalization", x,
                         *(self.weight(self.shapes[x][1], low=0.5) for _ in range(4)))

    def classify(self, x, count):
        x = self.node("GlobalAveragePool", [x], (*self.shapes[x][:2], 1, 1))
        return self.dense(self.flatten(x), count)

    def flatten(self, x):
        return self.node("Flatten", [x], (1, int(np.prod(self.shapes[x]))))

    def dense(self, x, count):
        operands = [x, self.weight(count, self.shapes[x][1]), self.weight(count)]
        return self.node("Gemm", operands, (1, count), transB=1)

    def save(self, result, path):
        self.nodes[-1].output[0] = "output"
        ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
                for name, shape in (("input", self.shapes["input"]), ("output", self.shapes[result]))]
        graph = helper.make_graph(self.nodes, path.stem, ends[:1], ends[1:], self.weights)
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)]), path)
        return [int(np.prod(self.shapes[name])) for name in ("input", result)]


def lenet():
    net = Network(28, 1)
    x = net.max_pool(net.relu(net.conv("input", 6, 5, pad=2)), 2, 2)
    x = net.flatten(net.max_pool(net.relu(net.conv(x, 16, 5)), 2, 2))
    x = net.relu(net.dense(net.relu(net.dense(x, 120)), 84))
    return net, net.same("Softmax", net.dense(x, 10), axis=1)


def mobilenet1():
    """MobileNet of half the width."""
    net = Network(128, 3)
    layer = lambda x, *how, **more: net.relu(net.normalise(net.conv(x, *how, bias=False, **more)))
    x = layer("input", 16, 3, 2, 1)
    for maps, stride in [(32, 1), (64, 2), (64, 1), (128, 2), (128, 1), (256, 2), *[(256, 1)] * 5,
                         (512, 2), (512, 1)]:
        channels = net.shapes[x][1]
        x = layer(layer(x, channels, 3, stride, 1, group=channels), maps, 1)
    return net, net.same("Softmax", net.classify(x, 100), axis=1)


def mobilenet2():
    """MobileNetV2 of half the width."""
    net = Network(128, 3)
    x = net.relu6(net.conv("input", 16, 3, 2, 1))
    for factor, maps, count, first in [(1, 8, 1, 1), (6, 16, 2, 2), (6, 16, 3, 2), (6, 32, 4, 2),
                                       (6, 48, 3, 1), (6, 80, 3, 2), (6, 160, 1, 1)]:
        for stride in [first, *[1] * (count - 1)]:
            channels, y = net.shapes[x][1], x
            if factor != 1:
                y = net.relu6(net.conv(y, channels * factor, 1))
            y = net.relu6(net.conv(y, channels * factor, 3, stride, 1, group=channels * factor))
            y = net.conv(y, maps, 1)
            x = net.same("Add", x, y) if (stride, channels) == (1, maps) else y
    x = net.relu6(net.conv(x, 640, 1))
    return net, net.same("Softmax", net.classify(x, 100), axis=1)


def resnet():
    """ResNet-18."""
    net = Network(64, 3)
    x = net.max_pool(net.relu(net.conv("input", 64, 7, 2, 3)), 3, 2, 1)
    for maps, stride in [(64, 1), (64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2), (512, 1)]:
        y = net.conv(net.relu(net.conv(x, maps, 3, stride, 1)), maps, 3, 1, 1)
        if stride != 1:
            x = net.conv(x, maps, 1, stride)
        x = net.relu(net.same("Add", y, x))
    return net, net.classify(x, 100)


NETWORKS = {"lenet": lenet, "mobilenet1": mobilenet1, "mobilenet2": mobilenet2, "resnet": resnet}


def layers(source, remarks):
    """How many nests of each kind of layer were replaced, and why others were not."""
    node, at = [], None
    for line in source.read_text().splitlines():
        found = re.match(r"FUNC_PREFIX void node_([A-Za-z]+)", line)
        at = found[1] if found else at
        node.append(at)
    told = collections.Counter()
    seen = set()
    for line, text in re.findall(r"\.c:(\d+):\d+: remark: (.*) \[-Rpass", remarks):
        what = "replaced" if text.startswith("replaced") else text.split(": ", 1)[1]
        if (line, what) not in seen:
            seen.add((line, what))
            told[node[int(line) - 1], what] += 1
    return told


def measure(name, args):
    work = Path(args.work)
    model, source, main = work / f"{name}.onnx", work / f"{name}.c", work / "main.c"
    sizes = (lambda built: built[0].save(built[1], model))(NETWORKS[name]())
    source.write_bytes(subprocess.run([args.onnx2c, model], check=True, stdout=subprocess.PIPE).stdout)
    main.write_text(MAIN)
    sides = {"stock": [], "fast": ["-ffast-math"],
             "ours": [f"-fpass-plugin={args.plugin}", "-Rpass=tilesmith", "-Rpass-missed=tilesmith"]}
    times = {side: [] for side in sides}
    for side, flags in sides.items():
        compiler = [args.clang, *args.flags.split(), *flags, source, main, "-lm", "-o", work / side]
        remarks = subprocess.run(compiler, check=True, stderr=subprocess.PIPE, text=True).stderr
    for _ in range(args.rounds):
        for side, list_of in times.items():
            run = [(work / side).resolve(), *map(str, sizes), str(args.images), work / f"{side}.bytes"]
            list_of.append(float(subprocess.run(run, check=True, stdout=subprocess.PIPE).stdout))
    if (work / "stock.bytes").read_bytes() != (work / "ours.bytes").read_bytes():
        sys.exit(f"{name}: the results differ")
    stock, fast, ours = (statistics.median(list_of) for list_of in times.values())
    print(f"| {name} | {stock:,.0f} | {fast:,.0f} | {ours:,.0f} | {stock / ours:.1f}x | {fast / ours:.1f}x |")
    for (kind, what), count in sorted(layers(source, remarks).items()):
        print(f"    {kind}: {count} {what}", file=sys.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plugin", required=True, help="libTilesmith.so")
    parser.add_argument("--onnx2c", required=True, help="the program")
    parser.add_argument("--clang", default="clang-22")
    parser.add_argument("--flags", default="-O3 -march=native")
    parser.add_argument("--network", action="append", choices=NETWORKS, help="only this one")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--images", type=int, default=20)
    parser.add_argument("--work", default=".", help="a folder for what is made")
    args = parser.parse_args()
    if onnx is None:
        sys.exit("onnx2c.py needs the Python packages numpy and onnx")
    print("| network | clang -O3 | -O3 -ffast-math | with Tilesmith | of clang | of -ffast-math |")
    print("|---|---:|---:|---:|---:|---:|")
    for name in args.network or NETWORKS:
        measure(name, args)


if __name__ == "__main__":
    main()
