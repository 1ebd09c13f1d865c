/*
Invariants that executions propose: few values and values that do not meet, strides of inputs, linear equations, and
facts under a condition. Of most shapes there is a loop whose assertion is true, and one whose assertion is not.
verdict: failed
*/
#include <unitproof.h>

void machine_proof(void) {
  int mode = 0, power = 0;
  for (;;) {
    if (mode == 0) {
      if (nd_bool())
        mode = 1;
    } else if (mode == 1) {
      power = 5;
      mode = 2;
    } else {
      sassert(power == 5);
      power = 0;
      mode = 0;
    }
  }
}

void machine_without_power_proof(void) {
  int mode = 0, power = 0;
  for (;;) {
    if (mode == 0) {
      if (nd_bool())
        mode = 1;
    } else if (mode == 1) {
      if (nd_bool())
        power = 5;
      mode = 2;
    } else {
      sassert(power == 5); // want failed assertion
      power = 0;
      mode = 0;
    }
  }
}

void stride_proof(void) {
  unsigned y = 3;
  for (;;) {
    y += 4 * nd_uint();
    if (nd_bool())
      y += 8;
    sassert(y % 4 == 3);
  }
}

void stride_of_two_proof(void) {
  unsigned y = 3;
  for (;;) {
    y += 4 * nd_uint();
    if (nd_bool())
      y += 2;
    sassert(y % 4 == 3); // want failed assertion
  }
}

void sum_proof(void) {
  int n = nd_int(), s = 0, t = 0;
  assume(n >= 0 && n < 10000);
  for (int i = 0; i < n; i++)
    if (nd_bool())
      s++;
    else
      t++;
  sassert(s + t == n);
}

void sum_that_skips_proof(void) {
  int n = nd_int(), s = 0, t = 0;
  assume(n >= 0 && n < 10000);
  for (int i = 0; i < n; i++)
    if (nd_bool())
      s++;
    else if (i != 1)
      t++;
  sassert(s + t == n); // want failed assertion
}

void phases_proof(void) {
  int n = nd_int(), x = 0, y = 50;
  assume(n >= 60 && n < 100000);
  while (x < n) {
    x++;
    if (x > 50)
      y++;
  }
  sassert(y == n);
}

void largest_index_proof(void) {
  int n = nd_int(), m = 0;
  assume(n > -100000 && n < 100000);
  for (int x = 0; x < n; x++)
    if (nd_bool())
      m = x;
  if (n > 0)
    sassert(m < n);
}

void index_behind_proof(void) {
  int n = nd_int(), m = 0;
  assume(n > -100000 && n < 100000);
  for (int x = 0; x < n; x++)
    if (nd_bool())
      m = x + 1;
  if (n > 0)
    sassert(m < n); // want failed assertion
}
