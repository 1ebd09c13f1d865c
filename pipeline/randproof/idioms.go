package randproof

import "fmt"

// Small programs of the kinds that libraries consist of, with inputs; occasionally a bound is off by one.

var idiomFeatures = []feature{
	{"recursions", 2, false, (*generator).recursions},
	{"ring buffer", 1, false, (*generator).ringBuffer},
	{"hash table", 1, false, (*generator).hashTable},
	{"interpreter", 1, false, (*generator).interpreter},
	{"parser", 1, false, (*generator).parser},
	{"words of bytes", 1, false, (*generator).wordsOfBytes},
}

const recursionDeclarations = `static unsigned divisor(unsigned a, unsigned b) { return b ? divisor(b, a % b) : a; }
static int halved(const int *a, int lo, int hi, int key) { if (lo >= hi) return ~lo; int m = lo + (hi - lo) / 2; return a[m] == key ? m : a[m] < key ? halved(a, m + 1, hi, key) : halved(a, lo, m, key); }
struct tree { int v; struct tree *side[2]; };
static struct tree *planted(struct tree *t, struct tree *n) { if (!t) return n; struct tree **s = &t->side[n->v > t->v]; *s = planted(*s, n); return t; }
static int visited(const struct tree *t) { return t ? visited(t->side[0]) * 4 + t->v + visited(t->side[1]) * 16 : 0; }
static void quick(int *a, int n) { if (n < 2) return; int p = a[n / 2], i = 0, j = n - 1; for (;; i++, j--) { while (a[i] < p) i++; while (a[j] > p) j--; if (i >= j) break; int t = a[i]; a[i] = a[j]; a[j] = t; } quick(a, i); quick(a + i, n - i); }
static int filled_in(char m[3][3], int i, int j) { if (i < 0 || j < 0 || i > 2 || j > 2 || m[i][j]) return 0; m[i][j] = 1; return 1 + filled_in(m, i + 1, j) + filled_in(m, i, j + 1) + filled_in(m, i - 1, j); }
static int powered(int b, unsigned e) { return e == 0 ? 1 : e & 1 ? (int)((unsigned)b * (unsigned)powered(b, e - 1)) : powered((int)((unsigned)b * (unsigned)b), e / 2); }
`

func (g *generator) recursions(int) {
	g.use(recursionDeclarations)
	r := g.fresh("r")
	switch g.n(6) {
	case 0:
		g.checkOf(fmt.Sprintf("divisor(%s, %s)", g.masked(1, 15), g.masked(1, 7)))
	case 1:
		g.line("int %s[5] = {1, %s, 4, 6, 9};", r, g.pick("2", "3", g.masked(1, 3)))
		g.checkOf(fmt.Sprintf("halved(%s, 0, %s, %s)", r, g.pick("5", "5", "5", "6", g.masked(1, 3)), g.small(1)))
	case 2:
		g.line("struct tree %s[3] = {{%s}, {%s}, {2}}, *%st = NULL; for (int k_ = 0; k_ < 3; k_++) %st = planted(%st, "+
			"&%s[k_]);", r, g.masked(1, 3), g.masked(1, 3), r, r, r, r)
		g.checkOf(fmt.Sprintf("visited(%st)", r))
	case 3:
		g.line("int %s[4] = {%s, 2, %s, %s}; quick(%s, %s);", r, g.masked(1, 3), g.small(1), g.pick("1", "0", g.masked(0, 7)),
			r, g.pick("4", "3"))
		g.checkOf(fmt.Sprintf("%s[0] + %s[1] * 16 + %s[2] * 256 + %s[3] * 4096", r, r, r, r))
	case 4:
		g.line("char %s[3][3] = {{0, %s, 0}, {%s != 0, 0, 1}}; int %sn = filled_in(%s, %s, 0);", r, g.masked(1, 1), g.expr(1),
			r, r, g.masked(1, 1))
		g.checkOf(r + "n")
	case 5:
		g.checkOf(fmt.Sprintf("powered(%s, (unsigned)%s)", g.pick("3", "-2", g.small(1)), g.masked(1, 7)))
	}
}

func (g *generator) ringBuffer(int) {
	g.use(`struct ring { uint8_t d[4]; unsigned head, tail; };
static int put(struct ring *r, uint8_t x) { if (r->head - r->tail == 4) return 0; r->d[r->head++ & 3] = x; return 1; }
static int take(struct ring *r) { return r->head == r->tail ? -1 : r->d[r->tail++ % 4]; }
`)
	r := g.fresh("r")
	at := g.pick("0", "0xfffffffeu", "3", "(unsigned)"+g.small(1))
	g.line("struct ring %s = {{0}, %s, %s}; int %so = 0;", r, at, at, r)
	for range 2 + g.n(3) {
		switch g.n(3) {
		case 0:
			g.line("%so += put(&%s, (uint8_t)%s);", r, r, g.small(1))
		case 1:
			g.line("for (int k_ = 0; k_ < %s; k_++) %so += put(&%s, (uint8_t)(k_ + 'a'));", g.pick("3", "5", g.masked(1, 7)), r,
				r)
		case 2:
			g.line("%so = %so * 8 + take(&%s);", r, r, r)
		}
	}
	g.checkOf(r + "o")
	g.checkOf(fmt.Sprintf("take(&%s)", r))
	g.checkOf(fmt.Sprintf("%s.head - %s.tail", r, r))
	g.checkOf(fmt.Sprintf("%s.d[%s]", r, g.index(4)))
}

func (g *generator) hashTable(int) {
	g.use(`struct table { struct { uint16_t key; int8_t v; uint8_t used; } slot[4]; int n; };
static int stored(struct table *t, uint16_t key, int v) { for (unsigned i = 0, h = key * 2654435761u >> 30; i < 4; i++, h = (h + 1) & 3) { if (!t->slot[h].used || t->slot[h].key == key) { t->n += !t->slot[h].used; t->slot[h].used = 1; t->slot[h].key = key; t->slot[h].v = (int8_t)v; return (int)h; } } return -1; }
static int looked_up(const struct table *t, uint16_t key) { for (unsigned i = 0, h = key * 2654435761u >> 30; i < 4 && t->slot[h].used; i++, h = (h + 1) & 3) if (t->slot[h].key == key) return t->slot[h].v; return -99; }
`)
	h := g.fresh("h")
	g.line("struct table %s = {0}; int %so = 0;", h, h)
	for range 2 + g.n(4) {
		g.line("%so ^= stored(&%s, %s, %s);", h, h, g.pick(g.small(1), "(uint16_t)"+g.small(1), fmt.Sprint(g.n(5)), "65535"),
			g.small(1))
	}
	g.checkOf(fmt.Sprintf("looked_up(&%s, %s)", h, g.small(1)))
	g.checkOf(fmt.Sprintf("%s.n", h))
	g.checkOf(h + "o")
}

func (g *generator) interpreter(int) {
	g.use(`enum { PUSH, ADD, DUP, JNZ, SWAP, SUB, HALT };
static int executed(const int8_t *p, int n, int *top, int fuel) { int s[4] = {0}, sp = 0; for (int pc = 0; pc < n && fuel-- > 0; pc++) switch (p[pc]) { case PUSH: if (sp > 3 || ++pc >= n) return -1; s[sp++] = p[pc]; continue; case ADD: case SUB: if (sp < 2) return -2; sp--; s[sp - 1] = p[pc] == ADD ? s[sp - 1] + s[sp] : s[sp - 1] - s[sp]; break; case DUP: if (sp < 1 || sp > 3) return -3; s[sp] = s[sp - 1]; sp++; break; case JNZ: if (sp < 1) return -4; if (s[sp - 1] != 0) { pc = pc > 1 ? pc - 2 : -1; } break; case SWAP: if (sp < 2) return -5; { int t = s[sp - 1]; s[sp - 1] = s[sp - 2]; s[sp - 2] = t; } /* fall through */ default: break; case HALT: goto end; } end: *top = sp ? s[sp - 1] : -77; return sp; }
`)
	e := g.fresh("e")
	var code string
	for range 4 + g.n(3) {
		code += g.pick("PUSH, 3, ", "PUSH, ", "ADD, ", "SUB, ", "DUP, ", "SWAP, ", "JNZ, ", "PUSH, 1, DUP, ",
			fmt.Sprintf("(int8_t)%s, ", g.small(1)))
	}
	g.line("int8_t %s[] = {PUSH, 2, %sHALT}; int %st = 0, %sr = executed(%s, (int)sizeof %s - %s, &%st, 9);", e, code, e,
		e, e, e, g.pick("0", "1", g.masked(1, 3)), e)
	g.checkOf(e + "r")
	g.checkOf(e + "t")
}

func (g *generator) parser(int) {
	g.use(`static int varint(const uint8_t *p, size_t n, uint32_t *out) { uint32_t v = 0; for (size_t i = 0; i < n && i < 5; i++) { v |= (uint32_t)(p[i] & 127) << 7 * i; if (!(p[i] & 128)) { *out = v; return (int)i + 1; } } return 0; }
static int number(const char *s, const char **end) { int n = 0, neg = 0; while (*s == ' ') s++; if (*s == '-') { neg = 1; s++; } while (*s >= '0' && *s <= '9') n = n * 10 + (*s++ - '0'); *end = s; return neg ? -n : n; }
static int utf8(const unsigned char *s, size_t n, uint32_t *c) { if (!n) return 0; if (s[0] < 0x80) { *c = s[0]; return 1; } int k = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : s[0] >= 0xc2 ? 2 : 0; if (!k || n < (size_t)k) return -1; *c = s[0] & (0xffu >> (k + 1)); for (int i = 1; i < k; i++) { if ((s[i] & 0xc0) != 0x80) return -1; *c = *c << 6 | (s[i] & 63u); } return k; }
`)
	p := g.fresh("p")
	switch g.n(3) {
	case 0:
		g.line("uint8_t %s[3] = {(uint8_t)(%s | %s), %s, 1}; uint32_t %sv = 7; int %sr = varint(%s, %s, &%sv);", p,
			g.small(1), g.pick("128", "0"), g.pick("0x81", "(uint8_t)"+g.expr(1)), p, p, p,
			g.pick("3", "3", g.masked(1, 3), "4"), p)
		g.checkOf(p + "v")
	case 1:
		g.line("char %s[6] = {'%s', (char)('0' + %s), %s, '2'}; const char *%se = NULL; int %sr = number(%s, &%se);", p,
			g.pick(" ", "-", "4"), g.masked(1, 15), g.pick("'9'", "' '", "'-'", "(char)"+g.expr(1)), p, p, p, p)
		g.checkOf(fmt.Sprintf("%se - %s", p, p))
	case 2:
		g.line("unsigned char %s[4] = {(unsigned char)(%s + %s), (unsigned char)(%s ^ 0x80), 0xbf, 'a'}; uint32_t %sv = "+
			"0; int %sr = utf8(%s, %s, &%sv);", p, g.pick("0xc0", "0xe0", "0x7e", "0xf0"), g.small(1), g.small(1), p, p, p,
			g.pick("4", g.masked(1, 3), "3"), p)
		g.checkOf(p + "v")
	}
	g.checkOf(p + "r")
}

func (g *generator) wordsOfBytes(int) {
	g.use(`static uint32_t big_endian(const unsigned char *p) { return (uint32_t)p[0] << 24 | p[1] << 16 | p[2] << 8 | p[3]; }
static void stored_big(unsigned char *p, uint32_t v) { for (int i = 3; i >= 0; i--, v >>= 8) p[i] = (unsigned char)v; }
static uint8_t crc8(const void *d, size_t n) { const uint8_t *p = d; uint8_t c = 0xff; while (n--) { c ^= *p++; for (int i = 0; i < 8; i++) c = c & 0x80 ? (uint8_t)(c << 1 ^ 0x31) : (uint8_t)(c << 1); } return c; }
static int bit(const uint32_t *set, unsigned i) { return set[i / 32] >> (i & 31) & 1; }
static void set_bit(uint32_t *set, unsigned i, int v) { if (v) set[i >> 5] |= 1u << i % 32; else set[i >> 5] &= ~(1u << (i & 31)); }
static unsigned rotated(unsigned x, unsigned k) { return x << (k & 31) | x >> (-k & 31); }
`)
	b := g.fresh("b")
	switch g.n(4) {
	case 0:
		g.line("unsigned char %s[6] = {0}; stored_big(%s + %s, (uint32_t)(%s) %s 0x%xu);", b, b, g.masked(1, 3), g.expr(1),
			g.pick("^", "*", "+"), g.r.Uint32())
		g.checkOf(fmt.Sprintf("big_endian(%s + %s)", b, g.pick("0", "1", g.masked(1, 3))))
	case 1:
		g.line("uint16_t %s[2] = {(uint16_t)%s, 513};", b, g.small(1))
		g.checkOf(fmt.Sprintf("crc8(%s, %s)", b, g.pick("2", "1", g.masked(1, 1))))
	case 2:
		g.line("uint32_t %s[2] = {%s, 0x%x}; set_bit(%s, %s, %s);", b, g.small(1), g.r.Uint32(), b,
			g.pick(g.masked(1, 63), g.offset(64, 1)), g.expr(1))
		g.checkOf(fmt.Sprintf("bit(%s, %s)", b, g.masked(1, 63)))
		g.checkOf(fmt.Sprintf("%s[%s]", b, g.index(2)))
	case 3:
		g.checkOf(fmt.Sprintf("rotated(0x%xu, (unsigned)%s)", g.r.Uint32(), g.small(1)))
	}
}
