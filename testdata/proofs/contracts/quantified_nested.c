/*
A quantifier in another one is one over two variables; a matrix is filled.
flags: --contract clear
verdict: failed
*/
#include <stddef.h>
#include <stdint.h>

#define ROWS 5
#define COLUMNS 12

void clear(int16_t m[ROWS][COLUMNS], uint32_t rows)
__CPROVER_requires(rows <= ROWS && __CPROVER_is_fresh(m, sizeof(int16_t[ROWS][COLUMNS])))
__CPROVER_requires(__CPROVER_forall { uint32_t i; (0 <= i && i < ROWS) ==>
  __CPROVER_forall { uint32_t j; (0 <= j && j < COLUMNS) ==> m[i][j] <= 9 } })
__CPROVER_assigns(__CPROVER_object_upto(m, sizeof(int16_t[ROWS][COLUMNS])))
__CPROVER_ensures(__CPROVER_forall { uint32_t i; (i < rows) ==>
  (__CPROVER_forall { uint32_t j; (j < COLUMNS) ==> m[i][j] == 0 }) })
__CPROVER_ensures(rows == ROWS || m[rows][7] <= 9)
__CPROVER_ensures(rows == ROWS || m[rows][7] <= 8) // want failed postcondition
{
  for (uint32_t i = 0; i < rows; i++)
  __CPROVER_assigns(i, __CPROVER_object_whole(m))
  __CPROVER_loop_invariant(i <= rows)
  __CPROVER_loop_invariant(__CPROVER_forall { uint32_t a; a < i ==>
    __CPROVER_forall { uint32_t j; j < COLUMNS ==> m[a][j] == 0 } })
  __CPROVER_loop_invariant(__CPROVER_forall { uint32_t a; (i <= a && a < ROWS) ==>
    __CPROVER_forall { uint32_t j; j < COLUMNS ==> m[a][j] <= 9 } })
  {
    for (uint32_t k = 0; k < COLUMNS; k++)
    __CPROVER_assigns(k, __CPROVER_object_whole(m))
    __CPROVER_loop_invariant(k <= COLUMNS)
    __CPROVER_loop_invariant(__CPROVER_forall { uint32_t a; a < i ==>
      __CPROVER_forall { uint32_t j; j < COLUMNS ==> m[a][j] == 0 } })
    __CPROVER_loop_invariant(__CPROVER_forall { uint32_t j; j < k ==> m[i][j] == 0 })
    __CPROVER_loop_invariant(__CPROVER_forall { uint32_t a; (i < a && a < ROWS) ==>
      __CPROVER_forall { uint32_t j; j < COLUMNS ==> m[a][j] <= 9 } })
    {
      m[i][k] = 0;
    }
  }
}
