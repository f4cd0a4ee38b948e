//===- attributes.c - what kernels have of their function ----------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Kernels are instrumented as the function is that they come from, but are not
// what that function alone is: here, an export, or something not to be called.
// What looks at the source's own operations, or at malloc, leaves it alone.
//
// RUN: %clang -O2 -march=native -fsanitize=address -S -emit-llvm -o - %s -fpass-plugin=%tilesmith | FileCheck %s --check-prefix=ASAN
// RUN: %clang -O2 -march=native -fsanitize=thread -S -emit-llvm -o - %s -fpass-plugin=%tilesmith -Rpass=tilesmith 2>&1 | FileCheck %s --check-prefix=TSAN
// RUN: %clang -O2 -march=native -c -o /dev/null %s -fpass-plugin=%tilesmith -Rpass=tilesmith -DWARNING 2>&1 | FileCheck %s --check-prefix=WARNING --implicit-check-not=warning: --dump-input=never
// RUN: %clang -O2 -march=native -fsanitize=numerical -c -o /dev/null %s -fpass-plugin=%tilesmith -Rpass-missed=tilesmith 2>&1 | FileCheck %s --check-prefix=NUMERICAL
// RUN: %clang --target=wasm32-wasi -nostdlibinc -O2 -msimd128 -fno-sanitize=all -S -emit-llvm -o - %s -fpass-plugin=%tilesmith -DEXPORT | FileCheck %s --check-prefix=WASM
//
// ASAN: define internal {{.*}} @tilesmith.gemm({{.*}} #[[KERNEL:[0-9]+]]
// ASAN: attributes #[[KERNEL]] = {{.*}} sanitize_address
// Accesses of up to 16 bytes are what ThreadSanitizer sees.
// TSAN: micro kernel, SSE
// TSAN: call void @__tsan_unaligned_read16
// WARNING: replaced 3-loop nest
// NUMERICAL: matrix product not replaced: the function is marked
// WASM: define internal {{.*}} @tilesmith.gemm({{.*}} #[[KERNEL:[0-9]+]]
// WASM-NOT: attributes #[[KERNEL]] = {{.*}} "wasm-export-name"
// WASM: attributes #[[KERNEL]] =

#ifdef WARNING
__attribute__((warning("slow")))
#endif
#ifdef EXPORT
__attribute__((export_name("product")))
#endif
void product(long n, const float *a, const float *b, float *c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}
