#!/usr/bin/env bash
# Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Installs what is missing, builds into build/, and runs all tests: unit, lit and
# end to end. Then builds the plugin with sanitizers into build-asan/, and runs
# the tests of its rooms. Each run ends with lit's summary.
#
#   tools/test.sh                     all of that; of forms, flags and sanitized tests, samples
#   tools/test.sh --all               without samples, which takes three times as long
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

all=() sample=(--num-shards 5 --run-shard 1)
if [ "${1:-}" = --all ]; then
  shift
  all=(--param all=1) sample=()
fi

cmake --preset release -DTILESMITH_ENABLE_TESTS=ON
cmake --build build --target all TilesmithUnitTests
/usr/lib/llvm-22/bin/lit -sv "${all[@]}" "$@" build/test build/test/Unit

if [ $# = 0 ]; then
  cmake --preset asan -DTILESMITH_ENABLE_TESTS=ON
  cmake --build build-asan --target Tilesmith TilesmithUnitTests
  /usr/lib/llvm-22/bin/lit -sv build-asan/test build-asan/test/Unit \
    --filter 'Idiom/|Planning/|Rewrite/|Tests/'
  /usr/lib/llvm-22/bin/lit -sv build-asan/test --filter 'Plugin/' "${sample[@]}"
fi
