package lsp

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/unitproof/unitproof/editing"
	"github.com/unitproof/unitproof/pipeline/project"
)

// debugResult is a launch configuration for `unitproof dap` (docs/debugging.md).
type debugResult struct {
	Type    string   `json:"type"`
	Request string   `json:"request"`
	Name    string   `json:"name"`
	Program string   `json:"program"`
	Entry   string   `json:"entry"`
	Finding string   `json:"finding"`
	Cwd     string   `json:"cwd"`
	Args    []string `json:"args"`
}

// debug returns the launch configuration for the execution of a counterexample. The debugger checks the proof again
// with the same settings, usually from the cache; it reads the files on disk.
func (v *view) debug(_ context.Context, args *proofArgs) (any, error) {
	p, f, err := v.failedFinding(args)
	if err != nil {
		return nil, err
	}
	return debugResult{
		Type: "unitproof", Request: "launch", Name: fmt.Sprintf("%s: %s at %s:%d", p.Proof.Name, f.Kind,
			filepath.Base(f.File), f.Line),
		Program: p.Proof.File, Entry: p.Proof.Entry, Finding: f.ID, Cwd: string(p.Root), Args: v.settingFlags(p),
	}, nil
}

// settingFlags returns the flags of check for the client's settings that unitproof.toml does not override.
func (v *view) settingFlags(p *editing.ProofState) []string {
	return project.FlagsOf(v.settings.Check, &p.Proof)
}
