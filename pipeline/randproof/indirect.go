package randproof

import "fmt"

// Pointers to pointers, rows of arrays, differences and comparisons of pointers into one object.

var indirectFeatures = []feature{
	{"pointer to pointer", 2, false, (*generator).pointerToPointer},
	{"unlink", 1, false, (*generator).unlink},
	{"distances", 1, false, (*generator).distances},
	{"grid", 2, false, (*generator).grid},
}

const indirectDeclarations = `static void exchange(int **a, int **b) { int *t = *a; *a = *b; *b = t; }
static int found(int *a, int n, int key, int **at) { for (int i = 0; i < n; i++) if (a[i] == key) { *at = a + i; return 1; } return 0; }
`

func (g *generator) pointerToPointer(int) {
	g.use(indirectDeclarations)
	p := g.fresh("p")
	g.line("int %sa[4] = {1, %s, 3, %s}, %sx = 9, *%sp = %sa, *%sq = &%sx, **%s = &%sp, *%st[3] = {%sa, &%sx, %sa + 2};",
		p, g.small(1), g.small(1), p, p, p, p, p, p, p, p, p, p, p)
	for range 3 + g.n(4) {
		switch g.n(9) {
		case 0:
			g.line("exchange(&%sp, &%sq);", p, p)
		case 1:
			g.line("%s = %s ? &%sp : &%sq;", p, g.expr(1), p, p)
		case 2:
			g.line("**%s %s %s;", p, g.pick("=", "+=", "^="), g.small(1))
		case 3:
			g.line("*%s = &%sa[%s];", p, p, g.index(4))
		case 4:
			g.line("exchange(&%st[%s], %s);", p, g.index(3), p)
		case 5:
			g.line("%s = %st + %s;", p, p, g.index(3))
		case 6:
			g.line("if (!found(%sa, %s, %s, %s)) *%s = &%sx;", p, g.pick("4", g.masked(1, 3)), g.small(1), p, p, p)
		case 7:
			g.line("*%st[%s] = **%s + 1;", p, g.index(3), p)
		case 8:
			g.line("if (*%s == %sq) (*%s) = %sa;", p, p, p, p)
		}
	}
	g.checkOf("**" + p)
	g.checkOf(fmt.Sprintf("*%sp * 10 + *%sq", p, p))
	g.checkOf(fmt.Sprintf("%sa[0] + %sa[1] * 8 + %sa[2] * 64 + %sa[3] * 512 + %sx * 4096", p, p, p, p, p))
	g.checkOf(fmt.Sprintf("*%s == %st[%s]", p, p, g.masked(1, 1)))
}

// unlink writes a removal of list nodes by the address of the pointer to them.
func (g *generator) unlink(int) {
	n := g.fresh("n")
	g.line("struct %s { int v; struct %s *next; } %sa[3], *%s = NULL;", n, n, n, n)
	g.line("for (int k_ = 2; k_ >= 0; k_--) { %sa[k_].v = k_ + %s; %sa[k_].next = %s; %s = &%sa[k_]; }", n, g.small(1), n,
		n, n, n)
	g.line("for (struct %s **p_ = &%s; *p_;) { if (%s) *p_ = (*p_)->next; else p_ = &(*p_)->next; }", n, n,
		g.pick("(*p_)->v == "+g.small(1), "(*p_)->v & 1", "(*p_)->v > 2"))
	if g.chance(50) { // reversed
		g.line("struct %s *%sr = NULL; while (%s) { struct %s *t_ = %s; %s = %s->next; t_->next = %sr; %sr = t_; } %s = %sr;",
			n, n, n, n, n, n, n, n, n, n, n)
	}
	g.line("int %ss = 0, %sn = 0; for (struct %s *p_ = %s; p_; p_ = p_->next) { %ss = %ss * 16 + p_->v; %sn++; }", n, n, n,
		n, n, n, n)
	g.checkOf(n + "s")
	g.checkOf(n + "n")
	g.checkOf(fmt.Sprintf("%s == %sa", n, n))
}

func (g *generator) distances(int) {
	d := g.fresh("d")
	t := g.pick("int", "short", "char", "long long", "struct mid")
	size := 3 + g.n(4)
	g.line("%s %s[%d] = {{0}}; %s *%sp = %s + %s, *%sq = &%s[%s], *%se = %s + %d;", t, d, size, t, d, d, g.index(size), d,
		d, g.index(size), d, d, size)
	if t != "struct mid" {
		g.line("for (%s *p_ = %s; p_ %s %se; ++p_) *p_ = (%s)(p_ - %s);", t, d, g.pick("<", "!="), d, t, d)
	}
	g.line("ptrdiff_t %sd = %sq - %sp;", d, d, d)
	g.line("if (%sp %s %sq) %sp = %sq;", d, g.pick("<", "<=", ">", "!="), d, d, d)
	g.checkOf(d + "d")
	g.checkOf(fmt.Sprintf("(char *)%se - (char *)%sp", d, d))
	g.checkOf(fmt.Sprintf("%sp + %s %s %se", d, g.pick("1", "2", "0"), g.pick("<", "<=", "=="), d))
	g.checkOf(fmt.Sprintf("%sp[%sp + 1 < %se ? %s : 0]%s", d, d, d, g.pick("1", "1", g.masked(1, 1), "2"),
		map[bool]string{true: ".y", false: ""}[t == "struct mid"]))
	g.checkOf(fmt.Sprintf("%se[-%s]%s", d, g.pick("1", "(int)"+g.masked(0, 1), "(int)("+g.masked(1, 1)+" + 1)"),
		map[bool]string{true: ".x", false: ""}[t == "struct mid"]))
}

const gridDeclarations = `static int trace(int n, int (*m)[3]) { int t = 0; for (int i = 0; i < n; i++) t = t * 4 + (m[i][i %% 3] & 3); return t; }
static void scaled(int r, int c, uint8_t m[%s], int k) { for (int i = 0; i < r; i++) for (int j = 0; j < c; j++) m[i][j] = (uint8_t)(m[i][j] * k + j); }
`

func (g *generator) grid(int) {
	columns := "r][c" // cbmc 6.3.1 crashes on rows of variable length
	if g.plain {
		columns = "2][2"
	}
	g.use(fmt.Sprintf(gridDeclarations, columns))
	m := g.fresh("m")
	g.line("int %s[3][3] = {{1, %s}, {[2] = %s}, {3}}, (*%sr)[3] = %s + %s, *%sf = &%s[0][0]; uint8_t %sb[2][2][2] = "+
		"{{{1, 2}}, {{%s}}};", m, g.small(1), g.small(1), m, m, g.masked(1, 1), m, m, m, g.small(1))
	for range 2 + g.n(5) {
		switch g.n(9) {
		case 0:
			g.line("%s[%s][%s] %s %s;", m, g.index(3), g.index(3), g.pick("=", "+=", "^="), g.small(1))
		case 1:
			g.line("(*%sr)[%s] = %s;", m, g.index(3), g.small(1))
		case 2:
			g.line("%sr[%s][%s] ^= 2;", m, g.masked(1, 1), g.index(3))
		case 3:
			g.line("%sf[%s] += 1;", m, g.offset(9, 1))
		case 4:
			g.line("memcpy(%s[%s], %s[%s], sizeof *%s);", m, g.masked(1, 1), m, g.pick("2", "2", g.masked(1, 1)+" + 1"), m)
		case 5:
			g.line("for (int i_ = 0; i_ < 3; i_++) for (int j_ = 0; j_ < i_; j_++) { int t_ = %s[i_][j_]; %s[i_][j_] = "+
				"%s[j_][i_]; %s[j_][i_] = t_; }", m, m, m, m)
		case 6:
			g.line("%sb[%s][%s][%s] = %s;", m, g.index(2), g.masked(1, 1), g.index(2), g.expr(1))
		case 7:
			g.line("scaled(2, 2, %sb[%s], %s);", m, g.index(2), g.small(1))
		case 8:
			g.line("%sr = &%s[%s];", m, m, g.index(3))
		}
	}
	g.checkOf(fmt.Sprintf("trace(%s, %s)", g.pick("3", g.masked(1, 3)), m))
	g.checkOf(fmt.Sprintf("%s[%s][%s]", m, g.masked(1, 1), g.index(3)))
	g.checkOf(fmt.Sprintf("%sr - %s", m, m))
	g.checkOf(fmt.Sprintf("%sb[%s][%s][1] + (*%sb)[1][0]", m, g.index(2), g.masked(1, 1), m))
}
