package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/diagnostics/paths"
	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/vcgen/found"
	prooflanguage "github.com/unitproof/unitproof/vcgen/language"
)

// maxNames is the number of functions that a remedy names.
const maxNames = 4

// remediesIn returns remedies for the proofs of a workspace.
func remediesIn(w *project.Workspace) func(*diagnostics.Proof) []string {
	return func(p *diagnostics.Proof) []string { return remedies(w, p) }
}

// remedies returns hints for a proof with missing bodies or headers: their files below the root, and the setting that
// adds them.
func remedies(w *project.Workspace, p *diagnostics.Proof) []string {
	from := paths.Root(w.Root).Find(p.File)
	var functions, headers, out []string
	note := func(list *[]string, name string) {
		if !slices.Contains(*list, name) {
			*list = append(*list, name)
		}
	}
	for i := range p.Errors {
		switch lacks := p.Errors[i].Lacks; lacks.What {
		case found.LacksHeader:
			note(&headers, lacks.Name)
		case found.LacksBody:
			note(&functions, lacks.Name)
		}
	}
	for i := range p.Assumptions {
		if a := &p.Assumptions[i].Is; a.What == found.MissingBody {
			note(&functions, a.Name)
		}
	}
	for _, h := range headers {
		if dirs := w.IncludeDirs(from, h); len(dirs) > 0 {
			dir := fromHere(dirs[0])
			out = append(out, fmt.Sprintf("%s is in %s: -I %s, or flags = [\"-I%s\"] under [compile] in %s", h, dir,
				shellWord(dir), fromRoot(w, dirs[0]), project.ConfigName))
		}
	}
	if len(functions) == 0 {
		return out
	}
	defined := w.DefinedBelow(from, functions)
	var nowhere []string
	for _, name := range functions {
		switch near := w.Misspelt(from, name); {
		case len(defined[name]) > 0:
		case near != "":
			out = append(out, fmt.Sprintf("nothing defines %s; did you mean %s?", name, near))
		case prooflanguage.Lookup(name).Role == prooflanguage.None && !known(name):
			nowhere = append(nowhere, name)
		}
	}
	if len(nowhere) > 0 && !project.IsForeign(from) {
		out = append(out, undefined(nowhere, p, fromHere(from)))
	}
	var files []string
	defines := map[string][]string{}
	for _, name := range functions {
		if len(defined[name]) > 0 {
			file := defined[name][0]
			note(&files, file)
			defines[file] = append(defines[file], name)
		}
	}
	for _, file := range files {
		names := defines[file]
		if more := len(names) - maxNames; more > 0 {
			names = append(names[:maxNames:maxNames], fmt.Sprintf("%d more", more))
		}
		out = append(out, fmt.Sprintf("%s defines %s: --source %s, or sources = [\"%s\"] for the proof in %s", fromHere(file),
			strings.Join(names, ", "), shellWord(fromHere(file)), fromRoot(w, file), project.ConfigName))
	}
	return out
}

// known reports whether a function belongs to the C library, which is not the user's to define.
func known(name string) bool {
	_, ok := prooflanguage.PrototypeOf(name)
	return ok
}

// undefined is the remedy for functions that no file below the root defines: a library can be linked, and a stub can
// be written.
func undefined(names []string, p *diagnostics.Proof, file string) string {
	list := names
	if more := len(list) - maxNames; more > 0 {
		list = append(list[:maxNames:maxNames], fmt.Sprintf("%d more", more))
	}
	text := "no file below the root defines " + strings.Join(list, ", ") + ": "
	if p.Entry == prooflanguage.FuzzTarget {
		return text + fmt.Sprintf("link the library (--source FILE, or a %s with its files)", "compile_commands.json")
	}
	return text + fmt.Sprintf("write a stub with unitproof stub %s %s", names[0], shellWord(file))
}

// shellWord quotes a word for a shell if it has special characters.
func shellWord(word string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-./+,:=@%", r)
	}
	if word != "" && strings.IndexFunc(word, func(r rune) bool { return !plain(r) }) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// fromHere returns a path relative to the working directory.
func fromHere(path string) string {
	if here, err := filepath.Abs("."); err == nil {
		if rel, err := filepath.Rel(here, path); err == nil {
			return rel
		}
	}
	return path
}

// fromRoot returns a path relative to the root, for its configuration.
func fromRoot(w *project.Workspace, path string) string {
	if rel, err := filepath.Rel(w.Root, path); err == nil {
		return filepath.ToSlash(rel)
	}
	return path
}
