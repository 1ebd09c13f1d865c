package lsp

import (
	"context"
	"fmt"
	"path/filepath"

	"go.lsp.dev/protocol"

	"github.com/unitproof/unitproof/diagnostics/paths"
	"github.com/unitproof/unitproof/lsp/rpc"
	"github.com/unitproof/unitproof/pipeline"
	"github.com/unitproof/unitproof/pipeline/project"
)

// provedFunction is the result of the command prove.
type provedFunction struct {
	URI     protocol.DocumentURI `json:"uri"` // of the proof's file
	Verdict string               `json:"verdict"`
	Message string               `json:"message"`
}

func (r provedFunction) summary() string { return r.Message }

// provable reports whether proofs can be written for the functions of a document.
func (v *view) provable(d *document) bool {
	return d != nil && project.HoldsText(d.path) && !project.IsForeign(d.path) &&
		!project.SourceOf(d.path, d.text.data).HoldsProofs()
}

// prove offers to write a proof of the function around the start of the range.
func (a *actions) prove() {
	d := a.view.document(a.path)
	if !a.wanted(protocol.RefactorExtract) || !a.view.provable(d) {
		return
	}
	f, ok := d.text.source.FunctionAround(d.text.offset(a.span.Start, a.view.encoding))
	if !ok || f.Name == "main" {
		return
	}
	a.add(codeAction{Title: "Prove this function", Kind: protocol.RefactorExtract, Command: proveCommand(d.uri, f.Name)})
}

func proveCommand(uri protocol.DocumentURI, function string) *protocol.Command {
	return &protocol.Command{Title: "Prove this function", Command: commandPrefix + verbProve,
		Arguments: []any{map[string]any{"uri": uri, "function": function}}}
}

// maxLensText is the size in bytes of the largest text that is parsed for its functions after each edit.
const maxLensText = 1 << 17

// proveLenses returns the lenses over functions of a C file that no proof executes or is named after.
func (v *view) proveLenses(d *document) (lenses []protocol.CodeLens) {
	if !v.settings.ProveLens || !v.coverable(d) {
		return nil
	}
	proved := map[string]bool{"main": true}
	for _, p := range v.proofs() {
		proved[p.Proof.Name] = true
	}
	for f := range d.text.source.Functions() {
		if !proved[f.Name] && len(v.covers(d, f.Name)) == 0 {
			lenses = append(lenses, protocol.CodeLens{Range: v.above(d, f),
				Data: lensData{URI: d.uri, Entry: f.Name, Verb: verbProve}})
		}
	}
	return lenses
}

// functionOf returns the file of the function that arguments name, the folder that the client has opened around it, and
// the project there. It fails in a workspace that is not trusted.
func (v *view) functionOf(args *proofArgs) (path, base string, w *project.Workspace, err error) {
	path, ok := pathOf(args.URI)
	if !ok || args.Function == "" {
		return "", "", nil, rpc.Failure(rpc.RequestFailed, "expected a function and its file")
	}
	s := v.server
	s.mu.Lock()
	denied, base := s.denied(), filepath.Dir(path)
	for _, folder := range s.folders {
		if paths.Within(folder, path) {
			base = folder
		}
	}
	s.mu.Unlock()
	if denied {
		return "", "", nil, rpc.Failure(rpc.RequestFailed, "the workspace is not trusted: nothing of it is compiled")
	}
	if w, err = project.Open(base, project.Flags{}); err != nil {
		return "", "", nil, rpc.Failure(rpc.RequestFailed, "%v", err)
	}
	return path, base, w, nil
}

// proveFunction writes the proof of a function, checks it, and asks the client to open it.
func (v *view) proveFunction(ctx context.Context, args *proofArgs) (any, error) {
	s := v.server
	path, base, w, err := v.functionOf(args)
	if err != nil {
		return nil, err
	}
	pool := pipeline.NewPool(pipeline.PoolOptions{Jobs: 1})
	defer pool.Close()
	g := &pipeline.Generator{Base: base, Pool: pool, Settings: pipeline.Settings{Root: paths.Root(w.Root),
		Solver: v.settings.Solver, CacheDir: v.cacheDir()}}
	made, err := g.Generate(ctx, args.Function, path)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, rpc.Failure(rpc.RequestFailed, "%v", err)
	case made.Harness == "":
		return nil, rpc.Failure(rpc.RequestFailed, "no proof of %s: %s", args.Function, made.Reason)
	}
	changed := []string{paths.Root(w.Root).Find(made.Harness)}
	if made.Registered != "" {
		changed = append(changed, paths.Root(w.Root).Find(made.Registered))
	}
	s.mu.Lock()
	s.real.forget()
	if s.engine != nil {
		s.engine.workspace.FilesChanged(changed) // not every client watches files
	}
	s.mu.Unlock()
	out := provedFunction{URI: v.uri(paths.Root(w.Root).Find(made.Harness)), Verdict: string(made.Verdict),
		Message: fmt.Sprintf("%s: %s (%s)", args.Function, made.Verdict, made.Harness)}
	switch n := len(made.Questions); n {
	case 0:
	case 1:
		out.Message += "; it has a question"
	default:
		out.Message += fmt.Sprintf("; it has %d questions", n)
	}
	if s.caps.Window.ShowDocument.Support {
		var shown struct{ Success bool }
		// A client that cannot show the file still shows the message.
		_ = s.conn.Call(ctx, "window/showDocument", map[string]any{"uri": out.URI, "takeFocus": true}, &shown)
	}
	return out, nil
}
