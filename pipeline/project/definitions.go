package project

import (
	"slices"
	"strings"

	"github.com/unitproof/unitproof/diagnostics/csource"
)

// Undefined functions of a proof are searched in the files of the compilation database. A database can list thousands
// of files, and parsing all of them takes half a minute. So a file is first scanned by tokens (100 MB per second), and
// parsed only if a wanted name occurs in it outside all braces.

// outline is the result of scanning the tokens of a C file.
type outline struct {
	outer []string // sorted: identifiers outside braces; all identifiers if braces do not match
	proof bool     // the file has unit proofs or is a saved run of one, so its definitions are for itself only
}

func readOutline(text []byte) outline {
	src := discover(text)
	return outline{outer: csource.OuterNames(text), proof: src.HoldsProofs() || src.SavedRun}
}

// Links reports whether a file is linked with the proof already.
func (p *Proof) Links(u Unit) bool {
	return u.File == p.EntryUnit.File ||
		slices.ContainsFunc(slices.Concat(p.Sources, p.Overrides), func(l Unit) bool { return l.File == u.File })
}

// Definitions maps each name that is defined in one of the proof's SourceCandidates to the files that define it. Files
// with unit proofs are excluded: their definitions are for their proofs only.
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
	for name, i := range namedByMacros(w, names, len(units), func(i int) string { return units[i].File }, found) {
		found[name] = []Unit{units[i]}
	}
	return found
}

// namedByMacros finds functions whose names macros write. It maps names that are not known to one of n files.
//
// The file of "int URI_FUNC(ResetUri)(...) {" defines uriResetUri. The longest part of a name decides; it is at least
// half of the name. If several files have that part, the name is left out.
func namedByMacros[T any](w *Workspace, names []string, n int, file func(int) string,
	known map[string]T) map[string]int {
	names = slices.DeleteFunc(slices.Clone(names), func(name string) bool { _, is := known[name]; return is })
	best := map[string]int{}
	if len(names) == 0 {
		return best
	}
	parts := make([][]string, n)
	eachFile(n, func(i int) {
		if o, err := ask(w, file(i), "outline", readOutline); err == nil && !o.proof {
			if list, err := ask(w, file(i), "macro names", csource.MacroNames); err == nil { // it was read above
				parts[i] = list
			}
		}
	})
	for _, name := range names {
		longest, files := (len(name)+1)/2, []int(nil)
		for i := range parts {
			for _, part := range parts[i] {
				switch {
				case !strings.Contains(name, part) || len(part) < longest:
				case len(part) > longest:
					longest, files = len(part), []int{i}
				case !slices.Contains(files, i):
					files = append(files, i)
				}
			}
		}
		if len(files) == 1 {
			best[name] = files[0]
		}
	}
	return best
}

// defined returns the names that a file defines: those among names, or all if names is nil. A file that cannot be read
// defines none.
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

// Defines returns the functions and variables with external linkage that a file defines for the proofs of other files,
// sorted.
func (w *Workspace) Defines(file string) []string { return w.defined(file, nil) }

// namesFile reports whether a [[proof]] lists the file.
func (w *Workspace) namesFile(file string) bool {
	l := &listing{w: w, reported: map[*nestedConfig]bool{}}
	return len(l.namedBy(file)) > 0
}

func sortedHas(list []string, s string) bool {
	_, found := slices.BinarySearch(list, s)
	return found
}
