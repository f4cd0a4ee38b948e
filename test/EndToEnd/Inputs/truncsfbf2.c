/* What clang calls to make a __bf16 of a float, rounded to nearest, where the
 * run-time libraries do not have it. */
#include <stdint.h>
#include <string.h>

__bf16 __truncsfbf2(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  int is_nan = (bits & 0x7fffffff) > 0x7f800000;
  uint16_t high = is_nan ? bits >> 16 | 0x40
                         : (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
  __bf16 result;
  memcpy(&result, &high, sizeof result);
  return result;
}
