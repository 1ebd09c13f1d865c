/*
Which bytes the string functions read of memory that is written in parts.
verdict: failed
flags: --check uninitialized-read
*/
#define _GNU_SOURCE
#include <string.h>
#include <unitproof.h>

void end_proof(void) {
  char s[64];
  for (int i = 0; i < 40; i++) s[i] = 1;
  size_t n = nd_size_t();
  assume(n <= 50);
  s[n] = 0;
  sassert(strlen(s) == n); // want failed uninitialized-read
}

void within_proof(void) {
  char s[64];
  for (int i = 20; i < 60; i++) s[i] = i;
  int c = nd_int();
  assume(c >= 30 && c < 50);
  sassert(memchr(s + 20, c, 44) == s + c);
  sassert(memrchr(s, c, 60) == s + c);
  c = nd_int();
  assume(c >= 0 && c < 50);
  memrchr(s, c, 60); // want failed uninitialized-read
}

void before_proof(void) {
  char s[64], t[64];
  memset(s + 1, 'x', 63);
  memset(t, 'x', 64);
  sassert(memcmp(s + 1, t, 63) == 0);
  memcmp(s, t, 64); // want failed uninitialized-read
}
