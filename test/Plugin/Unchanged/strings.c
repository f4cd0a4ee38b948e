//===- strings.c - byte loops are left alone ------------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// RUN: %python %S/../Inputs/same_object.py %clang %tilesmith %s
// RUN: %python %S/../Inputs/same_object.py %clang %tilesmith %s -march=native -g

unsigned long length(const char *s) {
  unsigned long n = 0;
  while (s[n])
    n++;
  return n;
}

const char *find(const char *text, const char *word) {
  for (; *text; text++) {
    const char *t = text, *w = word;
    while (*w && *t == *w)
      t++, w++;
    if (!*w)
      return text;
  }
  return 0;
}

void reverse(char *s, int n) {
  for (int i = 0, j = n - 1; i < j; i++, j--) {
    char c = s[i];
    s[i] = s[j], s[j] = c;
  }
}

unsigned crc(const unsigned char *data, unsigned long n) {
  unsigned c = ~0u;
  for (unsigned long i = 0; i < n; i++) {
    c ^= data[i];
    for (int bit = 0; bit < 8; bit++)
      c = c & 1 ? c >> 1 ^ 0xEDB88320u : c >> 1;
  }
  return ~c;
}
