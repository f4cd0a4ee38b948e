// A test of what is loaded in the nest is made in front of copies of it, if the load is made in the first iteration
// (which may be asked in front, too), or can be made at any time. The copies ask again: C may overlap what is loaded. Both are remarked on as one.
//
// RUN: %clang -O2 -fpass-plugin=%tilesmith -Rpass=tilesmith -Rpass-missed=tilesmith -c %s -o /dev/null \
// RUN:   -Xclang -verify

void loaded(long n, double *c, const double *a, const double *b, const double *beta) {
  for (long i = 0; i < n; i++) // expected-remark {{replaced}}
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k < n; k++)
        s += a[i * n + k] * b[j * n + k];
      if (*beta == 0)
        c[i * n + j] = s;
      else
        c[i * n + j] = s + *beta * c[i * n + j];
    }
}

// Without a first iteration that loads it, there may be nothing to load.
void maybe_not_loaded(long n, double *c, const double *a, const double *b, const double *beta, const int *use) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k < n; k++)
        s += a[i * n + k] * b[j * n + k];
      if (use[i]) { // expected-remark {{not replaced}}
        if (*beta == 0)
          c[i * n + j] = s;
        else
          c[i * n + j] = s + *beta * c[i * n + j];
      }
    }
}

// As what the threads of OpenMP share: clang knows that it can be loaded.
void dereferenceable(long n, double *c, const double *a, const double *b, const double beta[static 1], const int *use) {
  for (long i = 0; i < n; i++) // expected-remark {{replaced}}
    for (long j = 0; j < use[0]; j++) {
      double s = 0;
      for (long k = 0; k < n; k++)
        s += a[i * n + k] * b[j * n + k];
      if (*beta == 0)
        c[i * n + j] = s;
      else
        c[i * n + j] = s + *beta * c[i * n + j];
    }
}

// Whether the first row has elements is known in front.
void loaded_with_rows(long n, long m, double *c, const double *restrict a, const double *restrict b,
                      const double *restrict beta) {
  for (long i = 0; i < n; i++) // expected-remark {{replaced}}
    for (long j = 0; j < m; j++) {
      double s = 0;
      for (long k = 0; k < n; k++)
        s += a[i * n + k] * b[j * n + k];
      if (*beta == 0)
        c[i * m + j] = s;
      else
        c[i * m + j] = s + *beta * c[i * m + j];
    }
}

// So is whether there are steps; without them, clang has loops of their own. What is loaded is in a loop inside.
void loaded_with_steps(long n, long m, long k, double *c, const double *a, const double *b, const double *beta) {
  for (long i = 0; i < n; i++) { // expected-remark {{replaced}}
    if (k < 1) {
      for (long j = 0; j < m; j++)
        c[i * m + j] = 0;
      continue;
    }
    long j = 0;
    do {
      double s = 0;
      for (long l = 0; l < k; l++)
        s += a[i * k + l] * b[j * k + l];
      if (beta[0] == 0 && beta[m] == 0)
        c[i * m + j] = s;
      else
        c[i * m + j] = s + beta[0] * c[i * m + j];
    } while (++j < m);
  }
}
