package randproof

import "fmt"

// Jumps that leave or enter several constructs at a time.

var jumpFeatures = []feature{
	{"nested loops", 2, true, (*generator).nestedLoops},
	{"duff", 1, false, (*generator).duff},
	{"state machine", 1, true, (*generator).stateMachine},
	{"error path", 1, false, (*generator).errorPath},
	{"do once", 1, true, (*generator).doOnce},
}

// nestedLoops writes two or three loops with continue and break in the inner ones and a goto out of all of them.
func (g *generator) nestedLoops(depth int) {
	n, i, j, out := g.fresh("n"), g.fresh("i"), g.fresh("j"), g.fresh("out")
	g.line("int %s = 0;", n)
	step := func(k int) {
		g.line("%s = (int)((unsigned)%s * 3u + %du + (unsigned)%s);", n, n, k, i)
	}
	leave := func() {
		g.line("if (%s) %s;", g.pick(g.expr(1), fmt.Sprintf("%s == %s", i, g.small(0)),
			fmt.Sprintf("%s == %s + 1", i, g.small(0))),
			g.pick("continue", "break", "continue", "break", "goto "+out))
	}
	g.inLoop(depth, func() {
		g.block(fmt.Sprintf("for (int %s = 0; %s < %s; %s++)", i, i, g.bound(), i), "", func() {
			g.add(variable{name: i, kind: "loop", typ: "int"})
			if g.chance(40) {
				leave()
			}
			inner := func() {
				if g.chance(60) {
					leave()
				}
				step(1)
				if g.chance(50) {
					g.statements(1, depth)
				}
				if g.chance(30) {
					leave()
				}
				if g.chance(25) {
					g.block(fmt.Sprintf("for (unsigned k_ = 0; k_ < %d; k_++)", 1+g.n(2)), "", func() {
						leave()
						step(2)
					})
				}
			}
			switch g.n(3) {
			case 0:
				g.block(fmt.Sprintf("for (int %s = %s; %s >= 0; %s--)", j, g.masked(1, 3), j, j), "", func() {
					g.add(variable{name: j, kind: "loop", typ: "int"})
					inner()
				})
			case 1:
				g.line("int %s = %s;", j, g.small(1))
				g.block(fmt.Sprintf("while (%s-- > 0)", j), "", inner)
			case 2: // continue goes to the condition
				g.line("int %s = 0;", j)
				g.block("do", fmt.Sprintf(" while (++%s < %s);", j, g.bound()), inner)
			}
			step(3)
			if g.chance(40) {
				leave()
			}
			g.statements(g.n(2), depth)
		})
		if g.chance(30) {
			g.line("%s += 1000;", n) // skipped by the goto
		}
	})
	g.line("%s:;", out)
	g.checkOf(n)
	g.add(variable{name: n, kind: "int", typ: "int"})
}

// duff writes a loop that a switch enters in its middle.
func (g *generator) duff(int) {
	n := g.fresh("n")
	g.line("int %s = %s, %sn = (%s + 3) / 4; unsigned %ss = 1;", n, g.masked(1, 7), n, n, n)
	g.block(fmt.Sprintf("switch (%s %% 4)", n), "", func() {
		g.line("case 0: do { %ss = %ss * 2 + 1;", n, n)
		g.line("case 3: %ss += %s;", n, g.small(1))
		g.line("case 2: %ss ^= 5; %s", n, g.pick("", fmt.Sprintf("if (%s) break;", g.expr(1)),
			fmt.Sprintf("if (%s) continue;", g.expr(1))))
		g.line("case 1: %ss += (unsigned)%sn; } while (--%sn > 0);", n, n, n)
	})
	g.checkOf(n + "s")
	g.add(variable{name: n + "s", kind: "int", typ: "unsigned"})
}

// stateMachine writes a switch over an enumeration in a loop; continue in it belongs to the loop.
func (g *generator) stateMachine(depth int) {
	s := g.fresh("st")
	g.line("enum { %sA, %sB = %d, %sC, %sD = -1 } %s = %sA; int %sn = 0;", s, s, 2+g.n(3), s, s, s, s, s)
	next := func() string { return s + g.pick("A", "B", "C", "D") }
	g.inLoop(depth, func() {
		g.block(fmt.Sprintf("for (int k_ = 0; k_ < %d && %s != %sD; k_++)", 2+g.n(3), s, s), "", func() {
			g.block(fmt.Sprintf("switch (%s)", s), "", func() {
				g.line("case %sA: %s = %s ? %s : %s; %sn += 1; %s", s, s, g.expr(1), next(), next(), s,
					g.pick("break;", "continue;", "/* fall through */"))
				g.line("case %sB: %sn = %sn * 2 + k_; if (%s) break; %s = %s;", s, s, s, g.expr(1), s, next())
				g.line("default: {")
				g.indent++
				depth := len(g.scope)
				g.statements(1, 0)
				g.scope = g.scope[:depth]
				g.indent--
				g.line("} %s = %s; %s", s, next(), g.pick("break;", "continue;", ""))
			})
			g.line("%sn = (int)((unsigned)%sn * 5u + (unsigned)%s);", s, s, s)
		})
	})
	g.checkOf(s + "n")
	g.checkOf(fmt.Sprintf("%s == %s", s, next()))
}

// errorPath writes the usual chain of labels that release resources.
func (g *generator) errorPath(int) {
	e := g.fresh("e")
	g.line("int %s = -1; char *%sa = NULL, *%sb = NULL, *%sc = NULL;", e, e, e, e)
	g.line("%sa = malloc(2); if (!%sa) goto %sl1;", e, e, e)
	g.line("%sb = calloc(1, 3); if (!%sb || %s) goto %sl2;", e, e, g.expr(1), e)
	g.line("%sa[%s] = 1; %sa[1] = %sb[%s];", e, g.masked(1, 1), e, e, g.masked(1, 1))
	g.line("%sc = realloc(%sb, 2 + %s); if (!%sc) goto %sl3;", e, e, g.masked(1, 1), e, e)
	g.line("%sb = NULL; %sc[%s] = 4; %s = %sc[1];", e, e, g.pick("0", "1", g.masked(1, 1)), e, e)
	g.line("free(%sc);", e)
	if g.chance(10) { // forgets that the block moved
		g.line("if (%s) %sb = %sc;", g.expr(1), e, e)
	}
	g.line("%sl3: free(%sb);", e, e)
	g.line("%sl2: %sfree(%sa);", e, g.pick("", "", fmt.Sprintf("if (%s) ", g.expr(1))), e)
	g.line("%sl1:;", e)
	g.checkOf(e)
	g.add(variable{name: e, kind: "int", typ: "int"})
}

// doOnce writes the do { } while (0) of macros, left by break.
func (g *generator) doOnce(depth int) {
	n := g.fresh("n")
	g.line("int %s = 0;", n)
	g.inLoop(depth, func() {
		g.block("do", " while (0);", func() {
			g.line("if (%s) %s;", g.expr(1), g.pick("break", "continue"))
			g.line("%s = 1;", n)
			g.statements(1+g.n(2), depth)
			g.line("%s = 2;", n)
		})
	})
	g.checkOf(n)
}
