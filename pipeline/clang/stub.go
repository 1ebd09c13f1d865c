package clang

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/unitproof/unitproof/pipeline/clang/asm"
	"github.com/unitproof/unitproof/pipeline/lazyregexp"
	"github.com/unitproof/unitproof/vcgen/found"
)

// Stubs of proofs for CBMC rely on two features that C lacks: a stub may end without returning its value, which is
// arbitrary for CBMC, and it may take fewer parameters than its callers pass, in which case goto-cc drops the last
// arguments. Both are sound: an arbitrary value includes every value, and an unused argument has no effect. The text is
// rewritten accordingly, so that neither engine nor interpreter needs a special case.

// stubResult is the prefix of the primitive that returns a stub's result.
const stubResult = "nondet_result_of_"

// stubNote is an assumption that applies if a function of a module is part of the program.
type stubNote struct {
	module int
	name   string
	found.Assumption
}

// openStubs makes two changes to functions that the overrides and the entry's file define. A function without any
// return of a value returns an arbitrary one. A function with fewer parameters than another file declares gets further
// parameters. Modified modules are replaced in the slice. A function that returns a value on some path is unchanged:
// there the missing one is an error.
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

// readsResult matches the load of clang's variable for the result at the end of a function.
var readsResult = lazyregexp.New(
	`(?m)^(  %\d+ = )load (i\d+|float|double|ptr|[%\w.]+\*+), (?:ptr|[%\w.]+\*+) %retval, align \d+`)

// withResult returns the text of a function that never returns its value, with an arbitrary result, and the result's
// type. It returns nil for other functions. If clang's variable for the result is only allocated and loaded, it is
// never written. A variable of the user with that name also has debug information.
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

// withFurtherParameters returns the text of a function with `...` behind its parameters if some file declares it with
// more of them, and nil otherwise. Each call is checked against the parameters that it has.
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

// stubNotes returns the assumptions about functions that are part of the program.
func (p *program) stubNotes(notes []stubNote) []found.Assumption {
	var assumptions []found.Assumption
	for _, n := range notes {
		if p.keep[n.module][p.modules[n.module].Symbols[n.name]] == asm.Definition {
			assumptions = append(assumptions, n.Assumption)
		}
	}
	return assumptions
}
