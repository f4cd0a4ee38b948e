// Products that are in the table, spelled in another way than the tuner does.
double A[24][24], B[24][24], C[24][24];
void constant(void) {
  for (int k = 0; k < 24; k++)
    for (int i = 0; i < 24; i++)
      for (int j = 0; j < 24; j++)
        C[i][j] += A[i][k] * B[k][j];
}

void thin(int m, int n, const float *a, const float *b, float *c) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < 16; j++)
      for (int k = 0; k < n; k++)
        c[i * 16 + j] += a[i * n + k] * b[k * 16 + j];
}
