// A matrix product that the plugin replaces where nothing forbids it. Define
// GEMM_ATTRIBUTES to forbid it.
#ifndef GEMM_ATTRIBUTES
#define GEMM_ATTRIBUTES
#endif

GEMM_ATTRIBUTES
void gemm(long M, long N, long K, const double *A, const double *B, double *C) {
  for (long i = 0; i < M; i++)
    for (long j = 0; j < N; j++)
      for (long k = 0; k < K; k++)
        C[i * N + j] += A[i * K + k] * B[k * N + j];
}
