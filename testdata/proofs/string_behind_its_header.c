/*
A string whose header, of three sizes, stands before it and says how long it is, and that grows in place or elsewhere.
What it holds is compared by memcmp. To look for the position of the first difference, anywhere in all that the pointer
may point to, took 20 times as long as to compare byte after byte.
verdict: proved
*/
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unitproof.h>

#define N 8

struct __attribute__((packed)) small {
  uint8_t length, room;
  uint8_t kind;
};
struct __attribute__((packed)) middle {
  uint16_t length, room;
  uint8_t kind;
};
struct __attribute__((packed)) large {
  uint64_t length, room;
  uint8_t kind;
};

static size_t header_of(uint8_t kind) {
  switch (kind) {
  case 0: return sizeof(struct small);
  case 1: return sizeof(struct middle);
  default: return sizeof(struct large);
  }
}

static uint8_t kind_for(size_t n) { return n < 4 ? 0 : n < 12 ? 1 : 2; }

#define HEADER(T, s) ((struct T *)((s) - sizeof(struct T)))

static size_t length_of(const char *s) {
  switch ((uint8_t)s[-1]) {
  case 0: return HEADER(small, s)->length;
  case 1: return HEADER(middle, s)->length;
  default: return HEADER(large, s)->length;
  }
}

static size_t room_of(const char *s) {
  switch ((uint8_t)s[-1]) {
  case 0: return HEADER(small, s)->room;
  case 1: return HEADER(middle, s)->room;
  default: return HEADER(large, s)->room;
  }
}

static void set(char *s, size_t n, size_t room) {
  switch ((uint8_t)s[-1]) {
  case 0: HEADER(small, s)->length = n, HEADER(small, s)->room = room; break;
  case 1: HEADER(middle, s)->length = n, HEADER(middle, s)->room = room; break;
  default: HEADER(large, s)->length = n, HEADER(large, s)->room = room;
  }
}

static char *make(const char *from, size_t n) {
  uint8_t kind = kind_for(n);
  char *block = malloc(header_of(kind) + n + 1);
  if (block == NULL) return NULL;
  char *s = block + header_of(kind);
  s[-1] = kind;
  set(s, n, n);
  memcpy(s, from, n);
  s[n] = 0;
  return s;
}

static char *append(char *s, const char *more, size_t m) {
  size_t n = length_of(s);
  if (room_of(s) - n < m) {
    size_t room = 2 * (n + m);
    uint8_t kind = kind_for(room);
    char *old = s - header_of(s[-1]);
    if (kind == (uint8_t)s[-1]) {
      char *block = realloc(old, header_of(kind) + room + 1);
      if (block == NULL) return NULL;
      s = block + header_of(kind);
    } else {
      char *block = malloc(header_of(kind) + room + 1);
      if (block == NULL) return NULL;
      memcpy(block + header_of(kind), s, n + 1);
      free(old);
      s = block + header_of(kind);
      s[-1] = kind;
    }
    set(s, n, room);
  }
  memcpy(s + n, more, m);
  set(s, n + m, room_of(s));
  s[n + m] = 0;
  return s;
}

int main(void) {
  char a[N], b[N];
  size_t n = nd_size_t(), m = nd_size_t();
  assume(n <= N && m <= N);
  memhavoc(a, N);
  memhavoc(b, N);
  char *s = make(a, n);
  if (s == NULL) return 0;
  char *t = append(s, b, m);
  if (t == NULL) return 0;
  sassert(length_of(t) == n + m);
  sassert(t[n + m] == 0);
  sassert(memcmp(t, a, n) == 0);
  sassert(memcmp(t + n, b, m) == 0);
  return 0;
}
