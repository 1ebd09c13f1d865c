/*
 * Primitives of CBMC that are more than a question about a pointer.
 */
size_t __CPROVER_OBJECT_SIZE(const void *p);
size_t __CPROVER_POINTER_OFFSET(const void *p);

/* The whole object that p points into gets arbitrary content. Where it points into none (NULL, or an address that no
 * object gave) nothing changes, and that is no violation: CBMC has no check of it. */
void __CPROVER_havoc_object(void *p) {
  size_t n = __CPROVER_OBJECT_SIZE(p); /* 0 for no object */
  if (n > 0) memhavoc((char *)p - __CPROVER_POINTER_OFFSET(p), n);
}

void __CPROVER_havoc_slice(void *p, size_t n) {
  unitproof_reads(p, n); /* memhavoc takes NULL for nothing to do */
  memhavoc(p, n);
}
