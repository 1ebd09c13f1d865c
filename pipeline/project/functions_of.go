package project

import "github.com/unitproof/unitproof/diagnostics/csource"

// FilesBelow returns the C files in a folder and below it, sorted, without folders that are skipped.
func (w *Workspace) FilesBelow(dir string) []string { return w.walked(dir).files }

// DefinedFunctions returns the functions with external linkage that a file defines, sorted; none for a file with
// proofs.
func (w *Workspace) DefinedFunctions(file string) []string {
	names := w.Defines(file)
	if len(names) == 0 {
		return nil
	}
	functions, err := ask(w, file, "functions", func(text []byte) map[string]bool {
		defined := map[string]bool{}
		wanted := map[string]bool{}
		for _, n := range names {
			wanted[n] = true
		}
		for _, e := range csource.Definitions(text, scanLanguage(text, func(s string) bool { return wanted[s] }).places,
			false) {
			defined[e.Name] = true
		}
		return defined
	})
	if err != nil {
		return nil
	}
	var list []string
	for _, n := range names {
		if functions[n] {
			list = append(list, n)
		}
	}
	return list
}
