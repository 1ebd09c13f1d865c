package flow

import (
	"slices"
	"strings"

	"github.com/unitproof/unitproof/vcgen/clangir"
)

// UnusedBound is a user-defined bound for a loop or recursion that the program lacks.
type UnusedBound struct {
	Name string // as the user wrote it: function#k, or a function
	// Function is set if the program has such a function, with Loops loops.
	Function bool
	Loops    int
	// Known are the names of the program's loops or functions if it has no such function, sorted.
	Known []string
}

// UnusedBounds returns the names, of loops (function#k) or functions, that the module lacks, sorted by name.
func UnusedBounds(m *clangir.Module, names []string) []UnusedBound {
	loops := map[string][]string{} // by functions with a body; nil: not analysed
	for _, f := range m.Funcs {
		if len(f.Blocks) > 0 {
			loops[f.SourceName] = nil
		}
	}
	of := func(name string) []string {
		if loops[name] == nil {
			loops[name] = []string{}
			for _, f := range m.Funcs { // static functions of several files may share it
				if f.SourceName != name || len(f.Blocks) == 0 {
					continue
				}
				for _, l := range Analyse(m, f).loops {
					if !slices.Contains(loops[name], l.Name) {
						loops[name] = append(loops[name], l.Name)
					}
				}
			}
		}
		return loops[name]
	}
	var out []UnusedBound
	for _, name := range names {
		function, _, isLoop := strings.Cut(name, "#")
		_, ok := loops[function]
		if ok && (!isLoop || slices.Contains(of(function), name)) {
			continue
		}
		u := UnusedBound{Name: name, Function: ok}
		if ok {
			u.Loops = len(of(function))
		} else {
			for _, f := range m.Funcs {
				if len(f.Blocks) == 0 {
					continue
				}
				if isLoop {
					u.Known = append(u.Known, of(f.SourceName)...)
				} else {
					u.Known = append(u.Known, f.SourceName)
				}
			}
			slices.Sort(u.Known)
			u.Known = slices.Compact(u.Known)
		}
		out = append(out, u)
	}
	slices.SortFunc(out, func(a, b UnusedBound) int { return strings.Compare(a.Name, b.Name) })
	return out
}
