// A scalar product that is a loop of its own is told, with what permits another
// order. Where vectors are made of it, or it has a few steps, there is nothing to tell.
//
// RUN: %clang -O3 -fopenmp-simd -fpass-plugin=%tilesmith -Rpass=tilesmith \
// RUN:   -Rpass-missed=tilesmith -c %s -o /dev/null -Xclang -verify

float product(int n, const float *x, const float *y) {
  float s = 0;
  for (int k = 0; k < n; k++)
    s += x[k] * y[k]; // expected-remark {{scalar product not replaced: one sum alone}}
  return s;
}

double widened(int n, const float *x) {
  double s = 1;
  for (int k = 0; k < n; k++)
    s = __builtin_fma(x[k], (double)x[k], s); // expected-remark {{'#pragma clang fp reassociate(on)'}}
  return s;
}

// Three sums in one loop: one remark.
void cosine(int n, const double *x, const double *y, double *c) {
  double xy = 0, xx = 0, yy = 0;
  for (int k = 0; k < n; k++) {
    xx += x[k] * x[k];
    xy += x[k] * y[k];
    yy += y[k] * y[k];
  }
  *c = xy / (xx * yy);
} // expected-remark@-3 {{scalar product}}

float anyOrder(int n, const float *x, const float *y) {
  float s = 0;
  {
#pragma clang fp reassociate(on)
    for (int k = 0; k < n; k++)
      s += x[k] * y[k];
  }
  return s;
}

float lanes(int n, const float *x, const float *y) {
  float s = 0;
#pragma omp simd reduction(+ : s)
  for (int k = 0; k < n; k++)
    s += x[k] * y[k];
  return s;
}

int integers(int n, const int *x, const int *y) {
  int s = 0;
  for (int k = 0; k < n; k++)
    s += x[k] * y[k];
  return s;
}

float scaled(int n, float f, const float *x) {
  float s = 0;
  for (int k = 0; k < n; k++)
    s += f * x[k];
  return s;
}

__attribute__((optnone)) float off(int n, const float *x, const float *y) {
  float s = 0;
  for (int k = 0; k < n; k++)
    s += x[k] * y[k];
  return s;
}
