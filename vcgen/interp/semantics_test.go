package interp_test

import (
	"context"
	"math/big"
	"testing"

	"github.com/unitproof/unitproof/vcgen/choice"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/interp"
	"github.com/unitproof/unitproof/vcgen/interp/interptest"
)

// TestSemantics runs snippets whose assertions must hold.
func TestSemantics(t *testing.T) {
	for _, c := range []struct {
		name   string
		src    string
		change func(*interp.Options, *interptest.Script)
		values []int64
	}{
		{name: "pointers as bytes and numbers", src: `
int main(void) {
  int x[2] = {1, 2};
  int *p = x, *q;
  unsigned char *s = (unsigned char *)&p, *d = (unsigned char *)&q;
  for (int i = 0; i < 8; i++) { int c = s[i]; d[i] = c; }
  *q = 5;
  uintptr_t u = (uintptr_t)p | 1;
  *(int *)((u & ~(uintptr_t)1) + 4) = 6;
  sassert(x[0] == 5 && x[1] == 6);
  uintptr_t a = (uintptr_t)&x[0], b = (uintptr_t)&u, both = a ^ b;
  sassert(*(int *)(both ^ b) == 5 && *(uintptr_t *)(both ^ a) == u);
  unsigned lo = (unsigned)a, hi = a >> 32;
  sassert(*(int *)((uintptr_t)hi << 32 | lo) == 5);
}`},
		{name: "one object does not reach another", src: `
int main(void) {
  int a = 1, b = 2;
  int *p = &a;
  ptrdiff_t d = (uintptr_t)&b - (uintptr_t)&a;
  sassert(!sea_is_dereferenceable((char *)p + d, 4));
  sassert((char *)p + d == (char *)&b);
}`},
		{name: "goto past a declaration", src: `
int main(void) {
  int n = 0;
again:;
  int x;
  x = n;
  int *p = &x;
  if (n++ < 3) goto again;
  sassert(*p == 3);
  switch (n) {
    int y;
  case 4: y = 7; sassert(y == 7);
  }
}`},
		{name: "huge objects", src: `
#include <stdlib.h>
#include <string.h>
int main(void) {
  size_t n = (size_t)1 << 45;
  char *p = malloc(n), *q = malloc(n);
  memset(p, 7, n);
  p[n / 2] = 9;
  memcpy(q, p, n);
  sassert(q[0] == 7 && q[n / 2] == 9 && q[n - 1] == 7);
  p[5] = 1;
  sassert(q[5] == 7);
  memmove(q + 1, q, n - 1);
  sassert(q[n / 2 + 1] == 9 && q[n / 2] == 7);
  sassert(malloc((size_t)1 << 47) == 0 && calloc((size_t)-1, 2) == 0);
}`},
		{name: "realloc", change: func(_ *interp.Options, s *interptest.Script) { s.Fails = map[int]bool{2: true} }, src: `
#include <stdlib.h>
int main(void) {
  int *p = malloc(8);
  p[0] = 1; p[1] = 2;
  int *q = realloc(p, 4);
  sassert(q != p && q[0] == 1 && !sea_is_dereferenceable(p, 1) && !sea_is_dereferenceable(q, 8));
  sassert(realloc(q, 16) == 0 && q[0] == 1);
  sassert(realloc(q, 0) == 0 && !sea_is_dereferenceable(q, 0));
  int *c = calloc(3, 4);
  sassert(c[0] == 0 && c[2] == 0);
  void *z = malloc(0);
  sassert(z != 0 && sea_is_dereferenceable(z, 0) && !sea_is_dereferenceable(z, 1));
}`},
		{name: "tracking", src: `
int main(void) {
  struct { int a, b; } s = {1, 2};
  sea_reset_modified((char *)&s);
  s.a = 1;
  sassert(!sea_is_modified((char *)&s));
  sea_tracking_on();
  int r = s.b;
  sassert(!sea_is_modified((char *)&s));
  s.b = 2;
  sassert(sea_is_modified((char *)&s.b));
  sea_reset_modified((char *)&s);
  sea_tracking_off();
  s.b = 3;
  sassert(!sea_is_modified((char *)&s));
  sea_tracking_on();
  memhavoc(&s, 4);
  sassert(!sea_is_modified((char *)&s) && s.b == 3 && s.a == 0);
}`},
		{name: "missing bodies", change: func(_ *interp.Options, s *interptest.Script) {
			s.Writes = true
			s.Fill = func(kind choice.Kind, name string, off uint64) byte { return 0x11 }
		}, src: `
struct n { struct n *next; int v; };
extern int seen; int global = 3; static int hidden = 4; const int fixed = 5;
extern void look(const struct n *), poke(struct n *);
int printf(const char *, ...);
int main(void) {
  struct n a = {0, 1}, b = {&a, 2}, c = {0, 3};
  printf("%d", 3);
  sassert(a.v == 1 && global == 3);
  look(&b);
  sassert(b.v == 2 && a.v == 0x11111111 && global == 0x11111111 && hidden == 4 && fixed == 5 && c.v == 3);
  a.v = 8; c.v = 9;
  poke(&c);
  sassert(c.v == 0x11111111 && a.v == 0x11111111 && b.v == 2);
}`},
		{name: "constructors", src: `
static int x = 1;
__attribute__((constructor(200))) static void second(void) { x = x * 10; }
__attribute__((constructor(150))) static void first(void) { x = x + 1; }
int main(void) { sassert(x == 20); }`},
		{name: "structs by value", src: `
struct big { long v[5]; }; struct mix { float f; char c; double d; };
static struct big twice(struct big b) { for (int i = 0; i < 5; i++) b.v[i] *= 2; return b; }
static struct mix mix(struct mix m, int k) { m.c += k; m.d += m.f; return m; }
int main(void) {
  struct big b = {{1, 2, 3, 4, 5}};
  struct big c = twice(b);
  sassert(b.v[4] == 5 && c.v[4] == 10);
  struct mix m = mix((struct mix){1.5f, 'a', 2.25}, 2);
  sassert(m.c == 'c' && m.d == 3.75);
}`},
		{name: "atomics and volatile", src: `
#include <stdatomic.h>
int main(void) {
  atomic_int a = 5;
  volatile int v = 3;
  sassert(atomic_fetch_add(&a, 2) == 5 && a == 7 && v == 3);
  int e = 6;
  sassert(!atomic_compare_exchange_strong(&a, &e, 9) && e == 7 && a == 7);
  sassert(atomic_compare_exchange_strong(&a, &e, 9) && atomic_exchange(&a, 1) == 9);
  sassert(__sync_fetch_and_nand((int *)&a, 3) == 1 && a == -2);
}`},
		{name: "literals may share", change: func(_ *interp.Options, s *interptest.Script) {
			s.Addr = func(_ int, name string) uint64 { return map[string]uint64{".str": 0x5001, ".str.1": 0x5000}[name] }
		}, src: `
int main(void) {
  const char *word = "abc", *full = "xabc";
  sassert(full + 1 == word && (uintptr_t)full == 0x5000);
}`},
		{name: "stack save", src: `
int main(void) {
  char *old = 0;
  for (int n = 1; n < 4; n++) {
    char a[n];
    a[n - 1] = n;
    sassert(!sea_is_dereferenceable(old, 1));
    old = a;
  }
}`},
		{name: "wanted addresses", values: []int64{0x7000}, change: func(_ *interp.Options, s *interptest.Script) {
			s.Addr = func(_ int, name string) uint64 {
				if name == "" {
					return 0x7000
				}
				return 0
			}
		}, src: `
#include <stdlib.h>
int main(void) {
  uintptr_t u = nd_uintptr_t();
  char *p = malloc(4), *q = malloc(4);
  sassert(p != q);
  sassert(u != (uintptr_t)&u || u != (uintptr_t)p);
}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			checkRun(t, c.src, "return", c.change, c.values...)
		})
	}
}

// TestLifetimesAskInOrder checks that each lifetime of a local obtains new content at its beginning.
func TestLifetimesAskInOrder(t *testing.T) {
	const src = `
int main(void) {
  int first = -1;
  for (int i = 0; i < 3; i++) {
    int x;
    if (i == 0) first = x;
    sassert(x == 5 + i);
  }
  sassert(first == 5);
}`
	// The n-th content at a site has the bytes of 5 + n; the sites of the other locals are written before they are
	// read.
	n := map[int]uint64{}
	in := func(q choice.Question) choice.Answer {
		if !q.Content {
			return choice.Answer{}
		}
		v := 5 + n[q.Site]
		n[q.Site]++
		return choice.Answer{Content: func(off uint64) byte { return byte(v >> (8 * off)) }}
	}
	o := interp.Run(context.Background(), interptest.CompileText(t, src), "main", in, interptest.Options())
	if got := interptest.Summary(o); got != "return" {
		t.Error(got)
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	o := interp.Run(ctx, interptest.CompileText(t, `int main(void) { for (;;); }`), "main", choice.Zero,
		interp.Options{Semantics: found.Semantics{Checks: found.DefaultChecks()}})
	if o.End != interp.EndSteps {
		t.Error(interptest.Summary(o))
	}
}

func TestUnknownSize(t *testing.T) {
	m := interptest.CompileText(t, `
extern int table[];
int main(void) { sassert(table[2] == 0 && !sea_is_dereferenceable(table, 13)); return table[3]; }`)
	o := interp.Run(context.Background(), m, "main", func(q choice.Question) choice.Answer {
		if q.Kind == choice.Size {
			return choice.Answer{Value: big.NewInt(12)}
		}
		return choice.Answer{}
	}, interptest.Options())
	if o.Violation == nil || o.Violation.Kind != found.OutOfBoundsRead {
		t.Error(interptest.Summary(o))
	}
}
