// A call that may throw, where the product's way never comes: copies of the nest that
// set C first would have to have it, too. (This was a crash.)
//
// RUN: %clangxx -O2 -march=haswell -fpass-plugin=%tilesmith -Rpass=tilesmith -Rpass-missed=tilesmith -c %s -o /dev/null 2>&1 | FileCheck %s
// RUN: %clangxx -O2 -march=haswell -D_GLIBCXX_ASSERTIONS -fpass-plugin=%tilesmith -Rpass=tilesmith -Rpass-missed=tilesmith -c %s -o /dev/null 2>&1 | FileCheck %s
// CHECK-COUNT-3: not replaced: the loop can be left early

#include <cstddef>
#include <vector>

struct Counted {
  std::vector<double> *Numbers;
  ~Counted() { (*Numbers)[0] += 1; }
};

void say(std::vector<double> &, std::size_t);

void gemv(std::size_t m, std::size_t k, bool log, const double *A,
          const double *X, double *Y, std::vector<double> &Z) {
  Counted Last{&Z};
  for (std::size_t i = 0; i < m; ++i) {
    if (log) {
      say(Z, i);
      continue;
    }
    double Sum = Z[i];
    for (std::size_t p = 0; p < k; ++p)
      Sum += A[i * k + p] * X[p];
    Y[i] = Sum;
  }
}

// So it is where other stores or another value are made from the sums.
void others(std::size_t m, std::size_t k, bool log, const double *A,
            const double *X, double *Y, std::vector<double> &Z) {
  Counted Last{&Z};
  for (std::size_t i = 0; i < m; ++i) {
    if (log) {
      say(Z, i);
      continue;
    }
    double Sum = 0;
    for (std::size_t p = 0; p < k; ++p)
      Sum += A[i * k + p] * X[p];
    Y[i] = Sum;
    Z[i + 3] = Sum * 2;
  }
}

double greatest(std::size_t m, std::size_t k, bool log, const double *A,
                const double *X, double *Y, std::vector<double> &Z) {
  Counted Last{&Z};
  double Most = 0;
  for (std::size_t i = 0; i < m; ++i) {
    if (log) {
      say(Z, i);
      continue;
    }
    double Sum = 0;
    for (std::size_t p = 0; p < k; ++p)
      Sum += A[i * k + p] * X[p];
    Y[i] = Sum;
    if (Sum > Most)
      Most = Sum;
  }
  return Most;
}
