package pipeline

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/unitproof/unitproof/diagnostics/csource"
	"github.com/unitproof/unitproof/diagnostics/paths"
	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/pipeline/regular"
)

// What an edit changed beside the bodies of the compared file: files that the version before would read, flags, and the
// code of callees in other files.

// isBuildFile reports whether a file of this name may decide with which flags C files are compiled.
func isBuildFile(path string) bool {
	name := filepath.Base(path)
	switch filepath.Ext(name) {
	case ".cmake", ".mk", ".bzl", ".bazel", ".rsp", ".am", ".ac", ".gn", ".gni", ".ninja":
		return true
	}
	return slices.Contains([]string{"compile_commands.json", "compile_flags.txt", ".clangd", "unitproof.toml",
		"CMakeLists.txt", "CMakePresets.json", "meson.build", "meson_options.txt", "meson.options", "Makefile", "makefile",
		"GNUmakefile", "Makefile.in", "Kbuild", "Kconfig", "configure", "configure.in", "BUILD", "SConstruct", "SConscript",
		"wscript", "xmake.lua", "premake5.lua"}, name)
}

// notOfRevision returns the reason why the version before is not that of the revision: it was compiled with a file that
// the revision does not have, with another one behind a symbolic link, or with flags that changed. "" if it is.
func (t *twoVersions) notOfRevision() string {
	for _, f := range t.files {
		if t.Revision.Added[f] {
			return fmt.Sprintf("the version in %s would read %s, which it does not have", t.Revision.Name, t.root.Show(f))
		}
	}
	if links := t.Revision.Links; len(links) > 0 {
		return fmt.Sprintf("the symbolic link %s has another target in %s", t.root.Show(links[0]), t.Revision.Name)
	}
	for _, build := range t.Revision.Build {
		switch filepath.Base(build) {
		case "compile_flags.txt":
			if paths.Within(filepath.Dir(build), t.file) {
				return fmt.Sprintf("%s has other flags in %s", t.root.Show(build), t.Revision.Name)
			}
		case "compile_commands.json":
			before, after := commandsOf(t.Revision.Texts[build]), map[string]string{}
			if text, err := regular.Source(build); err == nil {
				after = commandsOf(text)
			}
			for _, f := range append(slices.Clone(t.files), t.file) {
				if before[f] != after[f] {
					return fmt.Sprintf("%s has another command for %s in %s", t.root.Show(build), t.root.Show(f),
						t.Revision.Name)
				}
			}
		}
	}
	return ""
}

// commandsOf returns the commands of compile_commands.json by absolute path of the file.
func commandsOf(text []byte) map[string]string {
	var entries []struct {
		Directory, File, Command string
		Arguments                []string
	}
	if json.Unmarshal(text, &entries) != nil {
		return nil
	}
	commands := map[string]string{}
	for _, e := range entries {
		file := e.File
		if !filepath.IsAbs(file) {
			file = filepath.Join(e.Directory, file)
		}
		commands[file] += fmt.Sprintf("%s\x00%s\x00%q\x00", e.Directory, e.Command, e.Arguments)
	}
	return commands
}

// withChangedFiles adds the other changed C files to those in which definitions of callees are searched. A callee that
// changed in the same edit is then no function without a body.
func (t *twoVersions) withChangedFiles(p project.Proof) project.Proof {
	p.SourceCandidates = slices.Clone(p.SourceCandidates)
	for _, file := range t.Revision.Changed {
		u := p.EntryUnit
		u.File = file
		if file != t.file && paths.Within(string(t.root), file) && !p.Links(u) &&
			!slices.ContainsFunc(p.SourceCandidates, func(o project.Unit) bool { return o.File == file }) {
			p.SourceCandidates = append(p.SourceCandidates, u)
		}
	}
	return p
}

// withoutLines gives both versions the same __LINE__ everywhere, if some file uses it. Each edit moves lines, and a
// macro that reports errors has the line of its use.
func (t *twoVersions) withoutLines(ctx context.Context, c *Checker) {
	if !slices.ContainsFunc(t.files, func(file string) bool {
		text, ok := t.Revision.Texts[file]
		if !ok {
			text, _ = regular.Source(file) // without a text, its lines count
		}
		return bytes.Contains(text, []byte("__LINE__"))
	}) {
		return
	}
	const flag, quiet = "-D__LINE__=1", "-Wno-builtin-macro-redefined"
	p := *t.p
	add := func(u *project.Unit) { u.Flags = append(slices.Clip(u.Flags), flag, quiet) }
	add(&p.EntryUnit)
	for _, list := range []*[]project.Unit{&p.Sources, &p.Overrides, &p.SourceCandidates} {
		*list = slices.Clone(*list)
		for i := range *list {
			add(&(*list)[i])
		}
	}
	before, files, err := t.compile(ctx, c, p, t.Revision.Texts)
	if err != nil {
		return // a name or a condition needs the lines
	}
	if _, _, err = t.compile(ctx, c, p, nil); err != nil {
		return
	}
	*t.p, t.before, t.files = p, before, files
	t.lines = true
}

// assumptions returns the assumptions about __LINE__, and about changes of the edit that no version shows. missing are
// the functions without a body that the versions call.
func (t *twoVersions) assumptions(missing []string) (assumed []string) {
	if t.lines {
		assumed = append(assumed, "__LINE__ is the same in both versions")
	}
	return append(assumed, t.unseen(missing)...)
}

// unseen returns the assumptions about changes of the edit that no version shows. missing are the functions without a
// body that the versions call.
func (t *twoVersions) unseen(missing []string) (assumed []string) {
	for _, build := range t.Revision.Build {
		if filepath.Base(build) != "compile_commands.json" && filepath.Base(build) != "compile_flags.txt" {
			assumed = append(assumed, fmt.Sprintf("both versions are compiled with the flags of today, although %s changed, too",
				t.root.Show(build)))
		}
	}
	if len(missing) == 0 {
		return assumed
	}
	var others []string
	for _, file := range t.Revision.changedCode() {
		if file == t.file || slices.Contains(t.files, file) || slices.Contains(t.filesAfter, file) {
			continue
		}
		text, _ := regular.Source(file)
		defined := append(csource.DefinedNames(text), csource.DefinedNames(t.Revision.Texts[file])...)
		named := false
		for _, name := range missing {
			if slices.Contains(defined, name) {
				named = true
				assumed = append(assumed, fmt.Sprintf("%s does the same as before, although %s changed, too", name,
					t.root.Show(file)))
			}
		}
		if !named {
			others = append(others, t.root.Show(file))
		}
	}
	if n := len(others); n > 0 {
		if n > 3 {
			others = append(others[:2], fmt.Sprintf("%d other files", n-2))
		}
		assumed = append(assumed, "functions without a body do the same as before, although the edit also changed "+
			strings.Join(others, ", "))
	}
	return assumed
}
