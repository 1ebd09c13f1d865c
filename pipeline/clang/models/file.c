/*
 * Files (<stdio.h>, <unistd.h>): any content, of any length, and every operation may fail. What is written is read, and
 * goes nowhere. A stream is an object of the heap that fclose frees, so that its use behind that is found.
 */
struct file {
  int pushed; /* by ungetc, -1: nothing */
  bool ended, failed;
};

static struct file standard_files[3] = {{-1, false, false}, {-1, false, false}, {-1, false, false}};
struct file *stdin = &standard_files[0], *stdout = &standard_files[1], *stderr = &standard_files[2];

/* Any error: the number is positive. */
static int failing(int result) {
  int e = nd_int();
  assume(e > 0);
  errno = e;
  return result;
}

static struct file *any_file(void) {
  if (nd_bool()) {
    failing(0);
    return NULL;
  }
  int error = errno;
  struct file *f = malloc(sizeof *f);
  assume(f != NULL);
  errno = error;
  f->pushed = -1;
  f->ended = f->failed = false;
  return f;
}

struct file *fopen(const char *restrict name, const char *restrict mode) {
  (void)strlen(name);
  (void)strlen(mode);
  return any_file();
}
struct file *fopen64(const char *restrict name, const char *restrict mode) { return fopen(name, mode); }
struct file *fdopen(int fd, const char *mode) {
  (void)strlen(mode);
  return any_file();
}
struct file *tmpfile(void) { return any_file(); }
struct file *tmpfile64(void) { return any_file(); }

void free(void *p);

int fclose(struct file *f) {
  f->pushed = -1;
  if (f != &standard_files[0] && f != &standard_files[1] && f != &standard_files[2]) free(f);
  return nd_bool() ? failing(-1) : 0;
}

/* The end or an error: the stream remembers which. */
static void at_end(struct file *f) {
  if (nd_bool()) {
    f->ended = true;
  } else {
    f->failed = true;
    failing(0);
  }
}

int fgetc(struct file *f) {
  int c = f->pushed;
  if (c >= 0) {
    f->pushed = -1;
    return (unsigned char)c; /* the state of a stream is arbitrary in the proof of a contract */
  }
  if (f->ended || nd_bool()) {
    if (!f->ended) at_end(f);
    return -1;
  }
  c = nd_int();
  assume(c >= 0 && c <= 255);
  return c;
}
int getc(struct file *f) { return fgetc(f); }
int getc_unlocked(struct file *f) { return fgetc(f); }
int getchar(void) { return fgetc(stdin); }

int ungetc(int c, struct file *f) {
  if (c == -1 || f->pushed >= 0) return -1;
  f->pushed = (unsigned char)c;
  f->ended = false;
  return f->pushed;
}

/* A line: a newline ends it, so that none stands in front of its last byte; that is kept of the first LINE bytes. */
enum { LINE = 64 };

char *fgets(char *restrict to, int size, struct file *restrict f) {
  if (size <= 0) return NULL;
  if (size == 1) {
    to[0] = 0;
    return to;
  }
  if (f->pushed < 0 && (f->ended || nd_bool())) {
    if (!f->ended) {
      at_end(f);
      if (f->failed) memhavoc(to, (size_t)size);
    }
    return NULL;
  }
  size_t n = any_length(1, (size_t)size - 1);
  memhavoc(to, n);
  if (f->pushed >= 0) to[0] = (char)f->pushed;
  f->pushed = -1;
  for (size_t i = 0; i < LINE && i < (size_t)size - 2; i++) assume(i >= n - 1 || to[i] != '\n');
  if (n < (size_t)size - 1 && to[n - 1] != '\n') f->ended = true;
  to[n] = 0;
  return to;
}

size_t fread(void *restrict to, size_t size, size_t count, struct file *restrict f) {
  bool ended = f->ended;
  if (size == 0 || count == 0) return 0;
  if (count > SIZE_MAX / size) unitproof_other_conversion();
  size_t have = any_length(0, size * count);
  if (ended) assume(have == (f->pushed >= 0));
  if (f->pushed >= 0) assume(have >= 1);
  memhavoc(to, have);
  if (f->pushed >= 0) *(unsigned char *)to = (unsigned char)f->pushed;
  f->pushed = -1;
  if (have < size * count) {
    if (!ended) at_end(f);
    return size == 1 ? have : have / size;
  }
  return count;
}

size_t fwrite(const void *restrict from, size_t size, size_t count, struct file *restrict f) {
  f->pushed = -1;
  if (size == 0 || count == 0) return 0;
  if (count > SIZE_MAX / size) unitproof_other_conversion();
  unitproof_reads(from, size * count);
  size_t n = any_length(0, count);
  if (n < count) {
    f->failed = true;
    failing(0);
  }
  return n;
}

int feof(struct file *f) { return f->ended; }
int ferror(struct file *f) { return f->failed; }
void clearerr(struct file *f) { f->ended = f->failed = false; }

static int any_result(void) { return nd_bool() ? failing(-1) : 0; }

int fseek(struct file *f, long offset, int from) {
  f->pushed = -1;
  if (nd_bool()) return failing(-1);
  f->ended = false;
  return 0;
}
int fseeko(struct file *f, long offset, int from) { return fseek(f, offset, from); }
int fseeko64(struct file *f, long offset, int from) { return fseek(f, offset, from); }
void rewind(struct file *f) {
  f->pushed = -1;
  f->ended = f->failed = false;
}

static long any_position(void) {
  if (nd_bool()) return failing(-1);
  long n = nd_long();
  assume(n >= 0);
  return n;
}
long ftell(struct file *f) {
  (void)f->pushed;
  return any_position();
}
long ftello(struct file *f) { return ftell(f); }
long ftello64(struct file *f) { return ftell(f); }

int fileno(struct file *f) {
  if (f == &standard_files[0]) return 0;
  if (f == &standard_files[1]) return 1;
  if (f == &standard_files[2]) return 2;
  int n = nd_int();
  assume(n >= 0 && f->pushed >= -1);
  return n;
}

/* A line of any length in an allocation of its own (POSIX). */
void *realloc(void *p, size_t n);
ptrdiff_t getline(char **restrict line, size_t *restrict room, struct file *restrict f) {
  if (line == NULL || room == NULL) {
    errno = EINVAL;
    return -1;
  }
  size_t n = any_length(1, SIZE_MAX >> 2);
  bool none = f->pushed < 0 && (f->ended || nd_bool());
  if (*line == NULL || *room < n + 1) {
    char *more = realloc(*line, n + 1);
    if (more == NULL) return -1;
    *line = more;
    *room = n + 1;
  }
  if (none) {
    if (!f->ended) at_end(f);
    return -1;
  }
  memhavoc(*line, n);
  if (f->pushed >= 0) (*line)[0] = (char)f->pushed;
  f->pushed = -1;
  for (size_t i = 0; i < LINE; i++) assume(i >= n - 1 || (*line)[i] != '\n');
  (*line)[n] = 0;
  return (ptrdiff_t)n;
}

int remove(const char *name) {
  (void)strlen(name);
  return any_result();
}
int unlink(const char *name) { return remove(name); }
int rename(const char *from, const char *to) {
  (void)strlen(from);
  return remove(to);
}
int access(const char *name, int mode) { return remove(name); }

/* File descriptors. */
static int any_descriptor(void) {
  if (nd_bool()) return failing(-1);
  int fd = nd_int();
  assume(fd >= 0);
  return fd;
}
int open(const char *name, int flags, ...) {
  (void)strlen(name);
  return any_descriptor();
}
int close(int fd) { return any_result(); }
long lseek(int fd, long offset, int from) { return any_position(); }
long lseek64(int fd, long offset, int from) { return any_position(); }

ptrdiff_t read(int fd, void *to, size_t n) {
  if (nd_bool()) return failing(-1);
  size_t have = any_length(0, n);
  assume(have <= (size_t)LONG_MAX);
  memhavoc(to, have);
  return (ptrdiff_t)have;
}
ptrdiff_t write(int fd, const void *from, size_t n) {
  unitproof_reads(from, n);
  if (nd_bool()) return failing(-1);
  size_t have = any_length(0, n);
  assume(have <= (size_t)LONG_MAX);
  return (ptrdiff_t)have;
}

/* Formatted input from streams (scan.c). */
static int scan_stream(struct file *f, const char *format, arguments args) {
  if (f->pushed >= 0) unitproof_other_conversion();
  if (f->ended) return -1;
  int n = scan(NULL, format, args, false);
  if (n < 0) at_end(f);
  return n;
}
int vfscanf(struct file *restrict f, const char *restrict format, arguments args) {
  return scan_stream(f, format, args);
}
int __mingw_vfscanf(struct file *restrict f, const char *restrict format, arguments args) {
  return scan_stream(f, format, args);
}
int __mingw_vscanf(const char *restrict format, arguments args) { return scan_stream(stdin, format, args); }
int fscanf(struct file *restrict f, const char *restrict format, ...) {
  arguments args;
  __builtin_va_start(args, format);
  int n = scan_stream(f, format, args);
  __builtin_va_end(args);
  return n;
}
int scanf(const char *restrict format, ...) {
  arguments args;
  __builtin_va_start(args, format);
  int n = scan_stream(stdin, format, args);
  __builtin_va_end(args);
  return n;
}
int __isoc99_fscanf(struct file *restrict f, const char *restrict format, ...) {
  arguments args;
  __builtin_va_start(args, format);
  int n = scan_stream(f, format, args);
  __builtin_va_end(args);
  return n;
}
int __isoc99_scanf(const char *restrict format, ...) {
  arguments args;
  __builtin_va_start(args, format);
  int n = scan_stream(stdin, format, args);
  __builtin_va_end(args);
  return n;
}
int __isoc23_fscanf(struct file *restrict f, const char *restrict format, ...) {
  arguments args;
  __builtin_va_start(args, format);
  int n = scan_stream(f, format, args);
  __builtin_va_end(args);
  return n;
}
int __isoc23_scanf(const char *restrict format, ...) {
  arguments args;
  __builtin_va_start(args, format);
  int n = scan_stream(stdin, format, args);
  __builtin_va_end(args);
  return n;
}
