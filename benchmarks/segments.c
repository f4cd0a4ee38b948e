// A matrix times a vector whose steps are in segments, each with a sum of integers that is scaled and added up: gigabytes
// of weights a second, and a hash of the results, for segments of many lengths and elements of many kinds.
//
//     clang-22 -O3 -march=native benchmarks/segments.c -o plain && ./plain
//     clang-22 -O3 -march=native -fpass-plugin=build/lib/libTilesmith.so benchmarks/segments.c -o ours && ./ours
//
// rt: the length is known when running only.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PARAMETERS                                                             \
  long n, long d, const void *weights, const float *scales,                    \
      const void *vector, const float *others, float *y, int length
#define SEGMENTS(Name, Weight, Element, Length, Product)                       \
  __attribute__((noinline)) static void Name(PARAMETERS) {                     \
    const Weight *w = weights;                                                 \
    const Element *x = vector;                                                 \
    for (long i = 0; i < d; i++) {                                             \
      float s = 0;                                                             \
      for (long g = 0; g < n; g++) {                                           \
        int part = 0;                                                          \
        for (int k = 0; k < Length; k++) {                                     \
          Weight q = w[(i * n + g) * Length + k];                              \
          part += Product;                                                     \
        }                                                                      \
        s += (float)part * scales[i * n + g] * others[g];                      \
      }                                                                        \
      y[i] = s;                                                                \
    }                                                                          \
  }
SEGMENTS(bytes8, int8_t, int8_t, 8, q *x[g * 8 + k])
SEGMENTS(bytes12, int8_t, int8_t, 12, q *x[g * 12 + k])
SEGMENTS(bytes16, int8_t, int8_t, 16, q *x[g * 16 + k])
SEGMENTS(bytes20, int8_t, int8_t, 20, q *x[g * 20 + k])
SEGMENTS(bytes32, int8_t, int8_t, 32, q *x[g * 32 + k])
SEGMENTS(bytes40, int8_t, int8_t, 40, q *x[g * 40 + k])
SEGMENTS(bytes64, int8_t, int8_t, 64, q *x[g * 64 + k])
SEGMENTS(bytes128, int8_t, int8_t, 128, q *x[g * 128 + k])
SEGMENTS(less128, uint8_t, int8_t, 64, (q - 128) * x[g * 64 + k])
SEGMENTS(less131, uint8_t, int8_t, 32, (q - 131) * x[g * 32 + k])
SEGMENTS(shorts, int16_t, int16_t, 32, q *x[g * 32 + k])
SEGMENTS(nibbles, uint8_t, int8_t, 16,
         ((q & 15) - 8) * x[g * 32 + k] + ((q >> 4) - 8) * x[g * 32 + k + 16])
SEGMENTS(rt, int8_t, int8_t, length, q *x[g * length + k])

static const struct {
  const char *name;
  void (*nest)(PARAMETERS);
  int length, lengthOfVector, size;
} nests[] = {{"bytes, 8", bytes8, 8, 8, 1},
             {"bytes, 12", bytes12, 12, 12, 1},
             {"bytes, 16", bytes16, 16, 16, 1},
             {"bytes, 20", bytes20, 20, 20, 1},
             {"bytes, 32", bytes32, 32, 32, 1},
             {"bytes, 40", bytes40, 40, 40, 1},
             {"bytes, 64", bytes64, 64, 64, 1},
             {"bytes, 128", bytes128, 128, 128, 1},
             {"less 128, 64", less128, 64, 64, 1},
             {"less 131, 32", less131, 32, 32, 1},
             {"shorts, 32", shorts, 32, 32, 2},
             {"nibbles, 2 x 16", nibbles, 16, 32, 1},
             {"rt, 8", rt, 8, 8, 1},
             {"rt, 16", rt, 16, 16, 1},
             {"rt, 20", rt, 20, 20, 1},
             {"rt, 32", rt, 32, 32, 1},
             {"rt, 64", rt, 64, 64, 1},
             {"rt, 128", rt, 128, 128, 1}};

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

static void *filled(size_t bytes, int ofFloats) {
  static unsigned state = 1;
  char *memory = aligned_alloc(64, (bytes + 127) / 64 * 64);
  for (size_t i = 0; i < bytes / 4 + 1; i++) {
    unsigned bits = state = state * 1664525 + 1013904223;
    float number = (bits >> 8) * 0x1p-24f;
    memcpy(memory + 4 * i, ofFloats ? (void *)&number : (void *)&bits, 4);
  }
  return memory;
}

int main(void) {
  static const long sizes[][2] = {{8, 256},
                                  {16, 256},
                                  {256, 512},
                                  {2048, 2048},
                                  {131072, 512}}; // rows, steps
  for (size_t f = 0; f < sizeof nests / sizeof *nests; f++) {
    printf("%-16s", nests[f].name);
    for (size_t z = 0; z < sizeof sizes / sizeof *sizes; z++) {
      long d = sizes[z][0], n = sizes[z][1] / nests[f].length;
      size_t bytes = (size_t)d * n * nests[f].length * nests[f].size;
      void *w = filled(bytes, 0),
           *x = filled(n * nests[f].lengthOfVector * nests[f].size, 0);
      float *scales = filled(d * n * 4, 1), *others = filled(n * 4, 1),
            *y = filled(d * 4, 1);
      double best = 1e9;
      long repetitions = 20000000 / (bytes + 1000) + 1;
      for (int round = 0; round < 7; round++) {
        double begin = now();
        for (long r = 0; r < repetitions; r++)
          nests[f].nest(n, d, w, scales, x, others, y, nests[f].length);
        double seconds = (now() - begin) / repetitions;
        best = seconds < best ? seconds : best;
      }
      unsigned hash = 0;
      for (long i = 0; i < d; i++) {
        unsigned bits;
        memcpy(&bits, y + i, 4);
        hash = hash * 31 + bits;
      }
      printf(" %6.2f:%08x", bytes / best * 1e-9, hash);
      free(w), free(x), free(scales), free(others), free(y);
    }
    printf("\n");
    fflush(stdout);
  }
}
