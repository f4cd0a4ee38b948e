// Steps beyond the border of an image that are made with zeros: in place of the
// element, or in loops of their own, as LLVM makes them at -O3. All of it must be the
// same but for the zero.
//
// RUN: %clang -O1 -S -emit-llvm %s -o %t.ll
// RUN: %opt -passes='print<tilesmith-idioms>' -disable-output %t.ll 2>&1 | FileCheck %s

#define FOR(i, n) for (int i = 0; i < (n); i++)
#define PARAMETERS                                                             \
  int C, int K, int H, int W, int R, float *restrict out,                      \
      const float *restrict in, const float *restrict w
#define WINDOWS FOR(k, K) FOR(y, H) FOR(x, W)
#define IN in[((long)c * H + row) * W + column]
#define WEIGHT w[(((long)k * C + c) * R + r) * R + s]
#define OUT out[((long)k * H + y) * W + x]
#define INSIDE (row >= 0 && row < H && column >= 0 && column < W)
#define STEP(step)                                                             \
  WINDOWS {                                                                    \
    float sum = 0;                                                             \
    FOR(c, C) FOR(r, R) FOR(s, R) {                                            \
      int row = y + r - 1, column = x + s - 1;                                 \
      step;                                                                    \
    }                                                                          \
    OUT = sum;                                                                 \
  }

// CHECK-LABEL: function 'element'
// CHECK:       GEMM f32
// CHECK:       where -1 + {{.*}}, else zero
void element(PARAMETERS) { STEP(sum += (INSIDE ? IN : 0) * WEIGHT) }

// CHECK-LABEL: function 'made_of_element'
// CHECK:       GEMM f32
// CHECK:       where -1 + {{.*}}, else zero
void made_of_element(PARAMETERS) { STEP(sum += (INSIDE ? 3 * IN : 0) * WEIGHT) }

// What is done to the element is done to the zero, too: -0.0, and NaN if alpha is
// infinite.
// CHECK-LABEL: function 'negated'
// CHECK:       GEMM f32
// CHECK:       where -1 + {{.*}}, else zero is loaded
void negated(PARAMETERS) { STEP(sum -= (INSIDE ? IN : 0) * WEIGHT) }

// CHECK-LABEL: function 'scaled'
// CHECK:       GEMM f32
// CHECK:       where -1 + {{.*}}, else zero is loaded
void scaled(PARAMETERS, float alpha) {
  STEP(sum += alpha * (INSIDE ? IN : 0) * WEIGHT)
}

// The test need not stand in the innermost loop.
#define KERNELS_INSIDE(value)                                                  \
  FOR(y, H) FOR(x, W) FOR(c, C) FOR(r, R) FOR(s, R) {                          \
    int row = y + r - 1, column = x + s - 1;                                   \
    float element = value;                                                     \
    FOR(k, K) OUT += element * WEIGHT;                                         \
  }

// CHECK-LABEL: function 'outside'
// CHECK:       GEMM f32
// CHECK:       where -1 + {{.*}}, else zero
void outside(PARAMETERS) { KERNELS_INSIDE(INSIDE ? IN : 0) }

// CHECK-LABEL: function 'one_outside'
// CHECK-NOT:   GEMM
void one_outside(PARAMETERS) { KERNELS_INSIDE(INSIDE ? IN : 1) }

// CHECK-LABEL: function 'left_out'
// CHECK:       GEMM f32
// CHECK:       where -1
// CHECK-NOT:   else zero
// CHECK:       update:
void left_out(PARAMETERS) { STEP(if (INSIDE) sum += IN * WEIGHT) }

// An infinite weight gives no NaN.
// CHECK-LABEL: function 'product'
// CHECK:       GEMM f32
// CHECK:       where -1 + {{.*}}, else the product is zero
void product(PARAMETERS) { STEP(sum += INSIDE ? IN * WEIGHT : 0) }

// Subtracting zero changes nothing.
// CHECK-LABEL: function 'subtracted_product'
// CHECK:       GEMM f32
// CHECK:       where -1
// CHECK-NOT:   else
// CHECK:       update:
void subtracted_product(PARAMETERS) { STEP(sum -= INSIDE ? IN * WEIGHT : 0) }

// CHECK-LABEL: function 'negative_zero_product'
// CHECK-NOT:   GEMM
void negative_zero_product(PARAMETERS) { STEP(sum += INSIDE ? IN * WEIGHT : -0.0f) }

// CHECK-LABEL: function 'scaled_product'
// CHECK-NOT:   GEMM
void scaled_product(PARAMETERS) { STEP(sum += 3 * (INSIDE ? IN * WEIGHT : 0)) }

// CHECK-LABEL: function 'weight_beyond'
// CHECK-NOT:   GEMM
void weight_beyond(PARAMETERS) { STEP(sum += INSIDE ? IN * WEIGHT : WEIGHT) }

// CHECK-LABEL: function 'one'
// CHECK-NOT:   GEMM
void one(PARAMETERS) { STEP(sum += (INSIDE ? IN : 1) * WEIGHT) }

// CHECK-LABEL: function 'negative_zero'
// CHECK-NOT:   GEMM
void negative_zero(PARAMETERS) { STEP(sum += (INSIDE ? IN : -0.0f) * WEIGHT) }

// CHECK-LABEL: function 'offset'
// CHECK-NOT:   GEMM
void offset(PARAMETERS) { STEP(sum += ((INSIDE ? IN : 0) + 3) * WEIGHT) }

// CHECK-LABEL: function 'other_side'
// CHECK-NOT:   GEMM
void other_side(PARAMETERS) {
  STEP(if (row >= 0 && row < H) sum += (column >= 0 && column < W ? IN : 0) * WEIGHT)
}

#define VERSIONS(count, step)                                                  \
  WINDOWS {                                                                    \
    float sum = 0;                                                             \
    FOR(c, C) FOR(r, R) {                                                      \
      int row = y + r - 1;                                                     \
      if (row >= 0 && row < H)                                                 \
        FOR(s, R) {                                                            \
          int column = x + s - 1;                                              \
          sum += (column >= 0 && column < W ? IN : 0) * WEIGHT;                \
        }                                                                      \
      else                                                                     \
        FOR(s, count) step;                                                    \
    }                                                                          \
    OUT = sum;                                                                 \
  }

// CHECK-LABEL: function 'versions'
// CHECK:       GEMM f32
// CHECK:       where -1 + {{.*}}, else zero
void versions(PARAMETERS) { VERSIONS(R, sum += 0 * WEIGHT) }

// CHECK-LABEL: function 'more'
// CHECK-NOT:   GEMM
void more(PARAMETERS) { VERSIONS(R, sum += 0 * WEIGHT + 1) }

// CHECK-LABEL: function 'next_weight'
// CHECK-NOT:   GEMM
void next_weight(PARAMETERS) { VERSIONS(R, sum += 0 * (&WEIGHT)[1]) }

// CHECK-LABEL: function 'subtracted'
// CHECK-NOT:   GEMM
void subtracted(PARAMETERS) { VERSIONS(R, sum -= 0 * WEIGHT) }

// CHECK-LABEL: function 'fewer_steps'
// CHECK-NOT:   GEMM
void fewer_steps(PARAMETERS) { VERSIONS(R - 1, sum += 0 * WEIGHT) }

// CHECK-LABEL: function 'restarted'
// CHECK-NOT:   GEMM
void restarted(PARAMETERS) {
  WINDOWS {
    float sum = 0;
    FOR(c, C) FOR(r, R) {
      int row = y + r - 1;
      if (row >= 0 && row < H) {
        FOR(s, R) {
          int column = x + s - 1;
          sum += (column >= 0 && column < W ? IN : 0) * WEIGHT;
        }
      } else {
        sum = 1;
        FOR(s, R) sum += 0 * WEIGHT;
      }
    }
    OUT = sum;
  }
}
