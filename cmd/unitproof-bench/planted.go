package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/unitproof/unitproof/cmd/internal/cli"
	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/diagnostics/csource"
	"github.com/unitproof/unitproof/diagnostics/paths"
	"github.com/unitproof/unitproof/pipeline"
	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/vcgen/found"
)

// plantedBug replaces one token of a function.
type plantedBug struct {
	File, Function string
	Token          string
	Occurrence     int // from 1
	With           string
	// Proof is the proof that should detect it: in libraries its file without folder and "_harness.c", in kits its
	// name.
	Proof string
}

func (b *plantedBug) String() string {
	return fmt.Sprintf("%s: %s → %s (%d)", b.Function, b.Token, cmp.Or(b.With, "nothing"), b.Occurrence)
}

// in returns the text with the bug.
func (b *plantedBug) in(text []byte) ([]byte, error) {
	var names []csource.Token
	s := csource.Scanner{Text: text}
	for t := s.Code(); t.Kind != csource.End; t = s.Code() {
		if t.Kind == csource.Ident && t.Of(text) == b.Function {
			names = append(names, t)
		}
	}
	defined := csource.Definitions(text, names, true)
	if len(defined) == 0 {
		return nil, fmt.Errorf("no function %s is defined", b.Function)
	}
	d, n := defined[0], 0
	s = csource.Scanner{Text: text}
	for t := s.Code(); t.Kind != csource.End; t = s.Code() {
		line := 1 + bytes.Count(text[:t.Start], []byte("\n"))
		if line > d.EndLine {
			break
		}
		if line < d.Line || t.Of(text) != b.Token {
			continue
		}
		if n++; n == b.Occurrence {
			return slices.Concat(text[:t.Start], []byte(b.With), text[t.End:]), nil
		}
	}
	return nil, fmt.Errorf("%s has %d times %q, not %d", b.Function, n, b.Token, b.Occurrence)
}

// during calls do while the file, of a library in dir, has the bug.
func (b *plantedBug) during(dir string, do func() error) (err error) {
	path := filepath.Join(dir, filepath.FromSlash(b.File))
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	changed, err := b.in(text)
	if err != nil {
		return fmt.Errorf("%s: %w", b.File, err)
	}
	defer func() { err = errors.Join(err, os.WriteFile(path, text, 0o644)) }()
	if err := os.WriteFile(path, changed, 0o644); err != nil {
		return err
	}
	return do()
}

// hunt checks proofs without and with bugs.
type hunt struct {
	ctx    context.Context
	pool   *pipeline.Pool
	engine *cli.Engine
	// known are the violations without a bug, by proof. They do not count as detections.
	known map[string]map[string]bool
}

// check checks a proof. With a planted bug it ends at the first violation that is not known.
func (h *hunt) check(w *project.Workspace, p project.Proof, name string, bug bool) (out sizeOutcome, err error) {
	if h.known[name] == nil {
		h.known[name] = map[string]bool{}
	}
	ctx, cancel := context.WithCancel(h.ctx)
	defer cancel()
	begin := time.Now()
	violation := func(f *diagnostics.Finding) {
		what := fmt.Sprintf("%s at %s:%d", f.Kind, filepath.Base(f.File), f.Line)
		if !bug {
			h.known[name][what] = true
		} else if h.known[name][what] {
			return
		}
		if out.FoundMS == 0 {
			out.FoundMS, out.Kind = max(time.Since(begin).Milliseconds(), 1), what
		}
		if bug {
			cancel()
		}
	}
	results := h.pool.Run(ctx, pipeline.Batch{Settings: pipeline.Settings{Root: paths.Root(w.Root),
		Solver: h.engine.Solver, CacheDir: h.engine.CacheDir, CacheReadOnly: h.engine.CacheReadOnly},
		Proofs: []project.Proof{p}, Define: w.Definitions}, func(e pipeline.Event) {
		if e.Found != nil {
			violation(e.Found)
		}
	})
	if h.ctx.Err() != nil {
		return out, errors.New("interrupted")
	}
	result := &results[0].Proof
	for i := range result.Obligations {
		if o := &result.Obligations[i]; o.Verdict == found.Failed {
			violation(o)
		}
	}
	out.Verdict, out.MS, out.MemoryMB = result.Verdict, result.Stats.TotalMS, result.Stats.MemoryMB
	out.Findings, out.Why = len(result.Obligations), why(result)
	if bug && out.FoundMS > 0 {
		out.Verdict, out.MS, out.Why = found.Failed, out.FoundMS, ""
	}
	return out, nil
}
