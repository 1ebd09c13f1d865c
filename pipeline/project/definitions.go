package project

import (
	"slices"

	"github.com/unitproof/unitproof/diagnostics/csource"
)

// What a proof calls and does not define is looked for in the files of the compilation
// database. A database can list thousands of files and parsing all of them takes half a
// minute, so a file is first read by its tokens (a hundred megabytes a second), and parsed
// only when a name that is looked for stands outside of all braces in it.

// outline is what the tokens of a C file say.
type outline struct {
	outer []string // sorted: identifiers outside of braces, of all where the braces do not match
	proof bool     // the file holds unit proofs or is a saved run of one, so what it defines is its own
}

func readOutline(text []byte) outline {
	src := discover(text)
	return outline{outer: csource.OuterNames(text), proof: src.HoldsProofs() || src.SavedRun}
}

// Definitions says which of the proof's SourceCandidates define a name, for each of the names
// that is defined anywhere. Files with unit proofs are no candidates: what they define is
// meant for them alone.
func (w *Workspace) Definitions(p *Proof, names []string) map[string][]Unit {
	found := map[string][]Unit{}
	if len(names) == 0 {
		return found
	}
	var units []Unit
	for _, u := range p.SourceCandidates {
		if u.File != p.File {
			units = append(units, u)
		}
	}
	defined := make([][]string, len(units))
	eachFile(len(units), func(i int) { defined[i] = w.defined(units[i].File, names) })
	for i, u := range units {
		for _, name := range defined[i] {
			found[name] = append(found[name], u)
		}
	}
	return found
}

// defined gives the names that a file defines: of those asked for, or all when names is nil. A file
// that cannot be read defines none.
func (w *Workspace) defined(file string, names []string) []string {
	o, err := ask(w, file, "outline", readOutline)
	if err != nil || o.proof || w.namesFile(file) {
		return nil
	}
	if names != nil && !slices.ContainsFunc(names, func(n string) bool { return sortedHas(o.outer, n) }) {
		return nil
	}
	all, err := ask(w, file, "definitions", csource.DefinedNames)
	if err != nil || names == nil {
		return all
	}
	var out []string
	for _, n := range names {
		if sortedHas(all, n) {
			out = append(out, n)
		}
	}
	return out
}

// Defines gives the functions and variables with external linkage that a file defines for the
// proofs of others, sorted.
func (w *Workspace) Defines(file string) []string { return w.defined(file, nil) }

// namesFile tells whether a [[proof]] names the file.
func (w *Workspace) namesFile(file string) bool {
	l := &listing{w: w, reported: map[*nestedConfig]bool{}}
	return len(l.namedBy(file)) > 0
}

func sortedHas(list []string, s string) bool {
	_, found := slices.BinarySearch(list, s)
	return found
}
