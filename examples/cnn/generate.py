#!/usr/bin/env python3
# Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints a small network for images as plain C, as compilers of networks do.

    generate.py lenet|mobilenet|resnet >network.c

Each layer is a function with loops of its own over arrays of constant sizes:
convolution into memory, from its bias on, with an `if` for padding; then the
activation, pooling, and so on. Batch is one, channels come first.

    void infer(const float input[1][C][H][W], float output[1][N]);

main.c gives values to the weights, and calls this.
"""

import sys


def dims(shape):
    return "".join(f"[{n}]" for n in shape)


class Network:
    """Layers in the order of the calls. Each method takes the names of tensors
    and returns that of its result, whose shape is in `shapes`."""

    def __init__(self, name, *shape):
        self.name = name
        self.shapes = {"input": (1, *shape)}
        self.weights, self.functions, self.calls = [], [], []
        self.operations = 0

    def weight(self, name, *shape):
        self.weights.append(name)
        self.shapes[name] = shape
        return name

    def layer(self, kind, shape, operands, body):
        """operands: (parameter, tensor) pairs."""
        number = len(self.calls) + 1
        name, result = f"{kind}_{number}", f"{kind}_{number}_out"
        self.shapes[result] = shape
        parameters = [f"const float {p}{dims(self.shapes[t])}" for p, t in operands]
        parameters.append(f"float y{dims(shape)}")
        self.functions.append(
            f"static inline void {name}({', '.join(parameters)}) {{\n{body}}}\n"
        )
        self.calls.append((name, [t for _, t in operands], result))
        return result

    # Windows ---------------------------------------------------------------

    def windows(self, shape, out, size, stride, pad, channel, start, step, end):
        """Loops over the results of windows; the steps beyond the border of the
        image are left out, with a test only where there are such."""
        _, channels, height, width = shape
        tests = []
        for axis, extent, count in (("0", height, out[2]), ("1", width, out[3])):
            if pad:
                tests.append(f"ii{axis} >= 0")
            if (count - 1) * stride - pad + size > extent:
                tests.append(f"ii{axis} < {extent}")
        text = "  for (uint32_t b = 0; b < 1; b++)\n"
        text += channel
        for axis, count in (("0", out[2]), ("1", out[3])):
            text += (
                f"  for (int32_t o{axis} = 0, i{axis} = {-pad}; o{axis} < {count};"
                f" o{axis}++, i{axis} += {stride}) {{\n"
            )
        text += start
        for axis in "01":
            text += f"    for (uint32_t k{axis} = 0; k{axis} < {size}; k{axis}++) {{\n"
        for axis in "01":
            text += f"      int ii{axis} = i{axis} + k{axis} * 1;\n"
        if tests:
            text += f"      if ({' && '.join(tests)})\n  "
        text += f"      {step}\n    }}\n    }}\n{end}  }}\n  }}\n  }}\n"
        return text

    def extents(self, shape, channels, size, stride, pad):
        return (1, channels, *((n + 2 * pad - size) // stride + 1 for n in shape[2:]))

    def conv(self, x, maps, size, stride=1, pad=0, group=1):
        shape = self.shapes[x]
        channels = shape[1]
        out = self.extents(shape, maps, size, stride, pad)
        number = len(self.calls) + 1
        w = self.weight(f"w{number}", maps, channels // group, size, size)
        bias = self.weight(f"bias{number}", maps)
        self.operations += 2 * maps * out[2] * out[3] * (channels // group) * size**2
        if group == 1:
            channel = f"  for (uint32_t m = 0; m < {maps}; m++) {{\n"
            over = f"    for (int32_t c = 0; c < {channels}; c++) {{\n"
            at = "c"
        else:
            channel = f"""\
  {{
  uint32_t go = {maps // group}, gi = {channels // group};
  for (uint32_t g = 0; g < {group}; g++)
  for (uint32_t m = go * g; m < go * (g + 1); m++) {{
"""
            over = "    for (int32_t c = gi * g; c < gi * (g + 1); c++) {\n"
            at = "c - (gi * g)"
        body = self.windows(
            shape, out, size, stride, pad, channel,
            "    y[b][m][o0][o1] = bias[m];\n" + over,
            f"y[b][m][o0][o1] += x[b][c][ii0][ii1] * w[m][{at}][k0][k1];",
            "    }\n",
        )  # fmt: skip
        if group != 1:
            body += "  }\n"
        return self.layer("conv", out, [("x", x), ("w", w), ("bias", bias)], body)

    def max_pool(self, x, size, stride, pad=0):
        shape = self.shapes[x]
        out = self.extents(shape, shape[1], size, stride, pad)
        body = self.windows(
            shape, out, size, stride, pad,
            f"  for (uint32_t m = 0, c = 0; m < {shape[1]}; m++, c = m) {{\n",
            "    float greatest = -INFINITY;\n",
            "if (greatest < x[b][c][ii0][ii1]) greatest = x[b][c][ii0][ii1];",
            "    y[b][m][o0][o1] = greatest;\n",
        )  # fmt: skip
        return self.layer("max_pool", out, [("x", x)], body)

    # Elements --------------------------------------------------------------

    def relu(self, x):
        shape = self.shapes[x]
        count = 1
        for n in shape:
            count *= n
        body = f"""\
  const float *from = (const float *)x;
  float *to = (float *)y;
  for (uint32_t i = 0; i < {count}; i++)
    to[i] = from[i] > 0 ? from[i] : 0;
"""
        return self.layer("relu", shape, [("x", x)], body)

    def add(self, a, b):
        shape = self.shapes[a]
        body = "".join(
            f"  for (unsigned i{d} = 0; i{d} < {n}; i{d}++)\n"
            for d, n in enumerate(shape)
        )
        at = "".join(f"[i{d}]" for d in range(len(shape)))
        body += f"    y{at} = a{at} + b{at};\n"
        return self.layer("add", shape, [("a", a), ("b", b)], body)

    # What makes a vector ---------------------------------------------------

    def average(self, x):
        _, channels, height, width = self.shapes[x]
        body = f"""\
  for (int32_t b = 0; b < 1; b++)
    for (int32_t c = 0; c < {channels}; c++) {{
      float sum = 0.0f;
      for (int32_t d0 = 0; d0 < {height}; d0++)
        for (int32_t d1 = 0; d1 < {width}; d1++)
          sum += x[b][c][d0][d1];
      y[b][c] = sum / {height * width};
    }}
"""
        return self.layer("average", (1, channels), [("x", x)], body)

    def flatten(self, x):
        count = 1
        for n in self.shapes[x]:
            count *= n
        body = f"  memcpy(y, x, {count} * sizeof(float));\n"
        return self.layer("flatten", (1, count), [("x", x)], body)

    def gemm(self, x, count):
        shape = self.shapes[x]
        number = len(self.calls) + 1
        w = self.weight(f"w{number}", count, shape[1])
        bias = self.weight(f"bias{number}", count)
        self.operations += 2 * count * shape[1]
        body = f"""\
  const int M = 1, K = {shape[1]}, N = {count};
  float alpha = 1, beta = 1;
  for (uint32_t r = 0; r < M; r++)
    for (uint32_t c = 0; c < N; c++) {{
      float sum = 0;
      for (uint32_t i = 0; i < K; i++) {{
        float element = w[c][i];
        sum += x[r][i] * element;
      }}
      float value = sum * alpha;
      value += bias[c] * beta;
      y[r][c] = value;
    }}
"""
        return self.layer("gemm", (1, count), [("x", x), ("w", w), ("bias", bias)], body)

    # The file --------------------------------------------------------------

    def unions(self, result):
        """Tensors share memory, in unions, once they are not needed any more:
        the number of its union for each."""
        last = {}
        for at, (_, operands, _) in enumerate(self.calls):
            for t in operands:
                last[t] = at
        free_from, union = [], {}
        for at, (_, _, t) in enumerate(self.calls):
            if t == result:
                continue
            for number, free in enumerate(free_from):
                if free < at:
                    break
            else:
                number = len(free_from)
                free_from.append(0)
            union[t], free_from[number] = number, last[t]
        return union

    def text(self, result):
        union = self.unions(result)
        lines = [
            f"// {self.name}, as printed by generate.py.",
            "",
            "#include <math.h>",
            "#include <stdint.h>",
            "#include <string.h>",
            "",
        ]
        for t in self.weights:
            lines.append(f"static float {t}{dims(self.shapes[t])};")
        for number in sorted(set(union.values())):
            members = [t for t in union if union[t] == number]
            lines.append("static union {")
            lines += [f"  float {t}{dims(self.shapes[t])};" for t in members]
            lines.append(f"}} tu{number};")
        lines += ["", *self.functions]

        def place(t):
            return "output" if t == result else f"tu{union[t]}.{t}" if t in union else t

        ends = f"const float input{dims(self.shapes['input'])}, float output{dims(self.shapes[result])}"
        lines.append(f"void infer({ends}) {{")
        for name, operands, to in self.calls:
            lines.append(f"  {name}({', '.join(map(place, [*operands, to]))});")
        lines += ["}", "", "// For main.c."]

        def table(kind, name, elements):
            return f"{kind} {name}[] = {{{', '.join(elements)}, 0}};"

        lines += [
            table("float *const", "weights", [f"(float *){t}" for t in self.weights]),
            table("const long", "sizes", [f"sizeof {t} / sizeof(float)" for t in self.weights]),
            f"const long input_size = sizeof(float{dims(self.shapes['input'])}) / sizeof(float);",
            f"const long output_size = sizeof(float{dims(self.shapes[result])}) / sizeof(float);",
            f"const double operations = {self.operations};",
        ]
        return "\n".join(lines) + "\n"


def lenet():
    net = Network("LeNet-5", 1, 28, 28)
    x = net.max_pool(net.relu(net.conv("input", 6, 5, pad=2)), 2, 2)
    x = net.max_pool(net.relu(net.conv(x, 16, 5)), 2, 2)
    x = net.flatten(x)
    x = net.relu(net.gemm(x, 120))
    x = net.relu(net.gemm(x, 84))
    return net, net.gemm(x, 10)


def mobilenet():
    """MobileNet of half the width: depthwise layers, then layers of 1 x 1."""
    net = Network("MobileNet", 3, 96, 96)
    x = net.relu(net.conv("input", 16, 3, stride=2, pad=1))
    blocks = [(32, 1), (64, 2), (64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2)]
    for maps, stride in blocks:
        channels = net.shapes[x][1]
        x = net.relu(net.conv(x, channels, 3, stride, 1, group=channels))
        x = net.relu(net.conv(x, maps, 1))
    return net, net.gemm(net.average(x), 100)


def resnet():
    """The first blocks of ResNet-18, for small images."""
    net = Network("ResNet", 3, 64, 64)
    x = net.relu(net.conv("input", 64, 7, stride=2, pad=3))
    x = net.max_pool(x, 3, 2, pad=1)
    for maps, stride in [(64, 1), (128, 2), (256, 2)]:
        y = net.relu(net.conv(x, maps, 3, stride, 1))
        y = net.conv(y, maps, 3, 1, 1)
        if stride != 1:
            x = net.conv(x, maps, 1, stride)
        x = net.relu(net.add(y, x))
    return net, net.gemm(net.average(x), 100)


NETWORKS = {"lenet": lenet, "mobilenet": mobilenet, "resnet": resnet}

if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] not in NETWORKS:
        sys.exit(__doc__)
    network, end = NETWORKS[sys.argv[1]]()
    sys.stdout.write(network.text(end))
