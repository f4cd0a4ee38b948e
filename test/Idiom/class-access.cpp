// A class with operator(), by reference: its fields are loaded inside the nest.
//
// RUN: %clangxx -O2 -fpass-plugin=%tilesmith -Rpass=tilesmith \
// RUN:   -Rpass-missed=tilesmith -c %s -o /dev/null -Xclang -verify
struct Matrix {
  double *data;
  int ld;
  double &operator()(int i, int j) const { return data[i * ld + j]; }
};

void product(int m, int n, int p, const Matrix &a, const Matrix &b, const Matrix &c) {
  for (int i = 0; i < m; i++) // expected-remark {{replaced}}
    for (int j = 0; j < n; j++)
      for (int k = 0; k < p; k++)
        c(i, j) += a(i, k) * b(k, j);
}

void initialised_rows(int m, int n, int p, const Matrix &a, const Matrix &b, const Matrix &c) {
  for (int i = 1; i < m; i++) { // expected-remark {{replaced}}
    for (int j = 1; j < n; j++)
      c(i, j) = 0;
    for (int j = 1; j < n; j++)
      for (int k = 1; k < p; k++)
        c(i, j) += a(i, k) * b(k, j);
  }
}
