/*
A variable that is declared before the first case of a switch lives as long as the switch's block, and no longer.
verdict: failed
obligations: 20
*/
#include <unitproof.h>

int proof_dangles(void) {
  int *p = 0, k = nd_int();
  switch (k) {
    int x;
  case 0:
    x = 3;
    p = &x;
    sassert(*p == 3);
    break;
  default:
    x = 2;
    p = &x;
  }
  return *p; // want failed use-after-scope
}

int proof_another_one_each_time(void) {
  int r = 0;
  for (int i = 0; i < 2; i++) {
    switch (i) {
      int x;
    case 0:
      x = 3;
      r = x;
      break;
    default:
      r = x;
    }
  }
  sassert(r == 3); // want failed assertion
  return r;
}

static void set(int *p, int v) { *p = v; }

int proof_across_cases_and_blocks(void) {
  int s = 0;
  for (int i = 0; i < 3; i++) {
    switch (i + (nd_int() & 1)) {
      int x, *q;
    case 0: {
      x = 1;
      q = &x;
    }
      /* fall through */
    case 1: {
      if (i == 0 && nd_bool()) {
        set(&x, 7);
        q = &x;
        s += *q;
      }
      break;
    }
    default:
      do {
        set(&x, i);
        q = &x;
      } while (x < i);
      switch (x) {
        int inner;
      case 1:
        inner = *q;
        q = &inner;
        s += *q;
        break;
      case 2:
        set(&inner, 9);
        s += inner;
      }
      s += x;
    }
  }
  sassert(s >= 0 && s <= 21);
  return s;
}

int proof_temporaries(void) {
  int s = 0;
  for (int i = 0; i < 2; i++)
    switch (({ int t = i; t + 1; })) {
    case 1:
      s += ({ int u = s; u + 1; }) ? (nd_bool() ? 1 : 2) : 3;
      break;
    case 2:
      s += ((struct { int a, b; }){s, i}).b;
    }
  sassert(s <= 3);
  return s;
}

int proof_used_in_an_inner_switch(void) {
  int s = 0, *p = 0, k = nd_int();
  switch (k & 1) {
    int x;
  case 0:
    switch (k & 2) {
    default:
      x = 4;
      p = &x;
    }
    s = *p;
    sassert(s == 4);
  }
  return s;
}
