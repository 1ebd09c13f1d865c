package diagnostics

import (
	"github.com/unitproof/unitproof/diagnostics/csource"
	"github.com/unitproof/unitproof/vcgen/found"
)

// PartOf tells which part of the code at a finding's place the finding is about: what csource.Source.Range makes of it
// is the finding's range, in every output and in editors.
func PartOf(kind found.Kind) csource.Part {
	if kind == found.Unwinding {
		return csource.Loop
	}
	return csource.Operation
}
