#!/usr/bin/env bash
# Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Installs those of the Debian packages that are missing.
#
#   tools/install-packages.sh PACKAGE...
set -euo pipefail
case "${1:-}" in
-h | --help)
  sed -n '5,/^[^#]/s/^# \{0,1\}//p' "$0"
  exit
  ;;
esac

missing=()
for package; do
  dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' ||
    missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

echo "Installing ${missing[*]}"
as_root=()
[ "$(id -u)" -eq 0 ] || as_root=(sudo)
"${as_root[@]}" apt-get update -q
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
  apt-get install -q -y --no-install-recommends "${missing[@]}"
