package pipeline

import (
	"slices"
	"strings"

	"github.com/unitproof/unitproof/diagnostics/csource"
	"github.com/unitproof/unitproof/pipeline/precondition"
	"github.com/unitproof/unitproof/vcgen/interp/inspect"
	"github.com/unitproof/unitproof/vcgen/language"
)

// Which variables and members a condition may be about, by the text between the place and the failure.

// tokens yields the texts of the tokens of a piece of code.
func tokens(text []byte) (list []string) {
	for s := (csource.Scanner{Text: text}); ; {
		t := s.Code()
		if t.Kind == csource.End {
			return list
		}
		list = append(list, t.Of(text))
	}
}

// declaredIn reports whether a name stands in a text.
func declaredIn(text []byte, name string) bool { return slices.Contains(tokens(text), name) }

// counts reports whether a text counts with a variable, as loops do.
func counts(text []byte, name string) bool {
	list := tokens(text)
	for i, t := range list {
		if t != name {
			continue
		}
		if i > 0 && (list[i-1] == "++" || list[i-1] == "--") {
			return true
		}
		if i+1 < len(list) {
			switch next := list[i+1]; next {
			case "++", "--", "+=", "-=", "*=", "/=", "<<=", ">>=":
				return true
			}
		}
	}
	return false
}

// assigned reports whether a text gives a variable a value.
func assigned(text []byte, name string) bool {
	list := tokens(text)
	for i, t := range list {
		if t == name && i+1 < len(list) && list[i+1] == "=" {
			return true
		}
	}
	return false
}

// made reports whether a text assigns to a variable once, and gives it a value computed from inputs and constants:
// (enum mode)(nd_uint() % 3).
func made(text []byte, name string, locals []inspect.Variable) bool {
	list := tokens(text)
	count, inputs := 0, 0
	for i, t := range list {
		if t != name || i+1 == len(list) || list[i+1] != "=" {
			continue
		}
		count++
		for k := i + 2; k+1 < len(list) && list[k] != ";" && list[k] != ","; k++ {
			if list[k+1] != "(" || !csource.IsIdentStart(list[k][0]) {
				continue
			}
			if language.Lookup(list[k]).Role != language.Nondet {
				return false
			}
			inputs++
		}
	}
	return count == 1 && inputs > 0 && !derived(text, name, locals)
}

// derived reports whether an assignment of a text gives a variable a value that is computed from other variables.
func derived(text []byte, name string, locals []inspect.Variable) bool {
	list := tokens(text)
	for i, t := range list {
		if t != name || i+1 == len(list) || list[i+1] != "=" {
			continue
		}
		for k, t := range list[i+2:] {
			if t == ";" {
				break
			}
			if before := list[i+1+k]; before == "enum" || before == "struct" || before == "union" {
				continue
			}
			if slices.ContainsFunc(locals, func(l inspect.Variable) bool { return l.Name == t }) {
				return true
			}
		}
	}
	return false
}

// settled reports whether the last assignment of a text to a member gives it a value that calls no function.
func settled(text []byte, member string) bool {
	list, want := tokens(text), tokens([]byte(member))
	if len(want) < 2 {
		return false
	}
	for i := len(list) - len(want) - 1; i >= 0; i-- {
		if list[i+len(want)] != "=" || !slices.Equal(list[i:i+len(want)], want) {
			continue
		}
		for _, t := range list[i+len(want):] {
			switch t {
			case "(":
				return false
			case ";":
				return true
			}
		}
	}
	return false
}

// varies reports whether a condition may have different values each time that an execution comes to the place: the
// place is in a loop that may write a variable of the condition. It was assumed at each of these times then, so that
// nothing is known about the one that fails.
func (e *excluder) varies(c *precondition.Condition) bool {
	if e.loop.End == 0 {
		return false
	}
	loop := tokens(e.text[e.loop.Start:e.loop.End])
	return slices.ContainsFunc(c.Variables(), func(text string) bool {
		// Memory and variables of the program may be written by calls, too.
		if !identifier.MatchString(text) || !declaredIn(e.text[e.entry.Start:e.entry.End], text) ||
			counts(e.text[e.loop.Start:e.loop.End], text) {
			return true
		}
		for i, t := range loop {
			if t != text {
				continue
			}
			declared := i > 0 && (csource.IsIdentStart(loop[i-1][0]) && loop[i-1] != "return" || loop[i-1] == "*")
			if declared || i > 0 && loop[i-1] == "&" || i+1 < len(loop) && assigns(loop[i+1]) {
				return true
			}
		}
		return false
	})
}

// assigns reports whether an operator is an assignment.
func assigns(op string) bool {
	return strings.HasSuffix(op, "=") && !slices.Contains([]string{"==", "!=", "<=", ">="}, op)
}

// computed reports whether code before the place may have changed a variable or its target.
func (e *excluder) computed(name string) bool {
	for _, s := range e.code {
		list := tokens(e.text[s.Start:s.End])
		for i, t := range list {
			if t != name {
				continue
			}
			if i+1 < len(list) && (list[i+1] == "=" || list[i+1] == "." || list[i+1] == "->" || list[i+1] == "[") ||
				i > 0 && list[i-1] == "&" {
				return true
			}
		}
	}
	return false
}
