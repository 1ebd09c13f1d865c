package diagnostics

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"

	"github.com/unitproof/unitproof/vcgen/found"
)

// Part is one of several documents of a run, with the file it was read from.
type Part struct {
	File string
	Document
}

// Merge combines parts into one document with the proofs of all, by file and name. problems lists the differences
// from a whole run: a missing shard, a shard of another division, a proof in two parts. Such a proof has the worse of
// its results.
func Merge(parts []Part) (doc Document, problems []string) {
	var proofs []Proof
	at := map[string]int{}    // index by file, name and entry
	of := map[string]string{} // by the same key: the file of the part
	for _, part := range parts {
		for _, p := range part.Proofs {
			key := p.File + "\x00" + p.Name + "\x00" + p.Entry
			i, twice := at[key]
			switch {
			case !twice:
				at[key], of[key] = len(proofs), part.File
				proofs = append(proofs, p)
			case p.Verdict == found.Error && reflect.DeepEqual(p.Errors, proofs[i].Errors):
				// Every shard reports errors in the configuration.
			default:
				problems = append(problems, fmt.Sprintf("%s is in %s and in %s", p.Name, of[key], part.File))
				if worseStatus(p.exitStatus(nil), proofs[i].exitStatus(nil)) == p.exitStatus(nil) {
					proofs[i] = p
				}
			}
		}
	}
	slices.SortStableFunc(proofs, func(a, b Proof) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Name, b.Name))
	})
	doc = NewDocument(parts[0].Tool, parts[0].Toolchain, proofs)
	for _, part := range parts[1:] {
		if part.Tool != doc.Tool || !reflect.DeepEqual(part.Toolchain, doc.Toolchain) {
			problems = append(problems, fmt.Sprintf("%s was made with other programs than %s: %s with %s, and %s with %s",
				part.File, parts[0].File, part.Tool, part.Toolchain.Clang, doc.Tool, doc.Toolchain.Clang))
		}
	}
	return doc, append(problems, missingShards(parts)...)
}

// missingShards returns the missing shards and the inconsistencies of a run's division.
func missingShards(parts []Part) (problems []string) {
	var first *Part
	have := map[int]string{}
	for i := range parts {
		p := &parts[i]
		switch {
		case p.Shard == nil:
			continue
		case first == nil:
			first = p
		case p.Shard.Of != first.Shard.Of || p.Shard.Plan != first.Shard.Plan:
			problems = append(problems, fmt.Sprintf("%s and %s split the proofs differently: other numbers of shards, "+
				"other proofs or other times", first.File, p.File))
			continue
		}
		if other, twice := have[p.Shard.Index]; twice {
			problems = append(problems, fmt.Sprintf("%s and %s are both shard %d/%d", other, p.File, p.Shard.Index,
				p.Shard.Of))
		}
		have[p.Shard.Index] = p.File
	}
	if first == nil {
		return problems
	}
	for i := 1; i <= first.Shard.Of; i++ {
		if have[i] == "" {
			problems = append(problems, fmt.Sprintf("shard %d/%d is missing", i, first.Shard.Of))
		}
	}
	return problems
}
