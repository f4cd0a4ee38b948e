// Before FMA, x86 has no instruction that fuses a product with an addition. So it does not
// matter there that -ffp-contract=fast, as flang has it, leaves open what is fused. With FMA, a
// trial of the passes to come shows it, but not what the linker's will do.
//
// RUN: %clang -O2 -ffp-contract=fast -fcx-limited-range -fpass-plugin=%tilesmith -Rpass=tilesmith \
// RUN:   -Rpass-missed=tilesmith -c %s -o /dev/null -Xclang -verify
// RUN: %clang -O2 -mfma -ffp-contract=fast -fcx-limited-range -fpass-plugin=%tilesmith -Rpass=tilesmith \
// RUN:   -Rpass-missed=tilesmith -c %s -o /dev/null -Xclang -verify
// RUN: %clang -O2 -flto -mfma -ffp-contract=fast -fcx-limited-range -fpass-plugin=%tilesmith -Rpass=tilesmith \
// RUN:   -Rpass-missed=tilesmith -c %s -o /dev/null -Xclang -verify=lto
// REQUIRES: x86
typedef double _Complex Z;

void numbers(int n, const Z *restrict a, const Z *restrict b, Z *restrict c) {
  for (int j = 0; j < n; j++) // expected-remark {{complex GEMM f64}}
    for (int i = 0; i < n; i++) {
      Z s = 0;
      for (int k = 0; k < n; k++)
        s += a[i * n + k] * b[k + j * n];
      c[i + j * n] = s; // lto-remark {{-ffp-contract=fast leaves open}}
    }
}
