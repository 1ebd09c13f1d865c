/* verdict: failed
   A loop replaces a block of the heap, and the loop is proved for any number of iterations: a buffer that grows, one in
   a struct, one that begins on the stack, with a pointer into it, in an inner loop. In each second function something is
   wrong in a late iteration, or with another pointer to the block. */
#include <stdlib.h>
#include <string.h>
#include <unitproof.h>

struct bytes { char *data; size_t length, capacity; };

static int append(struct bytes *b, char c) {
  if (b->length == b->capacity) {
    size_t capacity = b->capacity ? b->capacity * 2 : 16;
    char *data = realloc(b->data, capacity);
    if (data == NULL) return -1;
    b->data = data;
    b->capacity = capacity;
  }
  b->data[b->length++] = c;
  return 0;
}

static int append_late(struct bytes *b, char c) {
  if (b->length == b->capacity) {
    size_t capacity = b->capacity ? b->capacity * 2 : 16;
    char *data = realloc(b->data, capacity - (capacity > 60));
    if (data == NULL) return -1;
    b->data = data;
    b->capacity = capacity;
  }
  b->data[b->length++] = c;  // want failed out-of-bounds-write
  return 0;
}

static char *input(size_t *n) {
  *n = nd_size_t();
  assume(*n <= 100000);
  char *s = malloc(*n);
  assume(s != NULL);
  return s;
}

void struct_proof(void) {
  size_t n;
  char *s = input(&n);
  struct bytes b = {0};
  for (size_t i = 0; i < n; i++)
    if (append(&b, s[i]) < 0) break;
  free(b.data);
  free(s);
}

void struct_late_proof(void) {
  size_t n;
  char *s = input(&n);
  struct bytes b = {0};
  for (size_t i = 0; i < n; i++)
    if (append_late(&b, s[i]) < 0) break;
  free(b.data);
  free(s);
}

void stack_proof(void) {
  size_t n, capacity = 8, length = 0;
  char *s = input(&n), first[8], *buffer = first;
  for (size_t i = 0; i < n; i++) {
    if (length == capacity) {
      char *larger = malloc(capacity * 2);
      if (larger == NULL) break;
      memcpy(larger, buffer, length);
      if (buffer != first) free(buffer);
      buffer = larger;
      capacity *= 2;
    }
    buffer[length++] = s[i];
  }
  if (buffer != first) free(buffer);
  free(s);
}

void stack_freed_proof(void) {
  size_t n, capacity = 8, length = 0;
  char *s = input(&n), first[8], *buffer = first;
  for (size_t i = 0; i < n; i++) {
    if (length == capacity) {
      char *larger = malloc(capacity * 2);
      if (larger == NULL) break;
      memcpy(larger, buffer, length);
      if (capacity > 8) free(buffer);
      buffer = larger;
      capacity *= 2;
    }
    buffer[length++] = s[i];
  }
  if (n > 0) free(buffer);  // want failed invalid-free
  free(s);
}

void pointer_proof(void) {
  size_t n, capacity = 16;
  char *s = input(&n), *start = malloc(capacity), *at = start;
  if (start == NULL) return;
  for (size_t i = 0; i < n; i++) {
    if (at == start + capacity) {
      size_t length = at - start;
      char *larger = realloc(start, capacity * 2);
      if (larger == NULL) break;
      start = larger;
      at = larger + length;
      capacity *= 2;
    }
    *at++ = s[i];
  }
  free(start);
  free(s);
}

void stale_pointer_proof(void) {
  size_t n, capacity = 16, length = 0;
  char *s = input(&n), *start = malloc(capacity), *first = start;
  if (start == NULL) return;
  for (size_t i = 0; i < n; i++) {
    if (length == capacity) {
      char *larger = realloc(start, capacity * 2);
      if (larger == NULL) break;
      start = larger;
      capacity *= 2;
    }
    start[length++] = s[i];
    if (length == 40) *first = 0;  // want failed use-after-free
  }
  free(start);
  free(s);
}

void inner_proof(void) {
  size_t n, capacity = 0, length = 0;
  char *s = input(&n), *words = NULL;
  for (size_t i = 0; i < n;) {
    size_t word = 0;
    while (i + word < n && s[i + word] != ' ') word++;
    while (length + word + 1 > capacity) {
      capacity = capacity ? capacity * 2 : 8;
      char *larger = realloc(words, capacity);
      if (larger == NULL) goto out;
      words = larger;
    }
    memcpy(words + length, s + i, word);
    length += word;
    words[length++] = 0;
    i += word + 1;
  }
out:
  free(words);
  free(s);
}

void last_proof(void) {
  size_t n;
  char *s = input(&n), *last = NULL;
  for (size_t i = 0; i + 4 <= n; i += 4) {
    char *word = malloc(5);
    if (word == NULL) break;
    memcpy(word, s + i, 4);
    word[4] = 0;
    if (last != NULL && last[4] == word[0]) {
      free(word);
      continue;
    }
    free(last);
    last = word;
  }
  free(last);
  free(s);
}

void last_too_short_proof(void) {
  size_t n;
  char *s = input(&n), *last = NULL;
  for (size_t i = 0; i + 4 <= n; i += 4) {
    char *word = malloc(5);
    if (word == NULL) break;
    memcpy(word, s + i, 4);
    word[4] = 0;
    if (last != NULL && last[5] == word[0]) {  // want failed out-of-bounds-read
      free(word);
      continue;
    }
    free(last);
    last = word;
  }
  free(last);
  free(s);
}
