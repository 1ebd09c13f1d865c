package lsp

import (
	"context"
	"path/filepath"

	"go.lsp.dev/protocol"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/editing"
	"github.com/unitproof/unitproof/lsp/rpc"
	"github.com/unitproof/unitproof/pipeline"
	"github.com/unitproof/unitproof/pipeline/cache"
	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/pipeline/sandbox"
	"github.com/unitproof/unitproof/pipeline/scratch"
	"github.com/unitproof/unitproof/vcgen/found"
)

// replayResult is the result of a native run.
type replayResult struct {
	Outcome  string             `json:"outcome"`
	Message  string             `json:"message"`
	Report   string             `json:"report,omitempty"`
	Location *protocol.Location `json:"location,omitempty"`
	// Sandbox has the restrictions of the run; nil if it had none.
	Sandbox *sandbox.Confinement `json:"sandbox,omitempty"`
}

// replayKey is a finding of one run.
type replayKey struct {
	result  *diagnostics.Proof
	finding string
}

// replayRequest prepares a native run of a counterexample that is not stale.
func (v *view) replayRequest(args *proofArgs) (*editing.ProofState, shownFinding, pipeline.ReplayRequest, error) {
	p, f, err := v.failedFinding(args)
	var r pipeline.ReplayRequest
	switch {
	case err != nil:
		return nil, f, r, err
	case !p.Trusted:
		return nil, f, r, rpc.Failure(rpc.RequestFailed, "the workspace is not trusted: nothing of it is run")
	case f.stale:
		return nil, f, r, rpc.Failure(rpc.RequestFailed,
			"%s has changed since this counterexample was found; verify it again", p.Proof.Name)
	}
	run := *f.Finding
	if args.Varied {
		changed := v.variantOf(p, f)
		if changed == nil || changed.Verdict != found.Failed {
			return nil, f, r, rpc.Failure(rpc.RequestFailed, "the execution that is shown violates nothing")
		}
		run = *changed
	}
	r = v.runRequest(p)
	r.Findings = []diagnostics.Finding{run}
	return p, f, r, nil
}

// runRequest returns a request without findings for the program of a proof in the open documents.
func (v *view) runRequest(p *editing.ProofState) pipeline.ReplayRequest {
	r := pipeline.ReplayRequest{
		Settings: pipeline.Settings{Root: p.Root, Solver: v.settings.Solver, CacheDir: v.cacheDir()},
		Proof:    p.Proof, Virtual: map[string][]byte{},
	}
	for _, d := range v.docs {
		r.Virtual[d.path] = d.text.data
	}
	if w, _ := project.Open(string(p.Root), project.Flags{}); w != nil { // configuration errors are shown elsewhere
		r.Define = w.Definitions
	}
	return r
}

// cacheDir returns the folder of the cache, or "" for no cache.
func (v *view) cacheDir() string {
	if v.settings.CacheDir != "" {
		return v.settings.CacheDir
	}
	return v.server.opts.CacheDir
}

// replay runs a counterexample natively.
func (v *view) replay(ctx context.Context, args *proofArgs) (any, error) {
	p, f, request, err := v.replayRequest(args)
	if err != nil {
		return nil, err
	}
	answer := v.engine.pool.Replay(ctx, request)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if len(answer.Outcomes) == 0 {
		return replayResult{Outcome: diagnostics.ReplayNotRun, Message: "not run (" + answer.Problem + ")"}, nil
	}
	o := answer.Outcomes[0]
	out := replayResult{Outcome: o.Result, Message: o.Message(), Report: o.Report, Sandbox: o.Sandbox}
	if o.File != "" {
		if at, ok := v.find(p, point{file: o.File, line: o.Line, column: o.Column}); ok {
			location := v.location(at)
			out.Location = &location
		}
	}
	if args.Varied {
		return out, nil // the finding was not run
	}
	s := v.server
	s.mu.Lock()
	s.replays[replayKey{p.Result, f.ID}] = o.Result
	s.mu.Unlock()
	s.wake()
	return out, nil
}

// replayed returns the outcome of a finding's native run, "" if there was none.
func (v *view) replayed(p *editing.ProofState, f *diagnostics.Finding) string {
	s := v.server
	s.mu.Lock()
	defer s.mu.Unlock()
	if outcome, ok := s.replays[replayKey{p.Result, f.ID}]; ok {
		return outcome
	}
	return f.Replay
}

// forgetReplays drops outcomes of outdated results; s.mu is held.
func (s *server) forgetReplays(v *view) {
	if len(s.replays)+len(s.exclusions)+len(s.ensured) == 0 {
		return
	}
	current := map[*diagnostics.Proof]bool{}
	for _, p := range v.proofs() {
		current[p.Result] = true
	}
	for key := range s.replays {
		if !current[key.result] {
			delete(s.replays, key)
		}
	}
	for key := range s.exclusions {
		if !current[key.result] {
			delete(s.exclusions, key)
		}
	}
	for result := range s.ensured {
		if !current[result] {
			delete(s.ensured, result)
		}
	}
}

type reproducerResult struct {
	Path  string `json:"path"`
	Build string `json:"build"`
}

// reproducer writes a C file that reproduces the violation to a path chosen by the user.
func (v *view) reproducer(ctx context.Context, args *proofArgs) (any, error) {
	_, _, request, err := v.replayRequest(args)
	if err != nil {
		return nil, err
	}
	if !filepath.IsAbs(args.Path) {
		return nil, rpc.Failure(rpc.RequestFailed, "the path %q of the reproducer is not absolute", args.Path)
	}
	request.Save = args.Path
	answer := v.engine.pool.Replay(ctx, request)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case answer.Problem != "":
		return nil, rpc.Failure(rpc.RequestFailed, "no reproducer: %s", answer.Problem)
	}
	return reproducerResult{args.Path, answer.Build}, nil
}

type nativeDebugResult struct {
	Program            string   `json:"program"`
	Args               []string `json:"args"`
	Env                []string `json:"env"`
	Cwd                string   `json:"cwd"`
	BreakpointFunction string   `json:"breakpointFunction"`
}

// nativeDebug builds a program that runs the counterexample, for a native debugger. The cache folder has one program
// for each finding. It is not deleted, as the debugger may outlive the server.
func (v *view) nativeDebug(ctx context.Context, args *proofArgs) (any, error) {
	p, f, request, err := v.replayRequest(args)
	if err != nil {
		return nil, err
	}
	base := v.cacheDir()
	if base == "" { // it is deleted with the server
		if base, err = scratch.Path("kept"); err != nil {
			return nil, err
		}
	}
	for _, dir := range []string{base, filepath.Join(base, "debug"), filepath.Join(base, "debug", f.ID)} {
		if err := cache.Private(dir); err != nil {
			return nil, err
		}
	}
	request.DebugDir = filepath.Join(base, "debug", f.ID)
	answer := v.engine.pool.Replay(ctx, request)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case answer.Debug == nil:
		return nil, rpc.Failure(rpc.RequestFailed, "no program to debug: %s", answer.Problem)
	case answer.Debug.Emulator != "":
		return nil, rpc.Failure(rpc.RequestFailed,
			"%s executes the program %s: a debugger attaches to it after %[1]s -g 1234",
			answer.Debug.Emulator, answer.Debug.Program)
	}
	out := nativeDebugResult{answer.Debug.Program, answer.Debug.Args, answer.Debug.Env, string(p.Root), answer.Debug.Break}
	if out.Args == nil {
		out.Args = []string{}
	}
	if out.Env == nil {
		out.Env = []string{}
	}
	return out, nil
}
