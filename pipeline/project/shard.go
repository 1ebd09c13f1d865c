package project

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
)

// Shard is one of several parts of the proofs of a workspace, for machines that divide the work. The part of a proof
// depends only on its name, the number of parts, and Times: not on a machine's cache or on the other proofs that it
// finds. So machines with the same Times check each proof exactly once.
type Shard struct {
	Index, Of int              // part Index of Of, from 1; {0, 0}: all proofs
	Times     map[string]int64 // earlier durations by name, in any unit; nil: unknown
}

// Whole reports whether the shard contains all proofs.
func (s Shard) Whole() bool { return s.Of <= 1 }

func (s Shard) String() string { return fmt.Sprintf("%d/%d", s.Index, s.Of) }

// assignment returns the part of each proof in Times, from 0. The longest proof comes first, and each goes to the part
// with the least load (Graham 1969, at most 4/3 of the optimum).
func (s Shard) assignment() map[string]int {
	names := slices.SortedFunc(maps.Keys(s.Times), func(a, b string) int {
		return cmp.Or(cmp.Compare(s.Times[b], s.Times[a]), cmp.Compare(a, b))
	})
	load := make([]int64, s.Of)
	part := make(map[string]int, len(names))
	for _, name := range names {
		least := 0
		for i := range load {
			if load[i] < load[least] {
				least = i
			}
		}
		part[name] = least
		load[least] += max(s.Times[name], 1)
	}
	return part
}

// parts returns the function that returns the part of a proof, from 0. The hash of the name determines the part of a
// proof that is not in Times.
func (s Shard) parts() func(name string) int {
	known := s.assignment()
	return func(name string) int {
		if part, ok := known[name]; ok {
			return part
		}
		sum := sha256.Sum256([]byte(name))
		return int(binary.BigEndian.Uint64(sum[:]) % uint64(s.Of))
	}
}

// Plan returns a hash of the division of a list of proofs: all shards of one run have the same plan.
func (s Shard) Plan(names []string) string {
	h := sha256.New()
	fmt.Fprintf(h, "%d %q", s.Of, slices.Sorted(slices.Values(names)))
	for _, name := range slices.Sorted(maps.Keys(s.Times)) {
		fmt.Fprintf(h, " %q %d", name, s.Times[name])
	}
	return hex.EncodeToString(h.Sum(nil))
}
