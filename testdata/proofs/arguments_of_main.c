/*
main gets argc >= 0, argv[0] to argv[argc-1] strings, NULL behind them, and the environment likewise (C11 5.1.2.2.1).

verdict: failed
*/
#include <stdlib.h>
#include <string.h>
#include <unitproof.h>

int main(int argc, char **argv, char **envp) {
  sassert(argc >= 0);
  sassert(argv[argc] == NULL);
  if (argc == 0) return 0;
  sassert(argc > 0);
  int i = nd_int();
  if (i >= 0 && i < argc) {
    sassert(argv[i] != NULL);
    argv[i][0] = argv[i][0]; // strings may be changed
    sassert(argv[i][0] != 0); // want failed assertion
    if (argv[i][1] != 0) (void)*(volatile char *)(argv[i] + 2);
    else (void)*(volatile char *)(argv[i] + 2); // want failed out-of-bounds-read
  }
  for (char **e = envp; *e; e++) sassert(e[0] != NULL);
  if (argc > 2 && strcmp(argv[1], "-x") == 0) sassert(argv[1][2] == 0);
  return argv[argc + 1] == NULL; // want failed out-of-bounds-read
}
