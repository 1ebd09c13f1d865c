package randproof

import (
	"fmt"
	"math/rand/v2"
)

// Lists generates a proof about loops over lists of any length: they are built, walked, changed, split, reversed and
// freed, by one or two pointers at a time. Many programs have a defect: a pointer that is stale, a member that is freed
// twice or stays in the list, a link that is never set.
func Lists(seed uint64) string {
	g := &listGenerator{loopGenerator: loopGenerator{r: rand.New(rand.NewPCG(seed, 3011))}}
	g.wrong, g.double, g.inStruct, g.tail = g.chance(40), g.chance(20), g.chance(20), g.chance(35)
	g.names = []string{"a", "b"}[:1+g.n(2)]
	g.line("#include <stdlib.h>\n#include <unitproof.h>\n")
	g.line("struct node { struct node *next; %sint v; };", g.extra())
	g.line("struct list { struct node *head, *tail; unsigned count; };\n")
	g.line("int main(void) {")
	g.in = "  "
	g.line("unsigned t = 0;\n  struct node *kept = NULL;")
	for _, x := range g.names {
		if g.inStruct {
			g.line("struct list %s = { NULL, NULL, 0 };", x)
		} else {
			g.line("struct node *%s = NULL, *%s_tail = NULL;\n  unsigned %s_count = 0;", x, x, x)
		}
	}
	for _, x := range g.names {
		g.build(x)
	}
	for range 1 + g.n(3) {
		g.operation(g.pick(g.names...))
	}
	if g.chance(20) {
		g.line("if (kept)\n    t += kept->v%s;", g.slip("", ", kept->v = 1"))
	}
	for k, x := range g.names {
		if k == 0 || g.chance(80) {
			g.drop(x)
		}
	}
	g.line("return t == 1;")
	return g.out.String() + "}\n"
}

type listGenerator struct {
	loopGenerator
	// wrong: the program may have defects. double: members have a pointer back. tail: lists have one to the last member.
	wrong, double, inStruct, tail bool
	names                         []string
	used                          int // names of variables
}

// extra returns the pointer back of a member, if it has one.
func (g *listGenerator) extra() string {
	if g.double {
		return "struct node *back; "
	}
	return ""
}

// slip returns the right text or, at some places of a wrong program, another one.
func (g *listGenerator) slip(right string, wrong ...string) string {
	if g.wrong && g.chance(15) {
		return g.pick(wrong...)
	}
	return right
}

// of returns the head, the tail or the counter of a list.
func (g *listGenerator) of(x, part string) string {
	switch {
	case g.inStruct:
		return x + "." + part
	case part == "head":
		return x
	}
	return x + "_" + part
}

func (g *listGenerator) name(of string) string {
	g.used++
	return fmt.Sprintf("%s%d", of, g.used)
}

// lines writes lines, with the current indentation.
func (g *listGenerator) lines(lines ...string) {
	for _, l := range lines {
		g.line("%s", l)
	}
}

// build writes a loop that makes members: in front, behind the tail, or behind the last link.
func (g *listGenerator) build(x string) {
	head, tail, count := g.of(x, "head"), g.of(x, "tail"), g.of(x, "count")
	link := g.name("link")
	style := g.n(3)
	if g.tail {
		style = 1
	}
	if style == 2 {
		g.line("struct node **%s = &%s;", link, head)
	}
	g.line("while (%s) {", g.pick("nd_bool()", "nd_bool()", "nd_bool() && "+count+" < 1000"))
	g.in = "    "
	g.line("struct node *n = malloc(sizeof *n);\n    if (%s)\n      break;", g.slip("!n", "0"))
	g.line("n->v = %s;", g.pick("nd_int()", "nd_uint8_t()", "0", "(int)"+count))
	null := g.slip("n->next = NULL;", ";")
	switch style {
	case 0:
		g.lines(g.slip("n->next = "+head+";", ";"))
		if g.double {
			g.lines("n->back = NULL;", g.slip("if ("+head+")\n      "+head+"->back = n;", ";"))
		}
		g.lines(head + " = n;")
	case 1:
		g.lines(null)
		if g.double {
			g.lines("n->back = " + tail + ";")
		}
		g.lines("if ("+tail+")\n      "+tail+"->next = n;\n    else\n      "+head+" = n;", g.slip(tail+" = n;", ";"))
	case 2:
		g.lines(null)
		if g.double {
			g.lines("n->back = NULL;")
		}
		g.lines("*"+link+" = n;", link+" = &n->next;")
	}
	g.line("%s++;", count)
	g.in = "  "
	g.line("}")
}

// operation writes an operation on a list.
func (g *listGenerator) operation(x string) {
	head, tail := g.of(x, "head"), g.of(x, "tail")
	p, q, key := g.name("p"), g.name("q"), g.pick("nd_int()", "0", "7", "nd_int8_t()")
	stale := tail + " = NULL;" // what the operation may have removed
	switch g.n(10) {
	case 0:
		g.line("for (struct node *%s = %s; %s; %s = %s->next)\n    %s", p, head, p, p, p,
			g.pick("t += "+p+"->v;", p+"->v = 1;", "if ("+p+"->v == "+key+")\n      kept = "+p+";", "t++;"))
		if g.chance(40) {
			g.line("for (struct node *%s = %s; %s; %s = %s->next)\n    sassert(%s->v %s);", q, head, q, q, q, q,
				g.pick("== 1", ">= 0", "<= 255"))
		}
	case 1: // reversal
		g.lines("struct node *"+q+" = NULL;", "while ("+head+") {",
			"  struct node *rest = "+head+"->next;", "  "+g.slip(head+"->next = "+q+";", ";", head+"->next = "+head+";"),
			"  "+q+" = "+head+";", "  "+head+" = rest;", "}", head+" = "+q+";", g.slip(stale, ";"))
	case 2: // the first member that has the key
		g.lines("struct node *"+q+" = NULL;", "int k"+p+" = "+key+";",
			"for (struct node *"+p+" = "+head+"; "+p+"; "+q+" = "+p+", "+p+" = "+p+"->next)",
			"  if ("+p+"->v == k"+p+") {", "    if ("+g.slip(q, "1")+")", "      "+q+"->next = "+p+"->next;", "    else",
			"      "+g.slip(head+" = "+p+"->next;", ";"), "    free("+p+");", "    "+g.slip("break;", ";"), "  }",
			g.slip(stale, ";"))
	case 3: // all members that have the key
		g.lines("struct node *"+q+" = NULL, *"+p+" = "+head+";", "int k"+p+" = "+key+";", "while ("+p+") {",
			"  struct node *next = "+p+"->next;", "  if ("+p+"->v == k"+p+") {", "    if ("+q+")",
			"      "+q+"->next = next;", "    else", "      "+g.slip(head+" = next;", ";"), "    free("+p+");", "  } else",
			"    "+g.slip(q+" = "+p+";", ";"), "  "+p+" = "+g.slip("next", p+"->next")+";", "}", g.slip(stale, ";"))
	case 4: // the same by a pointer to the link
		g.lines("struct node **"+q+" = &"+head+";", "int k"+p+" = "+key+";", "while (*"+q+") {",
			"  struct node *"+p+" = *"+q+";", "  if ("+p+"->v == k"+p+") {", "    "+g.slip("*"+q+" = "+p+"->next;", ";"),
			"    free("+p+");", "  } else", "    "+q+" = &"+g.slip(p, "(*"+q+")")+"->next;", "}", g.slip(stale, ";"))
	case 5: // taken from one end
		g.lines("while ("+head+g.pick("", " && nd_bool()")+") {", "  struct node *"+p+" = "+head+";",
			"  "+head+" = "+p+"->next;", "  "+g.slip("if (!"+head+")\n      "+tail+" = NULL;", ";"), "  free("+p+");",
			"  "+g.slip(";", "t += "+p+"->v;"), "}")
	case 6: // moved to another list
		to := g.pick(g.names...)
		if to == x {
			to = "other" + p
			g.line("struct node *%s = NULL;", to)
		} else {
			to = g.of(to, "head")
		}
		g.lines("while ("+head+g.pick("", " && nd_bool()")+") {", "  struct node *"+p+" = "+head+";",
			"  "+g.slip(head+" = "+p+"->next;", head+" = "+p+"->next->next;"), "  "+g.slip(p+"->next = "+to+";", ";"),
			"  "+to+" = "+p+";", "}", g.slip(stale, ";"))
	case 7: // at its place
		g.lines("struct node *"+p+" = malloc(sizeof *"+p+");", "if ("+p+") {", "  "+p+"->v = "+key+";",
			"  struct node **"+q+" = &"+head+";", "  while (*"+q+" && (*"+q+")->v < "+p+"->v)", "    "+q+" = &(*"+q+")->next;",
			"  "+g.slip(p+"->next = *"+q+";", ";"), "  *"+q+" = "+p+";", "}")
	case 8: // the last member
		g.lines("struct node *"+p+" = "+head+";", "while ("+g.slip(p+" && "+p+"->next", p+"->next")+")",
			"  "+p+" = "+p+"->next;", "if ("+p+") {", "  "+p+"->next = malloc(sizeof *"+p+");", "  if ("+p+"->next) {",
			"    "+p+"->next->v = 0;", "    "+g.slip(p+"->next->next = NULL;", ";", p+"->next->next = "+p+";"), "  }", "}",
			g.slip(stale, ";"))
	case 9: // a queue
		if !g.tail {
			g.lines("while (nd_bool() && " + head + ")\n    " + head + "->v = 1, t++;")
			return
		}
		g.lines("while (nd_bool()) {", "  if (nd_bool()) {", "    struct node *n = malloc(sizeof *n);", "    if (!n)",
			"      continue;", "    n->v = 0;", "    n->next = NULL;", "    if ("+tail+")",
			"      "+tail+"->next = n;", "    else", "      "+head+" = n;", "    "+tail+" = n;",
			"  } else if ("+head+") {", "    struct node *"+p+" = "+head+";", "    "+head+" = "+p+"->next;",
			"    "+g.slip("if (!"+head+")\n        "+tail+" = NULL;", ";"), "    free("+p+");", "  }", "}")
	}
}

// drop writes a loop that frees a list.
func (g *listGenerator) drop(x string) {
	head := g.of(x, "head")
	g.lines("while ("+head+") {", "  struct node *next = "+head+"->next;", "  free("+head+");",
		"  "+head+" = "+g.slip("next", head+"->next")+";", "}")
}
