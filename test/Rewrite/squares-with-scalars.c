// Two micro kernels of AMX that differ in the order of parameters which they do not
// use, a pointer and an integer, are two functions.
//
// RUN: %clang --target=x86_64-linux-gnu -march=sapphirerapids -O3 -S -emit-llvm %s -o - \
// RUN:   -fpass-plugin=%tilesmith -mllvm -tilesmith-verify=1 -mllvm -tilesmith-min-work=1 | FileCheck %s
// REQUIRES: x86-registered-target

// CHECK: define {{.*}} @tilesmith.micro.32x32({{.*}}, ptr {{[^,]*}}, i64 {{[^,]*}})
// CHECK: define {{.*}} @tilesmith.micro.32x32.{{[0-9]+}}({{.*}}, i64 {{[^,]*}}, ptr {{[^,]*}})

void product(int alpha, int c[][66], const unsigned char a[][66],
             const unsigned char b[][66], const unsigned char *bias) {
  for (long j = 0; j < 64; j++)
    for (long i = 0; i < 64; i++) {
      int sum = bias[j];
      for (long k = 0; k < 64; k++)
        sum += a[k][i] * b[k][j];
      sum = alpha * sum;
      c[i][j] = sum + bias[j];
    }
}
