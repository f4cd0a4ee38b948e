/* Compares two builds of half.ll, on whole numbers: no sum is rounded. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void stock(long, long, long, const short *, const short *, float *);
void ours(long, long, long, const short *, const short *, float *);

static short half(int v) {
  float f = v;
  unsigned bits;
  memcpy(&bits, &f, sizeof bits);
  return v ? (bits >> 16 & 0x8000) | ((bits >> 13 & 0x3ffff) - (112 << 10)) : 0;
}

int main(void) {
  enum { Max = 100 };
  static short a[Max * Max], b[Max * Max];
  static float c[2][Max * Max + 16];
  for (int round = 0; round < 40; round++) {
    int m = rand() % Max + 1, n = rand() % Max + 1, k = rand() % Max + 1;
    for (int i = 0; i < Max * Max; i++) {
      a[i] = half(rand() % 255 - 127);
      b[i] = half(rand() % 255 - 127);
    }
    for (int i = 0; i < Max * Max + 16; i++)
      c[0][i] = c[1][i] = i;
    stock(m, n, k, a, b, c[0]);
    ours(m, n, k, a, b, c[1]);
    if (memcmp(c[0], c[1], sizeof c[0])) {
      printf("%dx%dx%d differs\n", m, n, k);
      return 1;
    }
  }
}
