/*
Small structs among variable arguments: a struct of three or five bytes is passed as an integer of so many bytes, whose
place in its slot depends on the byte order. Each function also reads the argument behind the struct. On MIPS, clang
passes an argument without a value before a struct with a double.
verdict: proved
targets: x86_64-linux i386-linux armhf-linux powerpc-linux s390x-linux powerpc64-linux mips-linux msp430-none
*/
#include <stdarg.h>
#include <unitproof.h>

struct c1 {
  signed char v[1];
};
struct c3 {
  signed char v[3];
};
struct c5 {
  signed char v[5];
};
struct c9 {
  signed char v[9];
};
struct s2 {
  short a;
};
struct f1 {
  float a;
};
struct f3 {
  float a, b, c;
};
struct mix {
  char a;
  double b;
  short c;
};

/* The first and the last member, and the argument behind the struct. */
#define READS(T, FIRST, LAST)              \
  static int read_##T(int n, ...) {        \
    va_list ap;                            \
    va_start(ap, n);                       \
    struct T x = va_arg(ap, struct T);     \
    int behind = va_arg(ap, int);          \
    va_end(ap);                            \
    return (int)(x.FIRST) * 100 + (int)(x.LAST) * 10 + behind; \
  }
READS(c1, v[0], v[0])
READS(c3, v[0], v[2])
READS(c5, v[0], v[4])
READS(c9, v[0], v[8])
READS(s2, a, a)
READS(f1, a, a)
READS(f3, a, c)
READS(mix, b, c)

int main(void) {
  signed char k = (signed char)(nd_int() & 7);
  switch (nd_int()) {
  case 0:
    sassert(read_c1(0, (struct c1){{k}}, 4) == k * 110 + 4);
    break;
  case 1:
    sassert(read_c3(0, (struct c3){{k, 2, 3}}, 4) == k * 100 + 34);
    break;
  case 2:
    sassert(read_c5(0, (struct c5){{1, 2, 3, 4, k}}, 4) == 104 + k * 10);
    break;
  case 3:
    sassert(read_c9(0, (struct c9){{k, 2, 3, 4, 5, 6, 7, 8, 9}}, 4) == k * 100 + 94);
    break;
  case 4:
    sassert(read_s2(0, (struct s2){k}, 4) == k * 110 + 4);
    break;
  case 5:
    sassert(read_f1(0, (struct f1){7}, k) == 770 + k);
    break;
  case 6:
    sassert(read_f3(0, (struct f3){7, 8, 9}, k) == 790 + k);
    break;
  case 7:
    sassert(read_mix(0, (struct mix){'a', 7, k}, 4) == 704 + k * 10);
    break;
  }
  return 0;
}
