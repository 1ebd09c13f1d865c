#include <unitproof.h>
#include "parson.h"
#ifndef N
#define N 4
#endif
/* up to N values are appended, and one is removed anywhere */
int main(void) {
  JSON_Value *root = json_value_init_array();
  if (!root)
    return 0;
  JSON_Array *a = json_value_get_array(root);
  size_t n = nd_size_t();
  assume(n <= N);
  for (size_t i = 0; i < n; i++)
    if (json_array_append_boolean(a, i == 1) != JSONSuccess) {
      sassert(json_array_get_count(a) == i);
      json_value_free(root);
      return 0;
    }
  sassert(json_array_get_count(a) == n);
  size_t at = nd_size_t();
  sassert((json_array_remove(a, at) == JSONSuccess) == (at < n));
  sassert(json_array_get_count(a) == n - (at < n));
  if (n > 2 && at == 0)
    sassert(json_array_get_boolean(a, 0) == 1);
  json_value_free(root);
}
