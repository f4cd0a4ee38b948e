/* What clang calls to convert _Float16, where the run-time libraries do not have
 * it. */
#include <stdint.h>
#include <string.h>

static float toFloat(uint32_t bits) {
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

static uint32_t toBits(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

/* Exponents of float, without those of half. */
#define BIAS (112u << 23)

float __extendhfsf2(_Float16 half) {
  uint16_t bits;
  memcpy(&bits, &half, sizeof bits);
  uint32_t magnitude = bits & 0x7fff;
  float x = magnitude < 0x400    ? magnitude * 0x1p-24f
            : magnitude < 0x7c00 ? toFloat((magnitude << 13) + BIAS)
                                 : toFloat(magnitude << 13 | 0x7f800000);
  return bits & 0x8000 ? -x : x;
}

_Float16 __truncsfhf2(float x) {
  uint32_t bits = toBits(x), magnitude = bits & 0x7fffffff;
  uint16_t result =
      magnitude > 0x7f800000    ? 0x7e00 | (magnitude >> 13 & 0x3ff)
      : magnitude >= 0x477ff000 ? 0x7c00
      /* Adding a half rounds to multiples of the smallest number. */
      : magnitude < 0x38800000
          ? toBits(toFloat(magnitude) + 0.5f) - toBits(0.5f)
          : (magnitude - BIAS + 0xfff + (magnitude >> 13 & 1)) >> 13;
  result |= bits >> 16 & 0x8000;
  _Float16 half;
  memcpy(&half, &result, sizeof half);
  return half;
}
