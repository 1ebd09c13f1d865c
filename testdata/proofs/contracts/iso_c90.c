/*
ISO C90 has neither inline nor comments of one line: contracts do without.
flags: --contract smaller --cflag -ansi --cflag -pedantic-errors
verdict: proved
*/
int smaller(int x)
__CPROVER_requires(x > 0)
__CPROVER_assigns()
__CPROVER_ensures(__CPROVER_return_value >= 0 && __CPROVER_return_value < x)
{
  return x / 2;
}
