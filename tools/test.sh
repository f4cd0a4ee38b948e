#!/usr/bin/env bash
# Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Installs what is missing, builds into build/, and runs the tests: unit, lit and
# end to end. Then builds the plugin with sanitizers into build-asan/, and runs
# the tests of its rooms. Each run ends with lit's summary.
#
#   tools/test.sh                     all of that; of forms, flags and long tests, samples
#   tools/test.sh --all               without samples, which takes hours
#   tools/test.sh --filter=Plugin     arguments go to lit; there is no second run
set -euo pipefail
case "${1:-}" in
-h | --help)
  sed -n '5,/^[^#]/s/^# \{0,1\}//p' "$0"
  exit
  ;;
esac
cd "$(dirname "$0")/.."

tools/install-packages.sh cmake ninja-build g++ \
  llvm-22-dev llvm-22-tools clang-22 clang-format-22 libclang-rt-22-dev lld-22 flang-22 libgtest-dev python3 python3-jinja2 python3-tqdm python3-yaml rustc \
  libopenblas-dev libeigen3-dev f2c libf2c2-dev dpkg-dev libtool-bin make man-db meson pkg-config \
  qemu-user gcc-aarch64-linux-gnu libc6-dev-arm64-cross \
  gcc-powerpc64le-linux-gnu libc6-dev-ppc64el-cross \
  gcc-riscv64-linux-gnu libc6-dev-riscv64-cross gcc-s390x-linux-gnu libc6-dev-s390x-cross

# Of the tests that take long, a quarter runs by default: another one with each commit.
long='EndToEnd/|Fuzz/|Lowering/|NearMiss/|Plugin/'
commit=$(git rev-parse --verify --short=4 HEAD 2>/dev/null || echo 0)
sample=(--num-shards 4 --run-shard $((16#$commit % 4 + 1)))
all=()
if [ "${1:-}" = --all ]; then
  shift
  all=(--param all=1) sample=()
fi
lit() { /usr/lib/llvm-22/bin/lit -sv "$@"; }

cmake --preset release -DTILESMITH_ENABLE_TESTS=ON
cmake --build build --target all TilesmithUnitTests
if [ $# != 0 ]; then
  lit "${all[@]}" "$@" build/test build/test/Unit
  exit
fi
lit build/test build/test/Unit --filter-out "$long"
lit "${all[@]}" build/test --filter "$long" "${sample[@]}"

cmake --preset asan -DTILESMITH_ENABLE_TESTS=ON
cmake --build build-asan --target Tilesmith TilesmithUnitTests
lit build-asan/test build-asan/test/Unit --filter 'Idiom/|Planning/|Rewrite/|Tests/'
lit build-asan/test --filter 'Plugin/' "${sample[@]}"
