package project

import (
	"bytes"

	"github.com/unitproof/unitproof/diagnostics/csource"
	"github.com/unitproof/unitproof/pipeline/lazyregexp"
	"github.com/unitproof/unitproof/vcgen/language"
)

// A function or a macro by which a proof asserts is called in the text of a file, perhaps where clang makes no code.
// These are found by tokens: macros, branches of #if and broken code must not hide one, and whether it is code at all
// is clang's to say.

// AssertionCall is a call of a function, or a use of a macro, by which proofs assert, or of a function that the text
// defines.
type AssertionCall struct {
	Line, Column int // of the name, from 1, in bytes
	Start, End   int // of that name in the text, in bytes
	// Bare: nothing in brackets follows, as with a macro without parameters.
	Bare bool
}

// constantFalse is how people write an assertion that says that no way leads here.
var constantFalse = lazyregexp.New(`^\s*\(\s*(?:0|false|!\s*"[^"]*"|(?:0|false)\s*&&\s*"[^"]*"|"[^"]*"\s*&&\s*(?:0|false))\s*[,)]`)

// asserts tells whether the name that ends at a place of a text asserts something that was not written as the constant
// false.
func asserts(name string, text []byte, end int, macros map[string]bool) bool {
	return macros[name] || language.Lookup(name).Role == language.Assert && !constantFalse.Match(text[end:])
}

// AssertingMacros are the macros that the texts define and whose bodies assert, by way of others, too.
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

// bodyAsserts tells whether the body of a macro asserts, by way of the macros given, too, or by a branch of its own
// before what reports that an assertion failed.
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

// definedMacros are the bodies of the macros that a text defines, by name. Parameters are part of them.
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

// functionBody is what a text has between the name and the end of a function. The name is empty where a macro makes it.
type functionBody struct {
	name       string
	start, end int
}

// Calls are what a text calls in functions: what asserts (macros name more that does), and the functions that it
// defines. Whether a branch of #if is compiled, or a macro makes a function, is not looked at.
type Calls struct {
	Assertions []AssertionCall
	Functions  []AssertionCall

	text   []byte
	bodies []functionBody
	macros map[string][][]byte
}

// FindCalls reads a text.
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
					name = "" // without a type before it, it is a macro that makes a function
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

// declares tells whether a name behind a token is declared there, or is a member, and not called.
func (c *Calls) declares(t csource.Token) bool {
	switch word := string(c.text[t.Start:t.End]); {
	case t.Kind == csource.Ident:
		return word != "else" && word != "do" && word != "return" && word != "__extension__"
	case t.Kind == csource.Operator:
		return word == "." || word == "->"
	}
	return false
}

// Mentioned tells of a place in the text whether it may be run by a program with some functions: whether these, or what
// they mention, mention the function around it. It is true where the function around it is not known.
func (c *Calls) Mentioned(has func(function string) bool) func(at int) bool {
	known := map[string]bool{}
	var todo []string
	add := func(name string) {
		if !known[name] {
			known[name] = true
			todo = append(todo, name)
		}
	}
	parts := map[string][][]byte{} // what a name stands for
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
