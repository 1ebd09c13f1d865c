package cli

import (
	"fmt"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/diagnostics/paths"
	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/pipeline/regular"
)

// RootOf returns the root that results of a workspace are relative to.
func RootOf(w *project.Workspace) paths.Root { return paths.Root(w.Root) }

// maxResults is the size limit of a file of results, in bytes.
const maxResults = 1 << 30

// ReadResults reads the JSON of a run.
func ReadResults(file string) (diagnostics.Document, error) {
	text, err := regular.ReadFile(file, maxResults)
	if err != nil {
		return diagnostics.Document{}, err
	}
	doc, err := diagnostics.ReadDocument(text)
	if err != nil {
		return doc, fmt.Errorf("%s: %w", file, err)
	}
	return doc, nil
}

// ReadBaseline reads the output of check --baseline. The error is fs.ErrNotExist if there is no such file.
func ReadBaseline(file string) (*diagnostics.Baseline, error) {
	text, err := regular.ReadFile(file, maxResults)
	if err != nil {
		return nil, err
	}
	b, err := diagnostics.ReadBaseline(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return b, nil
}
