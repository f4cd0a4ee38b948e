#!/usr/bin/env python3
"""Reads LLVM IR and writes it with calls of Inputs/amx-model.c in place of AMX's
intrinsics, so that it runs on CPUs without them."""

import re
import sys

text = sys.stdin.read()
text = re.sub(r"@llvm\.x86\.((?:ld)?t\w+)", r"@model_\1", text)
text = re.sub(r'asm sideeffect "syscall", "[^"]*"', "@model_syscall", text)
# Arguments of functions need not be constants.
text = re.sub(r"(declare .*@model_\w+\()([^()]*)(\)).*",
              lambda m: m[1] + m[2].replace(" immarg", "") + m[3], text)
text = re.sub(r"(call .*@model_\w+\([^()]*\)) #\d+", r"\1", text)
if "@model_syscall" in text:
    text += "\ndeclare i64 @model_syscall(i64, i64, i64)\n"
sys.stdout.write(text)
