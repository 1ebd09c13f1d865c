/*
FE_DFL_ENV is an address that differs by the C library: -1, or that of a constant (PowerPC).
verdict: failed
targets: x86_64-linux i386-linux armhf-linux powerpc-linux s390x-linux
*/
#include <unitproof.h>

#include <fenv.h>
int main(void) {
  fenv_t e;
  sassert(fesetround(FE_DOWNWARD) == 0);
  fegetenv(&e);
  fesetenv(FE_DFL_ENV);
  sassert(fegetround() == FE_TONEAREST);
  fesetenv(&e);
  sassert(fegetround() == FE_DOWNWARD);
  sassert(FE_UPWARD == 2); // want failed assertion on x86_64-linux i386-linux armhf-linux
  return 0;
}
