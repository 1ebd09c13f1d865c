/*
 * Primitives of CBMC that are more than a question about a pointer.
 */
size_t __CPROVER_OBJECT_SIZE(const void *p);
size_t __CPROVER_POINTER_OFFSET(const void *p);
size_t __CPROVER_POINTER_OBJECT(const void *p);

/* The whole object that p points into gets arbitrary content. */
void __CPROVER_havoc_object(void *p) {
  if (__CPROVER_POINTER_OBJECT(p) >> 63) unitproof_reads(p, 1); /* an address in no object */
  memhavoc((char *)p - __CPROVER_POINTER_OFFSET(p), __CPROVER_OBJECT_SIZE(p));
}

void __CPROVER_havoc_slice(void *p, size_t n) {
  unitproof_reads(p, n); /* memhavoc takes NULL for nothing to do */
  memhavoc(p, n);
}
