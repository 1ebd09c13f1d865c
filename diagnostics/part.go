package diagnostics

import (
	"github.com/unitproof/unitproof/diagnostics/csource"
	"github.com/unitproof/unitproof/vcgen/found"
)

// PartOf returns the part of the source code that a finding's range covers, in every output and in editors:
// csource.Source.Range computes the range from it.
func PartOf(kind found.Kind) csource.Part {
	if kind == found.Unwinding {
		return csource.Loop
	}
	return csource.Operation
}
