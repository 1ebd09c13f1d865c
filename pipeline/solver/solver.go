// Package solver holds the back ends of smt.Solver.
//
//   - "cadical" (the default): terms become an and-inverter graph
//     (bitblast.go, words.go, arith.go, float.go on top of aig.go), the graph
//     becomes clauses (cnf.go), and one incremental CaDiCaL instance decides
//     them (cadical.go).
//   - "z3": go-z3, with a fresh context for each query; a cross-check.
//   - "smtlib:<command>": a process that reads SMT-LIB, such as
//     "smtlib:z3 -in"; a cross-check.
//
// The package knows terms only: nothing of C, LLVM or verdicts. What an
// encoding cannot express is the answer Failed with a reason that begins with
// "unsupported".
package solver

import (
	"fmt"
	"strings"

	"github.com/unitproof/unitproof/vcgen/smt"
)

// Options are limits that hold for the whole life of a solver.
type Options struct {
	// MemoryMB bounds what the conversion builds (words, graph, clauses), in
	// mebibytes; beyond it the answer is Failed with the reason "memory limit".
	// The search's own memory is bounded by the worker process. 0 is no bound.
	MemoryMB int
	// Search, if any, is told when a search in the caller's goroutine begins; what it returns, when that ends.
	// The rest of a Check is conversion.
	Search func() (ended func())
}

// Default is the kind that New uses for "".
const Default = "cadical"

// External tells whether a kind is a program, which runs as a process.
func External(kind string) bool { return strings.HasPrefix(kind, "smtlib:") }

// New makes a solver for terms of c. The kinds are listed in the package
// comment. The caller closes the solver.
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
