//===- conditional-stores-in-tiles.c - a part of a copy that goes ----------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// In a copy of the nest, stores under a condition are made in any case, so all of the
// copy goes but for its fast paths. If a product is but a part of the copy, as where
// the loops around it are over tiles, its fast path would go, too: nothing is replaced.
//
// RUN: %clang -O1 -march=x86-64-v4 -fpass-plugin=%tilesmith -mllvm -tilesmith-verify=1 -mllvm -tilesmith-min-work=1 -S -o - %s -Rpass=tilesmith -Rpass-missed=tilesmith 2>&1 | FileCheck %s
// CHECK-NOT: remark: replaced
// CHECK:     remark: matrix product not replaced: there is an 'if' inside the loops
// CHECK-NOT: call{{.*}}tilesmith

#define MIN(x, y) ((x) < (y) ? (x) : (y))

void greatest(int alpha, int *c, const short *a) {
  for (long j = 0; j < 20; j++)
    c[j] *= alpha;
  for (int t = 0; t < 20; t += 16)
    for (int j = t; j < MIN(t + 16, 20); j++)
      for (long i = 0; i < 20; i++)
        for (long k = 0; k < 20; k++)
          if ((a[k * 20 + i] | a[j * 20 + k]) >= c[i * 20 + j])
            c[i * 20 + j] = a[k * 20 + i] | a[j * 20 + k];
}
