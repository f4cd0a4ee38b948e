// Products of products.h, each called NAME_of<name>.
#define FUNCTION_(Prefix, Name) Prefix##_##Name
#define FUNCTION__(Prefix, Name) FUNCTION_(Prefix, Name)
#define FUNCTION(Name)                                                         \
  void FUNCTION__(NAME, Name)(long m, long n, long p, const void *A, long lda, \
                              const void *B, long ldb, void *C, long ldc)
#define OPERANDS(TA, TB, TC)                                                   \
  const TA *a = A;                                                             \
  const TB *b = B;                                                             \
  TC *c = C
#define FOR(I, End) for (long I = 0; I < End; I++)

FUNCTION(plain) {
  OPERANDS(double, double, double);
  FOR(i, m) FOR(j, n) {
    double s = c[i * ldc + j];
    FOR(k, p) s += a[i * lda + k] * b[k * ldb + j];
    c[i * ldc + j] = s;
  }
}

FUNCTION(outwards) {
  OPERANDS(float, float, float);
  FOR(k, p) FOR(i, m) FOR(j, n)
    c[i * ldc + j] += a[i * lda + k] * b[k * ldb + j];
}

FUNCTION(transposed_a) {
  OPERANDS(double, double, double);
  FOR(i, m) FOR(k, p) FOR(j, n)
    c[i * ldc + j] += a[k * lda + i] * b[k * ldb + j];
}

FUNCTION(transposed_b) {
  OPERANDS(double, double, double);
  FOR(i, m) FOR(j, n) FOR(k, p)
    c[i * ldc + j] -= a[i * lda + k] * b[j * ldb + k];
}

FUNCTION(scaled) {
  OPERANDS(double, double, double);
  FOR(i, m) FOR(j, n) {
    double s = 0;
    FOR(k, p) s += a[i * lda + k] * b[k * ldb + j];
    c[i * ldc + j] = 0.75 * s + 1.25 * c[i * ldc + j];
  }
}

FUNCTION(overwritten) {
  OPERANDS(double, double, double);
  FOR(i, m) FOR(j, n) {
    double s = 0;
    FOR(k, p) s += a[i * lda + k] * b[k * ldb + j];
    c[i * ldc + j] = s;
  }
}

FUNCTION(widened) {
  OPERANDS(float, float, double);
  FOR(i, m) FOR(j, n) FOR(k, p)
    c[i * ldc + j] += (double)a[i * lda + k] * b[j * ldb + k];
}

FUNCTION(bytes) {
  OPERANDS(signed char, unsigned char, int);
  FOR(i, m) FOR(j, n) FOR(k, p)
    c[i * ldc + j] += a[i * lda + k] * b[j * ldb + k];
}

FUNCTION(shorts) {
  OPERANDS(short, short, int);
  FOR(i, m) FOR(k, p) FOR(j, n)
    c[i * ldc + j] += a[i * lda + k] * b[k * ldb + j];
}

FUNCTION(squared) {
  OPERANDS(double, double, double);
  (void)b, (void)ldb, (void)n;
  FOR(i, m) for (long j = 0; j <= i; j++) FOR(k, p)
    c[i * ldc + j] += a[i * lda + k] * a[j * lda + k];
}

FUNCTION(triangle) { // in place
  OPERANDS(double, double, double);
  (void)b, (void)ldb, (void)p;
  FOR(i, m) FOR(j, n) for (long k = i + 1; k < m; k++)
    c[i * ldc + j] += a[k * lda + i] * c[k * ldc + j];
}

FUNCTION(apart) {
  OPERANDS(double, double, double);
  FOR(i, m) FOR(k, p) FOR(j, n)
    c[i * ldc + 2 * j] += a[i * lda + k] * b[k * ldb + j];
}

FUNCTION(symmetric) { // the lower half of A
  OPERANDS(double, double, double);
  (void)p;
  FOR(i, m) FOR(j, n) FOR(k, m)
    c[i * ldc + j] += (k <= i ? a[i * lda + k] : a[k * lda + i]) * b[k * ldb + j];
}

FUNCTION(nonzero) {
  OPERANDS(int, int, int);
  FOR(i, m) FOR(k, p) if (a[i * lda + k] != 0) FOR(j, n)
    c[i * ldc + j] += a[i * lda + k] * b[k * ldb + j];
}

FUNCTION(two) {
  OPERANDS(double, double, double);
  FOR(i, m) FOR(j, n) FOR(k, p) {
    c[i * ldc + j] += a[i * lda + k] * b[k * ldb + j];
    c[i * ldc + j] += 0.5 * a[i * lda + k] * b[k * ldb + j];
  }
}

static void multiplyRows(long m, long n, long p, double **a, double **b,
                         double **c) {
  FOR(i, m) FOR(j, n) FOR(k, p) c[i][j] += a[i][k] * b[k][j];
}

FUNCTION(rows) {
  OPERANDS(double, double, double);
  double *RowsA[m], *RowsB[p], *RowsC[m];
  FOR(i, m) RowsA[i] = (double *)a + i * lda, RowsC[i] = c + i * ldc;
  FOR(k, p) RowsB[k] = (double *)b + k * ldb;
  multiplyRows(m, n, p, RowsA, RowsB, RowsC);
}

FUNCTION(small) {
  OPERANDS(double, double, double);
  (void)m, (void)n, (void)p;
  FOR(i, 13) FOR(j, 11) FOR(k, 9)
    c[i * ldc + j] += a[i * lda + k] * b[j * ldb + k];
}

FUNCTION(small_float) {
  OPERANDS(float, float, float);
  (void)m, (void)n, (void)p;
  FOR(i, 19) FOR(j, 21) FOR(k, 7)
    c[i * ldc + j] += a[i * lda + k] * b[k * ldb + j];
}
