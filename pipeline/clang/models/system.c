/*
 * What depends on the world outside: any answer is possible.
 */

/* Not static: a function without a body may write it. */
int __unitproof_errno;
int *__errno_location(void) { return &__unitproof_errno; }
int *__errno(void) { return &__unitproof_errno; } /* newlib */
int *_errno(void) { return &__unitproof_errno; }  /* Windows */

static int random_value(void) {
  int r = nd_int();
  assume(r >= 0);
  return r;
}

int rand(void) { return random_value(); }
int rand_r(unsigned *seed) {
  *seed = nd_uint();
  return random_value();
}
long random(void) { return random_value(); } /* RAND_MAX is 2^31 - 1 for both */
void srand(unsigned seed) { (void)seed; }
void srandom(unsigned seed) { (void)seed; }

typedef long time_t;
time_t time(time_t *where) {
  time_t t = nd_long();
  if (where != NULL) *where = t;
  return t;
}
long clock(void) { return nd_long(); }

/* The message of an error: some text that is not empty. Each call may change what the last one gave. */
char *strerror(int error) {
  static char message[64];
  memhavoc(message, sizeof message);
  assume(message[0] != 0);
  message[sizeof message - 1] = 0;
  return message;
}

double difftime(time_t end, time_t start) {
  return end >= start ? (double)((unsigned long)end - (unsigned long)start)
                      : -(double)((unsigned long)start - (unsigned long)end);
}

struct tm {
  int tm_sec, tm_min, tm_hour, tm_mday, tm_mon, tm_year, tm_wday, tm_yday, tm_isdst;
  long tm_gmtoff;
  const char *tm_zone;
};

/* Any date; years are those that a time_t of 64 bits can have, and of which none is refused. */
static struct tm *any_date(const time_t *t, struct tm *to, int dst) {
  (void)*(volatile const time_t *)t;
  if (nd_bool()) {
    errno = 75; /* EOVERFLOW */
    return NULL;
  }
  struct tm d;
  memhavoc(&d, sizeof d);
  assume(d.tm_sec >= 0 && d.tm_sec <= 60 && d.tm_min >= 0 && d.tm_min <= 59 && d.tm_hour >= 0 && d.tm_hour <= 23);
  assume(d.tm_mday >= 1 && d.tm_mday <= 31 && d.tm_mon >= 0 && d.tm_mon <= 11);
  assume(d.tm_wday >= 0 && d.tm_wday <= 6 && d.tm_yday >= 0 && d.tm_yday <= 365);
  assume(d.tm_isdst >= 0 && d.tm_isdst <= dst && d.tm_gmtoff >= -86400 && d.tm_gmtoff <= 86400);
  d.tm_zone = "UTC";
  *to = d;
  return to;
}
static struct tm __unitproof_date;
struct tm *gmtime(const time_t *t) { return any_date(t, &__unitproof_date, 0); }
struct tm *localtime(const time_t *t) { return any_date(t, &__unitproof_date, 1); }
struct tm *gmtime_r(const time_t *restrict t, struct tm *restrict to) { return any_date(t, to, 0); }
struct tm *localtime_r(const time_t *restrict t, struct tm *restrict to) { return any_date(t, to, 1); }

struct timespec {
  time_t tv_sec;
  long tv_nsec;
};
int clock_gettime(int which, struct timespec *to) {
  if (nd_bool()) {
    errno = EINVAL;
    return -1;
  }
  struct timespec t = {nd_long(), nd_long()};
  assume(t.tv_nsec >= 0 && t.tv_nsec < 1000000000);
  /* CLOCK_MONOTONIC and its like (the process, the thread, raw, coarse, since the start) tell the time since some
   * point in the past, which POSIX lets nobody set; that of the world may be before 1970. */
  assume(t.tv_sec >= 0 || which <= 0 || which == 5 || which > 7);
  *to = t;
  return 0;
}
struct timeval {
  time_t tv_sec;
  long tv_usec;
};
int gettimeofday(struct timeval *restrict to, void *restrict zone) {
  struct timeval t = {nd_long(), nd_long()};
  assume(t.tv_usec >= 0 && t.tv_usec < 1000000);
  *to = t;
  return 0;
}

/* NULL, or a string of any length and content. A list keeps the strings reachable, so that none
 * counts as leaked: they belong to the system. errno stays as it is. */
struct setting {
  struct setting *next;
  char *text;
};
static struct setting *__unitproof_settings;

char *getenv(const char *name) {
  (void)strlen(name);
  if (nd_bool()) return NULL;
  size_t n = nd_size_t();
  int error = __unitproof_errno;
  assume(n >= 1);
  struct setting *s = malloc(sizeof *s);
  char *text = unitproof_lend(n);
  assume(s != NULL && text != NULL);
  __unitproof_errno = error;
  text[n - 1] = 0;
  s->next = __unitproof_settings;
  s->text = text;
  __unitproof_settings = s;
  return text;
}

/* What atexit was given, which is called from the last one on. */
static void (*__unitproof_handlers[32])(void); /* as many as C promises */
static int __unitproof_nhandlers;
int atexit(void (*f)(void)) {
  if (__unitproof_nhandlers == 32) unitproof_other_conversion();
  __unitproof_handlers[__unitproof_nhandlers++] = f;
  return 0;
}
void __unitproof_at_end(void) {
  while (__unitproof_nhandlers > 0) __unitproof_handlers[--__unitproof_nhandlers]();
}

/*
 * What main is given (C11 5.1.2.2.1): strings of any length and content, up to a number of them, and NULL behind them.
 * How many arguments there are is chosen first.
 */
enum { MAX_ARGUMENTS = 8, MAX_ENVIRONMENT = 4 }; /* as package language has them */
static int __unitproof_argc;
static char **__unitproof_argv, **__unitproof_environment;

static char *any_string(void) {
  size_t n = nd_size_t();
  assume(n >= 1);
  char *text = unitproof_lend(n);
  assume(text != NULL);
  memhavoc(text, n);
  text[n - 1] = 0;
  return text;
}

static char **strings(int n, int most) {
  char **list = unitproof_lend((n + 1) * sizeof *list);
  assume(list != NULL);
  for (int i = 0; i < most; i++)
    if (i < n) list[i] = any_string();
  list[n] = NULL;
  return list;
}

int nd_argc(void);
void __unitproof_count_arguments(void) {
  int argc = nd_argc();
  assume(argc >= 0);
  __unitproof_argc = argc;
}
void __unitproof_make_arguments(void) {
  int argc = nd_argc(), n = nd_int();
  assume(argc >= 0 && argc <= MAX_ARGUMENTS);
  assume(n >= 0 && n <= MAX_ENVIRONMENT);
  __unitproof_argc = argc;
  __unitproof_argv = strings(argc, MAX_ARGUMENTS);
  __unitproof_environment = strings(n, MAX_ENVIRONMENT);
  __unitproof_errno = 0;
}
