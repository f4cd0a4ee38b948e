//===- small-targets.c - machines that no kernel is for -------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Without vectors, with 16-bit pointers, big-endian, GPUs: a remark, and the same
// code as without the plugin.
// DEFINE: %{target} =
// DEFINE: %{cc} = %clang --target=%{target} -O2 -S -emit-llvm -Rpass=tilesmith -Rpass-missed=tilesmith %s
// DEFINE: %{check} = %{cc} -o %t.before.ll && \
// DEFINE:   %{cc} -o %t.after.ll -fpass-plugin=%tilesmith 2>&1 | FileCheck %s && \
// DEFINE:   diff %t.before.ll %t.after.ll
// REDEFINE: %{target} = nvptx64 -nogpulib
// RUN: %{check}
// REDEFINE: %{target} = amdgcn -nogpulib
// RUN: %{check}
// REDEFINE: %{target} = r600
// RUN: %{check}
// REDEFINE: %{target} = spirv64
// RUN: %{check}
// REDEFINE: %{target} = bpf
// RUN: %{check}
// REDEFINE: %{target} = bpfeb
// RUN: %{check}
// REDEFINE: %{target} = avr
// RUN: %{check}
// REDEFINE: %{target} = msp430
// RUN: %{check}
// REDEFINE: %{target} = thumbv6m-none-eabi
// RUN: %{check}
// REDEFINE: %{target} = armeb-linux-gnueabi
// RUN: %{check}
// REDEFINE: %{target} = armv7-linux-gnueabihf
// RUN: %{check}
// REDEFINE: %{target} = mips-linux-gnu
// RUN: %{check}
// REDEFINE: %{target} = mips64el-linux-gnuabi64
// RUN: %{check}
// REDEFINE: %{target} = sparc-linux-gnu
// RUN: %{check}
// REDEFINE: %{target} = hexagon-linux-musl
// RUN: %{check}
// REDEFINE: %{target} = lanai
// RUN: %{check}
// REDEFINE: %{target} = m68k-linux-gnu
// RUN: %{check}
// REDEFINE: %{target} = ve-linux-gnu
// RUN: %{check}
// REDEFINE: %{target} = riscv32
// RUN: %{check}
// REDEFINE: %{target} = xtensa
// RUN: %{check}
// REDEFINE: %{target} = s390x-linux-gnu
// RUN: %{check}
// CHECK: matrix product not replaced: {{there are no vector registers|an array is not in the default address space}}

void gemm(int M, int N, int K, const float *A, const float *B, float *C) {
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++)
      for (int k = 0; k < K; k++)
        C[i * N + j] += A[i * K + k] * B[k * N + j];
}
