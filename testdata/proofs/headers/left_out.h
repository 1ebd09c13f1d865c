#ifndef LEFT_OUT_H
#define LEFT_OUT_H

#define CHECK_IN_HEADER(x) CHECK(x)
#define CHECK_EXPRESSION(c) ((c) ? (void)0 : __assert_fail(#c, __FILE__, __LINE__, __func__))

// The value returned has the line and the column of an assertion in left_out_in_other_ways.c.














































static inline int same_place(int x) {
  return x;
}

#endif
