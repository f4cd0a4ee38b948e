# Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The results of all builds, as lines and tables."""

import json

from programs.build import CONFIGS


def tests(result):
    def text(one):
        return f"{one['passed']}" + (f" ({one['failed']} fail)" if one["failed"] else "")
    before, after = text(result["without"]), text(result["with"])
    return before if before == after and not result["differences"] else f"{before} → {after}"


def change(result):
    before, after = result["without"]["cpu"], result["with"]["cpu"]
    return f"{100 * (after / before - 1):+.1f} %" if before else "?"


def share(result):
    part = result["with"].get("share")
    return "?" if part is None else f"{part:.1f} %"


def line(result):
    """One build, for the terminal."""
    name = f"{result['program']} {result['config']}:"
    if "with" not in result:
        return f"{name} FAILED"
    new = result["with"]
    return (f"{name} {new['compiled']} files, {new['loops']} loops, {new['candidates']} candidates, "
            f"{len(new['replaced'])} replaced, CPU {result['without']['cpu']} s {change(result)}, "
            f"{share(result)} of passes, tests {tests(result)}" + ", same files" * new.get("identical", False) +
            (", DIFFERENT" if result["differences"] else ""))


def all_results(options):
    for config in CONFIGS:
        for path in sorted(options.work.glob(f"*/results/{config}.compared.json")):
            yield json.loads(path.read_text())


def cell(result):
    """What became of one build of a program: nests replaced, and how it compares."""
    if not result or "with" not in result:
        return "" if not result else "not built"
    replaced = len(result["with"]["replaced"])
    return f"{replaced} differs" if result["differences"] else "=" if result["with"].get("identical") else f"{replaced}"


SIZES = ("compiled", "loops", "candidates", "passed")


def tables(options, recipes):
    """What the builds are, and a table of programs. Sizes are those of the build that has most."""
    results = [r for r in all_results(options) if r["program"] in recipes]
    configs = [c for c in CONFIGS if any(r["config"] == c for r in results)]
    text = "".join(f"* {c}: `{CONFIGS[c][0]}`" + f" with `TILESMITH={CONFIGS[c][1]}`" * bool(CONFIGS[c][1]) + "\n"
                   for c in configs)
    columns = ["program", "kind", "files", "loops", "candidates", "tests", *configs, "CPU time of the compiler", "in our passes"]
    text += f"\n| {' | '.join(columns)} |\n|---|---|{'---:|' * (len(columns) - 2)}\n"
    sums = dict.fromkeys(SIZES, 0)

    def row(name, kind, sizes, cells, of_row):
        done = [r for r in of_row if "with" in r]
        cpu = {side: {"cpu": sum(r[side]["cpu"] for r in done)} for side in ("without", "with")}
        shares = [r["with"]["share"] for r in done if r["with"].get("share") is not None]
        return f"| {name} | {kind} | " + " | ".join([*map(str, sizes.values()), *cells, f"{cpu['without']['cpu']:.0f} s {change(cpu)}",
                                            f"{max(shares):.1f} %" if shares else "?"]) + " |\n"

    for name in sorted({r["program"] for r in results}):
        of_program = {r["config"]: r for r in results if r["program"] == name}
        version = next((r["version"] for r in of_program.values() if "version" in r), "")
        sizes = {s: max((r["with"][s] for r in of_program.values() if "with" in r), default=0) for s in SIZES}
        for s in SIZES:
            sums[s] += sizes[s]
        text += row(f"{name} {version}", recipes[name].kind, sizes, [cell(of_program.get(c)) for c in configs], of_program.values())
    fine = {c: [r["with"] for r in results if r["config"] == c and not r["differences"]] for c in configs}
    return text + row(f"{len({r['program'] for r in results})} programs", "", sums,
                      [f"{sum(len(w['replaced']) for w in fine[c])} in {len(fine[c])} programs" for c in configs], results)


def print_missed(options):
    wanted = lambda r: r["program"] in (options.programs or [r["program"]]) and r["config"] in options.configs
    for r in filter(wanted, all_results(options)):
        for what in ("replaced", "missed"):
            for place in r.get("with", {}).get(what, []):
                print(f"{r['program']} {r['config']}: {what}: {place}")
