// A product is called while the caller's values are in SME's array, to be saved
// by whoever needs it: TPIDR2_EL0 points to where. Afterwards they are there,
// and the register is zero.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { N = 70, MaxBytes = 256 };
static float A[N][N], B[N][N], C[N][N], Expected[N][N];
static uint8_t Array[MaxBytes * MaxBytes], Saved[MaxBytes * MaxBytes];
static struct {
  void *Buffer;
  uint16_t Rows;
  uint8_t Zero[6];
} Block;

__attribute__((noinline)) void product(int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      float sum = 0;
      for (int k = 0; k < n; k++)
        sum += A[i][k] * B[k][j];
      C[i][j] = sum;
    }
}

#define SME __attribute__((target("sme"), noinline))

SME static uint64_t bytesOfRow(void) {
  uint64_t Bytes;
  __asm__("rdsvl %0, #1" : "=r"(Bytes));
  return Bytes;
}

SME static void fill(uint64_t Bytes) {
  __asm__ volatile("smstart za" ::: "memory");
  for (uint64_t I = 0; I < Bytes; I++) {
    register uint32_t Row __asm__("w12") = I;
    __asm__ volatile("ldr za[%w0, 0], [%1]"
                     :
                     : "r"(Row), "r"(Array + I * Bytes)
                     : "memory");
  }
}

SME static void leave(void *Where) {
  __asm__ volatile("msr TPIDR2_EL0, %0" ::"r"(Where) : "memory");
}

SME static void *left(void) {
  void *Where;
  __asm__ volatile("mrs %0, TPIDR2_EL0\n smstop za" : "=r"(Where)::"memory");
  return Where;
}

int main(void) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      A[i][j] = i - 2 * j;
      B[i][j] = 3 * i + j;
    }
  product(N);
  memcpy(Expected, C, sizeof C);
  for (unsigned I = 0; I < sizeof Array; I++)
    Array[I] = I * 7 + I / 256;

  uint64_t Bytes = bytesOfRow();
  Block.Buffer = Saved;
  Block.Rows = Bytes;
  fill(Bytes);
  leave(&Block);
  memset(C, 0, sizeof C);
  product(N);
  void *Where = left();
  printf("%d %d %d\n", Where == 0, memcmp(Array, Saved, Bytes * Bytes) == 0,
         memcmp(C, Expected, sizeof C) == 0);
}
