//===- sort.c - sorting and searching are left alone ----------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// RUN: %python %S/../Inputs/same_object.py %clang %tilesmith %s
// RUN: %python %S/../Inputs/same_object.py %clang %tilesmith %s -march=native -g

void insertion_sort(int *a, int n) {
  for (int i = 1; i < n; i++) {
    int x = a[i], j = i;
    for (; j > 0 && a[j - 1] > x; j--)
      a[j] = a[j - 1];
    a[j] = x;
  }
}

void bubble_sort(double *a, unsigned n) {
  for (unsigned i = 0; i < n; i++)
    for (unsigned j = 0; j + 1 < n - i; j++)
      if (a[j] > a[j + 1]) {
        double t = a[j];
        a[j] = a[j + 1], a[j + 1] = t;
      }
}

void quick_sort(long *a, long n) {
  while (n > 1) {
    long pivot = a[n / 2], i = 0, j = n - 1;
    while (i <= j) {
      while (a[i] < pivot)
        i++;
      while (a[j] > pivot)
        j--;
      if (i <= j) {
        long t = a[i];
        a[i++] = a[j], a[j--] = t;
      }
    }
    quick_sort(a, j + 1);
    a += i, n -= i;
  }
}

long binary_search(const float *a, long n, float x) {
  long low = 0;
  while (n > 0) {
    long half = n / 2;
    if (a[low + half] < x)
      low += half + 1, n -= half + 1;
    else
      n = half;
  }
  return low;
}
