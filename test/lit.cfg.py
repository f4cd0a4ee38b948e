# Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import importlib.util
import os
import platform
import re
import shutil
import subprocess
import sys

import lit.formats

config.name = "Tilesmith"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".ll", ".c", ".cpp", ".f90", ".rs", ".test"]
config.excludes = ["Inputs", "Unit", "driver.c", "spellings-driver.c"]
config.test_source_root = config.source_root


def preloading_tools():
    """A folder of scripts named like the tools that load plugins. A plugin with sanitizers
    loads only where their run-time library comes first; other programs do not need it."""
    folder = os.path.join(config.test_exec_root, "preloading-tools")
    os.makedirs(folder, exist_ok=True)
    real = os.path.join(config.llvm_tools_dir, "")
    runtime = subprocess.check_output(
        [real + "clang", f"-print-file-name=libclang_rt.asan-{platform.machine()}.so"], text=True).strip()
    for name in os.listdir(real):
        script = os.path.join(folder, name)
        if os.path.lexists(script):
            os.remove(script)
        if not re.match(r"(clang(\+\+)?|opt|llc|flang|ld\.lld)(-22)?$", name):
            os.symlink(real + name, script)
            continue
        for called in (script, script.removesuffix("-22") + "-22"):
            with open(called, "w") as out:
                out.write(f'#!/bin/sh\nLD_PRELOAD={runtime} exec {real}{name} "$@"\n')
            os.chmod(called, 0o755)
    return folder


if config.sanitize:
    config.llvm_tools_dir = preloading_tools()
    # LLVM keeps what it allocates until the end.
    config.environment["ASAN_OPTIONS"] = "detect_leaks=0"
    config.environment["UBSAN_OPTIONS"] = "halt_on_error=1:print_stacktrace=1"


def tool(name):
    """An LLVM 22 tool: from LLVM's own folder, or name-22 from the PATH."""
    path = os.path.join(config.llvm_tools_dir, name)
    return path if os.path.exists(path) else shutil.which(name + "-22")


def find_rustc():
    """The Rust compiler, if its bitcode is no newer than LLVM 22's, and its LLVM."""
    path = shutil.which("rustc")
    if not path:
        return None, None
    query = lambda *flags: subprocess.run([path, *flags], capture_output=True, text=True).stdout
    version = re.search(r"^LLVM version: (\d+)", query("-vV"), re.M)
    # Not rustup's proxy: it needs the user's environment.
    rustc = os.path.join(query("--print", "sysroot").strip(), "bin", "rustc")
    if not version or int(version[1]) > 22:
        return None, None
    return rustc if os.path.exists(rustc) else path, int(version[1])


clang = tool("clang") or "clang-22"
opt = tool("opt") or "opt-22"
flang, lld = tool("flang"), tool("ld.lld")
rustc, llvm_of_rustc = find_rustc()
clang_format = tool("clang-format")

# Longer names first: lit replaces from the front of this list.
config.substitutions += [
    ("%opt", f"{opt} -load-pass-plugin={config.plugin}"),
    ("%clang-format", clang_format or "clang-format-not-found"),
    ("%clangxx", f"{clang} --driver-mode=g++"),
    ("%clang", clang),
    ("%flang", flang or "flang-not-found"),
    ("%lld", lld or "lld-not-found"),
    ("%rustc", rustc or "rustc-not-found"),
    ("%tilesmith", config.plugin),
    ("%mutants", config.mutants),
    ("%eigen-library", f"{config.eigen_library} -Wl,-rpath,{os.path.dirname(config.eigen_library)}"),
    ("%install", f"{config.cmake} --install {config.build_root} --prefix"),
    ("%cpack", f"{os.path.dirname(config.cmake)}/cpack --config {config.build_root}/CPackConfig.cmake"),
    ("%cmake", config.cmake),
    ("%build", config.build_root),
    ("%libdir", config.libdir),
    ("%python", f'"{sys.executable}"'),
]
config.environment["PATH"] = os.pathsep.join(
    [config.llvm_tools_dir, os.environ.get("PATH", "")])
# Options of the user's own must not change the tests. The IR verifier runs after
# each step, also where a test has options of its own.
config.environment["TILESMITH"] = "verify"
# A half of the forms of the matrices, each with a third of its flags, unless all are wanted.
sample = "--every " + ("1" if lit_config.params.get("all") else "2")
config.substitutions.append(("%share", sample + " --share " + ("1" if lit_config.params.get("all") else "3")))
config.substitutions.append(("%sample", sample))
config.substitutions.append(("TILESMITH=", "TILESMITH='verify;'"))

if platform.system() == "Linux":
    config.available_features.add("system-linux")
if clang_format:
    config.available_features.add("clang-format")
if flang:
    config.available_features.add("flang")
if lld:
    config.available_features.add("lld")
if lit_config.params.get("bare-debian"):
    config.available_features.add("bare-debian")
if rustc:
    config.available_features |= {"rustc", f"rustc-{llvm_of_rustc}"}
for emulator, compiler in [("qemu-aarch64", "aarch64-linux-gnu-gcc"),
                           ("qemu-ppc64le", "powerpc64le-linux-gnu-gcc"),
                           ("qemu-riscv64", "riscv64-linux-gnu-gcc"),
                           ("qemu-s390x", "s390x-linux-gnu-gcc")]:
    if shutil.which(emulator) and shutil.which(compiler):
        config.available_features.add(emulator)
for emulator in ("qemu-ppc64", "qemu-x86_64", "qemu-i386"):
    if shutil.which(emulator):
        config.available_features.add(emulator)
# -print-file-name gives the name back if there is no such file.
if os.path.isabs(subprocess.check_output(
        [clang, "-print-file-name=libopenblas.so"], text=True)):
    config.available_features.add("openblas")
# A plugin with sanitizers is preloaded with a run-time library of its own.
if not config.sanitize and os.path.isabs(subprocess.check_output(
        [clang, f"-print-file-name=libclang_rt.msan-{platform.machine()}.a"], text=True)):
    config.available_features.add("sanitizers")
# The reference BLAS is Debian's source package, which is fetched by the test.
if shutil.which("f2c") and shutil.which("apt-get") and shutil.which("dpkg-source"):
    config.available_features.add("debian-source")
for name in ("ccache", "dpkg-deb", "libtool", "make", "man", "meson", "pkg-config"):
    if shutil.which(name):
        config.available_features.add(name)
if shutil.which("sphinx-build") and importlib.util.find_spec("myst_parser"):
    config.available_features.add("sphinx")
if shutil.which("clang-14"):
    config.available_features.add("clang-14")
if os.path.exists(config.eigen_library):
    config.available_features.add("eigen-library")
if platform.machine() in ("x86_64", "i686"):
    config.available_features |= {"x86", "x86-registered-target"}
targets = subprocess.check_output([tool("llc") or "llc-22", "--version"], text=True)
for name, feature in (("aarch64", "aarch64"), ("ppc64le", "powerpc")):
    if name in targets:
        config.available_features.add(feature + "-registered-target")
if os.path.exists("/proc/cpuinfo"):
    with open("/proc/cpuinfo") as file:
        flags = file.read().split()
    if {"avx2", "fma"} <= set(flags):
        config.available_features.add("native-avx2")
    if {"avx512f", "avx512vl", "avx512dq"} <= set(flags):
        config.available_features.add("native-avx512")
        for name in ("vnni", "bf16"):
            if "avx512_" + name in flags:
                config.available_features.add("native-avx512" + name)
        if {"amx_tile", "amx_int8", "amx_bf16"} <= set(flags):
            config.available_features.add("native-amx")
