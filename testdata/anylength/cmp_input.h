// Readers for cmp over a block. cmp.c comes first.
static bool read_input(cmp_ctx_t *context, void *data, size_t limit) {
  struct input *in = context->buf;
  if (limit > in->size - in->position) return false;
  memcpy(data, in->bytes + in->position, limit);
  in->position += limit;
  return true;
}
static bool skip_input(cmp_ctx_t *context, size_t count) {
  struct input *in = context->buf;
  if (count > in->size - in->position) return false;
  in->position += count;
  return true;
}
