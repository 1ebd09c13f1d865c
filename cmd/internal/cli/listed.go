package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/diagnostics/paths"
	"github.com/unitproof/unitproof/pipeline"
	"github.com/unitproof/unitproof/pipeline/project"
)

// Listed is the subject of a call: the workspace and the selected proofs.
type Listed struct {
	Workspace *project.Workspace
	Root      paths.Root
	Proofs    []project.Proof
	// Errors are results for proofs that could not be listed: missing files, invalid configurations. As they are
	// ordinary results, every output format has them.
	Errors []diagnostics.Proof
	// Far are the other machines to use, or zero. Its Note explains a deviation from the folder's request.
	Far Far
}

// List opens the workspace of the working directory and lists its proofs.
func List(flags project.Flags, h *Engine, args []string) (*Listed, error) {
	w, err := project.Open(".", flags)
	if w == nil {
		return nil, err
	}
	l := &Listed{Workspace: w, Root: paths.Root(w.Root)}
	if err != nil {
		l.Errors = ProblemProofs(paths.Root(w.Root), err)
		return l, nil
	}
	proofs, problems := w.Proofs(args)
	for i := range proofs {
		h.Apply(&proofs[i])
	}
	l.Proofs = proofs
	if len(problems) > 0 {
		l.Errors = ProblemProofs(paths.Root(w.Root), project.Problems(problems))
	}
	return l, nil
}

// Some is List for commands that write no results of proofs. A problem with the list is an error, and so is an empty
// list.
func Some(flags project.Flags, h *Engine, args []string) (*Listed, error) {
	l, err := List(flags, h, args)
	switch {
	case err != nil:
		return nil, err
	case len(l.Errors) > 0:
		e := &l.Errors[0]
		if e.File != "" && !strings.HasPrefix(e.Reason, e.File) { // the file as a whole
			return nil, fmt.Errorf("%s: %s", e.File, e.Reason)
		}
		return nil, errors.New(e.Reason)
	case len(l.Proofs) == 0:
		return nil, errors.New(l.NothingFound(args, &flags))
	}
	return l, nil
}

// ProblemProofs returns problems as results, one for each file.
func ProblemProofs(root paths.Root, err error) []diagnostics.Proof {
	var problems project.Problems
	if !errors.As(err, &problems) {
		return []diagnostics.Proof{diagnostics.ErrorProof(diagnostics.ProofMeta{Name: "unitproof", Root: root}, "",
			diagnostics.Error{Message: err.Error()})}
	}
	var order []string
	byFile := map[string][]diagnostics.Error{}
	for _, p := range problems {
		if byFile[p.File] == nil {
			order = append(order, p.File)
		}
		message := p.Message
		if p.Key != "" {
			message = p.Key + ": " + message
		}
		byFile[p.File] = append(byFile[p.File], diagnostics.Error{Message: message, File: p.File, Line: p.Line,
			Column: p.Column})
	}
	var out []diagnostics.Proof
	for _, file := range order {
		name := root.Show(file)
		if name == "" {
			name = "unitproof"
		}
		out = append(out, diagnostics.ErrorProof(diagnostics.ProofMeta{Name: name, File: file, Root: root}, "",
			byFile[file]...))
	}
	return out
}

// Batch returns the proofs as a batch for the pipeline.
func (l *Listed) Batch(h *Engine) pipeline.Batch {
	return pipeline.Batch{
		Settings: pipeline.Settings{Root: l.Root, Solver: h.Solver, CacheDir: h.CacheDir, CacheReadOnly: h.CacheReadOnly,
			Remote: l.Far.Cache, Cluster: l.Far.Cluster},
		Proofs: l.Proofs,
		Define: l.Workspace.Definitions,
	}
}

// Shard returns the listed part of the proofs; nil if all are listed.
func (l *Listed) Shard(s project.Shard) *diagnostics.Shard {
	if s.Of == 0 {
		return nil
	}
	names := l.Workspace.Names()
	return &diagnostics.Shard{Index: s.Index, Of: s.Of, Proofs: len(names), Plan: s.Plan(names)}
}

// NothingFound describes the unsuccessful search, and the names that would be found.
func (l *Listed) NothingFound(args []string, flags *project.Flags) string {
	var limits []string
	if flags.Filter != nil {
		limits = append(limits, fmt.Sprintf("--filter %s", flags.Filter))
	}
	if flags.Entry != "" {
		limits = append(limits, "--entry "+flags.Entry)
	}
	if flags.Shard.Of > 0 {
		limits = append(limits, "--shard "+flags.Shard.String())
	}
	where := string(l.Root)
	if len(args) > 0 {
		where = strings.Join(args, ", ")
	}
	text := "no unit proof was found in " + where
	if len(limits) > 0 {
		return text + " with " + strings.Join(limits, " and ")
	}
	return text + "; a unit proof is in a C file that includes unitproof.h and defines main, proof_NAME, NAME_proof " +
		"or NAME_harness"
}
