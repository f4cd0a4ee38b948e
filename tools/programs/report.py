# Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The results as lines and tables."""

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
            f"{share(result)} of passes, tests {tests(result)}" + (", DIFFERENT" if result["differences"] else ""))


def all_results(options):
    for config in CONFIGS:
        for path in sorted(options.work.glob(f"*/results/{config}.compared.json")):
            yield json.loads(path.read_text())


def tables(options, recipes):
    """A table for each configuration."""
    results = [r for r in all_results(options) if r["program"] in recipes]
    text = ""
    for config, (flags, chosen) in CONFIGS.items():
        of_config = [r for r in results if r["config"] == config and "with" in r]
        if not of_config:
            continue
        text += f"`{flags}`" + (f" with `TILESMITH={chosen}`" if chosen else "") + ":\n\n"
        text += "| program | files | loops | candidates | replaced | CPU time of the compiler | in our passes | tests passed | same |\n"
        text += "|---|---:|---:|---:|---:|---:|---:|---:|---|\n"
        for r in of_config:
            new = r["with"]
            text += (f"| {r['program']} {r['version']} | {new['compiled']} | {new['loops']} | {new['candidates']} | "
                     f"{len(new['replaced'])} | {r['without']['cpu']:.0f} s {change(r)} | {share(r)} | {tests(r)} | "
                     f"{'no' if r['differences'] else 'yes'} |\n")
        total = lambda key: sum(r["with"][key] for r in of_config)
        before, after = (sum(r[side]["cpu"] for r in of_config) for side in ("without", "with"))
        text += (f"| {len(of_config)} programs | {total('compiled')} | {total('loops')} | {total('candidates')} | "
                 f"{sum(len(r['with']['replaced']) for r in of_config)} | {before:.0f} s "
                 f"{100 * (after / before - 1) if before else 0:+.1f} % | | {total('passed')} | |\n\n")
    return text


def print_missed(options):
    wanted = lambda r: r["program"] in (options.programs or [r["program"]]) and r["config"] in options.configs
    for r in filter(wanted, all_results(options)):
        for what in ("replaced", "missed"):
            for place in r.get("with", {}).get(what, []):
                print(f"{r['program']} {r['config']}: {what}: {place}")
