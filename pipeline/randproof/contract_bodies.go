package randproof

import (
	"fmt"
	"slices"
	"strings"
)

// statements writes the body of a function without recursion.
func (g *contractGenerator) statements() {
	f := g.f
	g.declare("r", g.pick("0", "0", "1", "x", "x & 7"))
	if g.chance(30) {
		g.declare("t", g.expr(1))
	}
	for range g.n(3) {
		g.statement()
	}
	for i := range f.params {
		if f.params[i].kind == "array" {
			g.arrays = append(g.arrays, f.params[i])
		}
	}
	if len(g.arrays) > 0 || f.params[0].most >= 0 && g.chance(25) {
		g.loop()
	}
	if g.chance(40) {
		g.callStatement()
	}
	for range g.n(2) {
		g.statement()
	}
	if f.ret != "" {
		g.line("return %s;", g.pick("r", "r", "r", g.expr(1)))
	}
}

func (g *contractGenerator) declare(name, value string) {
	if value == "unsigned" {
		value = "0"
	}
	g.line("unsigned %s = %s;", name, value)
	g.locals = append(g.locals, name)
}

// operands returns the numbers in scope of an expression.
func (g *contractGenerator) operands() []string {
	ops := slices.Clone(g.locals)
	for _, p := range g.f.params {
		switch p.kind {
		case "num":
			ops = append(ops, p.name, p.name)
		case "cell":
			ops = append(ops, "*"+p.name)
		case "box":
			ops = append(ops, p.name+"->used", p.name+"->size")
		}
	}
	if g.f.global >= 0 {
		ops = append(ops, "g")
	}
	if g.in != nil {
		ops = append(ops, "i")
	}
	return ops
}

// expr returns an expression of unsigned arithmetic, or of int without overflow.
func (g *contractGenerator) expr(depth int) string {
	if depth == 0 {
		if g.chance(25) {
			return g.pick("0", "1", "2", "5", "9")
		}
		return g.pick(g.operands()...)
	}
	x, y := g.expr(depth-1), g.expr(depth-1)
	switch g.n(9) {
	case 0, 1, 2:
		return fmt.Sprintf("%s + %s", x, g.pick("1u", "2u", "3u"))
	case 3:
		return fmt.Sprintf("(%s & %s)", x, g.pick("1u", "3u", "15u"))
	case 4:
		return fmt.Sprintf("%s %% %s", x, g.pick("2u", "5u", "10u"))
	case 5:
		return fmt.Sprintf("(%s > %s ? %s : %s)", x, y, x, y)
	case 6:
		return fmt.Sprintf("2u * %s", x)
	case 7:
		return fmt.Sprintf("(%s + 0u + %s)", x, y)
	}
	return x
}

func (g *contractGenerator) condition() string {
	return fmt.Sprintf("%s %s %s", g.expr(0), g.pick("<", ">", "==", "!=", ">="),
		g.pick("0", "1", "3", "7", "50", g.expr(0)))
}

// wrote records a write to memory that is not the function's own.
func (g *contractGenerator) wrote(t contractTarget) {
	t.when = g.cond
	for i, w := range g.f.written {
		if w.lvalue == t.lvalue && w.array == t.array {
			if w.when != t.when {
				g.f.written[i].when = ""
			}
			return
		}
	}
	g.f.written = append(g.f.written, t)
}

// assign writes an assignment.
func (g *contractGenerator) assign(value string) {
	var memory []string
	for _, p := range g.f.params {
		switch p.kind {
		case "cell":
			memory = append(memory, "*"+p.name, "*"+p.name)
		case "box":
			memory = append(memory, p.name+"->used", p.name+"->last")
		}
	}
	if g.f.global >= 0 {
		memory = append(memory, "g")
	}
	if len(memory) > 0 && g.chance(60) {
		x := g.pick(memory...)
		g.wrote(contractTarget{lvalue: x})
		if g.in != nil && !slices.Contains(g.in.assigns, x) {
			g.in.assigns = append(g.in.assigns, x)
		}
		g.line("SET(%s, %s);", x, value)
		return
	}
	g.own(g.pick(g.locals...), value)
}

// own writes an assignment to a local variable.
func (g *contractGenerator) own(x, value string) {
	if g.in == nil {
		g.line("%s = %s;", x, value)
		return
	}
	if !slices.Contains(g.in.assigns, x) {
		g.in.assigns = append(g.in.assigns, x)
	}
	g.line("MINE(%s, %s);", x, value)
}

func (g *contractGenerator) statement() {
	switch k := g.n(8); {
	case k < 2 && !g.deep:
		cond, outer := g.condition(), g.cond
		if g.chance(50) { // a condition of the parameters alone
			cond = fmt.Sprintf("x %s %s", g.pick("<", ">", "=="), g.pick("1", "3", "10"))
			g.cond = cond
		}
		locals := g.locals
		g.line("if (%s) {", cond)
		g.indent, g.deep = g.indent+1, true
		g.statement()
		g.indent, g.deep, g.cond, g.locals = g.indent-1, false, outer, locals
		g.line("}")
	case k == 2 && g.in == nil && g.f.ret != "":
		g.line("if (%s)", g.condition())
		g.line("  return %s;", g.expr(1))
	case k == 3 && !g.deep && (g.in == nil || g.chance(30)):
		g.callStatement()
	default:
		g.assign(g.expr(1))
	}
}

// loop writes a loop over the arrays, or one that counts.
func (g *contractGenerator) loop() {
	l := &contractLoop{init: "unsigned i = 0", step: "i++", indent: g.indent, contract: g.chance(70)}
	index, bound, up := "i", "x", true
	if len(g.arrays) > 0 {
		bound = g.arrays[0].length
	}
	l.cond, l.decreases = "i < "+bound, bound+" - i"
	l.always = []string{"i <= " + bound}
	switch g.n(8) {
	case 0:
		l.init, l.cond, l.step, l.decreases, index, up = "unsigned i = "+bound, "i > 0", "i--", "i", "i - 1", false
	case 1:
		l.step, up = "i += 2", false
		l.always, l.decreases = []string{"i <= " + bound + " + 1u"}, bound+" + 1u - i"
	case 2:
		l.init = "unsigned i = 1"
	}
	if g.chance(12) {
		l.decreases = g.pick("i", bound, "i + "+bound)
	}
	if g.chance(30) {
		l.decreases = ""
	}
	if g.chance(12) {
		l.always = nil
	}
	before := g.lines
	g.in, g.lines = l, &l.body
	g.indent++
	for range 1 + g.n(3) {
		g.iteration(index)
	}
	g.indent--
	g.in, g.lines = nil, before
	if g.chance(8) && len(l.assigns) > 0 {
		l.assigns = slices.Delete(l.assigns, 0, 1)
	}
	l.assigns = append([]string{"i"}, l.assigns...)
	if g.chance(25) {
		l.assigns = nil
	}
	if l.contract {
		g.observeLoop(l, up)
	}
	*g.lines = append(*g.lines, contractLine{loop: l, indent: g.indent})
}

// iteration writes a statement of a loop's body.
func (g *contractGenerator) iteration(index string) {
	if len(g.arrays) == 0 {
		switch g.n(4) {
		case 0:
			g.statement()
		default:
			g.own("r", "r + "+g.pick("1u", "2u", "3u", "(i & 1u)", "x"))
		}
		return
	}
	a := g.arrays[0]
	at := fmt.Sprintf("AT(%s, %s, %s)", a.name, index, a.length)
	if g.chance(3) {
		at = fmt.Sprintf("AT(%s, %s + 1, %s)", a.name, index, a.length)
	}
	other := at
	if len(g.arrays) > 1 {
		other = fmt.Sprintf("AT(%s, %s, %s)", g.arrays[1].name, index, a.length)
	}
	store := func(value string) {
		g.wrote(contractTarget{array: a.name, length: a.length})
		if allElements := upto(a.name, a.length); !slices.Contains(g.in.assigns, allElements) {
			g.in.assigns = append(g.in.assigns, allElements)
		}
		g.line("SET(%s, %s);", at, value)
	}
	switch g.n(9) {
	case 0, 1:
		store(g.pick(other, other+" + 1", g.expr(1), "x", "x", "i", "0", other+" / 2"))
	case 2:
		g.line("if (%s %s %s)", at, g.pick(">", "<"), "r")
		g.indent++
		g.own("r", at)
		g.indent--
	case 3:
		g.line("if (%s == x)", at)
		switch {
		case g.f.ret == "unsigned" && g.chance(50):
			g.line("  return i;")
		default:
			g.line("  break;")
		}
	case 4:
		g.own("r", "r + "+g.pick("1u", "("+at+" & 1u)", "("+other+" == x)", "("+at+" > 3)"))
	case 5:
		g.line("if (%s %s %s)", other, g.pick("<", ">", "!="), g.pick("x", "2", "90", at))
		g.indent++
		store(g.pick("x", other, "1", "2"))
		g.indent--
	default:
		g.statement()
	}
}

func upto(array, length string) string {
	return fmt.Sprintf("__CPROVER_object_upto(%s, %s * sizeof *%s)", array, length, array)
}

// callStatement writes a call of an earlier function, with arguments that usually meet its requirements.
func (g *contractGenerator) callStatement() {
	if len(g.functions) == 0 {
		return
	}
	f, h := g.f, g.functions[g.n(len(g.functions))]
	var args []string
	used := map[string]bool{}
	passed := map[string]string{} // h's parameters to arguments
	for _, p := range h.params {
		own := slices.IndexFunc(f.params, func(q contractParam) bool {
			return q.kind == p.kind && q.typ == p.typ && !used[q.name]
		})
		local := fmt.Sprintf("%s%d", p.name, len(*g.lines))
		switch {
		case p.kind == "num":
			args = append(args, g.number0(p.most))
		case g.in != nil:
			return // calls in loops have only numbers as arguments
		case p.kind == "array":
			if p.longest == 0 { // as long as the array before it
				other := g.second(p, passed["a"], used)
				if other == "" {
					return
				}
				args = append(args, other)
				passed[p.name] = other
				continue
			}
			if own >= 0 && g.chance(80) {
				q := f.params[own]
				used[q.name] = true
				passed[p.name] = q.name
				args = append(args, q.name, q.length)
				continue
			}
			g.line("%s %s[3] = {%s, %s};", p.typ, local, g.number0(p.most), g.number0(p.most))
			passed[p.name] = local
			args = append(args, local, "3")
		case own >= 0 && f.name != "main" && g.chance(70):
			used[f.params[own].name] = true
			passed[p.name] = f.params[own].name
			args = append(args, f.params[own].name)
		case p.kind == "cell":
			g.line("%s %s = %s;", p.typ, local, g.number0(p.most))
			passed[p.name] = "&" + local
			args = append(args, "&"+local)
		case p.kind == "box":
			g.line("struct box %s = {%s, 3, 0};", local, g.pick("0", "1", "3", "x % 4"))
			passed[p.name] = "&" + local
			args = append(args, "&"+local)
		}
		if p.kind == "cell" && strings.HasPrefix(passed[p.name], "&") {
			g.locals = append(g.locals, local)
		}
	}
	f.calls = true
	if h.global >= 0 && f.global < 0 && f.name != "main" {
		f.global = h.global
	}
	for _, t := range h.assigns {
		g.writtenBy(t, passed)
	}
	call := fmt.Sprintf("CALL(%s, %s)", h.name, strings.Join(args, ", "))
	if h.ret != "" && g.chance(85) {
		g.own("r", g.pick(call, call, "r + "+call))
		return
	}
	g.line("%s;", call)
}

// second returns the argument for an array that has to be as long as the one before it; "" if there is none.
func (g *contractGenerator) second(p contractParam, first string, used map[string]bool) string {
	if first == "a" || first == "b" {
		for _, q := range g.f.params {
			if q.kind == "array" && q.typ == p.typ && !used[q.name] {
				used[q.name] = true
				return q.name
			}
		}
		return ""
	}
	local := fmt.Sprintf("%s%d", p.name, len(*g.lines))
	g.line("%s %s[3] = {%s, 1};", p.typ, local, g.number0(p.most))
	return local
}

// number0 returns a number that usually is at most most.
func (g *contractGenerator) number0(most int64) string {
	e := g.expr(g.n(2))
	if most < 0 || g.chance(15) {
		return e
	}
	if g.chance(30) {
		return fmt.Sprint(g.n(int(most) + 1))
	}
	return fmt.Sprintf("(%s) %% %du", e, most+1)
}

// writtenBy records the writes of a call to memory that is not the caller's own.
func (g *contractGenerator) writtenBy(t contractTarget, passed map[string]string) {
	switch {
	case t.lvalue == "g":
		g.wrote(contractTarget{lvalue: "g"})
		if g.in != nil && !slices.Contains(g.in.assigns, "g") {
			g.in.assigns = append(g.in.assigns, "g")
		}
	case t.array != "":
		for _, p := range g.f.params {
			if p.kind == "array" && passed[t.array] == p.name {
				g.wrote(contractTarget{array: p.name, length: p.length})
			}
		}
	default:
		name := strings.TrimPrefix(t.lvalue, "*")
		member := ""
		if at := strings.Index(name, "->"); at >= 0 {
			name, member = name[:at], name[at:]
		}
		if own := passed[name]; own != "" && !strings.HasPrefix(own, "&") {
			if member != "" {
				g.wrote(contractTarget{lvalue: own + member})
			} else {
				g.wrote(contractTarget{lvalue: "*" + own})
			}
		}
	}
}
