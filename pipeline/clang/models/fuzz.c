/*
 * What libFuzzer does before the first call of a fuzz target, and for one call: a block of exactly as many arbitrary
 * bytes as the input has, which is NULL or a block of no bytes if it has none. The size is chosen first.
 */
extern const size_t __unitproof_max_len; /* defined where the program is linked */
extern const unsigned char __unitproof_given_input[];
extern const size_t __unitproof_given_size;
static const unsigned char *__unitproof_data;
static size_t __unitproof_size;

int LLVMFuzzerInitialize(int *argc, char ***argv);
void libFuzzer(void) {
  static char *arguments[2];
  static char **argv = arguments;
  static int argc = 1;
  arguments[0] = any_string();
  LLVMFuzzerInitialize(&argc, &argv);
}

size_t nd_input_size(void);
void __unitproof_make_input(void) {
  size_t size = nd_input_size();
  assume(size <= __unitproof_max_len);
  unsigned char *data = NULL;
  if (size > 0 || nd_bool()) {
    data = unitproof_lend(size);
    assume(data != NULL);
    memhavoc(data, size);
  }
  __unitproof_data = data;
  __unitproof_size = size;
  __unitproof_errno = 0;
}

/* The same for the input of a file. */
void __unitproof_take_input(void) {
  unsigned char *data = unitproof_lend(__unitproof_given_size);
  assume(data != NULL);
  __builtin_memcpy(data, __unitproof_given_input, __unitproof_given_size);
  __unitproof_data = data;
  __unitproof_size = __unitproof_given_size;
  __unitproof_errno = 0;
}
