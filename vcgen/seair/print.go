package seair

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/unitproof/unitproof/vcgen/choice"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/smt"
)

// Dump prints the log in readable form: the inputs, then the events in execution order, grouped by guard.
//
// Terms are in infix notation (smt.Infix).
//
//	input nondet x
//	  0     3:11  assume: x <u 9
//	where x == 5:
//	  1      4:3  obligation assertion: x * 2 <u 11
func (l *Log) Dump(w io.Writer) error {
	b := bufio.NewWriter(w)
	p := &printer{w: b, l: l, terms: smt.NewInfix(l.C, l.terms()...), guard: l.C.True()}
	p.inputs()
	for i := range l.Events {
		p.event(i, &l.Events[i])
	}
	return b.Flush()
}

// terms lists the terms of all inputs and events, in their order.
func (l *Log) terms() []smt.Term {
	var out []smt.Term
	for _, in := range l.Inputs {
		out = append(out, in.Guard)
	}
	for i := range l.Events {
		out = append(out, l.Events[i].Guard, l.Events[i].Cond, l.Events[i].Coincidence)
	}
	return out
}

type printer struct {
	w     *bufio.Writer
	l     *Log
	terms *smt.Infix
	guard smt.Term // the current guard
	file  string   // positions in this file are printed without its name
}

func (p *printer) printf(format string, args ...any) {
	fmt.Fprintf(p.w, format, args...) // the writer keeps its first error
}

// term returns the text of a term, after printing the definitions that it needs.
func (p *printer) term(t smt.Term) string {
	for _, d := range p.terms.Define(t) {
		p.printf("            %s\n", d)
	}
	return p.terms.Term(t)
}

// inputs prints the inputs of an execution.
//
// Unconditional addresses of objects share a line, and so do contents that are never read.
func (p *printer) inputs() {
	var objects, unread []string
	for _, in := range p.l.Inputs {
		switch {
		case in.Kind == choice.Object && in.Site == 0 && p.l.C.IsTrue(in.Guard):
			objects = append(objects, in.Name)
			continue
		case in.Value == 0 && !in.Bytes:
			unread = append(unread, in.Name)
			continue
		}
		where := ""
		if !p.l.C.IsTrue(in.Guard) {
			where = " where " + p.term(in.Guard)
		}
		name := ""
		if in.Bytes {
			name = p.terms.Func(in.Content) + "()"
		} else {
			name = p.terms.Term(in.Value)
		}
		if in.Name != "" && in.Name != strings.TrimSuffix(name, "()") {
			name += " of " + in.Name
		}
		if in.Library {
			where += " (of a library)"
		}
		p.printf("input %s %s%s\n", in.Kind, name, where)
	}
	for _, list := range []struct {
		what  string
		names []string
	}{{"never read", unread}, {"objects", objects}} {
		if len(list.names) > 0 {
			p.printf("%s: %s\n", list.what, strings.Join(list.names, ", "))
		}
	}
}

func (p *printer) event(i int, e *Event) {
	if e.Guard != p.guard {
		if p.guard = e.Guard; p.l.C.IsTrue(e.Guard) {
			p.printf("always:\n")
		} else {
			p.printf("where %s:\n", p.term(e.Guard))
		}
	}
	var b strings.Builder
	b.WriteString(e.Kind.String())
	if e.Check != "" {
		b.WriteString(" " + string(e.Check))
	}
	if e.Loop != "" {
		fmt.Fprintf(&b, " %s after %d", e.Loop, e.Bound)
	}
	for _, mark := range []struct {
		has  bool
		text string
	}{{e.ConstFalse, "constant false"}, {e.Accepted, "accepted"}, {e.HasValue, "has a value"}} {
		if mark.has {
			b.WriteString(" (" + mark.text + ")")
		}
	}
	if e.Cond != 0 {
		b.WriteString(": " + p.term(e.Cond))
	}
	if e.Text != "" {
		b.WriteString(": " + e.Text)
	}
	if e.Coincidence != 0 {
		b.WriteString(", by coincidence if " + p.term(e.Coincidence))
	}
	p.printf("%3d %8s  %s%s\n", i, p.place(e.Site), b.String(), p.calls(e.Site))
}

// place returns line and column, preceded by the file if it differs from that of the first position.
func (p *printer) place(s *Site) string {
	if s == nil {
		return "-"
	}
	if p.file == "" {
		p.file = s.Pos.File
	}
	return p.position(s.Pos)
}

func (p *printer) position(at found.Pos) string {
	text := fmt.Sprintf("%d:%d", at.Line, at.Column)
	if at.File != p.file {
		text = at.File + ":" + text
	}
	return text
}

// calls lists the callers of a position, innermost first.
func (p *printer) calls(s *Site) string {
	if s == nil || s.Caller == nil {
		return ""
	}
	var at []string
	for x := s.Caller; x != nil; x = x.Caller {
		at = append(at, p.position(x.Pos))
	}
	return fmt.Sprintf("   in %s called at %s", s.Pos.Function, strings.Join(at, ", "))
}
