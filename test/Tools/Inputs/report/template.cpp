template <class T> void multiply(const T *a, const T *b, T *c, int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}
template void multiply(const float *, const float *, float *, int);
template void multiply(const double *, const double *, double *, int);
