//===- tables-and-others.cpp - rows in tables, and other stores -*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Factors are found through tables of rows, and the loops store something else than
// the product: the nearest row and its distance, a greatest element, a row. What they
// store may overlap a row, or the tables. Results are printed as bits.

// DEFINE: %{flags} =
// DEFINE: %{compile} = %clangxx -O3 -march=native -std=c++20 -ffp-contract=off %{flags} %s
// DEFINE: %{ours} = %{compile} -fpass-plugin=%tilesmith -mllvm -tilesmith-verify=1
// DEFINE: %{compare} = %t.ours > %t.printed && diff %t.expected %t.printed
// RUN: %{compile} -o %t.plain && %t.plain > %t.expected
// RUN: %{ours} -Rpass=tilesmith -o %t.ours 2>&1 | FileCheck %s
// RUN: %{compare}
// RUN: %{ours} -mllvm -tilesmith-min-work=1 -o %t.ours && %{compare}
// REDEFINE: %{flags} = -fno-strict-aliasing
// RUN: %{ours} -mllvm -tilesmith-min-work=1 -o %t.ours && %{compare}
// REDEFINE: %{flags} = -fsanitize=address
// RUN: %{ours} -mllvm -tilesmith-min-work=1 -o %t.ours && %{compare}
// CHECK-COUNT-10: replaced {{[23]}}-loop nest{{.*}} table of
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <vector>

using Matrix = std::vector<std::vector<double>>;
#define NOINLINE __attribute__((noinline))

NOINLINE void nearest(int m, int n, int l, double **x, double **y, int *at,
                      double *distance) {
  for (int i = 0; i < m; i++) {
    double best = INFINITY;
    int where = 0;
    for (int j = 0; j < n; j++) {
      double d = 0;
      for (int k = 0; k < l; k++) {
        double t = x[i][k] - y[j][k];
        d += t * t;
      }
      if (d < best) {
        best = d;
        where = j;
      }
    }
    at[i] = where;
    distance[i] = best;
  }
}

// What is stored is a row, perhaps in one of the tables.
NOINLINE void nearest_row(int m, int n, int l, double **x, double **y,
                          double **row) {
  for (int i = 0; i < m; i++) {
    double best = INFINITY;
    double *found = y[0];
    for (int j = 0; j < n; j++) {
      double d = 0;
      for (int k = 0; k < l; k++) {
        double t = x[i][k] - y[j][k];
        d += t * t;
      }
      if (d < best) {
        best = d;
        found = y[j];
      }
    }
    row[i] = found;
  }
}

// A product that is stored, and its greatest elements.
NOINLINE void greatest(int m, int n, int l, double **x, double **y, double *c,
                       double *top) {
  for (int i = 0; i < m; i++) {
    double most = -INFINITY;
    for (int j = 0; j < n; j++) {
      double s = 0;
      for (int k = 0; k < l; k++)
        s += x[i][k] * y[j][k];
      c[i * n + j] = s;
      most = s > most ? s : most;
    }
    top[i] = most;
  }
}

// A table times a vector, with a start.
NOINLINE double layer(int m, int l, double **w, const double *b,
                      const double *x, double *y) {
  double top = -INFINITY;
  for (int i = 0; i < m; i++) {
    double s = b[i];
    for (int k = 0; k < l; k++)
      s += w[i][k] * x[k];
    y[i] = s;
    top = s > top ? s : top;
  }
  return top;
}

NOINLINE int nearest_of_one(int n, int l, double **y, const double *x,
                            double *distance, double *number) {
  int at = -1;
  double best = INFINITY;
  for (int j = 0; j < n; j++) {
    double d = 0;
    for (int k = 0; k < l; k++)
      d += std::fabs(x[k] - y[j][k]);
    distance[j] = d;
    number[j] = j;
    if (d < best) {
      best = d;
      at = j;
    }
  }
  return at;
}

struct Clusters {
  Matrix points, centres;
  std::vector<int> labels;
  std::vector<double> distance;
  NOINLINE void assign();
};

void Clusters::assign() {
  for (std::size_t i = 0; i < points.size(); i++) {
    double best = std::numeric_limits<double>::max();
    int at = 0;
    for (std::size_t j = 0; j < centres.size(); j++) {
      double d = 0;
      for (std::size_t k = 0; k < points[i].size(); k++) {
        double t = points[i][k] - centres[j][k];
        d += t * t;
      }
      if (d < best) {
        best = d;
        at = int(j);
      }
    }
    labels[i] = at;
    distance[i] = best;
  }
}

// How many have another label now, and the sum of all distances.
NOINLINE double reassign(const Matrix &points, const Matrix &centres,
                         std::vector<int> &labels, int &changed) {
  double sum = 0;
  for (std::size_t i = 0; i < points.size(); i++) {
    double best = std::numeric_limits<double>::infinity();
    int at = 0;
    for (std::size_t j = 0; j < centres.size(); j++) {
      double d = 0;
      for (std::size_t k = 0; k < centres[j].size(); k++)
        d += std::pow(points[i][k] - centres[j][k], 2);
      if (d < best) {
        best = d;
        at = int(j);
      }
    }
    if (labels[i] != at) {
      labels[i] = at;
      changed++;
    }
    sum += best;
  }
  return sum;
}

NOINLINE int nearest_point(const Matrix &points, const std::vector<double> &x) {
  int at = -1;
  double best = std::numeric_limits<double>::max();
  for (std::size_t j = 0; j < points.size(); j++) {
    double d = 0;
    for (std::size_t k = 0; k < x.size(); k++) {
      double t = x[k] - points[j][k];
      d += t * t;
    }
    if (d < best) {
      best = d;
      at = int(j);
    }
  }
  return at;
}

// A plain factor beside a table, and a sum of all elements.
NOINLINE double total(int m, int n, int l, double **x, const double *y,
                      double *c) {
  double sum = 0;
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      double s = 0;
      for (int k = 0; k < l; k++)
        s += x[i][k] * y[j * l + k];
      c[i * n + j] = s;
      sum += s;
    }
  return sum;
}

// Nothing is stored at all.
NOINLINE double norm(int m, int n, int l, double **x, double **y) {
  double sum = 0;
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      double s = 0;
      for (int k = 0; k < l; k++)
        s += x[i][k] * y[k][j];
      sum += s * s;
    }
  return sum;
}

static uint64_t state;

static double any(bool specials) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  unsigned pick = state >> 33;
  const double special[] = {NAN, INFINITY, -INFINITY, -0.0, 0.0};
  if (specials && pick % 97 == 0)
    return special[pick / 97 % 5];
  return (int)(pick % 17) / 8.0 - 1;
}

static uint64_t hash;

static void add(double value) {
  uint64_t word;
  std::memcpy(&word, &value, sizeof word);
  hash = hash * 31 + (value != value ? 1 : word);
}

static void show(const char *form, int m, int n, int l, int kind) {
  std::printf("%s %d %d %d %d: %016llx\n", form, m, n, l, kind,
              (unsigned long long)hash);
  hash = 0;
}

/// Two tables of rows in one array, and what else the loops use.
struct Data {
  std::vector<double> memory;
  std::vector<double *> rows; ///< x, then y
  std::vector<int> at;
  double **x, **y, *rest;

  Data(int m, int n, int l, bool specials)
      : memory((m + n) * l + 8 * (m + n + l) + m * n), rows(m + n + m + l),
        at(m), x(rows.data()), y(x + m), rest(&memory[(m + n) * l]) {
    for (double &value : memory)
      value = any(specials);
    for (int i = 0; i < m + n + m + l; i++)
      rows[i] = &memory[(i * 5 + 1) % (m + n) * l];
  }
  /// Somewhere else, inside of a row of x, or of y.
  double *place(int kind, int n, int l) {
    return kind == 0 ? rest : kind == 1 ? x[0] + l / 2 : y[n - 1];
  }
  void addAll() {
    for (double value : memory)
      add(value);
    for (double *row : rows)
      add(row - memory.data());
    for (int value : at)
      add(value);
  }
};

static Matrix matrix(double **rows, int m, int l) {
  Matrix result;
  for (int i = 0; i < m; i++)
    result.push_back(std::vector<double>(rows[i], rows[i] + l));
  return result;
}

template <typename Body>
static void run(const char *form, int m, int n, int l, Body body) {
  for (int kind = 0; kind < 3; kind++)
    for (bool specials : {false, true}) {
      state = m + n + l;
      Data d(m, n, l, specials);
      body(d, d.place(kind, n, l), kind);
      d.addAll();
      show(form, m, n, l, kind);
    }
}

static void vectors(int m, int n, int l) {
  run("class", m, n, l, [&](Data &d, double *, int kind) {
    Clusters c{matrix(d.x, m, l), matrix(d.y, n, l), std::vector<int>(m),
               std::vector<double>(m)};
    if (kind)
      c.centres[n / kind - (kind == 1)].push_back(1);
    c.assign();
    for (int i = 0; i < m; i++) {
      add(c.labels[i]);
      add(c.distance[i]);
    }
    int changed = 0;
    for (auto &row : c.points)
      row.resize(l + 1);
    add(reassign(c.points, c.centres, c.labels, changed));
    add(changed);
    add(nearest_point(c.points, c.centres[0]));
  });
}

int main() {
  const int sizes[][3] = {{1, 1, 1},    {2, 3, 4},    {7, 5, 3},   {16, 16, 16},
                          {33, 20, 17}, {64, 64, 64}, {9, 130, 40}, {100, 8, 75}};
  for (auto [m, n, l] : sizes) {
    run("nearest", m, n, l, [&](Data &d, double *out, int) {
      nearest(m, n, l, d.x, d.y, d.at.data(), out);
    });
    run("rows", m, n, l, [&](Data &d, double *, int kind) {
      nearest_row(m, n, l, d.x, d.y, d.rows.data() + kind * m / 2);
    });
    run("greatest", m, n, l, [&](Data &d, double *out, int) {
      greatest(m, n, l, d.x, d.y, d.rest + m + l, out);
    });
    run("layer", m, n, l, [&](Data &d, double *out, int) {
      add(layer(m, l, d.x, d.rest + m, d.rest + 2 * m, out));
    });
    run("layer", m, n, l, [&](Data &d, double *out, int) {
      add(layer(m, l, d.x, out, d.rest + 2 * m, out + 1));
    });
    run("one", m, n, l, [&](Data &d, double *out, int) {
      double *x = d.rest + 2 * (m + n);
      add(nearest_of_one(m, l, d.x, x, x + l, out));
    });
    run("total", m, n, l, [&](Data &d, double *out, int) {
      add(total(m, n, l, d.x, &d.memory[0], d.rest + m));
      add(*out);
    });
    run("norm", m, n, l, [&](Data &d, double *, int) {
      if (n <= l)
        add(norm(m, n, l, d.x, d.x + m));
    });
    vectors(m, n, l);
  }
}
