# Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Windows of lines, images and volumes: filters, and convolutions, which sum over channels
and have several kernels; their gradients; and how steps beyond the border are spelled."""

from .program import (Affine, Assign, Choose, Compare, Declare, For, If, Leave, Number, Ref, Scalar, bodies, names_in, of,
                      walk)


class Windows:
    """dims: (counter, role, size) of all loops. Each window is a dimension of the image:
    the places, and the taps."""

    def __init__(self, pieces, is_convolution):
        p = self.p = pieces
        self.rng = p.rng
        self.windows, self.dims, self.tests, self.array = [], [], [], ""
        places, taps = "m", "k"
        self.scatters = is_convolution and p.chance(0.15)  # the gradient of the image
        if is_convolution and not self.scatters and p.chance(0.07):  # that of the kernels
            places, taps = "k", "m"
        summed = taps
        if self.scatters:
            taps = "t"
        for _ in range(p.pick((2, 1), (5, 2), (0.6, 3))):
            self.windows.append(((p.fresh("y"), places, p.size()), (p.fresh("t"), taps, p.size(small=True))))
            self.dims += self.windows[-1]
        if is_convolution:
            more = p.pick((6, []), (1.5, [places]), (1.5, ["b"]), (0.5, [places, "b"]))  # images, groups
            roles = [summed] * p.pick((8, 1), (1, 2)) + ["n"] + more
        else:
            roles = [p.pick((5, "b"), (1, "m"), (0.5, "n"), (0.3, "k")) for _ in range(p.pick((4, 0), (5, 1), (1, 2)))]
        self.dims += [(p.fresh("c"), role, p.size()) for role in roles]
        self.flips = is_convolution and p.chance(0.15)

    # --- The image ---

    def image(self, type_, roles, written=False):
        """An element of it, for the places and taps of the loops, and for their other indices of these roles."""
        others = [d for d in self.dims if d[1] in roles + "b" and not any(d in w for w in self.windows)]
        if self.p.chance(0.15) and not written:
            return self.with_distances(type_, others)
        p, index, step = self.p, [], self.p.pick((6, 1), (2, 2), (0.7, 3))
        padded = p.chance(0.55)
        for y, tap in self.windows:
            pad = (of(p.size(small=True)) if p.chance(0.2) else Affine({}, self.rng.choice([1, 1, 2, 3]))) if padded else Affine()
            at = Affine({y[0]: step, tap[0]: p.pick((8, 1), (1, 2))}) - pad
            index.append(at)
            if padded:
                self.tests += self.tests_of(at, of(y[2] if p.chance(0.7) else p.size()))
        pairs = list(zip(index, [w[0] for w in self.windows])) + [(of(d[0]), d) for d in others]
        if p.chance(0.5):  # channels last, most often
            pairs = pairs[len(index):] + pairs[:len(index)]
        self.array = p.array(type_, [d[2] for _, d in pairs], written).name
        return Ref(self.array, [a for a, _ in pairs])

    def with_distances(self, type_, others):
        """Steps from window to window that are sizes are strides of their own."""
        p, n = self.p, len(others)
        distance = p.size(small=True)
        ref = Ref(p.new_array(type_, [d[2] for d in others] + [d[2] for w in self.windows for d in w], True).name,
                  [of(d[0]) for d in others] + [of(d[0]) for w in self.windows for d in w])
        array = p.program.array(ref.array)
        array.kind, array.shape, array.where, array.offset = "restrict" if p.restrict else "pointer", None, "parameter", ""
        array.strides[-1] = 1
        for w in range(len(self.windows)):
            if w < len(self.windows) - 1:
                array.strides[n + 2 * w + 1] = (p.lead(), )
            inner = array.strides[n + 2 * w + 1]
            array.strides[n + 2 * w] = (distance, ) + (inner if inner != 1 else ())
        for d in range(n):
            array.strides[d] = (p.lead(), )
        return ref

    def flipped(self, weights):
        """Kernels whose last tap is the first of a window."""
        for _, tap in self.windows if self.flips else []:
            weights.index = [of(tap[2], -1) - a if a == of(tap[0]) else a for a in weights.index]
        return weights

    # --- The border ---

    def tests_of(self, at, size):
        return self.p.pick((3, [Compare(">=", at, Affine()), Compare("<", at, size)]), (2, [Compare("u<", at, size)]),
                           (0.7, [Compare(">=", at, Affine())]), (0.7, [Compare("<", at, size)]), (0.5, []))

    def leave_out(self, nest):
        """The nest without the steps beyond the border, or with zeros in them."""
        p = self.p
        if p.chance(0.3):
            self.tests = [t for t in self.tests if not self.clip(nest, t)]
        if self.tests and p.chance(0.25) and not p.program.fortran:
            self.choose(nest, p.pick((3, "element"), (1, "product"), (2, "scalar")))
        else:
            self.by_tests(nest)
        return nest

    def reads(self, part):
        return any(isinstance(n, Ref) and n.array == self.array for n in walk(part))

    def clip(self, nest, test):
        """Bounds of the innermost loop that moves the position, for a test: false if that is not possible."""
        loops = [n for n in walk(nest) if isinstance(n, For) and n.var in test.left.terms]
        if not loops or loops[-1].step != 1 or test.left.terms[loops[-1].var] != 1:
            return False
        loop = loops[-1]
        rest = test.left - of(loop.var)
        if test.op in (">=", "u<"):
            loop.lows.append(-rest)
        if test.op in ("<", "u<"):
            loop.high.append(test.right - rest)
        if loop.style in ("le", "ne", "down"):
            loop.style = "lt"
        return True

    def all_tests(self):
        whole = self.tests[0]
        for test in self.tests[1:]:
            whole = Compare("&&", whole, test)
        return whole

    def choose(self, nest, what):
        """Zero beyond the border, in place of the element or of the product."""
        names = {n for n in names_in(self.tests) if not n.startswith("n")}
        updates = [(b, s) for b, loops in bodies(nest) for s in b if names <= {l.var for l in loops}
                   and isinstance(s, Assign) and self.reads(s.value) and s.op in ("+=", "-=")]
        if not updates:
            self.by_tests(nest)
        for body, update in updates:
            if what == "product":
                update.value = Choose(self.all_tests(), update.value, Number("0"))
                continue
            for node in list(walk(update.value)):
                for side in ("left", "right", "value"):
                    ref = getattr(node, side, None)
                    if isinstance(ref, Ref) and ref.array == self.array:
                        setattr(node, side, self.chosen(ref, body, update, what))

    def chosen(self, ref, body, update, what):
        type_ = self.p.program.array(ref.array).type
        if what == "element" or type_ in ("f16", "bf16"):
            return Choose(self.all_tests(), ref, Number("0"))
        x = self.p.fresh("x")
        at = next(i for i, s in enumerate(body) if s is update)
        body[at:at] = [Declare(x, type_, Number("0")), If(self.all_tests(), [Assign(Scalar(x), "=", ref)])]
        return Scalar(x)

    def by_tests(self, nest):
        """In the innermost loop, or where their counters are known."""
        p, tests = self.p, list(self.tests)
        if p.chance(0.6):
            while len(tests) > 1:
                tests[:2] = [Compare("&&", *tests[:2])]
        for test in tests:
            names = {n for n in names_in(test) if not n.startswith("n")}
            places = [b for b, l in bodies(nest) if names <= {x.var for x in l} and any(self.reads(s) for s in b)]
            if not places:
                continue
            body = places[0] if p.chance(0.4) else places[-1]
            at = next(i for i, s in enumerate(body) if self.reads(s))
            if p.chance(0.2) and test.op != "u<" or isinstance(body[at], Declare):
                body.insert(at, If(Compare("==", test, Number("0")), [Leave("continue")]))
            else:
                body[at] = If(test, [body[at]])
