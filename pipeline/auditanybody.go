package pipeline

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/diagnostics/csource"
	"github.com/unitproof/unitproof/pipeline/contract"
	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/vcgen/found"
)

// anyBody reports the postconditions that hold for any body of the function that keeps its frame: the body is replaced
// by arbitrary writes to the targets of assigns, and an arbitrary result.
func (s *specification) anyBody(p *project.Proof, f *contract.FunctionText) {
	text := s.text(p.File)
	body, ok := s.arbitraryBody(text, f)
	if !ok {
		return
	}
	var ensures []contract.ClauseText
	for _, c := range f.Clauses {
		if c.Ensures() {
			ensures = append(ensures, c)
		}
	}
	for _, c := range ensures {
		changes := []change{{f.Body, f.End, body}}
		for _, other := range ensures { // it may follow from another one
			if other.Start != c.Start {
				changes = append(changes, s.blank(p.File, other.Start, other.Close+1))
			}
		}
		r := s.check(p, p.File, changes...)
		if r == nil || r.Verdict == found.Error || r.Verdict == found.Vacuous {
			continue
		}
		if !provedOnly(r, found.Postcondition) {
			continue
		}
		condition := text[c.Open:c.Close]
		if at, repeats := repeatsClause(text, f, condition); repeats {
			s.doubt(found.AuditRepeats, p, p.File, c.Start, "the postcondition %s repeats the precondition at line %d",
				quoted(condition), 1+bytes.Count(text[:at], []byte("\n")))
		} else {
			s.doubt(found.AuditAnyBody, p, p.File, c.Start, "the postcondition %s holds for every body of %s that keeps its "+
				"frame", quoted(condition), f.Name)
		}
	}
}

// provedOnly reports whether a result has findings of a kind, and all are proved.
func provedOnly(r *diagnostics.Proof, kind found.Kind) bool {
	some := false
	for i := range r.Obligations {
		if f := &r.Obligations[i]; f.Kind == kind {
			if f.Verdict != found.Proved {
				return false
			}
			some = true
		}
	}
	return some
}

// repeatsClause returns a precondition with a conjunct that is the condition word for word.
func repeatsClause(text []byte, f *contract.FunctionText, condition []byte) (at int, ok bool) {
	for _, c := range f.Clauses {
		if c.Requires() && slices.Contains(diagnostics.Conjuncts(text[c.Open:c.Close]), diagnostics.Tokens(condition)) {
			return c.Start, true
		}
	}
	return 0, false
}

// arbitraryBody is a body that writes any bytes to the targets of a frame and returns any value.
func (s *specification) arbitraryBody(text []byte, f *contract.FunctionText) (string, bool) {
	out := "{ void memhavoc(void *, __SIZE_TYPE__);"
	for _, c := range f.Clauses {
		if !c.Assigns() {
			continue
		}
		targets, ok := havocs(text[c.Open:c.Close])
		if !ok {
			return "", false
		}
		out += targets
	}
	var result []string
	pointer := false
	for scan := (csource.Scanner{Text: text[:f.NameStart], Next: f.Start}); ; {
		t := scan.Code()
		if t.Kind == csource.End {
			break
		}
		word := t.Of(text)
		switch word {
		case "static", "inline", "extern", "__inline", "__inline__", "_Noreturn":
			continue
		case "__attribute__", "__declspec", "[", "(":
			return "", false
		case "*":
			pointer = true
		}
		result = append(result, word)
	}
	if len(result) == 0 {
		return "", false
	}
	if pointer || !slices.Contains(result, "void") {
		out += " " + strings.Join(result, " ") + " unitproof_any; return unitproof_any;"
	}
	return out + " }", true
}

// havocs are statements that write arbitrary bytes to the targets of an assigns clause.
func havocs(targets []byte) (string, bool) {
	out := ""
	if parts, _ := csource.Split(targets, ":", ";"); len(parts) > 1 {
		return "", false
	}
	parts, _ := csource.Split(targets, ",")
	for _, part := range parts {
		target := strings.TrimSpace(string(part))
		if target == "" {
			continue
		}
		call, is := csource.CallAt([]byte(target), 0)
		args, _ := csource.Split(call.Args, ",")
		switch {
		case is && strings.HasPrefix(call.Name, "__CPROVER_object_upto") && len(args) == 2:
			out += fmt.Sprintf(" memhavoc((void *)(%s), %s);", args[0], args[1])
		case is && strings.HasPrefix(call.Name, "__CPROVER_object_") && len(args) == 1:
			out += fmt.Sprintf(" memhavoc((void *)(%[1]s), __CPROVER_OBJECT_SIZE(%[1]s) - __CPROVER_POINTER_OFFSET(%[1]s));",
				args[0])
		case is && call.Name == "__CPROVER_typed_target" && len(args) == 1:
			out += fmt.Sprintf(" memhavoc((void *)&(%[1]s), sizeof(%[1]s));", args[0])
		case is && call.End == len(target):
			return "", false
		default:
			out += fmt.Sprintf(" memhavoc((void *)&(%[1]s), sizeof(%[1]s));", target)
		}
	}
	return out, true
}

// anyIteration reports the invariants of a loop that hold for any body: the body is replaced by arbitrary writes to the
// variables that the loop assigns.
func (s *specification) anyIteration(i int, l *contract.LoopText) {
	p := &s.batch.Proofs[i]
	text := s.text(p.File)
	if !s.decides(i, l.Clauses) {
		return
	}
	body := ""
	for _, c := range l.Clauses {
		if c.Assigns() {
			targets, ok := havocs(text[c.Open:c.Close])
			if !ok {
				return
			}
			body += targets
		}
	}
	if body == "" {
		names, ok := assignedNames(text[l.Head:l.HeadEnd], text[l.Body:l.End])
		if !ok {
			return
		}
		for _, n := range names {
			body += fmt.Sprintf(" memhavoc((void *)&%[1]s, sizeof %[1]s);", n)
		}
	}
	var invariants []contract.ClauseText
	for _, c := range l.Clauses {
		if c.Invariant() {
			invariants = append(invariants, c)
		}
	}
	for _, c := range invariants {
		changes := []change{{l.Body, l.End, "{ void memhavoc(void *, __SIZE_TYPE__);" + body + " }"}}
		for _, other := range l.Clauses {
			if other.Start != c.Start && !other.Assigns() {
				changes = append(changes, s.blank(p.File, other.Start, other.Close+1))
			}
		}
		line := 1 + bytes.Count(text[:c.Start], []byte("\n"))
		r := s.check(p, p.File, changes...)
		if r == nil || r.Verdict == found.Error || !slices.ContainsFunc(r.Obligations, func(f diagnostics.Finding) bool {
			return f.Kind == found.LoopInvariant && f.Line >= line && f.Verdict == found.Proved
		}) || !provedOnlyAt(r, found.LoopInvariant, line) {
			continue
		}
		s.doubt(found.AuditAnyBody, p, p.File, c.Start, "the invariant %s holds for every body of the loop",
			quoted(text[c.Open:c.Close]))
	}
}

// provedOnlyAt reports whether no finding of a kind at a line is other than proved.
func provedOnlyAt(r *diagnostics.Proof, kind found.Kind, line int) bool {
	return !slices.ContainsFunc(r.Obligations, func(f diagnostics.Finding) bool {
		return f.Kind == kind && f.Line == line && f.Verdict != found.Proved
	})
}

// decides reports whether the proof has a finding at one of the invariants: whether the loop is under this proof.
func (s *specification) decides(i int, clauses []contract.ClauseText) bool {
	p := &s.batch.Proofs[i]
	text := s.text(p.File)
	for _, c := range clauses {
		first, last := 1+bytes.Count(text[:c.Start], []byte("\n")), 1+bytes.Count(text[:c.Close], []byte("\n"))
		if slices.ContainsFunc(s.results[i].Proof.Obligations, func(f diagnostics.Finding) bool {
			return f.Kind == found.LoopInvariant && f.File == s.batch.Root.Show(p.File) && f.Line >= first && f.Line <= last
		}) {
			return true
		}
	}
	return false
}

// assignedNames are the variables that a loop assigns. ok: it writes no other memory, and calls no function.
func assignedNames(parts ...[]byte) (names []string, ok bool) {
	for _, text := range parts {
		var before, earlier csource.Token
		for scan := (csource.Scanner{Text: text}); ; {
			t := scan.Code()
			if t.Kind == csource.End {
				break
			}
			word := t.Of(text)
			name := ""
			switch {
			case word == "(" && before.Kind == csource.Ident && !csource.IsKeyword(before.Of(text)):
				return nil, false
			case word == "++" || word == "--":
				if before.Kind == csource.Ident {
					name = before.Of(text)
				} else if csource.IsIdentStart(text[min(csource.SkipTrivia(text, t.End), len(text)-1)]) {
					at := csource.SkipTrivia(text, t.End)
					name = string(text[at:csource.WordEnd(text, at)])
				} else {
					return nil, false
				}
			case word != "==" && word != "<=" && word != ">=" && word != "!=" && strings.HasSuffix(word, "="):
				if before.Kind != csource.Ident || slices.Contains([]string{"*", ".", "->"}, earlier.Of(text)) {
					return nil, false
				}
				name = before.Of(text)
				if earlier.Kind == csource.Ident && !csource.IsKeyword(earlier.Of(text)) { // a declaration
					name = ""
				}
			}
			if name != "" && !slices.Contains(names, name) {
				names = append(names, name)
			}
			earlier, before = before, t
		}
	}
	return names, len(names) > 0
}
