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
	"github.com/unitproof/unitproof/vcgen/language"
)

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
