package pipeline

import (
	"context"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/pipeline/clang"
	"github.com/unitproof/unitproof/pipeline/scratch"
	"github.com/unitproof/unitproof/pipeline/solver"
)

// Cleanup removes what this process keeps on disk for as long as it runs. To be called at its end.
func Cleanup() { scratch.Remove() }

// DescribeToolchain names the programs that take part in checks: clang as a configuration calls
// it ("" is the default), and a kind of solver. What cannot be found is left out.
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
