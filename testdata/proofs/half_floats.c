/*
 * _Float16: 11 digits, numbers up to 65504, and arithmetic by way of float.
 * verdict: failed
 */
#include <unitproof.h>
#include <string.h>
extern _Float16 nondet_half(void);
int main(void) {
  _Float16 h = nondet_half(), g = nondet_half();
  unsigned short b; memcpy(&b, &h, 2);
  if (nd_bool()) {
  sassert(h == h || (b & 0x7c00) == 0x7c00);
  sassert((float)(_Float16)(float)h == (float)h || h != h);
  sassert(__builtin_isnan(h) == (h != h));
  sassert(-(-h) == h || h != h);
  assume(h == h && h >= 0 && h <= 10 && g >= 0 && g <= 10);
  sassert(h + g >= h);
  sassert((int)h >= 0 && (int)h <= 10);
  sassert(h * g <= 100);
  h += 1; sassert(h >= 1);
  }
  sassert((_Float16)65519.0f == (_Float16)65504.0f);
  sassert(__builtin_isinf((_Float16)65520.0));
  sassert((float)(_Float16)0.1f == 0x1.998p-4f);
  sassert((_Float16)2049 == (_Float16)2048.0f);
  int i = nd_int(); assume(i > 70000); sassert(__builtin_isinf((_Float16)i));
  sassert(b != 0x1234); // want failed assertion
}
