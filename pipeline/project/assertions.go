package project

import (
	"bytes"

	"github.com/unitproof/unitproof/diagnostics/csource"
	"github.com/unitproof/unitproof/pipeline/lazyregexp"
	"github.com/unitproof/unitproof/vcgen/language"
)

// This file finds the assertions and calls in the text of a file, including code for which clang generates no code. It
// works on tokens: macros, branches of #if and broken code must not hide a call. clang decides whether a call is code
// at all.

// AssertionCall is a call by which a proof asserts, of a function or a macro, or a call of a function that the text
// defines.
type AssertionCall struct {
	Line, Column int // position of the name, from 1, in bytes
	Start, End   int // offsets of the name
	// Bare reports whether no argument list follows, as with a macro without parameters.
	Bare bool
}

// constantFalse matches the arguments of an assertion that its author marked as unreachable.
var constantFalse = lazyregexp.New(
	`^\s*\(\s*(?:0|false|!\s*"[^"]*"|(?:0|false)\s*&&\s*"[^"]*"|"[^"]*"\s*&&\s*(?:0|false))\s*[,)]`)

// asserts reports whether a call of the name that ends at an offset asserts something other than the constant false.
func asserts(name string, text []byte, end int, macros map[string]bool) bool {
	return macros[name] || language.Lookup(name).Role == language.Assert && !constantFalse.Match(text[end:])
}

// AssertingMacros returns the macros that the texts define and whose bodies assert, directly or through other macros.
func AssertingMacros(texts [][]byte) map[string]bool {
	bodies := map[string][][]byte{}
	for _, text := range texts {
		for name, body := range definedMacros(text) {
			bodies[name] = append(bodies[name], body...)
		}
	}
	out := map[string]bool{}
	for changed := true; changed; {
		changed = false
		for name, list := range bodies {
			for _, body := range list {
				if !out[name] && bodyAsserts(body, out) {
					out[name], changed = true, true
				}
			}
		}
	}
	return out
}

// bodyAsserts reports whether the body of a macro asserts: by a call of an asserting function or macro, or by a branch
// before a function that reports a failed assertion.
func bodyAsserts(body []byte, macros map[string]bool) bool {
	branch := false
	for s := (csource.Scanner{Text: body}); ; {
		t := s.Scan()
		word := string(body[t.Start:t.End])
		switch {
		case t.Kind == csource.End:
			return false
		case t.Kind == csource.Operator:
			branch = branch || word == "?" || word == "||" || word == "&&"
		case t.Kind != csource.Ident:
		case word == "if":
			branch = true
		case asserts(word, body, t.End, macros) || branch && language.Lookup(word).Role == language.AssertFailure:
			return true
		}
	}
}

// definedMacros returns the bodies of the macros that a text defines, with their parameters, by name.
func definedMacros(text []byte) map[string][][]byte {
	out := map[string][][]byte{}
	for at := 0; ; {
		i := bytes.Index(text[at:], []byte("define"))
		if i < 0 {
			return out
		}
		start := at + i
		at = start + len("define")
		if before := bytes.TrimRight(text[:start], " \t"); len(before) == 0 || before[len(before)-1] != '#' {
			continue
		}
		end := csource.LineEnd(text, at)
		s := csource.Scanner{Text: text[:end], Next: at}
		if t := s.Scan(); t.Kind == csource.Ident {
			name := string(text[t.Start:t.End])
			out[name] = append(out[name], text[t.End:end])
		}
	}
}

// functionBody is the text from the end of a function's name to its end. The name is empty if a macro generates it.
type functionBody struct {
	name       string
	start, end int
}

// Calls has the calls in the functions of a text: assertions, including those by asserting macros, and calls of
// functions that the text defines. It ignores whether a branch of #if is compiled and whether a macro generates a
// function.
type Calls struct {
	Assertions []AssertionCall
	Functions  []AssertionCall

	text   []byte
	bodies []functionBody
	macros map[string][][]byte
}

// FindCalls returns the calls in a text.
func FindCalls(text []byte, macros map[string]bool) *Calls {
	c := &Calls{text: text, macros: definedMacros(text)}
	type found struct {
		AssertionCall
		name  string
		depth int
	}
	var all []found
	line, counted, depth, lowest := 1, 0, 0, 0
	var before csource.Token
	defined := map[string]bool{}
	for s := (csource.Scanner{Text: text}); ; {
		t := s.Scan()
		if t.Kind == csource.End {
			break
		}
		last := before
		if t.Kind != csource.Comment {
			before = t
		}
		switch {
		case t.Kind == csource.Operator && text[t.Start] == '#' && csource.StartsLine(text, t.Start):
			s.Next = csource.LineEnd(text, t.End)
		case t.Kind == csource.Operator && text[t.Start] == '{':
			depth++
		case t.Kind == csource.Operator && text[t.Start] == '}':
			depth--
			lowest = min(lowest, depth)
			if n := len(c.bodies); depth == 0 && n > 0 && c.bodies[n-1].end == len(text) {
				c.bodies[n-1].end = t.End
			}
		case t.Kind == csource.Ident:
			name := string(text[t.Start:t.End])
			call := csource.CallBehind(text, t.End)
			if depth == 0 && call.Body && !csource.ControlWords[name] {
				if last.End == 0 || bytes.IndexByte([]byte(";}#"), text[last.Start]) >= 0 {
					name = "" // a macro that generates a function, since no type precedes it
				}
				defined[name] = name != ""
				c.bodies = append(c.bodies, functionBody{name, t.End, len(text)})
				continue
			}
			if !call.Is && !macros[name] || c.declares(last) {
				continue
			}
			line += bytes.Count(text[counted:t.Start], []byte("\n"))
			counted = t.Start
			all = append(all, found{AssertionCall{line, t.Start - bytes.LastIndexByte(text[:t.Start], '\n'), t.Start, t.End,
				!call.Is}, name, depth})
		}
	}
	balanced := depth == 0 && lowest == 0
	if !balanced {
		c.bodies = nil
	}
	for _, f := range all {
		switch {
		case balanced && f.depth == 0:
		case asserts(f.name, text, f.End, macros):
			c.Assertions = append(c.Assertions, f.AssertionCall)
		case defined[f.name] && c.macros[f.name] == nil && !f.Bare:
			c.Functions = append(c.Functions, f.AssertionCall)
		}
	}
	return c
}

// declares reports whether a name after token t is a declaration or a member, not a call.
func (c *Calls) declares(t csource.Token) bool {
	switch word := string(c.text[t.Start:t.End]); {
	case t.Kind == csource.Ident:
		return word != "else" && word != "do" && word != "return" && word != "__extension__"
	case t.Kind == csource.Operator:
		return word == "." || word == "->"
	}
	return false
}

// Mentioned returns a function that reports whether a position may be executed by a program that has certain functions.
// This is the case if one of these functions mentions, directly or indirectly, the function around the position. It is
// also true if the function around the position is unknown.
func (c *Calls) Mentioned(has func(function string) bool) func(at int) bool {
	known := map[string]bool{}
	var todo []string
	add := func(name string) {
		if !known[name] {
			known[name] = true
			todo = append(todo, name)
		}
	}
	parts := map[string][][]byte{} // the texts that a name stands for
	for name, bodies := range c.macros {
		parts[name] = bodies
	}
	for _, b := range c.bodies {
		parts[b.name] = append(parts[b.name], c.text[b.start:b.end])
		if has(b.name) {
			add(b.name)
		}
	}
	for len(todo) > 0 {
		name := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, part := range parts[name] {
			for s := (csource.Scanner{Text: part}); ; {
				t := s.Scan()
				if t.Kind == csource.End {
					break
				}
				if t.Kind == csource.Ident && parts[string(part[t.Start:t.End])] != nil {
					add(string(part[t.Start:t.End]))
				}
			}
		}
	}
	return func(at int) bool {
		for _, b := range c.bodies {
			if b.start <= at && at < b.end {
				return known[b.name] || b.name == ""
			}
		}
		return true
	}
}
