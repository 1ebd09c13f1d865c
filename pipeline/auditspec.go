package pipeline

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/pipeline/contract"
	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/vcgen/found"
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
