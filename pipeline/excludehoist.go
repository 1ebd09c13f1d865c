package pipeline

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/unitproof/unitproof/diagnostics/csource"
	"github.com/unitproof/unitproof/pipeline/precondition"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/language"
)

// hoisted are the inputs of the failing statement that the proof has no names for:
//
//	put(&q, nd_int());        int input = nd_int();
//	                          put(&q, input);
//
// Conditions are about names, so the search is made in the second text. A condition about such a name replaces the
// statement by these lines.
type hoisted struct {
	statement precondition.Statement // in the text of the user
	line      int                    // of its start
	column    int
	endLine   int
	endColumn int    // behind it
	original  []byte // the text of the user
	names     []string
	calls     []string // "nd_uint()", of each name
	lines     int      // that were added
	grown     int      // bytes that were added
	moved     int      // by how many bytes the failing expression moved
}

// maxHoisted is the largest number of inputs that get names.
const maxHoisted = 4

// hoist gives names to the inputs of a statement, searches in that text from then on, and reports whether it did. The
// statement is the failing one, or else the last one before it that calls code with inputs.
func (e *excluder) hoist(ctx context.Context) bool {
	at, ok := e.failingOffset()
	if !ok {
		return false
	}
	if s := e.failing; s.Start <= at && at < s.End {
		s, alone := branchAt(e.text, s, at)
		if e.hoistIn(ctx, s, at, alone) {
			return true
		}
	}
	if e.loop.End > 0 {
		return false
	}
	s, ok := e.unnamed()
	return ok && s.End <= at && e.hoistIn(ctx, s, at, false)
}

// unnamed returns the last statement before the failing one that makes an input without a name on which the failure
// depends. It is in a block around the failing one.
func (e *excluder) unnamed() (last precondition.Statement, ok bool) {
	before := e.text[e.entry.Body:e.failing.Start]
	named := func(in *found.Input) bool { // by a variable of the entry, not by a parameter that it is passed to
		name := strings.TrimLeft(in.Variable, "*&(")
		name = name[:csource.WordEnd([]byte(name), 0)]
		return name != "" && declaredIn(before, name)
	}
	for _, list := range precondition.Blocks(e.text, e.entry.Body, e.failing.Start) {
		for _, s := range list {
			first, _ := lineAndColumn(e.text, s.Start)
			end, _ := lineAndColumn(e.text, s.End)
			makes := slices.ContainsFunc(e.finding.Inputs, func(in found.Input) bool {
				return !in.Idle && !named(&in) && in.File == e.proof.File && in.Line >= first && in.Line <= end
			})
			if makes && s.End <= e.failing.Start && s.Start >= last.Start && callsCode(e.text[s.Start:s.End]) {
				last, ok = s, true
			}
		}
	}
	return last, ok
}

// callsCode reports whether a statement calls a function that is no primitive: others name their inputs.
func callsCode(text []byte) bool {
	list := tokens(text)
	for i, t := range list {
		if i+1 < len(list) && list[i+1] == "(" && csource.IsIdentStart(t[0]) && !csource.IsKeyword(t) &&
			language.Lookup(t).Role == language.None {
			return true
		}
	}
	return false
}

// hoistIn gives names to the inputs of a statement, and reports whether it did. at is the offset of the failing
// expression, in it or behind it. alone: the statement is a branch without braces.
func (e *excluder) hoistIn(ctx context.Context, s precondition.Statement, at int, alone bool) bool {
	f := e.finding
	text := e.text[s.Start:s.End]
	switch (&csource.Scanner{Text: text}).Code().Of(text) {
	case "for", "while", "do", "switch", "if", "case", "default", "goto", "static", "{":
		return false
	}
	h := &hoisted{statement: s, original: e.text}
	var before, statement bytes.Buffer
	indent := e.indentAt(s.Start)
	if alone { // the body of an if
		before.WriteString("{ ")
	}
	written := map[madeAt]int{}
	last := 0
	for scan := (csource.Scanner{Text: text}); len(h.names) < maxHoisted; {
		t := scan.Code()
		if t.Kind == csource.End {
			break
		}
		if t.Is(text, "{") {
			return false // a statement expression, or an initializer with designators
		}
		end, ok := emptyCall(text, t)
		typ := inputType(t.Of(text))
		if t.Kind != csource.Ident || !ok || typ == "" || decides(text, t.Start, end) {
			continue
		}
		line, _ := lineAndColumn(e.text, s.Start+t.Start)
		written[madeAt{t.Of(text), line}]++
		name := e.freeName(len(h.names))
		h.names, h.calls = append(h.names, name), append(h.calls, t.Of(text)+"()")
		fmt.Fprintf(&before, "%s %s = %s();\n%s", typ, name, t.Of(text), indent)
		statement.Write(text[last:t.Start])
		if at >= s.Start+t.Start && at < s.Start+end {
			return false // the violation is in the call that makes the input
		}
		if last, scan.Next = end, end; at >= s.Start+end {
			h.moved += len(name) - (end - t.Start)
		}
		statement.WriteString(name)
	}
	if len(h.names) == 0 || e.makesMore(written) {
		return false
	}
	h.moved += before.Len()
	statement.Write(text[last:])
	if alone {
		statement.WriteString(" }")
	}
	h.line, h.column = lineAndColumn(e.text, s.Start)
	h.endLine, h.endColumn = lineAndColumn(e.text, s.End)
	h.lines, h.grown = len(h.names), before.Len()+statement.Len()-len(text)
	next := slices.Concat(e.text[:s.Start], before.Bytes(), statement.Bytes(), e.text[s.End:])
	proof, virtual := e.check(ctx, next)
	line, column := f.Line, f.Column
	switch {
	case f.File != e.proof.File:
	case len(f.CallPath) == 0 || f.CallPath[0].Function != e.job.Proof.Entry: // in the statement
		line, column = lineAndColumn(next, at+h.moved)
	case line > h.line:
		line += h.lines
	}
	for i := range proof.Obligations {
		g := &proof.Obligations[i]
		if g.Kind == f.Kind && g.File == f.File && g.Line == line && g.Column == column && g.Verdict == found.Failed &&
			len(g.Run.Tape) > 0 {
			e.text, e.job.Virtual, e.proof, e.finding, e.hoisted = next, virtual, proof, g, h
			e.entry.End += h.grown
			e.code, e.vars = nil, nil
			return true
		}
	}
	return false
}

// decides reports whether the call between two offsets of a statement only chooses another value: "nd_bool() ? p :
// NULL". A reader can judge a condition about the chosen value, p != NULL, but not one about the choice.
func decides(text []byte, start, end int) bool {
	scan := csource.Scanner{Text: text, Next: end}
	switch scan.Code().Of(text) {
	case "?", "&&", "||":
		return true
	}
	before := bytes.TrimRight(text[:start], " \t\n(")
	return bytes.HasSuffix(before, []byte("&&")) || bytes.HasSuffix(before, []byte("||")) ||
		bytes.HasSuffix(before, []byte("!"))
}

// failingOffset returns the offset of the expression of the entry that fails, or of its call that leads to the failure.
func (e *excluder) failingOffset() (int, bool) {
	f := e.finding
	if len(f.CallPath) > 0 && f.CallPath[0].Function == e.job.Proof.Entry {
		return e.at, true
	}
	if f.Function != e.job.Proof.Entry || f.File != e.proof.File || f.Column <= 0 {
		return 0, false
	}
	return offsetOf(e.text, f.Line, f.Column)
}

// branchAt returns the statement at an offset within another one that begins with if, and whether it is such a branch
// without braces.
func branchAt(text []byte, s precondition.Statement, at int) (precondition.Statement, bool) {
	alone := false
	for {
		scan := csource.Scanner{Text: text, Next: s.Start}
		if scan.Code().Of(text) != "if" {
			return s, alone
		}
		open := scan.Code()
		shut, ok := csource.Closing(text, open.Start)
		if !open.Is(text, "(") || !ok || at <= shut {
			return s, alone // in the condition
		}
		scan.Next = shut + 1
		branch := precondition.Statement{Start: scan.Code().Start}
		for depth := 0; ; {
			t := scan.Code()
			switch {
			case t.Kind == csource.End || t.Start >= s.End || t.Is(text, "{"):
				return s, false
			case t.Is(text, "(") || t.Is(text, "["):
				depth++
			case t.Is(text, ")") || t.Is(text, "]"):
				depth--
			}
			if t.Is(text, ";") && depth == 0 {
				branch.End = t.End
				break
			}
		}
		if at >= branch.End || at < branch.Start || bytes.HasPrefix(text[branch.Start:], []byte("if")) {
			return s, false // behind else
		}
		s, alone = branch, true
	}
}

// madeAt is a function that makes an input, and the line of its call.
type madeAt struct {
	function string
	line     int
}

// makesMore reports whether an execution makes more inputs than the calls that are written: a macro may repeat its
// argument, and a loop the statement.
func (e *excluder) makesMore(written map[madeAt]int) bool {
	made := map[madeAt]int{}
	for i := range e.finding.Inputs {
		in := &e.finding.Inputs[i]
		at := madeAt{in.Function, in.Line}
		if made[at]++; written[at] > 0 && in.File == e.proof.File && made[at] > written[at] {
			return true
		}
	}
	return false
}

// emptyCall returns the end of a call without arguments.
func emptyCall(text []byte, name csource.Token) (end int, ok bool) {
	scan := csource.Scanner{Text: text, Next: name.End}
	if !scan.Code().Is(text, "(") {
		return 0, false
	}
	shut := scan.Code()
	return shut.End, shut.Is(text, ")")
}

// inputType returns the type of the result of a function that makes an input, "" for other functions and for pointers.
func inputType(name string) string {
	e := language.Lookup(name)
	if e.Role != language.Nondet || strings.HasSuffix(name, "voidp") || strings.HasSuffix(name, "pointer") {
		return ""
	}
	if t, ok := strings.CutPrefix(name, "nd_"); ok && e.Dialect == language.Unitproof {
		if t == "uint" {
			return "unsigned"
		}
		return t
	}
	return "__typeof__(" + name + "())"
}

// freeName returns a name that the file does not use.
func (e *excluder) freeName(n int) string {
	for name := "input"; ; n++ {
		if n > 0 {
			name = fmt.Sprintf("input%d", n+1)
		}
		if !bytes.Contains(e.text, []byte(name)) {
			return name
		}
	}
}

func (e *excluder) indentAt(offset int) string {
	line := e.text[bytes.LastIndexByte(e.text[:offset], '\n')+1 : offset]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

func lineAndColumn(text []byte, offset int) (line, column int) {
	return bytes.Count(text[:offset], []byte("\n")) + 1, offset - bytes.LastIndexByte(text[:offset], '\n')
}

// place sets the place of a condition in the text of the user. A condition about an input that got a name replaces the
// statement.
func (h *hoisted) place(e *excluder, c *Precondition) {
	if h == nil || e.place < h.statement.Start {
		return
	}
	end := h.statement.End + h.grown
	named := slices.ContainsFunc(h.names, func(name string) bool { return mentions(c.Condition, name) })
	if e.place >= end && !named {
		c.Line, c.Column = lineAndColumn(h.original, e.place-h.grown)
		return
	}
	c.Line, c.Column = h.line, h.column
	if !named {
		return
	}
	c.EndLine, c.EndColumn = h.endLine, h.endColumn
	if e.place >= end { // everything up to the place
		c.EndLine, c.EndColumn = lineAndColumn(h.original, e.place-h.grown)
		end = e.place
	}
	c.Text = string(e.text[h.statement.Start:e.place]) + c.Text + "\n" + e.indent + string(e.text[e.place:end])
}

// inputs returns the named inputs of a condition, each with its call.
func (h *hoisted) inputs(condition string) (list []string) {
	if h == nil {
		return nil
	}
	for i, name := range h.names {
		if mentions(condition, name) {
			list = append(list, fmt.Sprintf("%s is %s", name, h.calls[i]))
		}
	}
	return list
}

func mentions(text, name string) bool {
	for scan := (csource.Scanner{Text: []byte(text)}); ; {
		switch t := scan.Code(); {
		case t.Kind == csource.End:
			return false
		case t.Kind == csource.Ident && t.Of(scan.Text) == name:
			return true
		}
	}
}
