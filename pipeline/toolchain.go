package pipeline

import (
	"context"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/pipeline/clang"
	"github.com/unitproof/unitproof/pipeline/scratch"
	"github.com/unitproof/unitproof/pipeline/solver"
)

// Cleanup removes the files that this process keeps on disk while it runs. It must be called before the process ends.
func Cleanup() { scratch.Remove() }

// DescribeToolchain returns the versions of the programs that checks use: clang by its name in a configuration ("" is
// the default), and a kind of solver. Programs that are not found are omitted.
func DescribeToolchain(ctx context.Context, name, kind string) diagnostics.Toolchain {
	if kind == "" {
		kind = solver.Default
	}
	d := diagnostics.Toolchain{Solvers: []string{kind}}
	if t, err := clang.Find(ctx, name); err == nil {
		d.Clang = t.Version
	}
	return d
}
