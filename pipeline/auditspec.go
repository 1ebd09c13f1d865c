package pipeline

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/diagnostics/csource"
	"github.com/unitproof/unitproof/pipeline/contract"
	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/language"
)

// specification asks what the clauses of contracts and the assertions of proofs are worth. It changes the text of a
// file, checks the proofs that depend on the change again, and compares the verdicts. No file is written.
type specification struct {
	ctx     context.Context
	pool    *Pool
	batch   *Batch
	results []Result
	out     []diagnostics.ClauseDoubt
	texts   map[string][]byte
	checks  int
}

// maxSpecChecks bounds the checks of changed specifications, for a proof.
const maxSpecChecks = 60

// specTimeout bounds each of these checks; one that takes longer reports nothing.
const specTimeout = 10 * time.Second

// maxNegated bounds the assertions that are negated, for a proof. A proof with more of them is not asked about.
const maxNegated = 4

// change replaces text[from:to].
type change struct {
	from, to int
	text     string
}

// specifications reports clauses that say nothing about the code. If all is set, it also reports clauses that nothing
// needs or that could say more.
func (l *Pool) specifications(ctx context.Context, b *Batch, results []Result, all bool) []diagnostics.ClauseDoubt {
	s := &specification{ctx: ctx, pool: l, batch: b, results: results, texts: map[string][]byte{}}
	for i := range b.Proofs {
		p := &b.Proofs[i]
		if results[i].Proof.Verdict != found.Proved || ctx.Err() != nil {
			continue
		}
		s.checks = 0
		functions, loops := contract.Outline(s.text(p.File))
		for k := range functions {
			if f := &functions[k]; p.Contract && f.Name == p.Entry && f.Body >= 0 {
				s.anyBody(p, f)
				if all {
					s.users(p, f)
					s.stronger(p, s.conditions(f.Clauses, contract.ClauseText.Ensures))
				}
			}
		}
		for k := range loops {
			s.anyIteration(i, &loops[k])
			if all {
				s.droppable(i, &loops[k])
			}
		}
		if all {
			s.unneeded(i)
		}
		if !p.Contract {
			s.noInput(i)
			if all {
				s.stronger(p, s.assertions(i))
			}
		}
	}
	return s.out
}

func (s *specification) text(file string) []byte {
	text, known := s.texts[file]
	if !known {
		text, _ = project.ReadFile(file)
		s.texts[file] = text
	}
	return text
}

// check checks a proof with a changed file. It returns nil if the limit of checks is reached.
func (s *specification) check(p *project.Proof, file string, changes ...change) *diagnostics.Proof {
	if s.checks++; s.checks > maxSpecChecks || s.ctx.Err() != nil {
		return nil
	}
	text := slices.Clone(s.text(file))
	slices.SortFunc(changes, func(a, b change) int { return b.from - a.from })
	for _, c := range changes {
		text = slices.Concat(text[:c.from], []byte(c.text), text[c.to:])
	}
	changed := *p
	changed.Options.Coverage, changed.Options.Explain = false, false
	changed.Timeout = min(changed.Timeout, specTimeout)
	j := Job{Settings: s.batch.Settings, Proof: changed, Live: Live{Virtual: map[string][]byte{file: text}}}
	if s.batch.Define != nil && len(p.SourceCandidates) > 0 {
		j.Define = func(names []string) map[string][]project.Unit { return s.batch.Define(p, names) }
	}
	r := s.pool.Check(s.ctx, j)
	return &r.Proof
}

// doubt reports a clause of a file.
func (s *specification) doubt(kind found.AuditKind, p *project.Proof, file string, at int, format string, args ...any) {
	text := s.text(file)
	line := 1 + bytes.Count(text[:at], []byte("\n"))
	column := at - bytes.LastIndexByte(text[:at], '\n')
	s.out = append(s.out, diagnostics.ClauseDoubt{Kind: kind, Proof: p.Name, File: s.batch.Root.Show(file), Line: line,
		Column: column, Message: fmt.Sprintf(format, args...)})
}

// blank returns the change that removes a text and keeps its lines.
func (s *specification) blank(file string, from, to int) change {
	return change{from, to, strings.Map(func(r rune) rune {
		if r == '\n' {
			return r
		}
		return -1
	}, string(s.text(file)[from:to]))}
}

func quoted(text []byte) string { return "`" + strings.Join(strings.Fields(string(text)), " ") + "`" }

// pointerWords are parts of words that describe the object of a pointer. A clause with one of them creates the object,
// too, so a proof without it is another one.
var pointerWords = []string{"is_fresh", "pointer_", "r_ok", "w_ok", "is_freeable", "obeys_contract"}

// unneeded reports assumptions and preconditions without which the proof still holds.
func (s *specification) unneeded(i int) {
	p, r := &s.batch.Proofs[i], &s.results[i].Proof
	if r.Core == nil {
		return
	}
	for _, e := range r.Core.NotNeeded {
		if e.Kind != found.CoreAssume || e.Text == "" || slices.ContainsFunc(pointerWords, func(w string) bool {
			return strings.Contains(e.Text, w)
		}) {
			continue
		}
		s.out = append(s.out, diagnostics.ClauseDoubt{Kind: found.AuditWeakClause, Proof: p.Name, File: e.File, Line: e.Line,
			Column: e.Column, Message: fmt.Sprintf("the proof holds without %s", quoted([]byte(e.Text)))})
	}
}

// noInput reports the assertions of a proof that asks for arbitrary values, if none of its assertions depends on them.
// An assertion whose condition was simplified away is negated: the execution that violates it has the inputs that
// matter.
func (s *specification) noInput(i int) {
	p, r := &s.batch.Proofs[i], &s.results[i].Proof
	if !r.Chooses {
		return
	}
	text := s.text(p.File)
	var list []*diagnostics.Finding
	for k := range r.Obligations {
		f := &r.Obligations[k]
		if f.Kind != found.Assertion || f.Verdict != found.Proved {
			continue
		}
		if f.File != r.File || f.InputsUsed != nil && len(*f.InputsUsed) > 0 || f.Independent != "" {
			return
		}
		list = append(list, f)
	}
	open := 0
	for _, f := range list {
		if f.InputsUsed == nil {
			open++
		}
	}
	if open > maxNegated {
		return
	}
	for _, f := range list {
		if f.InputsUsed != nil {
			continue
		}
		at, ok := lineOffset(text, f.Line, f.Column)
		if !ok {
			return
		}
		call, ok := csource.CallAt(text, at)
		if !ok || len(call.Args) == 0 {
			return
		}
		args, _ := csource.Split(call.Args, ",")
		from := at + bytes.IndexByte(text[at:], '(') + 1
		n := s.check(p, p.File, change{from, from, "!("}, change{from + len(args[0]), from + len(args[0]), ")"})
		if n == nil {
			return
		}
		k := slices.IndexFunc(n.Obligations, func(o diagnostics.Finding) bool {
			return o.Line == f.Line && o.Kind == found.Assertion && o.Verdict == found.Failed
		})
		if k < 0 || slices.ContainsFunc(n.Obligations[k].Inputs, func(in found.Input) bool { return !in.Idle }) {
			return
		}
	}
	for _, f := range list {
		if f.InputsUsed != nil && len(*f.InputsUsed) == 0 && f.Independent == diagnostics.WithoutInput {
			continue // reported without this check
		}
		at, _ := lineOffset(text, f.Line, f.Column)
		s.doubt(found.AuditNoInput, p, p.File, at, "none of the proof's inputs has an effect on the assertion, nor on any "+
			"other of the proof")
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

// piece is a condition, or one of its conjuncts.
type piece struct{ from, to int }

// conditions are the conjuncts of the clauses of a kind.
func (s *specification) conditions(list []contract.ClauseText,
	is func(contract.ClauseText) bool) func(text []byte) []piece {
	return func(text []byte) (out []piece) {
		for _, c := range list {
			if is(c) {
				out = append(out, conjunctPieces(text, c.Open, c.Close)...)
			}
		}
		return out
	}
}

// assertions are the conjuncts of the assertions that a proof proves.
func (s *specification) assertions(i int) func(text []byte) []piece {
	return func(text []byte) (out []piece) {
		lines := map[int]bool{}
		r := &s.results[i].Proof
		for k := range r.Obligations {
			if f := &r.Obligations[k]; f.Kind == found.Assertion && f.File == r.File && f.Verdict == found.Proved {
				lines[f.Line] = true
			}
		}
		for scan := (csource.Scanner{Text: text}); ; {
			t := scan.Code()
			if t.Kind == csource.End {
				return out
			}
			if t.Kind != csource.Ident || !lines[1+bytes.Count(text[:t.Start], []byte("\n"))] ||
				language.Lookup(t.Of(text)).Role != language.Assert && t.Of(text) != "assert" {
				continue
			}
			if call, ok := csource.CallAt(text, t.Start); ok {
				args, _ := csource.Split(call.Args, ",")
				from := bytes.IndexByte(text[t.Start:], '(') + t.Start + 1
				out = append(out, conjunctPieces(text, from, from+len(args[0]))...)
			}
		}
	}
}

func conjunctPieces(text []byte, from, to int) (out []piece) {
	parts, seps := csource.Split(text[from:to], "&&")
	at := from
	for k, part := range parts {
		out = append(out, piece{at, at + len(part)})
		if k < len(seps) {
			at = from + seps[k] + 2
		}
	}
	return out
}

// stronger reports conditions that a proof also proves if <= becomes <, or >= becomes >.
func (s *specification) stronger(p *project.Proof, pieces func([]byte) []piece) {
	text := s.text(p.File)
	for _, c := range pieces(text) {
		condition := text[c.from:c.to]
		if parts, _ := csource.Split(condition, "||", "?", "==>"); len(parts) > 1 {
			continue
		}
		for _, operator := range []string{"<=", ">="} {
			parts, seps := csource.Split(condition, operator)
			if len(parts) != 2 {
				continue
			}
			at := c.from + seps[0]
			r := s.check(p, p.File, change{at + 1, at + 2, " "})
			if r != nil && r.Verdict == found.Proved {
				stronger := slices.Concat(condition[:seps[0]+1], condition[seps[0]+2:])
				s.doubt(found.AuditWeakClause, p, p.File, c.from+len(condition)-len(bytes.TrimLeft(condition, " \t\n")),
					"%s could be stronger: %s is proved as well", quoted(condition), quoted(stronger))
			}
		}
	}
}

// droppable reports conjuncts of a loop's invariants that the proof does not need.
func (s *specification) droppable(i int, l *contract.LoopText) {
	p := &s.batch.Proofs[i]
	text := s.text(p.File)
	if !s.decides(i, l.Clauses) {
		return
	}
	pieces := s.conditions(l.Clauses, contract.ClauseText.Invariant)(text)
	if len(pieces) < 2 {
		return // a loop without an invariant is checked in another way
	}
	for _, c := range pieces {
		if r := s.check(p, p.File, change{c.from, c.to, "1"}); r != nil && r.Verdict == found.Proved {
			s.doubt(found.AuditWeakClause, p, p.File, c.from, "the proof holds without %s in the invariant",
				quoted(text[c.from:c.to]))
		}
	}
}

// users reports postconditions that none of the proofs needs in which the contract replaces calls.
func (s *specification) users(p *project.Proof, f *contract.FunctionText) {
	var users []*project.Proof
	for i := range s.results {
		if slices.ContainsFunc(s.results[i].Proof.Assumptions, func(a diagnostics.Assumption) bool {
			return a.Is.What == found.Contract && a.Is.Name == f.Name
		}) {
			if s.results[i].Proof.Verdict != found.Proved {
				return
			}
			users = append(users, &s.batch.Proofs[i])
		}
	}
	if len(users) == 0 {
		return
	}
	text := s.text(p.File)
	for _, c := range s.conditions(f.Clauses, contract.ClauseText.Ensures)(text) {
		needed := false
		for _, user := range users {
			r := s.check(user, p.File, change{c.from, c.to, "1"})
			if needed = r == nil || r.Verdict != found.Proved; needed {
				break
			}
		}
		if !needed {
			s.doubt(found.AuditWeakClause, p, p.File, c.from, "no proof that uses the contract of %s needs %s", f.Name,
				quoted(text[c.from:c.to]))
		}
	}
}
