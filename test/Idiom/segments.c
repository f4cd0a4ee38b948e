//===- segments.c - steps in segments with sums of their own --------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The sums of segments are integers, which are scaled and added up: an outer index of
// K, with further operands that move along it.

// RUN: %clang -O1 -S -emit-llvm %s -o %t.ll
// RUN: %opt -passes='print<tilesmith-idioms>' -disable-output %t.ll 2>&1 | FileCheck %s

#define PARAMETERS                                                             \
  int n, int d, int size, const signed char *restrict w,                       \
      const float *restrict scales, const signed char *restrict x,             \
      const float *restrict of, float *restrict y

// A row's scales begin at a multiple of the length, which the guard tests.
// CHECK-LABEL: function 'llama'
// CHECK-NEXT:  GEMV f32 (A row-major), MxK at run time in segments
// CHECK-NEXT:    3 loops from depth 1
// CHECK:         outer K: extent 1 +
// CHECK:         A: {{.*}}, stride M (sext i32 %0 to i64), stride K 1, outer K (sext i32 %2 to i64)
// CHECK-NEXT:    B: {{.*}}, stride K 1, outer K (sext i32 %2 to i64)
// CHECK-NEXT:    X: base %4, stride M (4 * (sext i32 (%0 /u %2) to i64))<nsw>, outer K 4
// CHECK-NEXT:    X: base %6, outer K 4
// CHECK-NEXT:    start: 0.000000e+00
// CHECK-NEXT:    update: fmuladd.f32(fmul(x, sitofp(a*b)), x, sum) with a := sext(a), b := sext(b)
// CHECK-NEXT:    update of a segment's part, which a*b stands for: add(a*b, sum)
// CHECK-NEXT:    finish: sum
// CHECK-DAG:     guard: %2 sgt 0
// CHECK-DAG:     guard: 0 sle %0
// CHECK-DAG:     guard: ((-1 * (%0 /u %2) * %2) + %0) eq 0
void llama(PARAMETERS) {
  for (int i = 0; i < d; i++) {
    float s = 0;
    int part = 0, row = i * n;
    for (int j = 0; j <= n - size; j += size) {
      for (int k = 0; k < size; k++)
        part += (int)x[j + k] * (int)w[row + j + k];
      s += (float)part * scales[(row + j) / size] * of[j / size];
      part = 0;
    }
    y[i] = s;
  }
}

// Nothing is divided, and the row goes on with what is made of it.
// CHECK-LABEL: function 'counted'
// CHECK-NEXT:  GEMV f32 (A row-major), Mx32 in segments
// CHECK:         start: %8
// CHECK-NEXT:    update: fadd(sum, fdiv(sitofp(a*b), x))
// CHECK:         finish: fmul(%9, sum)
void counted(PARAMETERS, float bias, float alpha) {
  for (int i = 0; i < d; i++) {
    float s = bias;
    for (int g = 0; g < size; g++) {
      int part = 0;
      for (int k = 0; k < 32; k++)
        part += w[i * n + g * 32 + k] * x[g * 32 + k];
      s = (float)part / scales[i * size + g] + s;
    }
    y[i] = alpha * s;
  }
}

// Scales may lie between the elements.
struct Block {
  float scale;
  signed char of[32];
};
// CHECK-LABEL: function 'blocks'
// CHECK-NEXT:  GEMV f32 (A row-major), Mx32 in segments
// CHECK:         A: base (4 + %2), stride M (36 * %0), stride K 1, outer K 36
// CHECK:         X: base %2, stride M (36 * %0), outer K 36
void blocks(long count, long d, const struct Block *restrict w,
            const struct Block *restrict x, float *restrict y) {
  for (long i = 0; i < d; i++) {
    float s = 0;
    for (long g = 0; g < count; g++) {
      int part = 0;
      for (long k = 0; k < 32; k++)
        part += w[i * count + g].of[k] * x[g].of[k];
      s += part * w[i * count + g].scale * x[g].scale;
    }
    y[i] = s;
  }
}

// Rows start from one array, and are added to what is there.
// CHECK-LABEL: function 'added'
// CHECK-NEXT:  GEMV f32 (A row-major), Mx32 in segments, with an epilogue
// CHECK:         start: x
// CHECK:         finish: sum
// CHECK:         epilogue: fadd(sum, c)
void added(PARAMETERS) {
  for (int i = 0; i < d; i++) {
    float s = of[i];
    for (int g = 0; g < size; g++) {
      int part = 0;
      for (int k = 0; k < 32; k++)
        part += w[i * n + g * 32 + k] * x[g * 32 + k];
      s += (float)part * scales[i * size + g];
    }
    y[i] += s;
  }
}

// Both halves of a byte are factors of their own: two terms.
// CHECK-LABEL: function 'nibbles'
// CHECK-NEXT:  GEMV f32 (A row-major), Mx16 in segments
// CHECK:         update of a segment's part, which a*b stands for: add(add(a*b, sum), a*b)
void nibbles(PARAMETERS) {
  for (int i = 0; i < d; i++) {
    float s = 0;
    for (int g = 0; g < size; g++) {
      int part = 0;
      for (int k = 0; k < 16; k++) {
        unsigned char q = w[i * n + g * 16 + k];
        part += ((q & 15) - 8) * x[g * 32 + k] +
                ((q >> 4) - 8) * x[g * 32 + k + 16];
      }
      s += (float)part * scales[i * size + g];
    }
    y[i] = s;
  }
}

// Two sums of a segment are not known, although integers could be joined.
// CHECK-LABEL: function 'two_parts'
// CHECK-NEXT:  not replaced
void two_parts(PARAMETERS) {
  for (int i = 0; i < d; i++) {
    float s = 0;
    for (int g = 0; g < size; g++) {
      int low = 0, high = 0;
      for (int k = 0; k < 16; k++) {
        unsigned char q = w[i * n + g * 16 + k];
        low += ((q & 15) - 8) * x[g * 32 + k];
        high += ((q >> 4) - 8) * x[g * 32 + k + 16];
      }
      s += (float)(low + high) * scales[i * size + g];
    }
    y[i] = s;
  }
}

// A part that goes on is none.
// CHECK-LABEL: function 'goes_on'
// CHECK-NEXT:  not replaced
void goes_on(PARAMETERS) {
  for (int i = 0; i < d; i++) {
    float s = 0;
    int part = 0;
    for (int g = 0; g < size; g++) {
      for (int k = 0; k < 32; k++)
        part += w[i * n + g * 32 + k] * x[g * 32 + k];
      s += (float)part * scales[i * size + g];
    }
    y[i] = s;
  }
}

// Floating-point numbers have an order within the segment, too.
// CHECK-LABEL: function 'ordered'
// CHECK-NEXT:  not replaced
void ordered(PARAMETERS) {
  for (int i = 0; i < d; i++) {
    float s = 0;
    for (int g = 0; g < size; g++) {
      float part = 0;
      for (int k = 0; k < 32; k++)
        part += (float)w[i * n + g * 32 + k] * x[g * 32 + k];
      s += part * scales[i * size + g];
    }
    y[i] = s;
  }
}

// A scale that a table chooses is found nowhere.
// CHECK-LABEL: function 'chosen'
// CHECK-NEXT:  not replaced
void chosen(PARAMETERS, const int *restrict numbers) {
  for (int i = 0; i < d; i++) {
    float s = 0;
    for (int g = 0; g < size; g++) {
      int part = 0;
      for (int k = 0; k < 32; k++)
        part += w[i * n + g * 32 + k] * x[g * 32 + k];
      s += (float)part * scales[numbers[g]];
    }
    y[i] = s;
  }
}

// What is used behind the loops, besides the sums, is no matrix times a vector.
// CHECK-LABEL: function 'used'
// CHECK-NEXT:  not replaced
int used(PARAMETERS) {
  int part = 0;
  for (int i = 0; i < d; i++) {
    float s = 0;
    for (int g = 0; g < size; g++) {
      part = 0;
      for (int k = 0; k < 32; k++)
        part += w[i * n + g * 32 + k] * x[g * 32 + k];
      s += (float)part * scales[g];
    }
    y[i] = s;
  }
  return part;
}
