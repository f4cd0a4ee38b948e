//===- driver.c - the same calls of two libraries, compared bit by bit ----===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// driver <one.so> <other.so> < calls: reads a call from each line, as calls.py
// writes them, makes it with both libraries on the same memory, and compares
// all bytes of all arrays. Two NaNs are equal. Prints a line for a call that
// differs: its number, the argument, the first element that differs, both
// values, and how many elements differ. Each array ends at an inaccessible
// page.
//
//===----------------------------------------------------------------------===//

#define _GNU_SOURCE
#include <dlfcn.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { Most = 24, Room = 8 << 20 };

struct Array {
  char *memory; // Room bytes, before an inaccessible page
  char *start, *before, *after;
  char type;
  long elements, distance, first;
};

struct Call {
  char *routine;
  uint64_t seed;
  int magnitudes, zeros, specials;
  int arguments, arrays;
  const char *names[Most];
  uintptr_t values[Most];
  struct Array *array[Most];
  union {
    int64_t i;
    double d[2];
    float s[2];
    char c;
  } storage[Most];
};

static struct Array Arrays[3];
static sigjmp_buf Back;

static void fail(const char *why, const char *what) {
  fprintf(stderr, "driver: %s%s\n", why, what);
  exit(2);
}

// The routines call this for a wrong argument.
void xerbla_(const char *routine, const int *argument) {
  fprintf(stderr, "driver: wrong argument %d of ", *argument);
  fail("", routine);
}

// What f2c's code calls. In libf2c, a division by zero ends the program.
#define COMPLEX(T, p)                                                          \
  void p##_cnjg(T *to, const T *from) {                                        \
    T real = from[0], imaginary = from[1];                                     \
    to[0] = real, to[1] = -imaginary;                                          \
  }
#define DIVISION(T, p)                                                         \
  void p##_div(T *to, const T *a, const T *b) {                                \
    T x = a[0], y = a[1], u = b[0], v = b[1];                                  \
    int swap = fabs((double)u) <= fabs((double)v);                             \
    double ratio = swap ? u / v : v / u;                                       \
    double by = swap ? v * (1 + ratio * ratio) : u * (1 + ratio * ratio);      \
    to[0] = (T)((swap ? x * ratio + y : x + y * ratio) / by);                  \
    to[1] = (T)((swap ? y * ratio - x : y - x * ratio) / by);                  \
  }
COMPLEX(float, r)
COMPLEX(double, d)
DIVISION(float, c)
DIVISION(double, z)

static uint64_t next(uint64_t *seed) {
  uint64_t z = *seed += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

static double value(uint64_t *seed, const struct Call *call, int is_double,
                    double scale) {
  uint64_t r = next(seed);
  unsigned choice = r & 0xffff, exponent = r >> 16 & 0xff;
  if (call->specials && choice % call->specials == 0) {
    static const double Special[] = {NAN, INFINITY, -INFINITY, -0.0,
                                     NAN, 1,        -0.0};
    return Special[exponent % 7];
  }
  if (call->zeros && choice % call->zeros == 0)
    return exponent & 1 && exponent & 2 ? -0.0 : 0.0;
  double unit = (double)(int64_t)next(seed) * 0x1p-63;
  switch (call->magnitudes) {
  case 0:
    return scale * unit;
  case 1:
    return scale * ldexp(unit, (int)(exponent % 41) - 20);
  case 2: // small integers, of which many sums are exact
    return (int)(exponent % 7) - 3;
  default: // to the ends of the range, and denormal numbers
    return ldexp(unit, ((int)exponent - 128) * (is_double ? 8 : 1));
  }
}

static void fill(struct Array *a, const struct Call *call, int place) {
  uint64_t seed = call->seed * 64 + place;
  int complex = a->type == 'c' || a->type == 'z';
  int is_double = a->type == 'd' || a->type == 'z';
  for (long i = 0, n = a->elements << complex; i < n; i++) {
    // A triangle with a large diagonal keeps solutions in range.
    int diagonal = a->distance && (i >> complex) % a->distance == a->first;
    double v = value(&seed, call, is_double, a->distance ? 0.25 : 1);
    if (diagonal && call->magnitudes < 2 && v != 0)
      v += copysign(1, v);
    if (is_double)
      ((double *)a->before)[i] = v;
    else
      ((float *)a->before)[i] = (float)v;
  }
}

static long bytes(const struct Array *a) {
  return a->elements * (a->type == 's' ? 4 : a->type == 'z' ? 16 : 8);
}

static void reserve(struct Array *a) {
  a->memory = mmap(NULL, Room + 4096, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (a->memory == MAP_FAILED || mprotect(a->memory + Room, 4096, PROT_NONE))
    fail("no memory", "");
  a->before = malloc(Room);
  a->after = malloc(Room);
}

static void parse_argument(struct Call *call, char *word) {
  char *text = strchr(word, '=');
  if (!text)
    fail("no value: ", word);
  *text++ = 0;
  if (!strcmp(word, "seed"))
    call->seed = strtoull(text, NULL, 10);
  else if (!strcmp(word, "magnitudes"))
    call->magnitudes = atoi(text);
  else if (!strcmp(word, "zeros"))
    call->zeros = atoi(text);
  else if (!strcmp(word, "specials"))
    call->specials = atoi(text);
  else {
    int n = call->arguments++;
    if (n >= Most - 8)
      fail("too many arguments: ", word);
    call->names[n] = word;
    call->array[n] = NULL;
    call->values[n] = (uintptr_t)&call->storage[n];
    memset(&call->storage[n], 0, sizeof call->storage[n]);
    if (text[0] == '-' || (text[0] >= '0' && text[0] <= '9')) {
      call->storage[n].i = atoi(text);
    } else if (text[1] == 0) {
      call->storage[n].c = text[0];
    } else if (text[1] == ':') {
      char *rest = text + 2;
      for (int part = 0; part < 2; part++) {
        double v = strtod(rest, &rest);
        if (text[0] == 'd' || text[0] == 'z')
          call->storage[n].d[part] = v;
        else
          call->storage[n].s[part] = (float)v;
        rest += *rest == ',';
      }
    } else if (text[1] == '[') {
      if (call->arrays == 3)
        fail("too many arrays: ", word);
      struct Array *a = call->array[n] = &Arrays[call->arrays++];
      a->type = text[0];
      a->distance = a->first = 0;
      if (sscanf(text + 2, "%ld:%ld+%ld", &a->elements, &a->distance,
                 &a->first) < 1 ||
          bytes(a) > Room)
        fail("no size: ", text);
      a->start = a->memory + Room - bytes(a);
      call->values[n] = (uintptr_t)a->start;
    } else {
      fail("no such argument: ", text);
    }
  }
}

static struct Call *parse(char *line) {
  static struct Call call;
  call.arguments = call.arrays = call.zeros = call.specials = call.magnitudes =
      0;
  call.seed = 0;
  call.routine = strtok(line, " \n");
  for (char *word; call.routine && (word = strtok(NULL, " \n"));)
    parse_argument(&call, word);
  return call.routine ? &call : NULL;
}

static void caught(int signal) { siglongjmp(Back, signal); }

// Behind the arguments stand the lengths of those that are texts, each 1.
// Whoever is called does not look at arguments that it does not have.
static void make(void *library, const struct Call *call) {
  char name[32];
  snprintf(name, sizeof name, "%s_", call->routine);
  void (*f)(uintptr_t, ...) = (void (*)(uintptr_t, ...))dlsym(library, name);
  if (!f)
    fail("no such routine: ", name);
  typedef uintptr_t T;
  void (*function)(T, T, T, T, T, T, T, T, T, T, T, T, T, T, T, T, T, T, T, T) =
      (void (*)(T, T, T, T, T, T, T, T, T, T, T, T, T, T, T, T, T, T, T, T))f;
  T v[20];
  for (int i = 0; i < 20; i++)
    v[i] = i < call->arguments ? call->values[i] : 1;
  function(v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8], v[9], v[10],
           v[11], v[12], v[13], v[14], v[15], v[16], v[17], v[18], v[19]);
}

// Prints the first element that differs; whether there is one.
static int compare(long number, const char *name, const struct Array *a) {
  if (!memcmp(a->start, a->after, bytes(a)))
    return 0;
  int is_double = a->type == 'd' || a->type == 'z';
  long numbers = bytes(a) / (is_double ? 8 : 4), first = -1, count = 0;
  uint64_t values[2] = {0, 0};
  for (long i = 0; i < numbers; i++) {
    uint64_t bits[2] = {0, 0};
    double v[2];
    for (int side = 0; side < 2; side++) {
      const char *from = side ? a->start : a->after;
      if (is_double) {
        memcpy(&bits[side], from + 8 * i, 8);
        v[side] = ((const double *)from)[i];
      } else {
        memcpy(&bits[side], from + 4 * i, 4);
        v[side] = ((const float *)from)[i];
      }
    }
    if (bits[0] == bits[1] || (isnan(v[0]) && isnan(v[1])))
      continue;
    if (!count++) {
      first = i;
      memcpy(values, bits, sizeof bits);
    }
  }
  if (count)
    printf("%ld differs %s %ld %0*llx %0*llx %ld\n", number, name, first,
           is_double ? 16 : 8, (unsigned long long)values[0],
           is_double ? 16 : 8, (unsigned long long)values[1], count);
  return count != 0;
}

static void check(long number, const struct Call *call, void *libraries[2]) {
  for (int i = 0; i < call->arguments; i++)
    if (call->array[i])
      fill(call->array[i], call, i);
  for (int side = 0; side < 2; side++) {
    for (int i = 0; i < call->arrays; i++)
      memcpy(Arrays[i].start, Arrays[i].before, bytes(&Arrays[i]));
    int signal = sigsetjmp(Back, 1);
    if (signal) {
      printf("%ld signal %d %s\n", number, signal,
             side ? "tilesmith" : "plain");
      return;
    }
    make(libraries[side], call);
    for (int i = 0; !side && i < call->arrays; i++)
      memcpy(Arrays[i].after, Arrays[i].start, bytes(&Arrays[i]));
  }
  for (int i = 0; i < call->arguments; i++)
    if (call->array[i] && compare(number, call->names[i], call->array[i]))
      return;
}

int main(int count, char **names) {
  void *libraries[2];
  if (count != 3)
    fail("driver <one.so> <other.so> < calls", "");
  for (int i = 0; i < 2; i++)
    if (!(libraries[i] = dlopen(names[i + 1], RTLD_LAZY | RTLD_LOCAL)))
      fail("", dlerror());
  for (int i = 0; i < 3; i++)
    reserve(&Arrays[i]);
  static char stack[1 << 16];
  stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
  sigaltstack(&other, NULL);
  struct sigaction action = {.sa_handler = caught, .sa_flags = SA_ONSTACK};
  for (const int *s =
           (const int[]){SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, 0};
       *s; s++)
    sigaction(*s, &action, NULL);
  static char line[4096];
  long number = 0;
  for (; fgets(line, sizeof line, stdin); number++) {
    const struct Call *call = parse(line);
    if (!call)
      break;
    check(number, call, libraries);
  }
  printf("%ld calls\n", number);
  return 0;
}
