// SVE's registers are used as long as the function says they are, at least, and
// the loop over k only loads and multiplies. In streaming mode there is no NEON.
//
// REQUIRES: aarch64-registered-target
// RUN: %clang --target=aarch64-linux-gnu -march=armv9-a -O3 -S %s -o - -fpass-plugin=%tilesmith \
// RUN:     -Rpass=tilesmith -Rpass-missed=tilesmith 2>&1 | FileCheck %s --check-prefix=NEON
// RUN: %clang --target=aarch64-linux-gnu -march=armv9-a -msve-vector-bits=256+ -O3 -S %s -o - -fpass-plugin=%tilesmith \
// RUN:     -Rpass=tilesmith -Rpass-missed=tilesmith 2>&1 | FileCheck %s --check-prefix=SVE256
// RUN: %clang --target=aarch64-linux-gnu -march=armv9-a -msve-vector-bits=512 -O3 -S %s -o - -fpass-plugin=%tilesmith \
// RUN:     | sed -n -e '/^tilesmith/p' -e '/in Loop: \|Inner Loop/,/b\./p' \
// RUN:     | FileCheck %s --check-prefix=LOOP
// RUN: %clang --target=aarch64-linux-gnu -march=armv9-a -msve-vector-bits=256 -O3 -S %s -o - -fpass-plugin=%tilesmith \
// RUN:     -mllvm -tilesmith-vector-bits=128 | FileCheck %s --check-prefix=SHORT
// RUN: %clang --target=aarch64-linux-gnu -march=armv9-a+sme -DMODE=__arm_streaming -O3 -S %s -o - -fpass-plugin=%tilesmith \
// RUN:     -Rpass=tilesmith -Rpass-missed=tilesmith 2>&1 | FileCheck %s --check-prefix=STREAMING

#ifndef MODE
#define MODE
#endif

// NEON: remark: {{.*}} 6x8 micro kernel, NEON
// SVE256: remark: {{.*}} 12x8 micro kernel, SVE
// STREAMING: remark: {{.*}} there are no vector registers
// STREAMING-NOT: {{^}}tilesmith

// SHORT-LABEL: tilesmith.micro.6x8:
// SHORT:       fmla v{{[0-9]+}}.2d
// SHORT-NOT:   fmla z

// What is far is prefetched in a block of its own.
// LOOP-LABEL: tilesmith.micro.24x8:
// LOOP:       in Loop:
// LOOP-NOT:   {{\[}}sp
// LOOP-COUNT-24: fmla z
// LOOP-NOT:   fmla
// LOOP:       b.
// LOOP:       tilesmith.micro.24x8
// LOOP:       Inner Loop
// LOOP-NOT:   {{\[}}sp
// LOOP-COUNT-48: fmla z
// LOOP-NOT:   fmla
// LOOP:       b.
void gemm(long m, long n, long k, double *restrict C, const double *A,
          const double *B) MODE {
  for (long i = 0; i < m; i++)
    for (long j = 0; j < n; j++)
      for (long p = 0; p < k; p++)
        C[i * n + j] += A[i * k + p] * B[p * n + j];
}
