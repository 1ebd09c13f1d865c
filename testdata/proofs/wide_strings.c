/*
 * <wchar.h>: strings of wide characters.
 * verdict: failed
 */
#include <wchar.h>
#include <stdlib.h>
#include <unitproof.h>
int main(void) {
  wchar_t a[8] = L"abc", b[8];
  sassert(wcslen(a) == 3);
  sassert(wcscmp(wcscpy(b, a), a) == 0);
  sassert(wcscmp(L"abd", L"abc") > 0 && wcscmp(L"ab", L"abc") < 0 && wcsncmp(L"abX", L"abY", 2) == 0);
  sassert(wcschr(a, L'b') == a + 1 && wcschr(a, L'z') == NULL && wcsrchr(a, 0) == a + 3);
  wmemset(b, L'x', 7); b[7] = 0;
  sassert(wcslen(b) == 7);
  wmemcpy(b, a, 4); sassert(wmemcmp(b, a, 4) == 0 && b[5] == L'x');
  wcscat(b, L"def"); sassert(wcscmp(b, L"abcdef") == 0);
  sassert(wcsspn(L"aab", L"a") == 2 && wcscspn(L"xyz", L"z") == 2 && wcspbrk(a, L"cb") == a + 1 && wcsstr(a, L"bc") == a + 1);
  wcsncpy(b, L"q", 3); sassert(b[1] == 0 && b[2] == 0);
  if (nd_bool()) wcscat(b, L"0123456789"); // want failed out-of-bounds-write
  if (nd_bool()) { wchar_t c[3] = {1,2,3}; (void)wcslen(c); } // want failed out-of-bounds-read
  if (nd_bool()) { wmemcpy(b, a, 9); } // want failed out-of-bounds-read
  wchar_t *d = wcsdup(a);
  if (d) { sassert(wcscmp(d, a) == 0); free(d); }
  int n = nd_int(); 
  if (n >= 0 && n < 8) { a[n] = 0; sassert(wcslen(a) <= 3); }
}
