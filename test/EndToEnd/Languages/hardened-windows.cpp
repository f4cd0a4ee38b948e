//===- hardened-windows.cpp - C++: checked subscripts of images -----------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Convolutions: h x w places, k x k taps, c channels, f filters. Each form also gets vectors
// that are too short: it ends at the same element, and has stored the same until then.
//
// RUN: env TILESMITH=min-work=1 %python %S/same_result.py --plugin %tilesmith --work %t %s -- %clangxx -O3 -march=native -D_GLIBCXX_ASSERTIONS
// RUN: env TILESMITH=min-work=1 %python %S/same_result.py --plugin %tilesmith --work %t %s -- %clangxx -O2 -march=x86-64-v3 -ffp-contract=off -D_GLIBCXX_ASSERTIONS

#include "endings.inc"

#define FORM __attribute__((noinline))
#define PLACES(N)                                                              \
  for (N m = 0; m < f; ++m)                                                    \
    for (N i = 0; i < h; ++i)                                                  \
      for (N j = 0; j < w; ++j)
#define TAPS(N, Taps)                                                          \
  for (N l = 0; l < c; ++l)                                                    \
    for (N r = 0; r < Taps; ++r)                                               \
      for (N q = 0; q < Taps; ++q)

FORM void valid(size_t h, size_t w, size_t k, size_t c, size_t f, const Vector &X, const Vector &T, Vector &Y) { // REPLACED
  size_t H = h + k - 1, W = w + k - 1;
  PLACES(size_t) {
    double S = 0;
    TAPS(size_t, k)
      S += X[(l * H + i + r) * W + j + q] * T[((m * c + l) * k + r) * k + q];
    Y[(m * h + i) * w + j] = S;
  }
}

FORM void three(size_t h, size_t w, size_t, size_t c, size_t f, const Vector &X, const Vector &T, Vector &Y) { // REPLACED
  PLACES(size_t) {
    double S = 0;
    TAPS(size_t, 3)
      S += X[(l * (h + 2) + i + r) * (w + 2) + j + q] * T[((m * c + l) * 3 + r) * 3 + q];
    Y[(m * h + i) * w + j] = S;
  }
}

FORM void padded(int h, int w, int k, int c, int f, const Vector &X, const Vector &T, Vector &Y) { // REPLACED
  int p = k / 2;
  PLACES(int) {
    double S = 0;
    TAPS(int, k) {
      int u = i + r - p, v = j + q - p;
      if (u >= 0 && u < h && v >= 0 && v < w)
        S += X[(l * h + u) * w + v] * T[((m * c + l) * k + r) * k + q];
    }
    Y[(m * h + i) * w + j] = S;
  }
}

FORM void padded_three(int h, int w, int, int c, int f, const Vector &X, const Vector &T, Vector &Y) { // REPLACED
  PLACES(int) {
    double S = 0;
    TAPS(int, 3) {
      int u = i + r - 1, v = j + q - 1;
      if (u < 0 || u >= h || v < 0 || v >= w) continue;
      S += X[(l * h + u) * w + v] * T[((m * c + l) * 3 + r) * 3 + q];
    }
    Y[(m * h + i) * w + j] = S;
  }
}

FORM void padded_long(long h, long w, long k, long c, long f, const Vector &X, const Vector &T, Vector &Y) { // REPLACED
  long p = k / 2;
  PLACES(long) {
    double S = 0;
    TAPS(long, k) {
      long u = i + r - p, v = j + q - p;
      if (u < 0 || u >= h || v < 0 || v >= w) continue;
      S += X[(l * h + u) * w + v] * T[((m * c + l) * k + r) * k + q];
    }
    Y[(m * h + i) * w + j] = S;
  }
}

FORM void padded_size(size_t h, size_t w, size_t k, size_t c, size_t f, const Vector &X, const Vector &T, Vector &Y) { // REPLACED
  size_t p = k / 2;
  PLACES(size_t) {
    double S = 0;
    TAPS(size_t, k) {
      size_t u = i + r - p, v = j + q - p;
      if (u < h && v < w)
        S += X[(l * h + u) * w + v] * T[((m * c + l) * k + r) * k + q];
    }
    Y[(m * h + i) * w + j] = S;
  }
}

FORM void padded_at(size_t h, size_t w, size_t k, size_t c, size_t f, const Vector &X, const Vector &T, Vector &Y) { // REPLACED
  long p = k / 2;
  PLACES(size_t) {
    double S = 0;
    TAPS(size_t, k) {
      long u = i + r - p, v = j + q - p;
      if (u >= 0 && u < (long)h && v >= 0 && v < (long)w)
        S += X.at((l * h + u) * w + v) * T.at(((m * c + l) * k + r) * k + q);
    }
    Y.at((m * h + i) * w + j) = S;
  }
}

FORM void line(size_t h, size_t, size_t k, size_t, size_t, const Vector &X, const Vector &T, Vector &Y) { // REPLACED
  for (size_t i = 0; i < h; ++i) {
    double S = 0;
    for (size_t q = 0; q < k; ++q)
      S += X[i + q] * T[q];
    Y[i] = S;
  }
}

FORM void depthwise(long h, long w, long k, long c, long, const Vector &X, const Vector &T, Vector &Y) { // REPLACED
  long p = k / 2;
  for (long l = 0; l < c; ++l)
    for (long i = 0; i < h; ++i)
      for (long j = 0; j < w; ++j) {
        double S = 0;
        for (long r = 0; r < k; ++r)
          for (long q = 0; q < k; ++q) {
            long u = i + r - p, v = j + q - p;
            if (u >= 0 && u < h && v >= 0 && v < w)
              S += X[(l * h + u) * w + v] * T[(l * k + r) * k + q];
          }
        Y[(l * h + i) * w + j] = S;
      }
}

// --- Calls ---------------------------------------------------------------------------

int main(int argc, char **) {
  using Convolution = void (*)(size_t, size_t, size_t, size_t, size_t, const Vector &, const Vector &, Vector &);
  auto InInt = [](size_t h, size_t w, size_t k, size_t c, size_t f, const Vector &X, const Vector &T, Vector &Y) {
    padded(h, w, k, c, f, X, T, Y);
  };
  auto ThreeInInt = [](size_t h, size_t w, size_t k, size_t c, size_t f, const Vector &X, const Vector &T, Vector &Y) {
    padded_three(h, w, k, c, f, X, T, Y);
  };
  auto InLong = [](size_t h, size_t w, size_t k, size_t c, size_t f, const Vector &X, const Vector &T, Vector &Y) {
    padded_long(h, w, k, c, f, X, T, Y);
  };
  auto Depthwise = [](size_t h, size_t w, size_t k, size_t c, size_t f, const Vector &X, const Vector &T, Vector &Y) {
    depthwise(h, w, k, c, f, X, T, Y);
  };
  struct {
    const char *Name;
    Convolution Call;
  } Forms[] = {{"valid", valid},       {"three", three},             {"padded", InInt},        {"padded_three", ThreeInInt},
               {"padded_long", InLong}, {"padded_size", padded_size}, {"padded_at", padded_at}, {"line", line},
               {"depthwise", Depthwise}};
  static const size_t Sizes[][5] = {{13, 17, 3, 5, 6}, {9, 8, 5, 2, 3}, {1, 1, 1, 1, 1},
                                    {2, 3, 3, 2, 9},   {0, 4, 3, 1, 1}, {4, 4, 3, 0, 2}};
  for (auto [h, w, k, c, f] : Sizes)
    for (auto [Name, Call] : Forms) {
      bool IsPadded = strncmp(Name, "padded", 6) == 0 || !strcmp(Name, "depthwise");
      size_t Taps = k < 3 ? 3 : k, More = IsPadded ? 0 : Taps - 1;
      Vector X = make(1, c * (h + More) * (w + More) + h + k), T = make(2, Taps * Taps * (c + 1) * (f + 1)),
             Y = make(3, h * w * (f > c ? f : c));
      auto Run = [&, h = h, w = w, k = k, c = c, f = f, Call = Call](const std::string &Of, const Vector &X,
                                                                      const Vector &T, const Vector &Y) {
        run(Of, Y, [&] { Call(h * argc, w * argc, k * argc, c * argc, f * argc, X, T, Result); });
      };
      auto Less = [](const Vector &V, size_t Short) {
        return Vector(V.begin(), V.end() - (Short < V.size() ? Short : V.size()));
      };
      std::string Of = Name;
      for (size_t Size : {h, w, k, c, f})
        Of += (Of == Name ? "/" : "x") + std::to_string(Size);
      Run(Of, X, T, Y);
      for (size_t Short : {h + k + 1, h + k + w, X.size() / 2})
        Run(Of + "/x-" + std::to_string(Short), Less(X, Short), T, Y);
      for (size_t Short : {T.size() / 2, T.size() - 1})
        Run(Of + "/t-" + std::to_string(Short), X, Less(T, Short), Y);
      for (size_t Short : {size_t(1), Y.size() / 2 + 1})
        Run(Of + "/y-" + std::to_string(Short), X, T, Less(Y, Short));
    }
}
