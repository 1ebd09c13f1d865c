package clang

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/unitproof/unitproof/pipeline/clang/asm"
	"github.com/unitproof/unitproof/pipeline/lazyregexp"
	"github.com/unitproof/unitproof/vcgen/found"
)

// Stubs of proofs for CBMC leave open what C does not: they end without the value that their callers use, which is any
// for CBMC, and they take fewer parameters than they are called with, of which goto-cc leaves out the last. Both are
// harmless for what is proved of the code: any value is more than each, and an argument that nobody looks at does
// nothing. So that neither engine nor interpreter has to know, the text says it.

// stubResult starts the name of the primitive by which a stub gets its result.
const stubResult = "nondet_result_of_"

// stubNote is what is assumed if a function of a module turns out to be part of the program.
type stubNote struct {
	module int
	name   string
	found.Assumption
}

// openStubs gives any value to what the overrides and the entry's file define without a return, and further parameters
// to what they define with fewer than another file declares. The modules that change are replaced in the slice. A
// function that returns a value somewhere is left: there the missing one is a mistake.
func openStubs(modules []*asm.Module, entry int) ([]stubNote, error) {
	declaredAs := map[string][]signature{}
	for _, a := range modules {
		for _, s := range a.Order {
			if s.Kind == asm.Function && (s.Link == asm.Declared || s.Link == asm.WeaklyDeclared) {
				line, _, _ := bytes.Cut(a.Bytes(s.Span), []byte("\n"))
				if sig, ok := signatureOf(line); ok {
					declaredAs[s.Name] = append(declaredAs[s.Name], sig)
				}
			}
		}
	}
	var notes []stubNote
	for i, a := range modules[:entry+1] {
		var out, declarations bytes.Buffer
		pos := 0
		for _, s := range a.Order {
			if !a.DefinesFunction(s.Name) || s.Name[0] == '"' {
				continue
			}
			text := a.Bytes(s.Span)
			note := func(what found.Assumed) {
				file, line := position(a, s)
				notes = append(notes, stubNote{i, s.Name,
					found.Assumption{What: what, Name: s.Name, At: found.Pos{File: file, Line: line}}})
			}
			changed := false
			if with, typ := withResult(text, s.Name); with != nil && a.Symbols[stubResult+s.Name] == nil {
				text, changed = with, true
				fmt.Fprintf(&declarations, "\ndeclare %s @%s%s()\n", typ, stubResult, s.Name)
				note(found.AnyResult)
			}
			if with := withFurtherParameters(s, text, declaredAs[s.Name]); s.Link != asm.Local && with != nil {
				text, changed = with, true
				note(found.FewerParameters)
			}
			if changed {
				out.Write(a.Text[pos:s.Start])
				out.Write(text)
				pos = s.End
			}
		}
		if pos == 0 {
			continue
		}
		out.Write(a.Text[pos:])
		out.Write(declarations.Bytes())
		b, err := asm.Cut(a.File, out.Bytes())
		if err != nil {
			return nil, err
		}
		modules[i] = b
	}
	return notes, nil
}

// readsResult finds where clang's variable for the result is read before the function ends.
var readsResult = lazyregexp.New(
	`(?m)^(  %\d+ = )load (i\d+|float|double|ptr|[%\w.]+\*+), (?:ptr|[%\w.]+\*+) %retval, align \d+`)

// withResult is the text of a function that nowhere returns a value but has to return one, with an arbitrary one, and
// the type of that; nil for another function. Where clang's variable for the result is made and read, and there is
// nothing else, nobody writes it. One of the user's of that name has debug information as well.
func withResult(text []byte, name string) ([]byte, string) {
	if !bytes.Contains(text, []byte(" %retval = alloca ")) || bytes.Count(text, []byte("%retval")) != 2 {
		return nil, ""
	}
	all := readsResult.FindAllStringSubmatchIndex(string(text), -1)
	if len(all) != 1 {
		return nil, ""
	}
	at := all[0]
	typ := string(text[at[4]:at[5]])
	call := fmt.Sprintf("call %s @%s%s()", typ, stubResult, name)
	return slices.Concat(text[:at[3]], []byte(call), text[at[1]:]), typ
}

// withFurtherParameters is the text of a function with `...` behind its parameters, where some file declares it with
// more of them; nil where none does. Whether those that it has are what is passed is seen at each call.
func withFurtherParameters(s *asm.Symbol, text []byte, as []signature) []byte {
	line, _, _ := bytes.Cut(text, []byte("\n"))
	own, ok := signatureOf(line)
	if !ok || own.open || !slices.ContainsFunc(as, func(d signature) bool {
		return !d.open && len(d.params) > len(own.params)
	}) {
		return nil
	}
	end := asm.Closing(line, asm.NameStart(line)+1+len(s.Name))
	if end < 0 {
		return nil
	}
	more := "..."
	if len(own.params) > 0 {
		more = ", ..."
	}
	return slices.Concat(text[:end], []byte(more), text[end:])
}

// stubNotes are those of functions that are part of the program.
func (p *program) stubNotes(notes []stubNote) []found.Assumption {
	var kept []found.Assumption
	for _, n := range notes {
		if p.keep[n.module][p.modules[n.module].Symbols[n.name]] == asm.Definition {
			kept = append(kept, n.Assumption)
		}
	}
	return kept
}
