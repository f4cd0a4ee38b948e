//===- handlers.cpp - products beside and in handlers of exceptions -------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// With funclets, each call in a handler must say that it is there, or code
// generation ends the handler in front of it. Such products are left alone.
//
// DEFINE: %{target} = x86_64-pc-windows-msvc
// DEFINE: %{compile} = env TILESMITH='min-work=1;verify' %clang --target=%{target} -O2 -fexceptions -fcxx-exceptions -S %s -o %t.s -fpass-plugin=%tilesmith -Rpass=tilesmith -Rpass-missed=tilesmith
// RUN: %{compile} 2>&1 | FileCheck %s --check-prefixes=CHECK,FUNCLET
// RUN: FileCheck %s --check-prefix=ASM --input-file=%t.s --dump-input=never
// REDEFINE: %{target} = x86_64-pc-linux-gnu
// RUN: %{compile} 2>&1 | FileCheck %s --check-prefixes=CHECK,TABLE

// No handler ends in nowhere.
// ASM: ?catch$
// ASM-NOT: int3
// ASM: .seh_endproc

void may(int);

// CHECK: handlers.cpp:[[#@LINE+5]]:{{.*}}: remark: replaced
void tried(int n, const double *__restrict a, const double *__restrict b, double *__restrict c) {
  may(1);
  try {
    may(2);
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        for (int k = 0; k < n; k++)
          c[i * n + j] += a[i * n + k] * b[k * n + j];
    may(3);
  } catch (int) {
    may(4);
  }
}

// FUNCLET: handlers.cpp:[[#@LINE+8]]:{{.*}}: remark: matrix product not replaced: the loops are in a handler
// TABLE: handlers.cpp:[[#@LINE+5]]:{{.*}}: remark: replaced
void handler(int n, const double *__restrict a, const double *__restrict b, double *__restrict c) {
  try {
    may(n);
  } catch (int) {
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        for (int k = 0; k < n; k++)
          c[i * n + j] += a[i * n + k] * b[k * n + j];
  }
}

// CHECK: handlers.cpp:[[#@LINE+8]]:{{.*}}: remark: replaced
void behind(int n, const double *__restrict a, const double *__restrict b, double *__restrict c) {
  try {
    may(n);
    return;
  } catch (int) {
    may(2);
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}
