#!/bin/sh
# Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The first line that each of the tools in a folder says when it is asked for help.
for tool in "$1"/*; do
  [ -f "$tool" ] && [ -x "$tool" ] || continue
  case $tool in
  *.sh) set -- bash "$tool" ;;
  *) set -- "$PYTHON" "$tool" ;;
  esac
  said=$("$@" --help) || echo "failed: $tool"
  echo "$(basename "$tool"): $(echo "$said" | head -n 1)"
done
echo "done"
