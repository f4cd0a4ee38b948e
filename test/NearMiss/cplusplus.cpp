//===- cplusplus.cpp - nests that classes and exceptions interrupt --------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// RUN: %python %S/../Plugin/Inputs/same_object.py %clang %tilesmith %s -std=c++20
// RUN: %python %S/../Plugin/Inputs/same_object.py %clang %tilesmith %s -std=c++20 -march=native -g
// RUN: %python %S/Inputs/reasons.py %clang %tilesmith %s -std=c++20
// RUN: %python %S/Inputs/reasons.py %clang %tilesmith %s -std=c++20 -march=native

#include <atomic>
#include <complex>
#include <coroutine>
#include <functional>
#include <list>
#include <map>
#include <mutex>
#include <stdexcept>
#include <vector>

//===--- Exceptions. ------------------------------------------------------===//

// EXPECT EarlyExit: a negative element throws, and C stays half computed
void throws(long n, double *__restrict c, const double *__restrict a, const double *__restrict b) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++) {
        if (a[i * n + k] < 0)
          throw std::domain_error("negative");
        c[i * n + j] += a[i * n + k] * b[k * n + j];
      }
}

// EXPECT EarlyExit: what is thrown in a row is caught in that row, and the next one begins
void catches(long n, double *__restrict c, const double *__restrict a, const double *__restrict b) {
  for (long i = 0; i < n; i++)
    try {
      for (long j = 0; j < n; j++)
        for (long k = 0; k < n; k++) {
          if (a[i * n + k] < 0)
            throw i;
          c[i * n + j] += a[i * n + k] * b[k * n + j];
        }
    } catch (long) {
      c[i * n] = 0;
    }
}

// EXPECT NotAffine: every element is looked up with a test that depends on the data
double looked_up(long n, std::vector<double> &c, const std::vector<double> &a,
                 const std::vector<double> &b, const std::vector<int> &where) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i * n + j] += a.at(where[i * n + k]) * b[k * n + j];
  return c[0];
}

struct Checked {
  int value;
  Checked &operator+=(Checked x) {
    if (__builtin_add_overflow(value, x.value, &value))
      throw std::overflow_error("+=");
    return *this;
  }
  friend Checked operator*(Checked x, Checked y) {
    Checked p;
    if (__builtin_mul_overflow(x.value, y.value, &p.value))
      throw std::overflow_error("*");
    return p;
  }
};

// EXPECT EarlyExit|none: numbers that throw when they overflow
void checked(long n, Checked *__restrict c, const Checked *__restrict a,
             const Checked *__restrict b) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}

struct Trace {
  Trace();
  ~Trace();
};

// EXPECT Call|OtherStore: an object is made and destroyed for each element
void traced(long n, double *__restrict c, const double *__restrict a, const double *__restrict b) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      Trace here;
      for (long k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
    }
}

//===--- Elements behind functions. ---------------------------------------===//

struct Matrix {
  virtual double get(long i, long j) const = 0;
  virtual void add(long i, long j, double x) = 0;
};

// EXPECT none: elements that virtual functions compute
void virtually(long n, Matrix &c, const Matrix &a, const Matrix &b) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c.add(i, j, a.get(i, k) * b.get(k, j));
}

// EXPECT Call: one factor comes from a virtual function
void half_virtually(long n, double *__restrict c, const Matrix &a, const double *__restrict b) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i * n + j] += a.get(i, k) * b[k * n + j];
}

// EXPECT Call: each product goes through a function that the caller chose; it throws if there is none
void filtered(long n, double *__restrict c, const double *__restrict a, const double *__restrict b,
              const std::function<double(double)> &f) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i * n + j] += 2 * f(a[i * n + k] * b[k * n + j]);
}

// EXPECT none: a map searches for each element of C, and makes those that are missing
void mapped(long n, std::map<long, double> &c, const double *__restrict a,
            const double *__restrict b) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}

// EXPECT Allocation: elements of C are appended one by one, and the array may move
void appended(long n, std::vector<double> &c, const double *__restrict a,
              const double *__restrict b) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k < n; k++)
        s += a[i * n + k] * b[k * n + j];
      c.push_back(s);
    }
}

// EXPECT UnknownTripCount: rows of B in a list
void listed(long n, double *__restrict c, const double *__restrict a,
            const std::list<std::vector<double>> &b) {
  for (long i = 0; i < n; i++) {
    long k = 0;
    for (const std::vector<double> &row : b) {
      for (long j = 0; j < n; j++)
        c[i * n + j] += a[i * n + k] * row[j];
      k++;
    }
  }
}

// EXPECT NoUpdate: C's elements are bits
void bits(long n, std::vector<bool> &c, const int *__restrict a, const int *__restrict b) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i * n + j] = c[i * n + j] + a[i * n + k] * b[k * n + j];
}

//===--- Threads. ---------------------------------------------------------===//

// EXPECT Volatile|none: C is added to atomically
void atomically(long n, std::atomic<double> *c, const double *__restrict a,
                const double *__restrict b) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}

// EXPECT Volatile: the sum is added to a total that other threads add to
void into_total(long n, std::atomic<long> &total, long *__restrict c, const long *__restrict a,
                const long *__restrict b) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      long s = 0;
      for (long k = 0; k < n; k++)
        s += a[i * n + k] * b[k * n + j];
      c[i * n + j] = s;
      total += s;
    }
}

// EXPECT Call: a lock is taken for each row, which may throw
void locked(long n, std::mutex &m, double *__restrict c, const double *__restrict a,
            const double *__restrict b) {
  for (long i = 0; i < n; i++) {
    std::lock_guard<std::mutex> hold(m);
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
  }
}

//===--- Numbers. ---------------------------------------------------------===//

// EXPECT ComplexProduct: complex numbers, with a sum that starts from a product that may be NaN
void complex_numbers(long n, std::complex<double> beta, std::complex<double> *__restrict c,
                     const std::complex<double> *__restrict a,
                     const std::complex<double> *__restrict b) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      std::complex<double> s = beta * c[i * n + j];
      for (long k = 0; k < n; k++)
        s += a[i * n + k] * b[k * n + j];
      c[i * n + j] = s;
    }
}

struct Modular {
  unsigned value;
  Modular &operator+=(Modular x) {
    value += x.value;
    if (value >= 998244353)
      value -= 998244353;
    return *this;
  }
  friend Modular operator*(Modular x, Modular y) {
    return {unsigned((unsigned long)x.value * y.value % 998244353)};
  }
};

struct Tropical {
  double value;
  Tropical &operator+=(Tropical x) {
    value = x.value < value ? x.value : value;
    return *this;
  }
  friend Tropical operator*(Tropical x, Tropical y) { return {x.value + y.value}; }
};

struct Interval {
  double low, high;
  Interval &operator+=(Interval x) {
    low += x.low, high += x.high;
    return *this;
  }
  friend Interval operator*(Interval x, Interval y) {
    double p = x.low * y.low, q = x.low * y.high, r = x.high * y.low, s = x.high * y.high;
    return {std::min(std::min(p, q), std::min(r, s)), std::max(std::max(p, q), std::max(r, s))};
  }
};

// EXPECT NotProduct: intervals, whose product is the smallest and the largest of four
void intervals(long n, Interval *__restrict c, const Interval *__restrict a,
               const Interval *__restrict b) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}

//===--- Coroutines. ------------------------------------------------------===//

struct Row {
  struct promise_type {
    double value;
    Row get_return_object();
    std::suspend_always initial_suspend() noexcept;
    std::suspend_always final_suspend() noexcept;
    std::suspend_always yield_value(double);
    void return_void();
    void unhandled_exception();
  };
};

// EXPECT LoneSum: each element is handed out while the loops wait
Row elements(long n, double *c, const double *a, const double *b) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      for (long k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
      co_yield c[i * n + j];
    }
}
