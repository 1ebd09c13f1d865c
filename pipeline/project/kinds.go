package project

import "github.com/unitproof/unitproof/vcgen"

// defaultChecks are the kinds of the contract and whether they are checked when nothing is
// said. The layer rule keeps this package from vcgen/seair, where the engine has the same
// table; a test compares the two.
var defaultChecks = []struct {
	kind vcgen.Kind
	on   bool
}{
	{"assertion", true}, {"null-dereference", true}, {"invalid-pointer", true},
	{"use-after-free", true}, {"use-after-scope", true}, {"array-bounds", true},
	{"out-of-bounds-read", true}, {"out-of-bounds-write", true}, {"read-only-write", true},
	{"overlapping-copy", true}, {"double-free", true}, {"invalid-free", true},
	{"memory-leak", false}, {"uninitialized-read", false}, {"misaligned", false},
	{"invalid-size", true}, {"signed-overflow", true}, {"unsigned-overflow", false},
	{"float-to-int-overflow", true}, {"division-by-zero", true}, {"invalid-shift", true},
	{"shift-overflow", false}, {"invalid-call", true}, {"unreachable", true},
	{"invalid-builtin", true}, {"ambiguous-pointer", true}, {"unwinding", true},
}

func kindNames() []string {
	names := make([]string, len(defaultChecks))
	for i, k := range defaultChecks {
		names[i] = string(k.kind)
	}
	return names
}
