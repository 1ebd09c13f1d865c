//go:build !linux || static

package solver

import (
	"errors"

	"github.com/unitproof/unitproof/vcgen/smt"
)

// WithZ3 reports whether this build can load libz3.
const WithZ3 = false

// newZ3 reports an error: a static program loads no library, and on other systems libz3 would have to be linked.
func newZ3(*smt.Context) (smt.Solver, error) {
	return nil, errors.New(`solver z3: this build of the program has no libz3; "smtlib:z3 -in" starts the program z3`)
}
