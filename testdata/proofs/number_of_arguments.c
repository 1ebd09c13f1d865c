/*
A main that uses only the number of its arguments, which may be any.

verdict: failed
*/
#include <unitproof.h>

int main(int argc, char **argv) {
  sassert(argc >= 0);
  sassert(argc < 1000000); // want failed assertion
  return argc - 1;
}
