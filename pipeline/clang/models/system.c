/*
 * What depends on the world outside: any answer is possible.
 */

/* Not static: a function without a body may write it. */
int __unitproof_errno;
int *__errno_location(void) { return &__unitproof_errno; }

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
  char *text = malloc(n);
  assume(s != NULL && text != NULL);
  __unitproof_errno = error;
  text[n - 1] = 0;
  s->next = __unitproof_settings;
  s->text = text;
  __unitproof_settings = s;
  return text;
}
