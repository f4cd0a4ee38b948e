#!/usr/bin/env python3
# Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints each result of a SARIF file on a line, and fails if its rules or folders are not declared.

  print_sarif.py FILE"""

import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    log = json.load(file)
run, = log["runs"]
rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
print(f"{log['version']} {run['tool']['driver']['name']} {run['tool']['driver']['version']}: {' '.join(rules)}")
for result in run["results"]:
    assert result["ruleId"] in rules
    where = result["locations"][0]["physicalLocation"]
    folder = run["originalUriBaseIds"][where["artifactLocation"]["uriBaseId"]]["uri"]
    assert folder.startswith("file:///") and folder.endswith("/")
    print(f"{result['level']} {result['ruleId']} {where['artifactLocation']['uri']}:{where['region']['startLine']} "
          f"{result['baselineState']}: {result['message']['text']}")
