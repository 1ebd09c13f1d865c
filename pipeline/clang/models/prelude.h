/* What the models use of each other and of the engine. No header of a C library: the models fit any. */
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EINVAL 22
#define ERANGE 34
int *__errno_location(void);
#define errno (*__errno_location())

void assume(bool c);
bool nd_bool(void);
int nd_int(void);
unsigned nd_uint(void);
long nd_long(void);
size_t nd_size_t(void);

/* The n bytes at p may be read; 0 bytes need no valid pointer. */
void unitproof_reads(const void *p, size_t n);

/* The n bytes at a, which may be written, and the m bytes at b, which may be read, share none. */
void unitproof_apart(const void *a, size_t n, const void *b, size_t m);

/*
 * Whether positions in memory are found as such, however long it is, or by loops. The first of n bytes that is c or, if
 * zero, 0; the place behind the last that is c, 0 for none; the first at which two ranges differ or, if zero, both end.
 * Without any the first and the third are n, or where an object ends before that; so it is to be said that as many
 * bytes are read.
 */
bool unitproof_scans(void);
size_t unitproof_find(const void *s, size_t n, unsigned char c, bool zero);
size_t unitproof_find_last(const void *s, size_t n, unsigned char c);
size_t unitproof_differ(const void *a, const void *b, size_t n, bool zero);

void memhavoc(void *p, size_t n);

/* A value that the C library computes and that is not modelled: a violation that needs it is no failure. */
double unitproof_any_double(void);
int unitproof_any_int(void);

/* Whether a value is the same in all executions that are examined together; a concrete run knows all. Only what is
 * faster may depend on it. */
bool unitproof_known(unsigned long long v);

/* What the models lack: what follows is unknown. */
void unitproof_other_conversion(void);

/* A block like those of malloc, which is not the program's to free. */
void *unitproof_lend(size_t n);

void *malloc(size_t n);
size_t strlen(const char *s);
size_t strnlen(const char *s, size_t max);
int tolower(int c);
