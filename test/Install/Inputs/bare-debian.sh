#!/bin/sh
# Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Makes a Debian 12 that has nothing in it, installs the package as a user does,
# and builds programs there: bare-debian.sh ROOT PACKAGE SOURCES
set -eu
export PATH="$PATH:/usr/sbin:/sbin"
root=$1 package=$2 sources=$3

debootstrap --variant=minbase bookworm "$root"
# The mirrors are this machine's, and how it reads them.
grep -l '^Acquire' /etc/apt/apt.conf.d/* | xargs -r cp -t "$root/etc/apt/apt.conf.d"
cp /etc/apt/sources.list.d/debian.sources "$root/etc/apt/sources.list.d/" && : > "$root/etc/apt/sources.list"
cp /etc/resolv.conf "$root/etc/"
cp "$package" "$root/tilesmith.deb"
mkdir "$root/work"
cp -r "$sources/examples" "$sources/test/Install/Inputs/project" "$root/work"

cat > "$root/work/run.sh" <<'END'
set -eux
cd /work
export DEBIAN_FRONTEND=noninteractive
apt-get update -q
apt-get install -q -y --no-install-recommends /tilesmith.deb
# The package needs no compiler, as a program that is built by one needs no plugin.
dpkg -s tilesmith-22 | grep Status
apt-get install -q -y --no-install-recommends clang-22 libc6-dev make cmake

clang-22 -O3 examples/gemm.c examples/gemm-main.c -o plain
clang-22 --config=/usr/lib/tilesmith-22/tilesmith.cfg -O3 -Rpass=tilesmith examples/gemm.c examples/gemm-main.c -o config
tilesmith-clang-22 -O3 -Rpass=tilesmith examples/gemm.c examples/gemm-main.c -o wrapper
tilesmith-clang-22 --version
for program in plain config wrapper; do ./$program 200 $program.result; done
cmp plain.result config.result
cmp plain.result wrapper.result

cmake -S project -B build -DCMAKE_C_COMPILER=clang-22 -DCMAKE_BUILD_TYPE=Release -DGEMM=/work/examples/gemm.c
cmake --build build
build/plain > plain.txt
build/enabled | cmp - plain.txt

mkdir record
(cd record && tilesmith-clang-22 -O3 -g -fsave-optimization-record -c ../examples/gemm.c)
apt-get install -q -y --no-install-recommends python3-jinja2 python3-tqdm python3-yaml llvm-22
tilesmith-report-22 record --html report.html
apt-get purge -q -y tilesmith-22
test ! -e /usr/lib/tilesmith-22
test ! -e /usr/share/tilesmith-22
END
chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin sh /work/run.sh
