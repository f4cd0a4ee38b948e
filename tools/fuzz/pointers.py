# Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elements that are reached by pointers: to a row, set in each iteration of an outer loop, or
moving with a loop. A pointer is no more than another spelling: where it cannot be used, as
after a change of the program, the element is written without it."""

from .program import Affine, Assign, Bin, Cast, For, Point, Ref, bodies, walk


def behind(array, ref, base):
    """What is to be added to the subscripts of `base`, or None if that is not all positive."""
    if ref.array != base.array or len(ref.index) != len(base.index) or any(a.by > 1 for a in ref.index):
        return None
    rest = [a - b for a, b in zip(ref.index, base.index)]
    if any(a.const < 0 or min(a.terms.values(), default=0) < 0 for a in rest):
        return None
    if array.kind == "rows" and (rest[0].terms or rest[0].const):
        return None
    return rest


def used_once(array, p, body):
    """Whether it is read or written just once in each iteration, so that it may be *p++."""
    uses = [n for n in walk(body) if isinstance(n, Ref) and n.via == p.name]
    if len(uses) != 1 or behind(array, uses[0], p.ref) is None:
        return False
    rest = behind(array, uses[0], p.ref)
    if any(a.terms or a.const for a in rest):
        return False

    def always(e):
        if e is uses[0]:
            return True
        return any(map(always, (e.left, e.right) if isinstance(e, Bin) else (e.value, ) if isinstance(e, Cast) else ()))
    return any(isinstance(s, Assign) and (s.target is uses[0] or always(s.value)) for s in body)


def base_of(ref, scope):
    """The part of its subscripts that does not change within."""
    return [Affine({n: f for n, f in a.terms.items() if n in scope or n.startswith("n")}, a.const) for a in ref.index]


def add_pointer(p):
    """Some elements of an array by a pointer, in some loop."""
    some = [(b, l) for b, l in bodies(p.program.body) if l]
    if not some:
        return
    body, loops = p.rng.choice(some)
    loop, moves = loops[-1], p.chance(0.55)
    scope = {l.var for l in loops}
    if p.chance(0.3) and any(isinstance(s, For) for s in body):  # the loop may be in a block of an if
        loops = loops[:-1] + [next(s for s in body if isinstance(s, For))] if moves else loops
        loop = loops[-1]
        scope |= {loop.var}
    inside = [n for n in walk(loop.body if moves else body) if isinstance(n, Ref) and
              any(scope & set(a.terms) for a in n.index)]
    if moves:
        inside = [r for r in inside if any(loop.var in a.terms for a in r.index)]
    inside = [r for r in inside if all(a.by == 1 for a in r.index)]
    if not inside:
        return
    ref = p.rng.choice(inside)
    if moves and p.chance(0.4):  # *p++, perhaps
        inner = [r for r in inside if loop.var in r.index[-1].terms and len(r.index) == sum(map(len, [a.terms for a in r.index]))]
        ref = p.rng.choice(inner or [ref])
    point = Point(p.fresh("p"), Ref(ref.array, base_of(ref, scope)), p.rng.choice(["step", "end", "use", "use"]))
    for other in inside:
        if other is ref or p.chance(0.8) and behind(p.program.array(ref.array), other, point.ref) is not None:
            other.via = point.name
    if moves:
        loop.walks = loop.walks + [point]
    else:
        body.insert(0, point)
