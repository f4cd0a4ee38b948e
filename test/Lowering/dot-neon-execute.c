// The products of dot-neon.ll, run.
//
// REQUIRES: qemu-aarch64
// RUN: %opt -passes=tilesmith-lower %S/dot-neon.ll -o %t.bc
// RUN: %clang --target=aarch64-linux-gnu -O2 -w -static %t.bc -x c %s -o %t
// RUN: qemu-aarch64 -cpu max,sve-default-vector-length=32 %t
// RUN: qemu-aarch64 -cpu max,sve-default-vector-length=64 %t
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef void Kernel(long K, const void *A, const void *B, void *C, long Ld);
Kernel ss, uu, us, su, bf, ss_sve, us_sve, bf_sve;

enum { Groups = 5, Columns = 8, MaxRows = 24 };

static unsigned Seed;
static unsigned char next(void) { return (Seed = Seed * 69069 + 5) >> 24; }

static int byte(unsigned char X, int IsSigned) {
  return IsSigned ? (signed char)X : X;
}

static int integers(const char *Name, Kernel *Run, int Rows, int SignedA,
                    int SignedB) {
  unsigned char A[Groups][MaxRows][4], B[Groups][Columns][4];
  int C[Columns][MaxRows], Expected[Columns][MaxRows];
  unsigned char PackedA[Groups * MaxRows * 4];
  for (int G = 0; G < Groups; ++G)
    for (int S = 0; S < 4; ++S) {
      for (int I = 0; I < Rows; ++I)
        PackedA[(G * Rows + I) * 4 + S] = A[G][I][S] = next();
      for (int J = 0; J < Columns; ++J)
        B[G][J][S] = next();
    }
  for (int J = 0; J < Columns; ++J)
    for (int I = 0; I < Rows; ++I) {
      C[J][I] = Expected[J][I] = next() * 12345678;
      for (int G = 0; G < Groups; ++G)
        for (int S = 0; S < 4; ++S)
          Expected[J][I] += byte(A[G][I][S], SignedA) * byte(B[G][J][S], SignedB);
    }
  Run(Groups, PackedA, B, C, MaxRows);
  for (int J = 0; J < Columns; ++J)
    if (memcmp(C[J], Expected[J], Rows * sizeof(int)))
      return printf("%s differs\n", Name);
  return 0;
}

static uint16_t toBFloat(float X) {
  uint32_t Bits;
  memcpy(&Bits, &X, sizeof(X));
  return Bits >> 16;
}

/// Small whole numbers, whose sums are exact.
static int floats(const char *Name, Kernel *Run, int Rows) {
  uint16_t A[Groups * MaxRows * 2], B[Groups * Columns * 2];
  float WideA[Groups * MaxRows * 2], WideB[Groups * Columns * 2];
  float C[Columns][MaxRows], Expected[Columns][MaxRows];
  for (int I = 0; I < Groups * Rows * 2; ++I)
    A[I] = toBFloat(WideA[I] = next() - 128.0f);
  for (int I = 0; I < Groups * Columns * 2; ++I)
    B[I] = toBFloat(WideB[I] = next() - 128.0f);
  for (int J = 0; J < Columns; ++J)
    for (int I = 0; I < Rows; ++I) {
      C[J][I] = Expected[J][I] = next();
      for (int G = 0; G < Groups; ++G)
        for (int S = 0; S < 2; ++S)
          Expected[J][I] +=
              WideA[(G * Rows + I) * 2 + S] * WideB[(G * Columns + J) * 2 + S];
    }
  Run(Groups, A, B, C, MaxRows);
  for (int J = 0; J < Columns; ++J)
    if (memcmp(C[J], Expected[J], Rows * sizeof(float)))
      return printf("%s differs\n", Name);
  return 0;
}

int main(void) {
  return !!(integers("ss", ss, 12, 1, 1) | integers("uu", uu, 12, 0, 0) |
            integers("us", us, 12, 0, 1) | integers("su", su, 12, 1, 0) |
            integers("ss_sve", ss_sve, 24, 1, 1) |
            integers("us_sve", us_sve, 24, 0, 1) | floats("bf", bf, 12) |
            floats("bf_sve", bf_sve, 24));
}
