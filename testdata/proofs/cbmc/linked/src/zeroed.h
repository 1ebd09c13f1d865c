#define ALL_ZERO(p)                              \
  __CPROVER_forall {                             \
    unsigned i;                                  \
    i < sizeof(*(p)) ==> ((char *)(p))[i] == 0   \
  }

static inline int zeroed(const void *start) {
  const char(*p)[8] = start;
  return ALL_ZERO(p);
}
