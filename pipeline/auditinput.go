package pipeline

import (
	"bytes"
	"slices"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/diagnostics/csource"
	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/language"
)

// maxNegated bounds the assertions that are negated, for a proof. A proof with more of them is not asked about.
const maxNegated = 4

// noInput reports assertions of a proof that asks for arbitrary values, if none of its assertions depends on them, and
// assertions about constants beside others. An assertion whose condition was simplified away is negated: the execution
// that violates it has the inputs that matter.
func (s *specification) noInput(i int) {
	p, r := &s.batch.Proofs[i], &s.results[i].Proof
	if !r.Chooses {
		return
	}
	var all, open, constant []*diagnostics.Finding
	depends := false
	for k := range r.Obligations {
		f := &r.Obligations[k]
		switch {
		case f.Kind != found.Assertion || f.Verdict != found.Proved:
		case f.File != r.File || f.InputsUsed != nil && len(*f.InputsUsed) > 0 || f.Independent != "":
			depends = true
		default:
			all = append(all, f)
			if f.InputsUsed == nil {
				open = append(open, f)
				if s.aboutConstants(p.File, f) {
					constant = append(constant, f)
				}
			}
		}
	}
	list, message := all, "none of the proof's inputs has an effect on the assertion, nor on any other of the proof"
	depends = depends || len(open) > maxNegated ||
		slices.ContainsFunc(open, func(f *diagnostics.Finding) bool { return !s.holdsAnyway(p, f) })
	if depends {
		list, message = nil, "the assertion is about constants: none of the proof's inputs has an effect on it"
		for _, f := range constant[:min(len(constant), maxNegated)] {
			if s.holdsAnyway(p, f) {
				list = append(list, f)
			}
		}
	}
	for _, f := range list {
		if f.InputsUsed != nil && len(*f.InputsUsed) == 0 && f.Independent == diagnostics.WithoutInput {
			continue // reported without this check
		}
		if at, ok := lineOffset(s.text(p.File), f.Line, f.Column); ok {
			s.doubt(found.AuditNoInput, p, p.File, at, "%s", message)
		}
	}
}

// holdsAnyway reports whether the negation of an assertion is violated by an execution none of whose inputs matters.
func (s *specification) holdsAnyway(p *project.Proof, f *diagnostics.Finding) bool {
	text := s.text(p.File)
	from, to, ok := conditionAt(text, f)
	if !ok {
		return false
	}
	n := s.check(p, p.File, change{from, from, "!("}, change{to, to, ")"})
	if n == nil {
		return false
	}
	k := slices.IndexFunc(n.Obligations, func(o diagnostics.Finding) bool {
		return o.Line == f.Line && o.Kind == found.Assertion && o.Verdict == found.Failed
	})
	return k >= 0 && !slices.ContainsFunc(n.Obligations[k].Inputs, func(in found.Input) bool { return !in.Idle })
}

// conditionAt returns the condition of an assertion, as offsets.
func conditionAt(text []byte, f *diagnostics.Finding) (from, to int, ok bool) {
	at, ok := lineOffset(text, f.Line, f.Column)
	if !ok {
		return 0, 0, false
	}
	call, ok := csource.CallAt(text, at)
	if !ok || len(call.Args) == 0 {
		return 0, 0, false
	}
	args, _ := csource.Split(call.Args, ",")
	from = at + bytes.IndexByte(text[at:], '(') + 1
	return from, from + len(args[0]), true
}

// aboutConstants reports whether a condition calls functions with constants, and names no variable: mid(2, 8) == 5.
func (s *specification) aboutConstants(file string, f *diagnostics.Finding) bool {
	text := s.text(file)
	from, to, ok := conditionAt(text, f)
	if !ok {
		return false
	}
	called := false
	for scan := (csource.Scanner{Text: text[:to], Next: from}); ; {
		t := scan.Code()
		if t.Kind == csource.End {
			return called
		}
		if t.Kind != csource.Ident || csource.IsKeyword(t.Of(text)) {
			continue
		}
		call, is := csource.CallAt(text, t.Start)
		if !is || len(bytes.TrimSpace(call.Args)) == 0 || language.Lookup(call.Name).Role != language.None {
			return false
		}
		called = true
	}
}

// lineOffset is the offset of a position.
func lineOffset(text []byte, line, column int) (int, bool) {
	at := 0
	for ; line > 1; line-- {
		n := bytes.IndexByte(text[at:], '\n')
		if n < 0 {
			return 0, false
		}
		at += n + 1
	}
	at += column - 1
	return at, at >= 0 && at < len(text)
}
