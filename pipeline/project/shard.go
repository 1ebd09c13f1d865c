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

// Shard is one of several parts of the proofs of a workspace, for machines that divide the work. Which part a proof is
// in follows from its name, from the number of parts and from Times, and from nothing else: not from what a machine has
// in its cache, nor from which other proofs it finds. So machines that are given the same Times do each proof exactly
// once.
type Shard struct {
	Index, Of int              // the Index-th of Of parts, from 1; {0, 0}: all proofs
	Times     map[string]int64 // what proofs took earlier, by name, in any unit; nil: not known
}

// Whole tells whether no proof is left to others.
func (s Shard) Whole() bool { return s.Of <= 1 }

func (s Shard) String() string { return fmt.Sprintf("%d/%d", s.Index, s.Of) }

// assignment is the part of each proof that Times names, from 0: longest first, each to the part that has least to do
// (Graham 1969, at most 4/3 of the best).
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

// parts returns the function that tells the part of a proof, from 0. One that Times does not name is where the hash of
// its name is.
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

// Plan names how a list of proofs is divided: shards of one run have the same.
func (s Shard) Plan(names []string) string {
	h := sha256.New()
	fmt.Fprintf(h, "%d %q", s.Of, slices.Sorted(slices.Values(names)))
	for _, name := range slices.Sorted(maps.Keys(s.Times)) {
		fmt.Fprintf(h, " %q %d", name, s.Times[name])
	}
	return hex.EncodeToString(h.Sum(nil))
}
