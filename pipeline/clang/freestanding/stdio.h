/* stdio.h: declarations for targets without a C library. */
#pragma once
#include <stdarg.h>
#include <stddef.h>
typedef struct __unitproof_file FILE;
extern FILE *stdin, *stdout, *stderr;
#define EOF (-1)
#define BUFSIZ 1024
#define SEEK_SET 0
#define SEEK_CUR 1
#define SEEK_END 2
int printf(const char *restrict format, ...);
int fprintf(FILE *restrict f, const char *restrict format, ...);
int sprintf(char *restrict to, const char *restrict format, ...);
int snprintf(char *restrict to, size_t n, const char *restrict format, ...);
int vprintf(const char *restrict format, va_list args);
int vfprintf(FILE *restrict f, const char *restrict format, va_list args);
int vsprintf(char *restrict to, const char *restrict format, va_list args);
int vsnprintf(char *restrict to, size_t n, const char *restrict format, va_list args);
int sscanf(const char *restrict s, const char *restrict format, ...);
int puts(const char *s);
int putchar(int c);
int fputs(const char *restrict s, FILE *restrict f);
int fputc(int c, FILE *f);
int getchar(void);
int fgetc(FILE *f);
char *fgets(char *restrict s, int n, FILE *restrict f);
FILE *fopen(const char *restrict name, const char *restrict mode);
int fclose(FILE *f);
int fflush(FILE *f);
size_t fread(void *restrict to, size_t size, size_t n, FILE *restrict f);
size_t fwrite(const void *restrict from, size_t size, size_t n, FILE *restrict f);
void perror(const char *s);
