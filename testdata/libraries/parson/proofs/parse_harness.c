#include <unitproof.h>
#include "parson.h"
#ifndef N
#define N 4
#endif
/* any text of up to N bytes is parsed, or is not, without harm */
int main(void) {
  char text[N + 1];
  memhavoc(text, N);
  text[N] = 0;
  JSON_Value *v = json_parse_string(text);
  if (!v)
    return 0;
  sassert(json_value_get_type(v) != JSONError);
  sassert(json_value_get_parent(v) == NULL);
  json_value_free(v);
}
