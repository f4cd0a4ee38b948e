# Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A report as SARIF 2.1.0, for editors and code review. Its rules are "Replaced" and the reasons."""

import json
import pathlib

from report import words

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas/sarif-schema-2.1.0.json"
ROOT = "SOURCES"


def rule(name, reasons):
    if name == "Replaced":
        return {"id": name, "shortDescription": {"text": "A nest of loops is computed by a kernel."}}
    text = reasons[name].cure if name in reasons else name
    return {"id": name, "shortDescription": {"text": f"A nest of loops is not replaced: {name}"},
            "help": {"text": text.replace("`", ""), "markdown": text}}


def location(report, file, line, column, last=0):
    relative = report.relative(file)
    artifact = ({"uri": pathlib.PurePath(file).as_uri()} if pathlib.PurePath(relative).is_absolute() else
                {"uri": pathlib.PurePath(relative).as_posix(), "uriBaseId": ROOT})
    region = {"startLine": line, "startColumn": max(column, 1)}
    if last > line:
        region["endLine"] = last
    return {"physicalLocation": {"artifactLocation": artifact, "region": region}}


def results_of(report, nest, reasons):
    """One for a nest that is replaced; otherwise one for each obstacle, which stands where that is."""
    common = {"baselineState": {"new": "new", "lost": "updated"}.get(nest.state, "unchanged")} if report.since else {}
    at = [location(report, nest.file, nest.line, nest.column, nest.last)] if nest.line else []
    if nest.is_replaced:
        text = "; ".join([*nest.formulas, *(f"{v.operation}: {v.plan}" for v in nest.versions)])
        yield {"ruleId": "Replaced", "kind": "pass", "level": "none",
               "message": {"text": f"Replaced: {text}" if nest.formulas else f"Replaced by {text}"}, "locations": at, **common}
        return
    for obstacle in nest.obstacles:
        said = words.obstacle_in_short(obstacle, reasons).replace("`", "")
        start = "Matrix product" if nest.is_likely else "Sum of products"
        lost = "Was replaced in the earlier build. " if nest.state == "lost" else ""
        here = obstacle.place and [location(report, *obstacle.place)]
        yield {"ruleId": obstacle.reason, "level": "warning" if lost else "note",
               "message": {"text": f"{lost}{start} not replaced: {said}"},
               "locations": here or at, "relatedLocations": at, **common}


def absent(report, before):
    """A nest that was replaced in the earlier build, and is not in this one."""
    return {"ruleId": "Replaced", "kind": "pass", "level": "none", "baselineState": "absent",
            "message": {"text": f"Was replaced by {before.versions[0].operation}"},
            "locations": [location(report, before.file, before.line, before.column)] if before.line else []}


def render(report, reasons):
    results = [result for nest in report.nests for result in results_of(report, nest, reasons)]
    results += [absent(report, lost.before) for lost in report.lost if not lost.now]
    rules = [rule(name, reasons) for name in sorted({result["ruleId"] for result in results})]
    driver = {"name": "Tilesmith", "version": ", ".join(report.versions), "rules": rules}
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    if report.root:
        run["originalUriBaseIds"] = {ROOT: {"uri": pathlib.PurePath(report.root).as_uri() + "/"}}
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=1, ensure_ascii=False) + "\n"
