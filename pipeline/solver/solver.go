// Package solver has the back ends of smt.Solver.
//
//   - "cadical" (the default): terms become an and-inverter graph (bitblast.go, words.go, arith.go, float.go on top of
//     aig.go), the graph becomes clauses (cnf.go), and one incremental CaDiCaL instance decides them (cadical.go).
//   - "z3": go-z3, with a fresh context for each query; a cross-check.
//   - "smtlib:<command>": a process that reads SMT-LIB, such as "smtlib:z3 -in"; a cross-check.
//
// For example, x * x = 49 over 8 bits becomes 8 inputs, gates for the product and for the comparison, and a few clauses
// for each gate.
//
// Every back end gets Boolean terms to assert (smt.Solver) and translates them itself; SMT-LIB is the format of package
// vcgen/smtlib. The package depends only on terms, not on C, LLVM or verdicts. For an operation without an encoding the
// answer is Failed with a reason that begins with "unsupported".
//
// Reading order: solver.go, cadical.go, bitblast.go, aig.go, cnf.go; then skeleton.go and functions.go.
package solver

import (
	"fmt"
	"strings"

	"github.com/unitproof/unitproof/vcgen/smt"
)

// Options are limits for the whole life of a solver.
type Options struct {
	// MemoryMB bounds the memory of conversions (words, graph, clauses), in mebibytes. Beyond it the answer is Failed with
	// the reason "memory limit". The worker process bounds the memory of the search. 0 is no bound.
	MemoryMB int
	// Search, if not nil, is called when a search begins in the caller's goroutine; ended is called when it ends. The rest
	// of a Check is conversion.
	Search func() (ended func())
}

// Default is the kind that New uses for "".
const Default = "cadical"

// External reports whether a kind is a program, which runs as a process.
func External(kind string) bool { return strings.HasPrefix(kind, "smtlib:") }

// New returns a solver for terms of c. The kinds are listed in the package comment. The caller closes the solver.
func New(kind string, c *smt.Context, opts Options) (smt.Solver, error) {
	switch command, external := strings.CutPrefix(kind, "smtlib:"); {
	case kind == "" || kind == Default:
		return newCadical(c, opts), nil
	case kind == "z3":
		return newZ3(c)
	case external:
		return newProcess(c, command)
	}
	return nil, fmt.Errorf("solver %q: unknown kind; there are cadical, z3 and smtlib:<command>", kind)
}
