package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/pipeline"
	"github.com/unitproof/unitproof/pipeline/project"
)

// listed is what a call is about.
type listed struct {
	workspace *project.Workspace
	root      string
	proofs    []project.Proof
	// errors stand for what should have been a proof: files that are missing, configurations
	// that make no sense. They are results like others, so that no reader of any format can
	// miss them.
	errors []diagnostics.Proof
}

// listProofs opens the workspace of the working directory.
func listProofs(flags project.Flags, h *hidden, args []string) (*listed, error) {
	w, err := project.Open(".", flags)
	if w == nil {
		return nil, err
	}
	l := &listed{workspace: w, root: w.Root}
	if err != nil {
		l.errors = problemProofs(w.Root, err)
		return l, nil
	}
	proofs, problems := w.Proofs(args)
	for i := range proofs {
		h.apply(&proofs[i])
	}
	l.proofs = proofs
	if len(problems) > 0 {
		l.errors = problemProofs(w.Root, project.Problems(problems))
	}
	return l, nil
}

// someProofs is listProofs for commands that write no results of proofs: what is wrong with the list is their error, and
// so is an empty one.
func someProofs(flags project.Flags, h *hidden, args []string) (*listed, error) {
	l, err := listProofs(flags, h, args)
	switch {
	case err != nil:
		return nil, err
	case len(l.errors) > 0:
		return nil, errors.New(l.errors[0].Reason)
	case len(l.proofs) == 0:
		return nil, errors.New(noProofs(l, args, &flags))
	}
	return l, nil
}

// problemProofs makes results of problems, one for each file.
func problemProofs(root string, err error) []diagnostics.Proof {
	var problems project.Problems
	if !errors.As(err, &problems) {
		return []diagnostics.Proof{diagnostics.ErrorProof(diagnostics.ProofMeta{Name: "unitproof", Root: root}, "", diagnostics.Error{Message: err.Error()})}
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
		byFile[p.File] = append(byFile[p.File], diagnostics.Error{Message: message, File: p.File, Line: p.Line, Column: p.Column})
	}
	var out []diagnostics.Proof
	for _, file := range order {
		name := file
		if rel, err := filepath.Rel(root, file); err == nil && filepath.IsLocal(rel) {
			name = rel
		}
		if name == "" {
			name = "unitproof"
		}
		out = append(out, diagnostics.ErrorProof(diagnostics.ProofMeta{Name: name, File: file, Root: root}, "", byFile[file]...))
	}
	return out
}

// batch is what is to be run.
func (l *listed) batch(h *hidden) pipeline.Batch {
	return pipeline.Batch{
		Settings: pipeline.Settings{Root: l.root, Solver: h.solver, CacheDir: h.cacheDir, CacheReadOnly: h.cacheReadOnly},
		Proofs:   l.proofs,
		Define:   l.workspace.Definitions,
	}
}

// noProofs says what was looked at in vain, and what would have been found.
func noProofs(l *listed, args []string, flags *project.Flags) string {
	var limits []string
	if flags.Filter != nil {
		limits = append(limits, fmt.Sprintf("--filter %s", flags.Filter))
	}
	if flags.Entry != "" {
		limits = append(limits, "--entry "+flags.Entry)
	}
	if flags.Shard[1] > 0 {
		limits = append(limits, fmt.Sprintf("--shard %d/%d", flags.Shard[0], flags.Shard[1]))
	}
	where := l.root
	if len(args) > 0 {
		where = strings.Join(args, ", ")
	}
	text := "no unit proof was found in " + where
	if len(limits) > 0 {
		return text + " with " + strings.Join(limits, " and ")
	}
	return text + "; that is a C file that includes unitproof.h and defines main, proof_NAME, NAME_proof or NAME_harness"
}
