package lsp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/diagnostics/picture"
	"github.com/unitproof/unitproof/editing"
	"github.com/unitproof/unitproof/lsp/rpc"
	"github.com/unitproof/unitproof/pipeline"
	"github.com/unitproof/unitproof/vcgen"
	"github.com/unitproof/unitproof/vcgen/found"
)

// commandPrefix distinguishes the server's commands, which VS Code registers itself, from those that an extension
// registers.
const commandPrefix = "unitproof.server."

// proofArgs are the arguments of most commands.
type proofArgs struct {
	Proof    string               `json:"proof"`
	Finding  string               `json:"finding"`
	Proofs   []string             `json:"proofs"`
	URI      protocol.DocumentURI `json:"uri"`
	Path     string               `json:"path"`
	Function string               `json:"function"`
	Force    bool                 `json:"force"`
	Coverage bool                 `json:"coverage"`
	All      bool                 `json:"all"`
	Explain  bool                 `json:"explain"`
	Changes  []vcgen.Change       `json:"changes"`
	Again    bool                 `json:"again"`
	Varied   bool                 `json:"varied"`
}

var commands map[string]func(v *view, ctx context.Context, args *proofArgs) (any, error)

func init() {
	commands = map[string]func(*view, context.Context, *proofArgs) (any, error){
		"verify":      (*view).verify,
		"cancel":      (*view).cancelRuns,
		"replay":      (*view).replay,
		"strength":    (*view).strength,
		"trace":       (*view).trace,
		"vary":        (*view).vary,
		"another":     (*view).another,
		"hideTrace":   (*view).hideTrace,
		"commandLine": (*view).commandLine,
		"reproducer":  (*view).reproducer,
		"nativeDebug": (*view).nativeDebug,
		"debug":       (*view).debug,
		"coverage":    (*view).coverage,
		"doctor":      func(v *view, ctx context.Context, _ *proofArgs) (any, error) { return v.doctor(ctx, nil) },
		"clearCache":  (*view).clearCache,
		"trust":       (*view).trustFolders,
		"prove":       (*view).proveFunction,
		"exclude":     (*view).exclude,
		"callers":     (*view).askCallers,
		"ensure":      (*view).ensure,
		"compare":     (*view).compareFunction,
	}
}

func commandNames() []string {
	var names []string
	for name := range commands {
		names = append(names, commandPrefix+name)
	}
	slices.Sort(names)
	return names
}

// executeCommand runs a command of the server.
func (v *view) executeCommand(ctx context.Context, p *struct {
	Command       string            `json:"command"`
	Arguments     []json.RawMessage `json:"arguments"`
	WorkDoneToken json.RawMessage   `json:"workDoneToken"`
}) (any, error) {
	name, ours := strings.CutPrefix(p.Command, commandPrefix)
	run := commands[name]
	if !ours || run == nil {
		return nil, rpc.Failure(jsonrpc2.InvalidParams, "no such command: %s", p.Command)
	}
	args := &proofArgs{}
	if len(p.Arguments) > 0 {
		if err := json.Unmarshal(p.Arguments[0], args); err != nil {
			return nil, rpc.Failure(jsonrpc2.InvalidParams, "the argument of %s: %v", p.Command, err)
		}
	}
	within, done := v.server.workDone(ctx, p.WorkDoneToken, name)
	answer, err := run(v, within, args)
	if err != nil && within.Err() != nil && ctx.Err() == nil {
		err = rpc.Failure(rpc.RequestCancelled, "cancelled at its progress")
	}
	done()
	if err == nil {
		v.server.tell(answer)
	}
	return answer, err
}

// proofOf returns the proof with an ID.
func (v *view) proofOf(id string) (*editing.ProofState, error) {
	if p := v.proof(id); p != nil {
		return p, nil
	}
	return nil, rpc.Failure(rpc.RequestFailed, "no such proof: %q; it may have been renamed or deleted", id)
}

// failedFinding returns the finding that the arguments name, or the proof's first with a counterexample.
func (v *view) failedFinding(args *proofArgs) (*editing.ProofState, shownFinding, error) {
	p, err := v.proofOf(args.Proof)
	if err != nil {
		return nil, shownFinding{}, err
	}
	for _, f := range v.counterexamples(p) {
		if args.Finding == "" || f.ID == args.Finding {
			return p, f, nil
		}
	}
	if args.Finding != "" {
		return nil, shownFinding{}, rpc.Failure(rpc.RequestFailed,
			"%s has no finding %s with a counterexample; verify it again",
			p.Proof.Name, args.Finding)
	}
	return nil, shownFinding{}, rpc.Failure(rpc.RequestFailed, "%s has no counterexample: %s", p.Proof.Name,
		v.proofTitle(p))
}

// selected returns the proofs that the arguments name: some, those of a file, or all.
func (v *view) selected(args *proofArgs) ([]*editing.ProofState, error) {
	var list []*editing.ProofState
	for _, id := range args.Proofs {
		p, err := v.proofOf(id)
		if err != nil {
			return nil, err
		}
		list = append(list, p)
	}
	if len(args.Proofs) > 0 {
		return list, nil
	}
	if args.URI != "" {
		path, ok := pathOf(args.URI)
		if !ok {
			return nil, rpc.Failure(rpc.RequestFailed, "%s is not a file", args.URI)
		}
		return v.proofsIn(path), nil
	}
	return v.proofs(), nil
}

// verify verifies proofs, and returns when none is queued or running. Cancelling the request cancels the runs.
func (v *view) verify(ctx context.Context, args *proofArgs) (any, error) {
	e, err := v.server.waitEngine(ctx)
	if err != nil {
		return nil, err
	}
	// A file that was just opened may not be listed yet.
	if _, err := e.workspace.Applied(ctx); err != nil {
		return nil, err
	}
	now := v.server.view()
	proofs, err := now.selected(args)
	if err != nil {
		return nil, err
	}
	ids := make([]editing.ProofID, len(proofs))
	for i, p := range proofs {
		ids[i] = p.ID
	}
	if len(ids) > 0 {
		e.workspace.Verify(ids, editing.VerifyOptions{Force: args.Force, Coverage: args.Coverage,
			Explain: args.Explain})
		if err := e.settled(ctx, ids); err != nil {
			e.workspace.Cancel(ids)
			return nil, err
		}
	}
	v.server.flush()
	after := v.server.view()
	var list []*editing.ProofState
	for _, id := range ids {
		if p := after.proof(string(id)); p != nil {
			list = append(list, p)
		}
	}
	return after.items(list), nil
}

// settled waits until none of the proofs is queued or running.
func (e *engine) settled(ctx context.Context, ids []editing.ProofID) error {
	if _, err := e.workspace.Applied(ctx); err != nil {
		return err
	}
	for {
		e.mu.Lock()
		snapshot, changed := e.snapshot, e.changed
		e.mu.Unlock()
		open := 0
		for _, id := range ids {
			if snapshot != nil {
				if p := snapshot.Proof(id); p != nil && p.Phase != editing.Idle {
					open++
				}
			}
		}
		reportDone(ctx, batch{len(ids) - open, len(ids)})
		if open == 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-changed:
		}
	}
}

func (v *view) cancelRuns(_ context.Context, args *proofArgs) (any, error) {
	if v.engine == nil {
		return nil, nil
	}
	var ids []editing.ProofID
	for _, id := range args.Proofs {
		ids = append(ids, editing.ProofID(id))
	}
	v.engine.workspace.Cancel(ids)
	return nil, nil
}

// traceStep is a step of a counterexample with its position in the current text.
type traceStep struct {
	Depth    int                  `json:"depth"`
	Function string               `json:"function"`
	URI      protocol.DocumentURI `json:"uri"`
	Range    protocol.Range       `json:"range"`
	Event    found.StepEvent      `json:"event"`
	Text     string               `json:"text"`
	LValue   string               `json:"lvalue,omitempty"`
	Value    string               `json:"value,omitempty"`
	Old      string               `json:"old,omitempty"`
	Skipped  *found.Skipped       `json:"skipped,omitempty"`
}

type traceInput struct {
	Index    int                  `json:"index"` // for the command vary
	Kind     found.InputKind      `json:"kind"`
	Function string               `json:"function,omitempty"`
	Variable string               `json:"variable,omitempty"`
	Type     string               `json:"type,omitempty"`
	Value    string               `json:"value"`
	URI      protocol.DocumentURI `json:"uri"`
	Range    protocol.Range       `json:"range"`
}

type traceResult struct {
	Title  string       `json:"title"`
	Proof  string       `json:"proof"`
	ID     string       `json:"finding"`
	Steps  []traceStep  `json:"steps"`
	Inputs []traceInput `json:"inputs"`
	// Memory is a picture of the memory at the violation, as an HTML fragment (package picture).
	Memory string `json:"memory,omitempty"`
	// End is the end of an execution with changed inputs; "" for counterexamples.
	End diagnostics.VariantEnd `json:"end,omitempty"`
	// FailingSet is a sentence about the inputs that fail, if the command exclude found them.
	FailingSet string `json:"failingSet,omitempty"`
}

// trace returns a counterexample, and shows its values as inlay hints.
func (v *view) trace(ctx context.Context, args *proofArgs) (any, error) {
	p, f, err := v.failedFinding(args)
	if err != nil {
		return nil, err
	}
	own := f
	if args.All {
		if f, err = v.wholeTrace(ctx, args); err != nil {
			return nil, err
		}
	}
	result := v.traceOf(p, f)
	result.FailingSet = v.knownSet(p, own.ID)
	v.show(&shownTrace{proof: p.ID, finding: own.ID, result: p.Result})
	return result, nil
}

// traceOf returns the inputs, the steps and the memory of an execution, at their places in the current text.
func (v *view) traceOf(p *editing.ProofState, f shownFinding) traceResult {
	result := traceResult{Title: f.Message, Proof: string(p.ID), ID: f.ID, Steps: []traceStep{},
		Inputs: []traceInput{}, Memory: string(picture.Memory(f.Finding.Memory, f.Finding.Kind, true))}
	for i := range f.Trace {
		s := &f.Trace[i]
		at, ok := v.find(p, f.point(s.File, s.Line, s.Column))
		if !ok {
			continue
		}
		result.Steps = append(result.Steps, traceStep{Depth: s.Depth, Function: s.Function, URI: v.uri(at.path),
			Range: at.span, Event: s.Event,
			Text: s.Text, LValue: s.LValue, Value: s.Value, Old: s.Old, Skipped: s.Skipped})
	}
	for i := range f.Inputs {
		in := &f.Inputs[i]
		at, ok := v.find(p, f.point(in.File, in.Line, in.Column))
		if !ok {
			continue
		}
		result.Inputs = append(result.Inputs, traceInput{Index: i, Kind: in.Kind, Function: in.Function,
			Variable: in.Variable, Type: in.Type, Value: in.Value,
			URI: v.uri(at.path), Range: at.span})
	}
	return result
}

// wholeTrace returns a finding with all steps of its execution; a stored trace is only the slice that leads to the
// violation. The proof is checked once more for that, usually from the cache.
func (v *view) wholeTrace(ctx context.Context, args *proofArgs) (shownFinding, error) {
	p, f, request, err := v.replayRequest(args)
	if err != nil {
		return f, err
	}
	job := jobOf(p, &request)
	job.Proof.Options.FullTrace = true
	result := v.engine.pool.Check(ctx, job)
	if ctx.Err() != nil {
		return f, ctx.Err()
	}
	complete := result.Proof.Finding(f.ID)
	if complete == nil || complete.Verdict != found.Failed {
		return f, rpc.Failure(rpc.RequestFailed, "the whole trace of %s could not be made: %s", p.Proof.Name,
			result.Proof.Reason)
	}
	f.Finding = complete
	return f, nil
}

func (v *view) hideTrace(context.Context, *proofArgs) (any, error) {
	v.show(nil)
	return nil, nil
}

func (v *view) show(t *shownTrace) {
	s := v.server
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shown = t
	s.refreshInlayHints()
}

// shellCommand is a command line for a shell.
type shellCommand string

// commandLine returns the check command that is equivalent to the server's settings, independent of the client and of
// the working directory.
func (v *view) commandLine(_ context.Context, args *proofArgs) (any, error) {
	p, err := v.proofOf(args.Proof)
	if err != nil {
		return nil, err
	}
	words := []string{"cd", string(p.Root), "&&", "unitproof", "check"}
	words = append(words, p.Root.Show(p.Proof.File))
	if len(v.proofsIn(p.Proof.File)) > 1 {
		words = append(words, "--filter", "^"+quoteRegexp(p.Proof.Name)+"$")
	}
	words = append(words, v.settingFlags(p)...)
	for i, w := range words {
		if w != "&&" {
			words[i] = shellQuote(w)
		}
	}
	return shellCommand(strings.Join(words, " ")), nil
}

func quoteRegexp(s string) string {
	var b strings.Builder
	for _, r := range s {
		if strings.ContainsRune(`\.+*?()|[]{}^$`, r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// shellQuote quotes a word for POSIX shells if necessary.
func shellQuote(s string) string {
	plain := s != ""
	for i := 0; i < len(s); i++ {
		if c := s[i]; !isWord(c) && !strings.ContainsRune("/.-=+,:@%", rune(c)) {
			plain = false
		}
	}
	if plain {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

type coverageFile struct {
	URI   protocol.DocumentURI `json:"uri"`
	Lines []coverageLine       `json:"lines"`
}

type coverageLine struct {
	Line     int              `json:"line"`
	Hit      bool             `json:"hit"`
	Branches []coverageBranch `json:"branches,omitempty"`
}

// coverageBranch is a branch of a line, available for proofs that were explained.
type coverageBranch struct {
	Line      uint32        `json:"line"` // start of the condition, which may differ from the line of the branch
	Character uint32        `json:"character"`
	Text      string        `json:"text,omitempty"` // of the condition
	Ways      []coverageWay `json:"ways"`
}

type coverageWay struct {
	Way   string      `json:"way"` // as in diagnostics.BranchWay
	Taken found.Taken `json:"taken"`
}

// coverage returns the lines that executions of the proofs reach, and the ways of branches. The data is that of the
// last verification that requested coverage.
func (v *view) coverage(_ context.Context, args *proofArgs) (any, error) {
	proofs, err := v.selected(args)
	if err != nil {
		return nil, err
	}
	united := found.Coverage{}
	var branches []diagnostics.Branch // with absolute file names
	for _, p := range proofs {
		if !v.fresh(p) {
			continue // its lines are outdated
		}
		if p.Result != nil && p.Covered != nil {
			for _, b := range p.Result.Branches {
				if b.File = fileOf(p, b.File); b.Line >= 1 {
					branches = append(branches, b)
				}
			}
		}
		united = united.Unite(p.Covered.Renamed(func(file string) string { return fileOf(p, file) }))
	}
	files := []coverageFile{}
	byLine := diagnostics.UniteBranches(branches)
	for path, lines := range united {
		f := coverageFile{URI: v.uri(path), Lines: []coverageLine{}}
		for line, taken := range lines {
			if line < 1 || taken == found.MaybeTaken { // neither covered nor missed
				continue
			}
			branches := v.coverageBranches(path, byLine[path][line])
			f.Lines = append(f.Lines, coverageLine{line - 1, taken == found.TakenBy, branches})
		}
		slices.SortFunc(f.Lines, func(a, b coverageLine) int { return a.Line - b.Line })
		files = append(files, f)
	}
	slices.SortFunc(files, func(a, b coverageFile) int { return strings.Compare(string(a.URI), string(b.URI)) })
	return map[string]any{"files": files}, nil
}

// coverageBranches returns the branches of a line, from left to right.
func (v *view) coverageBranches(path string, list []diagnostics.Branch) []coverageBranch {
	t := v.text(path)
	if t == nil {
		return nil
	}
	starts := diagnostics.BranchStarts(func(string) []byte { return t.data }, path, list)
	var out []coverageBranch
	for i, b := range list {
		if starts[i] < 0 {
			continue
		}
		at := t.span(starts[i], starts[i], v.encoding).Start
		x := coverageBranch{Line: at.Line, Character: at.Character, Text: b.Text}
		for _, w := range b.Ways {
			x.Ways = append(x.Ways, coverageWay{w.Way, w.Taken})
		}
		out = append(out, x)
	}
	slices.SortStableFunc(out, func(a, b coverageBranch) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Character, b.Character))
	})
	return out
}

func (v *view) clearCache(context.Context, *proofArgs) (any, error) {
	dir := v.cacheDir()
	if dir == "" {
		return nil, rpc.Failure(rpc.RequestFailed, "there is no cache folder")
	}
	if err := pipeline.CleanCache(dir); err != nil {
		return nil, fmt.Errorf("the cache: %w", err)
	}
	return nil, nil
}

func isWord(b byte) bool {
	return b == '_' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || b >= 0x80
}
