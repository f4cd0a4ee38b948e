# Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What differs, as lines and tables."""

import collections

from blas.calls import parsed, variant, work


def line(configuration, calls, found, replaced):
    """A configuration in one line, and the variants of routines that differ in it."""
    text = f"{configuration}: {replaced} nests replaced, {len(calls)} calls, {len(found)} differ"
    made = collections.Counter(variant(c) for c in calls)
    different = collections.defaultdict(list)
    for number in found:
        different[variant(calls[number])].append(work(calls[number]))
    return "\n".join([text, *(f"  {v}: {len(w)} of {made[v]}, work {min(w)} to {max(w)}"
                              for v, w in sorted(different.items()))])


def failures(calls, found, most):
    """(line, call) of the smallest calls that differ, at most so many of each variant."""
    printed = collections.Counter()
    for number in sorted(found, key=lambda n: work(calls[n])):
        call = calls[number]
        if printed[variant(call)] == most:
            continue
        printed[variant(call)] += 1
        what, *values = found[number].split()
        if what == "differs":
            name, element, before, after, count = values
            place = f"element {int(element) // parts(call)}"
            if leading := parsed(call)[1].get("ld" + name):
                column, row = divmod(int(element) // parts(call), int(leading))
                place = f"row {row}, column {column} (from 0)"
            yield f"FAIL {variant(call)}: {name}, {place}: {before}, with the plugin {after}; {count} differ", call
        else:
            yield f"FAIL {variant(call)}: {found[number]}", call


def parts(call):
    return 2 if call[0] in "cz" else 1


def table(calls, results):
    """Calls that differ, by configuration, then by routine and configuration."""
    rows = [["configuration", "replaced", "calls", "differ"], ["---"] + 3 * ["---:"]]
    for configuration, found, replaced in results:
        rows.append([configuration, replaced, len(calls) if found is not None else "FAILED", len(found or {})])
    text = lines(rows)
    counts = [collections.Counter(parsed(calls[n])[0] for n in found or {}) for _, found, _ in results]
    used = [i for i, c in enumerate(counts) if c]
    if not used:
        return text
    made = collections.Counter(parsed(c)[0] for c in calls)
    rows = [["routine", "calls", *(results[i][0] for i in used)], ["---"] + (len(used) + 1) * ["---:"]]
    for name in sorted({r for c in counts for r in c}):
        rows.append([name, made[name], *(counts[i][name] or "" for i in used)])
    return f"{text}\n\n{lines(rows)}"


def lines(rows):
    return "\n".join("| " + " | ".join(map(str, r)) + " |" for r in rows)


def summary(calls, results):
    differ = sum(len(found or {}) for _, found, _ in results)
    broken = sum(found is None for _, found, _ in results)
    return (f"{len(results)} configurations, {len({parsed(c)[0] for c in calls})} routines, "
            f"{sum(len(calls) for _, found, _ in results if found is not None)} calls, {differ} differ, "
            f"{broken} not built or not run")
