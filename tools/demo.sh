#!/usr/bin/env bash
# Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Builds the plugin, compiles examples/gemm.c with and without it, and compares
# speed and bits; OpenBLAS runs beside them. Installs the Debian packages that
# are missing.
#
#   tools/demo.sh [n]    multiplies n x n matrices (1000)
set -euo pipefail
case "${1:-}" in
-h | --help)
  sed -n '5,/^[^#]/s/^# \{0,1\}//p' "$0"
  exit
  ;;
esac
cd "$(dirname "$0")/.."
n=${1:-1000}

tools/install-packages.sh cmake ninja-build g++ llvm-22-dev clang-22 libopenblas-dev
cmake --preset release -DTILESMITH_ENABLE_TESTS=OFF >/dev/null
cmake --build build

demo=build/demo
mkdir -p "$demo"
flags=(-O3 -march=native)
run() { echo "+ $*" >&2; "$@"; }
run clang-22 "${flags[@]}" examples/gemm.c examples/gemm-main.c -o $demo/plain
run clang-22 "${flags[@]}" -fpass-plugin=build/lib/libTilesmith.so -Rpass=tilesmith \
  examples/gemm.c examples/gemm-main.c -o $demo/tilesmith
run clang-22 "${flags[@]}" examples/gemm-openblas.c examples/gemm-main.c -lopenblas -o $demo/openblas

export OPENBLAS_NUM_THREADS=1
for program in plain tilesmith openblas; do
  $demo/$program "$n" $demo/$program.result >$demo/$program.seconds
done

echo
echo "C += A * B, double, $n x $n, one thread"
paste $demo/{plain,tilesmith,openblas}.seconds | awk -v n="$n" '
  function row(name, seconds) {
    printf "  %-28s %9.4f s %8.1f GFLOP/s %8.1f x\n", name, seconds, 2e-9 * n^3 / seconds, $1 / seconds
  }
  { row("clang -O3 -march=native", $1); row("the same with Tilesmith", $2); row("OpenBLAS", $3) }'
if cmp -s $demo/plain.result $demo/tilesmith.result; then
  echo "The results with and without Tilesmith are equal, bit for bit."
else
  echo "The results with and without Tilesmith DIFFER."
  exit 1
fi
