/*
 * What the C library keeps between calls is in no frame: no contract can name it. Contracts that stand for calls are
 * taken to leave it alone, which is listed.
 * verdict: proved
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unitproof.h>

static void bye(void) {}

int position(void)
__CPROVER_assigns()
__CPROVER_ensures(__CPROVER_return_value == 0)
{
  char text[4] = "a,b";
  return strtok(text, ",") == text ? 0 : 1;
}

void others(int n)
__CPROVER_assigns()
{
  time_t t = n;
  (void)getenv("HOME");
  (void)strerror(n);
  (void)atexit(bye);
  (void)gmtime(&t);
}

int streams(void)
__CPROVER_assigns()
__CPROVER_ensures(__CPROVER_return_value >= -1 && __CPROVER_return_value <= 255)
{
  return getchar();
}

int main(void) {
  char text[4] = "c,d";
  char *first = strtok(text, ",");
  int n = position();
  others(n);
  (void)streams();
  sassert(first == text && n == 0); // want proved assertion
}
