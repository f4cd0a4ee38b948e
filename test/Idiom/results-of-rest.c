// What the rest computes may be used after the nest: the copy without the product
// computes it. The sum itself may not (refuse-used-after.c).
//
// RUN: %clang -O2 -ffp-contract=off %s -o %t.plain
// RUN: %clang -O2 -ffp-contract=off -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 \
// RUN:   -Rpass=tilesmith -Rpass-missed=tilesmith %s -o %t -Xclang -verify
// RUN: %t.plain > %t.expected
// RUN: %t > %t.printed
// RUN: diff %t.expected %t.printed
// RUN: %clang -O2 -ffp-contract=off -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 %s \
// RUN:   -S -emit-llvm -o - | FileCheck %s
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define FUNCTION(Type) __attribute__((noinline)) static Type

// The comparison comes before the store; the element is loaded again. No memory is
// needed for that.
// CHECK-LABEL: define {{.*}}@greatest
// CHECK: call {{.*}}i1 @{{.*}}tilesmith
// CHECK-NOT: malloc
// CHECK: fcmp ogt float
FUNCTION(float) greatest(long m, long n, long l, float *c, const float *a, const float *b) {
  float top = -INFINITY;
  for (long i = 0; i < m; i++) // expected-remark {{replaced 3-loop nest}}
    for (long j = 0; j < n; j++) {
      float s = 0;
      for (long k = 0; k < l; k++)
        s += a[i * l + k] * b[j * l + k];
      s *= 0.125f;
      if (s > top)
        top = s;
      c[i * n + j] = s;
    }
  return top;
}

// The column of the last one, and how many there are.
FUNCTION(float) found(long m, long n, long l, float *c, const float *a, const float *b) {
  long column = -1;
  int count = 0;
  for (long i = 0; i < m; i++) // expected-remark {{replaced 3-loop nest}}
    for (long j = 0; j < n; j++) {
      float s = 0;
      for (long k = 0; k < l; k++)
        s += a[i * l + k] * b[k * n + j];
      c[i * n + j] = s;
      if (s < 0) {
        column = j;
        count++;
      }
    }
  return column * 10000 + count;
}

// A row of its own in each iteration, and a sum of all of them.
FUNCTION(float) by_rows(long m, long n, long l, float *c, const float *a, const float *b) {
  float total = 0;
  for (long i = 0; i < m; i++) { // expected-remark {{replaced 3-loop nest}}
    for (long j = 0; j < n; j++) {
      float s = 0;
      for (long k = 0; k < l; k++)
        s += a[i * l + k] * b[k * n + j];
      c[i * n + j] = s;
    }
    float row = 0;
    for (long j = 0; j < n; j++)
      row += c[i * n + j];
    total += fabsf(row);
  }
  return total;
}

// Only the last element is used, where it is.
FUNCTION(float) last(long m, long n, long l, float *c, const float *a, const float *b) {
  float s = 3;
  for (long i = 0; i < m; i++) // expected-remark {{replaced}}
    for (long j = 0; j < n; j++) {
      s = 0;
      for (long k = 0; k < l; k++)
        s += a[i * l + k] * b[k * n + j];
      c[i * n + j] = s;
    }
  return s;
}

// A matrix times a vector, and the greatest of the result.
FUNCTION(float) scores(long m, long n, long l, float *c, const float *a, const float *b) {
  float top = -1;
  for (long i = 0; i < m; i++) { // expected-remark {{replaced 2-loop nest}}
    float s = 0;
    for (long k = 0; k < l; k++)
      s += a[i * l + k] * b[k];
    s *= 3;
    if (s > top)
      top = s;
    c[i] = s;
  }
  return top + n;
}

// Two products; each is the rest of the other.
FUNCTION(float) both(long m, long n, long l, float *c, const float *a, const float *b) {
  float *d = c + 50 * 50;
  float top = 0;
  for (long i = 0; i < m; i++)   // expected-remark 2 {{replaced 3-loop nest}}
    for (long j = 0; j < n; j++) {
      float s = 0, t = 0;
      for (long k = 0; k < l; k++) {
        s += a[i * l + k] * b[k * n + j];
        t += a[i * l + k] * b[j * l + k];
      }
      c[i * n + j] = s;
      d[i * n + j] = t;
      top = t - s > top ? t - s : top;
    }
  return top;
}

typedef float Routine(long, long, long, float *, const float *, const float *);

static void run(Routine *of, const char *name) {
  enum { Most = 50 * 50 };
  static float a[Most], b[Most], c[2 * Most];
  static const long sizes[] = {0, 1, 2, 7, 50};
  for (int i = 0; i < Most; i++) {
    a[i] = rand() % 64 / 16.0f - 2;
    b[i] = rand() % 64 / 16.0f - 2;
  }
  for (int x = 0; x < 125; x++) {
    long m = sizes[x % 5], n = sizes[x / 5 % 5], l = sizes[x / 25];
    // Where all is apart, and where C overlaps a factor.
    for (int overlaps = 0; overlaps < 2; overlaps++) {
      if (overlaps)
        for (int i = 0; i < 2 * Most; i++)
          c[i] = i % 7 / 4.0f;
      float result = of(m, n, l, c, overlaps ? c + 3 : a, b);
      double sum = 0;
      for (int i = 0; i < 2 * Most; i++)
        sum = sum * 0.75 + c[i];
      printf("%s %ld %ld %ld: %a %a\n", name, m, n, l, result, sum);
    }
  }
}

int main(void) {
#define RUN(name) run(name, #name)
  RUN(greatest);
  RUN(found);
  RUN(by_rows);
  RUN(last);
  RUN(scores);
  RUN(both);
}
