package pipeline

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/unitproof/unitproof/diagnostics/paths"
	"github.com/unitproof/unitproof/pipeline/harness"
	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/pipeline/regular"
	"github.com/unitproof/unitproof/vcgen/clangir"
)

// maxAdded limits the folders of headers that are added to the flags of one proof.
const maxAdded = 8

// maxDefiners limits the files that are linked with one proof because they define what it calls.
const maxDefiners = 24

// understood calls understand. If a header is not found and one folder of the project that holds it is nearest, it is
// called again with that folder among the include folders. If nothing lists the project's files, it is called again
// with those that define missing functions. The returned generator has these flags.
func (g *Generator) understood(ctx context.Context, w *project.Workspace, function, file string) (*Generator,
	*harness.Request, *project.Proof, error) {
	copied := *g
	g = &copied
	var request *harness.Request // of the last success
	var of *project.Proof
	var sources []string
	for {
		next, p, err := g.understand(ctx, w, function, file)
		if err == nil {
			request, of, sources = next, p, g.Flags.Sources
			if len(p.SourceCandidates) == 0 && g.link(w, file, missingIn(next.Program)) {
				continue
			}
			return g, request, of, nil
		}
		if request != nil { // the files that were linked cannot be compiled like this one
			g.Flags.Sources = sources
			return g, request, of, nil
		}
		var unbuilt *UnbuiltError
		if !errors.As(err, &unbuilt) || unbuilt.lacksHeader() == "" {
			return g, nil, nil, err
		}
		name := unbuilt.lacksHeader()
		dirs := w.IncludeDirs(file, name)
		dir := nearest(w, unbuilt.Errors[0].File, dirs)
		if dir == "" || len(g.added) == maxAdded || slices.Contains(g.added, dir) {
			return g, nil, nil, lackingHeader(w, file, name, dirs, unbuilt)
		}
		g.added = append(slices.Clip(g.added), dir)
		g.Flags.Includes = append(slices.Clip(g.Flags.Includes), dir)
	}
}

// nearest returns the folder that shares most folders below the root with a file; "" if there is none, or several.
func nearest(w *project.Workspace, file string, dirs []string) string {
	parts := func(path string) []string { return strings.Split(filepath.ToSlash(paths.Root(w.Root).Show(path)), "/") }
	own := parts(filepath.Dir(file))
	best, most, only := "", -1, false
	for _, dir := range dirs {
		shared := 0
		for i, part := range parts(dir) {
			if i == len(own) || part != own[i] {
				break
			}
			shared++
		}
		switch {
		case shared > most:
			best, most, only = dir, shared, true
		case shared == most:
			only = false
		}
	}
	if !only {
		return ""
	}
	return best
}

// completed returns the text of a function's file with further headers, and these headers. They define structs whose
// members the file does not know.
func completed(w *project.Workspace, m *clangir.Module, function, file string) (text map[string][]byte,
	headers []string) {
	tags := harness.Incomplete(m, function)
	if len(tags) == 0 {
		return nil, nil
	}
	own, err := regular.Source(file)
	if err != nil {
		return nil, nil
	}
	var b bytes.Buffer
	b.Write(own)
	var uses strings.Builder
	for _, tag := range tags {
		if found := w.HeadersDefining(file, tag); len(found) > 0 {
			if !slices.Contains(headers, found[0]) {
				headers = append(headers, found[0])
				fmt.Fprintf(&b, "\n#include %q\n", found[0])
			}
			fmt.Fprintf(&uses, "  struct %s of_%s;\n  (void)of_%s;\n", tag, tag, tag)
		}
	}
	if len(headers) == 0 {
		return nil, nil
	}
	// Debug information describes the types of variables only.
	fmt.Fprintf(&b, "void unitproof_types(void) {\n%s}\n", uses.String())
	return map[string][]byte{file: b.Bytes()}, headers
}

// lackingHeader returns the error for a header that is not found, with its remedies. dirs are the folders that hold it.
func lackingHeader(w *project.Workspace, file, name string, dirs []string, err *UnbuiltError) error {
	root := paths.Root(w.Root)
	e := &err.Errors[0]
	text := fmt.Sprintf("%s:%d: %s", root.Show(e.File), e.Line, e.Message)
	switch {
	case len(dirs) > 0:
		flags := make([]string, len(dirs))
		for i, dir := range dirs {
			flags[i] = "-I " + root.Show(dir)
		}
		return fmt.Errorf("%s; several folders hold %s: give one of %s", text, name, strings.Join(flags, ", "))
	case slices.ContainsFunc([]string{".in", ".cmake", ".cmake.in", "in"}, func(suffix string) bool {
		return len(w.IncludeDirs(file, name+suffix)) > 0
	}):
		return fmt.Errorf("%s; configuring the project writes it: configure it (./configure, cmake -B build), and record "+
			"its flags by unitproof wrap make", text)
	}
	return fmt.Errorf("%s; no folder below the root holds %s: record the flags of a build by unitproof wrap make, or "+
		"give its folder by --cflag=-IFOLDER", text, name)
}

// missingIn returns the functions that a program calls and does not define.
func missingIn(program *clangir.Module) (names []string) {
	for _, f := range program.Funcs {
		if len(f.Blocks) == 0 {
			names = append(names, f.Name)
		}
	}
	return names
}

// link adds the files of the project that define functions to the sources of the proofs, and reports whether it added
// any. A function that several files define is left out, unless one of them is in the folder of the proved function.
func (g *Generator) link(w *project.Workspace, file string, names []string) bool {
	added := false
	for _, files := range w.DefinedBelow(file, names) {
		near := slices.DeleteFunc(slices.Clone(files), func(f string) bool { return filepath.Dir(f) != filepath.Dir(file) })
		if len(files) > 1 {
			files = near
		}
		if len(files) == 1 && len(g.Flags.Sources) < maxDefiners && !slices.Contains(g.Flags.Sources, files[0]) {
			g.Flags.Sources = append(slices.Clip(g.Flags.Sources), files[0])
			added = true
		}
	}
	slices.Sort(g.Flags.Sources)
	return added
}
