package pipeline

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/pipeline/clang"
	"github.com/unitproof/unitproof/pipeline/ir"
	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/pipeline/replay"
	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/found"
)

// ReplayRequest is a request for native runs of a proof's counterexamples.
type ReplayRequest struct {
	Settings Settings
	Proof    project.Proof
	// Findings are the findings to run, as returned by Check; they must be failed and have their Run.
	Findings []diagnostics.Finding
	// Define finds the definitions that the proof misses, as in a Batch; may be nil.
	Define func(p *project.Proof, names []string) map[string][]project.Unit
	define Define // the same, in a worker
	// Virtual has the buffers in place of files, as they were when the findings were made.
	Virtual map[string][]byte

	// Save is the file for a reproducer of the first finding; DebugDir is a folder of the caller for a program to debug.
	// If either is set, nothing is run.
	Save     string
	DebugDir string
	// SaveInput is the file for the input of a fuzz target; if set, counterexamples are run, too.
	SaveInput string
}

// ReplayResult is the result of a ReplayRequest.
type ReplayResult struct {
	// Outcomes has one entry for each finding of the request.
	Outcomes []replay.Outcome
	// Build is the command that builds the saved reproducer; Debug is the program to debug.
	Build string
	Debug *replay.Debuggable
	// Input is the size in bytes of the input that was written.
	Input int `json:",omitempty"`
	// Problem is why nothing was done, such as a compile error.
	Problem string
	// Unwritten reports that Problem is an error of writing a requested file.
	Unwritten bool `json:",omitempty"`
}

// unwritten returns the result for an error of writing a requested file.
func unwritten(err error) ReplayResult {
	var file *fs.PathError
	return ReplayResult{Problem: err.Error(), Unwritten: errors.As(err, &file)}
}

// Replay runs counterexamples natively, in a worker. The inputs are computed by another execution of the module, which
// is bounded but may take long. Replay never fails: errors are part of the result.
func (l *Pool) Replay(ctx context.Context, r ReplayRequest) ReplayResult {
	j := Job{Settings: r.Settings, Proof: r.Proof, Live: Live{Virtual: r.Virtual}, replay: replayToWire(&r)}
	if r.Define != nil && len(r.Proof.SourceCandidates) > 0 {
		j.Define = func(names []string) map[string][]project.Unit { return r.Define(&r.Proof, names) }
	}
	result := l.Check(ctx, j)
	if result.replay != nil {
		return *result.replay
	}
	return allNotRun(len(r.Findings), result.Proof.Reason)
}

// allNotRun returns the result if nothing was done.
func allNotRun(findings int, problem string) ReplayResult {
	out := ReplayResult{Problem: problem}
	for range findings {
		out.Outcomes = append(out.Outcomes, replay.Outcome{Result: replay.NotRun, What: problem})
	}
	return out
}

// Replay runs counterexamples natively. It never fails: errors are part of the result.
func (c *Checker) Replay(ctx context.Context, r ReplayRequest) ReplayResult {
	p := r.Proof
	define := r.define
	if r.Define != nil && len(p.SourceCandidates) > 0 {
		define = func(names []string) map[string][]project.Unit { return r.Define(&p, names) }
	}
	all := func(problem string) ReplayResult { return allNotRun(len(r.Findings), problem) }
	b, err := c.build(ctx, &p, define, &Live{Virtual: r.Virtual})
	if err != nil {
		failed := failedBuild(ctx, &p, c.meta(&p), err)
		return all(failed.Reason)
	}
	if len(r.Findings) == 0 {
		return all("no counterexample")
	}
	m, err := b.read()
	if err != nil {
		return all(fmt.Sprintf("the program could not be read: %v", err))
	}
	switch {
	case r.Save != "":
		job, err := c.replayJob(ctx, &p, b.module, m, &r.Findings[0])
		if err != nil {
			return all(err.Error())
		}
		build, err := c.save(ctx, &p, job, r.Save, r.Findings[0].Message, r.Virtual)
		if err != nil {
			return unwritten(err)
		}
		return ReplayResult{Build: build}
	case r.DebugDir != "":
		job, err := c.replayJob(ctx, &p, b.module, m, &r.Findings[0])
		if err != nil {
			return all(err.Error())
		}
		d, err := job.Debug(ctx, r.DebugDir)
		if err != nil {
			return unwritten(err)
		}
		return ReplayResult{Debug: d}
	}
	var out ReplayResult
	if r.SaveInput != "" {
		job, err := c.replayJob(ctx, &p, b.module, m, &r.Findings[0])
		if err != nil {
			return all(err.Error())
		}
		data, err := job.Input(ctx)
		if err != nil {
			return all(err.Error())
		}
		if err := os.WriteFile(r.SaveInput, data, 0o644); err != nil {
			return unwritten(fmt.Errorf("save the input: %w", err))
		}
		out.Input = len(data)
	}
	for i := range r.Findings {
		out.Outcomes = append(out.Outcomes, *c.replayFinding(ctx, &p, b.module, m, &r.Findings[i]))
	}
	return out
}

var errNoRun = errors.New("only a failed finding has a counterexample to run")

func (c *Checker) replayJob(ctx context.Context, p *project.Proof, module *clang.Module, m *clangir.Module,
	f *diagnostics.Finding) (replay.Job, error) {
	if f.Verdict != found.Failed || f.Run.Tape == nil {
		return replay.Job{}, errNoRun
	}
	machine, err := replay.MachineOf(m.Layout)
	if err != nil {
		return replay.Job{}, err
	}
	t, err := c.toolchain(ctx, p.Clang)
	if err != nil {
		return replay.Job{}, err
	}
	return replay.Job{Clang: t, CacheDir: c.settings.CacheDir, Module: module.Text, Program: m, Entry: p.Start(),
		Machine: machine, Options: engineOptions(p), Run: f.Run, File: c.settings.Root.Find(f.File), Line: f.Line}, nil
}

func (c *Checker) replayFinding(ctx context.Context, p *project.Proof, module *clang.Module, m *clangir.Module,
	f *diagnostics.Finding) *replay.Outcome {
	job, err := c.replayJob(ctx, p, module, m, f)
	if err != nil {
		return &replay.Outcome{Result: replay.NotRun, What: err.Error()}
	}
	return job.Replay(ctx)
}

// replayAll sets Finding.Replay of the failed findings.
func (c *Checker) replayAll(ctx context.Context, p *project.Proof, b *built, proof *diagnostics.Proof) {
	var m *clangir.Module
	for i := range proof.Obligations {
		f := &proof.Obligations[i]
		if f.Verdict != found.Failed || f.Run.Tape == nil {
			continue
		}
		if m == nil {
			var err error
			if m, err = b.read(); err != nil {
				return
			}
		}
		out := c.replayFinding(ctx, p, b.module, m, f)
		f.Replay, f.ReplayDetail = out.Result, out.Message()
	}
}

// save writes a reproducer and returns the command that builds it.
func (c *Checker) save(ctx context.Context, p *project.Proof, job replay.Job, file, title string,
	virtual map[string][]byte) (string, error) {
	request := c.buildRequest(p)
	for _, u := range slices.Concat(request.Overrides, []clang.Unit{request.EntryUnit}, request.Sources) {
		if ir.KindOf(u.File) != ir.C {
			return "", fmt.Errorf("a reproducer is a C file, and %s is none: replay it, or debug it", filepath.Base(u.File))
		}
	}
	t, err := c.toolchain(ctx, p.Clang)
	if err != nil {
		return "", err
	}
	request.Virtual = virtual
	var units []replay.SourceText
	// The linker takes the first definition: overrides come before the others.
	for i, u := range slices.Concat(request.Overrides, []clang.Unit{request.EntryUnit}, request.Sources) {
		text, err := t.Preprocess(ctx, request, u)
		if err != nil {
			return "", err
		}
		units = append(units, replay.SourceText{Name: filepath.Base(u.File), Text: text, Flags: u.Flags,
			Entry: i == len(request.Overrides)})
	}
	r, err := job.Reproducer(ctx, filepath.Base(file), title, units)
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(file, r.Text, 0o644); err != nil {
		return "", fmt.Errorf("save the reproducer: %w", err)
	}
	return r.Build, nil
}
