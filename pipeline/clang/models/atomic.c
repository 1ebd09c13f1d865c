/*
 * libatomic: what clang calls for objects that no instruction reads or writes at once, by size or by address. As the
 * instructions, they are executed as if there were one thread.
 */
#pragma redefine_extname atomic_load __atomic_load
#pragma redefine_extname atomic_store __atomic_store
#pragma redefine_extname atomic_exchange __atomic_exchange
#pragma redefine_extname atomic_compare_exchange __atomic_compare_exchange
#pragma redefine_extname atomic_is_lock_free __atomic_is_lock_free

int memcmp(const void *a, const void *b, size_t n);

void atomic_load(size_t n, const void *from, void *to, int order) { __builtin_memcpy(to, from, n); }
void atomic_store(size_t n, void *to, const void *from, int order) { __builtin_memcpy(to, from, n); }
void atomic_exchange(size_t n, void *at, const void *from, void *old, int order) {
  __builtin_memcpy(old, at, n);
  __builtin_memcpy(at, from, n);
}
bool atomic_compare_exchange(size_t n, void *at, void *expected, const void *wanted, int yes, int no) {
  if (memcmp(at, expected, n) == 0) {
    __builtin_memcpy(at, wanted, n);
    return true;
  }
  __builtin_memcpy(expected, at, n);
  return false;
}
bool atomic_is_lock_free(size_t n, const void *at) { return nd_bool(); }

typedef struct { unsigned short x; } __attribute__((packed)) at2;
typedef struct { uint32_t x; } __attribute__((packed)) at4;
typedef struct { unsigned long long x; } __attribute__((packed)) at8;
typedef unsigned long long word8;
typedef uint32_t word4;
typedef unsigned short word2;

word2 __atomic_fetch_add_2(void *p, word2 v, int order) {
  word2 old = ((at2 *)p)->x;
  ((at2 *)p)->x = (word2)(old + v);
  return old;
}
word2 __atomic_fetch_sub_2(void *p, word2 v, int order) {
  word2 old = ((at2 *)p)->x;
  ((at2 *)p)->x = (word2)(old - v);
  return old;
}
word2 __atomic_fetch_and_2(void *p, word2 v, int order) {
  word2 old = ((at2 *)p)->x;
  ((at2 *)p)->x = (word2)(old & v);
  return old;
}
word2 __atomic_fetch_or_2(void *p, word2 v, int order) {
  word2 old = ((at2 *)p)->x;
  ((at2 *)p)->x = (word2)(old | v);
  return old;
}
word2 __atomic_fetch_xor_2(void *p, word2 v, int order) {
  word2 old = ((at2 *)p)->x;
  ((at2 *)p)->x = (word2)(old ^ v);
  return old;
}
word2 __atomic_fetch_nand_2(void *p, word2 v, int order) {
  word2 old = ((at2 *)p)->x;
  ((at2 *)p)->x = (word2)(~(old & v));
  return old;
}

word4 __atomic_fetch_add_4(void *p, word4 v, int order) {
  word4 old = ((at4 *)p)->x;
  ((at4 *)p)->x = (word4)(old + v);
  return old;
}
word4 __atomic_fetch_sub_4(void *p, word4 v, int order) {
  word4 old = ((at4 *)p)->x;
  ((at4 *)p)->x = (word4)(old - v);
  return old;
}
word4 __atomic_fetch_and_4(void *p, word4 v, int order) {
  word4 old = ((at4 *)p)->x;
  ((at4 *)p)->x = (word4)(old & v);
  return old;
}
word4 __atomic_fetch_or_4(void *p, word4 v, int order) {
  word4 old = ((at4 *)p)->x;
  ((at4 *)p)->x = (word4)(old | v);
  return old;
}
word4 __atomic_fetch_xor_4(void *p, word4 v, int order) {
  word4 old = ((at4 *)p)->x;
  ((at4 *)p)->x = (word4)(old ^ v);
  return old;
}
word4 __atomic_fetch_nand_4(void *p, word4 v, int order) {
  word4 old = ((at4 *)p)->x;
  ((at4 *)p)->x = (word4)(~(old & v));
  return old;
}

word8 __atomic_fetch_add_8(void *p, word8 v, int order) {
  word8 old = ((at8 *)p)->x;
  ((at8 *)p)->x = (word8)(old + v);
  return old;
}
word8 __atomic_fetch_sub_8(void *p, word8 v, int order) {
  word8 old = ((at8 *)p)->x;
  ((at8 *)p)->x = (word8)(old - v);
  return old;
}
word8 __atomic_fetch_and_8(void *p, word8 v, int order) {
  word8 old = ((at8 *)p)->x;
  ((at8 *)p)->x = (word8)(old & v);
  return old;
}
word8 __atomic_fetch_or_8(void *p, word8 v, int order) {
  word8 old = ((at8 *)p)->x;
  ((at8 *)p)->x = (word8)(old | v);
  return old;
}
word8 __atomic_fetch_xor_8(void *p, word8 v, int order) {
  word8 old = ((at8 *)p)->x;
  ((at8 *)p)->x = (word8)(old ^ v);
  return old;
}
word8 __atomic_fetch_nand_8(void *p, word8 v, int order) {
  word8 old = ((at8 *)p)->x;
  ((at8 *)p)->x = (word8)(~(old & v));
  return old;
}

#ifdef __SIZEOF_INT128__
typedef unsigned __int128 word16;
typedef struct { word16 x; } __attribute__((packed)) at16;

word16 __atomic_load_16(const void *p, int order) { return ((const at16 *)p)->x; }
void __atomic_store_16(void *p, word16 v, int order) { ((at16 *)p)->x = v; }
word16 __atomic_exchange_16(void *p, word16 v, int order) {
  word16 old = ((at16 *)p)->x;
  ((at16 *)p)->x = v;
  return old;
}
bool __atomic_compare_exchange_16(void *p, void *expected, word16 wanted, int yes, int no) {
  return atomic_compare_exchange(16, p, expected, &wanted, yes, no);
}
word16 __atomic_fetch_add_16(void *p, word16 v, int order) {
  word16 old = ((at16 *)p)->x;
  ((at16 *)p)->x = (word16)(old + v);
  return old;
}
word16 __atomic_fetch_sub_16(void *p, word16 v, int order) {
  word16 old = ((at16 *)p)->x;
  ((at16 *)p)->x = (word16)(old - v);
  return old;
}
word16 __atomic_fetch_and_16(void *p, word16 v, int order) {
  word16 old = ((at16 *)p)->x;
  ((at16 *)p)->x = (word16)(old & v);
  return old;
}
word16 __atomic_fetch_or_16(void *p, word16 v, int order) {
  word16 old = ((at16 *)p)->x;
  ((at16 *)p)->x = (word16)(old | v);
  return old;
}
word16 __atomic_fetch_xor_16(void *p, word16 v, int order) {
  word16 old = ((at16 *)p)->x;
  ((at16 *)p)->x = (word16)(old ^ v);
  return old;
}
word16 __atomic_fetch_nand_16(void *p, word16 v, int order) {
  word16 old = ((at16 *)p)->x;
  ((at16 *)p)->x = (word16)(~(old & v));
  return old;
}
#endif
