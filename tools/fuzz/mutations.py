# Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small random changes to programs: most turn a product into a near miss."""

from .pointers import add_pointer
from .program import (HALVES, Affine, Assign, Barrier, Bin, Cast, Choose, Compare, Declare, For, If, Leave, Note,
                      Number, Point, Ref, Scalar, Touch, bodies, names_in, of, unshared, walk)


def scope_of(loops):
    return [l.var for l in loops]


def scalars_in(program, body, loops, at):
    """Names of scalars that are declared in this very list before `at`."""
    return [s.name for s in body[:at] if isinstance(s, Declare)]


def places(p):
    """(list, its loops, position), the deeper ones more often."""
    found = []
    for body, loops in bodies(p.program.body):
        for at in range(len(body) + 1):
            found += [(body, loops, at)] * (1 + 2 * len(loops))
    return found


def refs(p):
    return [n for n in walk(p.program.body) if isinstance(n, Ref)]


def insert(p):
    body, loops, at = p.rng.choice(places(p))
    body[at:at] = p.statement(scope_of(loops), scalars_in(p.program, body, loops, at))


def remove(p):
    all_ = [(b, i) for b, l in bodies(p.program.body) for i, s in enumerate(b)
            if not isinstance(s, (Declare, For)) and len(b) > 1]
    if all_:
        body, i = p.rng.choice(all_)
        del body[i]


def duplicate(p):
    """A statement twice, the second time with another array or place."""
    all_ = [(b, i) for b, l in bodies(p.program.body) for i, s in enumerate(b) if isinstance(s, (Assign, For))]
    if not all_:
        return
    body, i = p.rng.choice(all_)
    new = unshared(body[i])
    some = [n for n in walk(new) if isinstance(n, Ref)]
    if some and p.chance(0.8):
        shift(p, p.rng.choice(some))
    body.insert(i + 1 if p.chance(0.7) else p.rng.randrange(i, len(body) + 1), new)


def shift(p, ref):
    at = p.rng.randrange(len(ref.index))
    ref.index[at] = ref.index[at] + p.rng.choice([1, -1, 1, 2, 7])


def shift_some(p):
    some = refs(p)
    if some:
        shift(p, p.rng.choice(some))


def other_variable(p):
    some = []
    for body, loops in bodies(p.program.body):
        for s in body:
            if not isinstance(s, (For, If)):
                some += [(n, loops) for n in walk(s) if isinstance(n, Ref)]
    some = [(r, l) for r, l in some if l]
    if some:
        ref, loops = p.rng.choice(some)
        at = p.rng.randrange(len(ref.index))
        new = of(p.rng.choice(loops).var)
        ref.index[at] = new if p.chance(0.7) else ref.index[at] + new


def swap_subscripts(p):
    some = [r for r in refs(p) if len(r.index) > 1]
    if some:
        p.rng.shuffle(p.rng.choice(some).index)


def other_array(p):
    some = refs(p)
    if not some:
        return
    ref = p.rng.choice(some)
    like = p.program.array(ref.array)
    fit = [a for a in p.program.arrays if a.type == like.type and len(a.strides) == len(like.strides) and
           a.const == like.const]
    ref.array = p.rng.choice(fit).name


def other_operation(p):
    some = [n for n in walk(p.program.body) if isinstance(n, (Assign, Bin))]
    if some:
        n = p.rng.choice(some)
        n.op = p.rng.choice(["=", "+=", "-=", "*="] if isinstance(n, Assign) else ["+", "-", "*", "*"])


def under_condition(p):
    all_ = [(b, l, i) for b, l in bodies(p.program.body) for i, s in enumerate(b) if not isinstance(s, Declare)]
    body, loops, i = p.rng.choice(all_)
    other = p.statement(scope_of(loops), (), 0) if p.chance(0.2) else []
    body[i] = If(p.condition(scope_of(loops)), [body[i]], other)


def leave(p):
    some = [(b, l) for b, l in bodies(p.program.body) if l]
    if some:
        body, loops = p.rng.choice(some)
        at = p.rng.randrange(len(body) + 1)
        body.insert(at, If(p.condition(scope_of(loops)), [Leave(p.rng.choice(["break", "continue", "return"]))]))


def call(p):
    body, loops, at = p.rng.choice(places(p))
    scope = scope_of(loops)
    body.insert(at, p.rng.choice([lambda: Note(p.subscript(scope)), Barrier,
                                  lambda: Touch(p.rng.choice(["read", "write"]), p.touched(scope))])())


def volatile(p):
    a = p.rng.choice(p.program.arrays)
    a.volatile = a.kind in ("pointer", "restrict")


def swap_statements(p):
    some = [b for b, _ in bodies(p.program.body) if len(b) > 1 and not any(isinstance(s, Declare) for s in b)]
    if some:
        body = p.rng.choice(some)
        i = p.rng.randrange(len(body) - 1)
        body[i], body[i + 1] = body[i + 1], body[i]


def loops_of(p):
    return [n for n in walk(p.program.body) if isinstance(n, For)]


def bound(p):
    some = [(b, l) for b, l in bodies(p.program.body) if l]
    if not some:
        return
    _, loops = p.rng.choice(some)
    loop, outer = loops[-1], loops[:-1]
    what = p.rng.randrange(6)
    if what == 0:
        loop.low = loop.low + p.rng.choice([1, 1, 2])
    elif what == 1:
        loop.high[0] = loop.high[0] + p.rng.choice([-1, -1, 1])
    elif what == 2 and outer:
        loop.low = of(p.rng.choice(outer).var, p.rng.choice([0, 1]))
    elif what == 3 and outer:
        loop.high[0] = of(p.rng.choice(outer).var, p.rng.choice([0, 1]))
    elif what == 4:
        loop.high[0] = of(p.size())
    else:
        loop.step = p.rng.choice([2, 3, 4])


def other_style(p):
    some = [l for l in loops_of(p) if len(l.high) == 1]
    if some:
        p.rng.choice(some).style = p.rng.choice(["lt", "le", "ne", "down", "while", "do"])


def unroll(p):
    """A loop by two, with or without the rest."""
    some = [(b, i) for b, _ in bodies(p.program.body) for i, s in enumerate(b)
            if isinstance(s, For) and s.step == 1 and len(s.high) == 1 and s.style != "down"
            and not any(isinstance(x, (For, Declare, Leave, Point)) for x in walk(s.body))]
    if not some:
        return
    body, i = p.rng.choice(some)
    loop, factor = body[i], p.rng.choice([2, 2, 3, 4])
    plain = unshared(loop)
    for n in range(1, factor):
        again = unshared(plain.body)
        replace(again, loop.var, of(loop.var, n))
        loop.body += again
    loop.step, loop.style = factor, "lt"
    loop.high = [loop.high[0] + -(factor - 1)]
    if p.chance(0.4):  # the rest, most often
        rest = plain
        rest.low = Affine({}, p.rng.choice([0, factor]))
        body.insert(i + 1, rest)


def replace(node, name, by):
    for n in walk(node):
        if isinstance(n, Affine) and name in n.terms:
            factor = n.terms.pop(name)
            for other, f in by.terms.items():
                n.terms[other] = n.terms.get(other, 0) + f * factor
            n.const += by.const * factor


def around(p):
    """A loop around something, over time or batches."""
    body = p.rng.choice([b for b, _ in bodies(p.program.body) if b and not any(isinstance(s, Declare) for s in b)] or [[]])
    if body:
        i = p.rng.randrange(len(body))
        high = Affine({}, p.rng.choice([1, 2, 3])) if p.chance(0.5) else of(p.size())
        body[i] = p.loop(p.fresh("w"), high, [body[i]])


def cast(p):
    some = [n for n in walk(p.program.body) if isinstance(n, Bin)]
    if some:
        n = p.rng.choice(some)
        n.left = Cast("f32" if p.is_float and p.chance(0.3) else p.element, n.left)


def hoist(p):
    """A factor of the innermost statement, in a scalar outside of its loop."""
    some = [(b, i) for b, _ in bodies(p.program.body) for i, s in enumerate(b)
            if isinstance(s, For) and len(s.body) == 1 and isinstance(s.body[0], Assign)]
    for body, i in p.rng.sample(some, len(some)):
        loop = body[i]
        for n in walk(loop.body[0].value):
            for side in ("left", "right"):
                ref = getattr(n, side, None) if isinstance(n, Bin) else None
                if isinstance(ref, Ref) and not any(loop.var in a.terms for a in ref.index):
                    x = p.fresh("x")
                    setattr(n, side, Scalar(x))
                    type_ = p.program.array(ref.array).type
                    body.insert(i, Declare(x, "f32" if type_ in HALVES - {p.element} else type_, ref))
                    return


def fuse(p):
    """Two neighbouring loops of equal bounds become one."""
    for body, _ in bodies(p.program.body):
        for i in range(len(body) - 1):
            a, b = body[i], body[i + 1]
            if isinstance(a, For) and isinstance(b, For) and a.high == b.high and a.low == b.low and a.step == b.step:
                replace(b.body, b.var, of(a.var))
                a.body += b.body
                del body[i + 1]
                return


def factor_places(p):
    """(list of the innermost loop, loops around it, statement, node, side) of factors."""
    found = []
    for body, loops in bodies(p.program.body):
        for s in body:
            if isinstance(s, Assign) and loops:
                for n in walk(s.value):
                    if isinstance(n, Bin) and n.op == "*":
                        found += [(body, loops, s, n, side) for side in ("left", "right")]
    return found


def factor_ref(node, side):
    ref = getattr(node, side)
    return ref.value if isinstance(ref, Cast) else ref


def buffer(p):
    """A row of a factor is copied to a buffer, in front of one of the loops, and read there."""
    some = [f for f in factor_places(p) if isinstance(factor_ref(f[3], f[4]), Ref)]
    if not some:
        return
    body, loops, statement, node, side = p.rng.choice(some)
    ref = factor_ref(node, side)
    moving = [l for l in loops if any(l.var in a.terms for a in ref.index) and len(l.high) == 1 and l.step == 1]
    if not moving:
        return
    inner = p.rng.choice(moving)
    at = loops.index(inner)
    inside = {l.var for l in loops[at + 1:]}
    if names_in(ref.index) & inside or names_in([inner.low, inner.high]) & {inner.var}:
        return
    outer = loops[at - 1].body if at else None
    outer = outer if outer is not None and inner in outer else next(
        (b for b, _ in bodies(p.program.body) if any(s is inner for s in b)), None)
    type_ = p.program.array(ref.array).type
    buf = p.new_array(type_, [p.size()])
    if p.chance(0.6) and buf.kind in ("pointer", "restrict"):
        buf.kind, buf.shape, buf.strides, buf.where, buf.observed = "local", [p.rng.choice([64, 100, 300])], [1], \
            "parameter", p.chance(0.3)
    v = p.fresh("q")
    copied = unshared(ref)
    replace(copied, inner.var, of(v))
    index = of(inner.var) if p.chance(0.7) else of(inner.var) - inner.low
    fill_index = of(v) if index.terms == {inner.var: 1} and not index.const else of(v) - inner.low
    fill = p.loop(v, unshared(inner.high), [Assign(Ref(buf.name, [fill_index]), "=", copied)], unshared(inner.low))
    new = Ref(buf.name, [index])
    setattr(node, side, Cast(p.element, new) if isinstance(getattr(node, side), Cast) else new)
    position = next(i for i, s in enumerate(outer) if s is inner)
    outer.insert(position, fill)


def zero_test(p):
    """The update, or the loop around it, only where a factor is not zero."""
    some = [f for f in factor_places(p) if isinstance(factor_ref(f[3], f[4]), Ref)]
    if not some:
        return
    body, loops, statement, node, side = p.rng.choice(some)
    ref = unshared(factor_ref(node, side))
    test = Compare(p.rng.choice(["!=", "!=", "==", ">"]), ref, Number("0"))
    at = next(i for i, s in enumerate(body) if s is statement)
    if loops and not names_in(ref.index) & {loops[-1].var}:
        inner = loops[-1]
        for outer, around in bodies(p.program.body):
            for i, s in enumerate(outer):
                if s is inner:
                    body, at, loops = outer, i, around
    if p.chance(0.6) or not loops:
        body[at] = If(test, [body[at]])
    else:
        test.op = "=="
        body.insert(at, If(test, [Leave("continue")]))


def symmetric(p):
    """A factor from one half of a matrix, chosen by the counters."""
    some = [f for f in factor_places(p) if isinstance(factor_ref(f[3], f[4]), Ref) and
            len(factor_ref(f[3], f[4]).index) == 2]
    if not some:
        return
    _, _, _, node, side = p.rng.choice(some)
    ref = getattr(node, side)
    plain = factor_ref(node, side)
    x, y = plain.index
    other = unshared(ref)
    (other.value if isinstance(other, Cast) else other).index.reverse()
    setattr(node, side, Choose(Compare(p.rng.choice(["<=", "<", ">=", ">"]), unshared(x), unshared(y)), ref, other))


def transposed(p):
    """A factor that is stored in another order on a condition that does not change."""
    some = [f for f in factor_places(p) if isinstance(factor_ref(f[3], f[4]), Ref) and
            len(factor_ref(f[3], f[4]).index) > 1]
    if some:
        _, _, _, node, side = p.rng.choice(some)
        other = unshared(getattr(node, side))
        (other.value if isinstance(other, Cast) else other).index.reverse()
        setattr(node, side, Choose(p.condition([]), getattr(node, side), other))


def rows_of_sums(p):
    """(loop over rows, the loop in it that makes their sums, the target, the loop over columns)."""
    for body, loops in bodies(p.program.body):
        for s in body:
            if not (isinstance(s, Assign) and s.op in ("+=", "-=") and isinstance(s.target, Ref)):
                continue
            named = names_in(s.target.index)
            for at, row in enumerate(loops[:-1]):
                inside = loops[at + 1:]
                for column in inside:
                    others = {l.var for l in inside} - {column.var}
                    whole = len(column.high) == 1 and column.step == 1 and \
                        not names_in([column.low, column.high]) & {l.var for l in inside}
                    if whole and {row.var, column.var} <= named and not named & others:
                        yield row, inside[0], s.target, column


def start_rows(p):
    """A loop in front of the sums of each row sets it to what other arrays have; another one may finish it."""
    some = list(rows_of_sums(p))
    if not some:
        return
    row, sums, target, column = p.rng.choice(some)
    source = p.new_array(p.program.array(target.array).type, [p.size(), p.size()])

    def over(statement):
        v = p.fresh("q")
        element = unshared(target)
        replace(element, column.var, of(v))
        other = Ref(source.name, [of(row.var) if p.chance(0.3) else Affine(), of(v)])
        return p.loop(v, unshared(column.high), [statement(element, other)], unshared(column.low))
    start = over(lambda c, x: Assign(c, "=", p.pick((3, x), (1, Bin("*", p.scalar(), x)))))
    finish = over(lambda c, x: Assign(c, p.pick((2, "*="), (1, "+=")), p.pick((1, p.scalar()), (1, x))))
    at = next((i for i, s in enumerate(row.body) if s is sums), None)
    if at is None:
        return
    if p.chance(0.6):
        row.body.insert(at + 1, finish)
    row.body.insert(at, start)


def total(p):
    """A sum over a whole nest, stored behind it."""
    some = [(b, l) for b, l in bodies(p.program.body) if l]
    if not some:
        return
    body, loops = p.rng.choice(some)
    t, scope = p.fresh("sum"), scope_of(loops)
    start = next(i for i, s in enumerate(p.program.body) if any(n is loops[0] for n in walk(s)))
    body.insert(p.rng.randrange(len(body) + 1), Assign(Scalar(t), p.rng.choice(["+=", "="]), p.expression(scope, (), 1)))
    p.program.body.insert(start + 1, Assign(p.some_ref([], written=True), "=", Scalar(t)))
    p.program.body.insert(start, Declare(t, p.element, Number("0")))


def second_update(p):
    """Another sum beside an update: other places, the same factors."""
    some = [(b, i, l) for b, l in bodies(p.program.body) if l for i, s in enumerate(b)
            if isinstance(s, Assign) and s.op == "+="]
    if not some:
        return
    body, i, loops = p.rng.choice(some)
    new = unshared(body[i])
    names = [l.var for l in loops]
    if len(names) > 1:
        x, y = p.rng.sample(names, 2)
        replace(new, x, of("?"))
        replace(new, y, of(x))
        replace(new, "?", of(y))
    if isinstance(new.target, Ref) and p.chance(0.4):
        fit = [a for a in p.program.arrays if len(a.strides) == len(new.target.index) and not a.const and
               a.type == p.element]
        new.target.array = p.rng.choice(fit).name if fit else new.target.array
    body.insert(p.rng.choice([i, i + 1]), new)


def complex_pairs(p):
    """An update of two neighbours from two neighbours, as complex numbers have it."""
    some = [(b, i) for b, l in bodies(p.program.body) if l for i, s in enumerate(b)
            if isinstance(s, Assign) and s.op == "+=" and isinstance(s.target, Ref) and isinstance(s.value, Bin)
            and isinstance(factor_ref(s.value, "left"), Ref) and isinstance(factor_ref(s.value, "right"), Ref)]
    if not some:
        return
    body, i = p.rng.choice(some)
    target, a, b = body[i].target, factor_ref(body[i].value, "left"), factor_ref(body[i].value, "right")

    def part(ref, n):
        new = unshared(ref)
        last = new.index[-1]
        new.index[-1] = last + last + n
        return new
    times = lambda x, m, y, n: Bin("*", part(x, m), part(y, n))
    body[i:i + 1] = [Assign(part(target, 0), "+=", Bin("-", times(a, 0, b, 0), times(a, 1, b, 1))),
                     Assign(part(target, 1), "+=", Bin("+", times(a, 0, b, 1), times(a, 1, b, 0)))]


def wrap_around(p):
    """A counter that passes the end of its type."""
    some = [l for l in loops_of(p) if l.step == 1 and len(l.high) == 1 and not l.low.terms and not l.low.const]
    if not some:
        return
    loop = p.rng.choice(some)
    if p.chance(0.25):
        loop.type, loop.style, loop.low = "uchar", "around", Affine({}, p.rng.choice([230, 250, 255]))
        return
    first = p.rng.choice([1, 2, 3, 5])
    loop.type, loop.style, loop.low = "uint", "ne", Affine({}, -first)
    replace(loop.body, loop.var, of(loop.var, first))
    replace(loop.walks, loop.var, of(loop.var, first))
    loop.high = [loop.high[0] + -first]
    for name in loop.high[0].terms:
        for s in p.program.sizes:
            if s.name == name:
                s.type = "uint"


MUTATIONS = [(3, insert), (1, remove), (2, duplicate), (2, shift_some), (1.5, other_variable), (1, swap_subscripts),
             (1.5, other_array), (1, other_operation), (2, under_condition), (1, leave), (1, call), (0.2, volatile),
             (1, swap_statements), (2, bound), (2, other_style), (1.5, unroll), (1.5, around), (0.7, cast), (3, hoist),
             (1, fuse), (2.5, buffer), (1.5, zero_test), (1, symmetric), (0.6, transposed), (1, total), (1.5, start_rows),
             (2, second_update), (0.7, complex_pairs), (3, add_pointer), (0.6, wrap_around)]


def mutate(p):
    p.rng.choices([m for _, m in MUTATIONS], [w for w, _ in MUTATIONS])[0](p)
