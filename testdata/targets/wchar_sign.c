/*
wchar_t has a sign on some machines: a comparison with a negative end marker fails where it has none.
verdict: failed
targets: x86_64-linux i386-linux armhf-linux powerpc-linux x86_64-windows riscv64-linux
*/
#include <unitproof.h>

#include <stddef.h>

int main(void) {
  wchar_t w[2] = {(wchar_t)nd_int(), (wchar_t)-1};
  long long last = w[1];
  sassert(last == -1); // want failed assertion on armhf-linux x86_64-windows
  sassert(w[1] == (wchar_t)-1);
  sassert(w[0] + 0LL >= 0); // want failed assertion on x86_64-linux i386-linux powerpc-linux riscv64-linux
  return 0;
}
