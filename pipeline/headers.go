package pipeline

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/unitproof/unitproof/diagnostics/paths"
	"github.com/unitproof/unitproof/pipeline/harness"
	"github.com/unitproof/unitproof/pipeline/project"
)

// maxAdded limits the folders of headers that are added to the flags of one proof.
const maxAdded = 8

// understood calls understand. If a header is not found and exactly one folder of the project holds it, it is called
// again with that folder among the include folders; the returned generator has these flags.
func (g *Generator) understood(ctx context.Context, w *project.Workspace, function, file string) (*Generator,
	*harness.Request, *project.Proof, error) {
	copied := *g
	g = &copied
	for {
		request, p, err := g.understand(ctx, w, function, file)
		var unbuilt *UnbuiltError
		if err == nil || !errors.As(err, &unbuilt) || unbuilt.lacksHeader() == "" {
			return g, request, p, err
		}
		name := unbuilt.lacksHeader()
		dirs := w.IncludeDirs(file, name)
		if len(dirs) != 1 || len(g.added) == maxAdded || slices.Contains(g.added, dirs[0]) {
			return g, nil, nil, lackingHeader(w, file, name, dirs, unbuilt)
		}
		g.added = append(slices.Clip(g.added), dirs[0])
		g.Flags.Includes = append(slices.Clip(g.Flags.Includes), dirs[0])
	}
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
