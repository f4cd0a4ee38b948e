#include <stdio.h>
#include <time.h>

void product(int n, const double *a, const double *b, double *c);
void scaled(int n, const double *a, const double *b, double *c);

enum { N = 16 };
double a[N * N], b[N * N], c[N * N];

int main(void) {
  for (int i = 0; i < N * N; i++) {
    a[i] = i % 7;
    b[i] = i % 5;
  }
  product(N, a, b, c);
  printf("%s: product %a\n", c[3] > 0 ? "PASS" : "FAIL", c[3]);
  scaled(N, a, b, c);
  printf("%s: scaled %a\n", c[3] > 0 ? "PASS" : "FAIL", c[3]);
  printf("time %ld\n", (long)clock());
}
