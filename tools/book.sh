#!/usr/bin/env bash
# Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Makes a book of the pages in docs/. Installs the Debian packages that are
# missing.
#
#   tools/book.sh [FOLDER]    to FOLDER/index.html (build/book)
set -euo pipefail
case "${1:-}" in
-h | --help)
  sed -n '5,/^[^#]/s/^# \{0,1\}//p' "$0"
  exit
  ;;
esac
root=$(cd "$(dirname "$0")/.." && pwd)
folder=${1:-$root/build/book}

"$root/tools/install-packages.sh" python3-sphinx python3-myst-parser
sphinx-build -q -W --keep-going -d "$folder/.doctrees" -c "$root/docs/book" "$root/docs" "$folder"
echo "$folder/index.html"
