package kit

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/pipeline/regular"
)

// Imported is the result of an import into a folder's unitproof.toml.
type Imported struct {
	Path      string
	Old, Text string // its text, "" without a file, and the new text
	Kits      *Kits
	Report    Report
}

// Import reads the kits below a folder (see Read) and its configuration. It writes no files except sources that the
// Makefiles generate.
func Import(ctx context.Context, root string) (*Imported, error) {
	root, err := filepath.EvalSymlinks(root)
	if err != nil {
		return nil, err
	}
	i := &Imported{Path: filepath.Join(root, project.ConfigName)}
	old, err := regular.Source(i.Path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	i.Old = string(old)
	if i.Kits, err = Read(ctx, root); err != nil {
		return nil, err
	}
	i.Text, i.Report = i.Kits.Merge(i.Old)
	return i, nil
}

// Waiting returns the proofs that cannot be checked yet.
func (k *Kits) Waiting() (list []Proof) {
	for i := range k.Proofs {
		if k.Proofs[i].Missing != "" {
			list = append(list, k.Proofs[i])
		}
	}
	return list
}

// Lines returns the number of proofs and the first steps.
func (k *Kits) Lines() []string {
	waiting := k.Waiting()
	first := count(len(k.Proofs), "proof") + " found"
	if len(waiting) > 0 {
		verb := "need"
		if len(waiting) == 1 {
			verb = "needs"
		}
		first += fmt.Sprintf(", %d %s something first:", len(waiting), verb)
	}
	lines := []string{first}
	for i := range waiting {
		lines = append(lines, "  "+waiting[i].Key+": "+waiting[i].Missing)
	}
	return append(lines, k.Advice...)
}

// Line summarizes the changes of the configuration.
func (r *Report) Line() string {
	var parts []string
	for _, c := range []struct {
		n    int
		word string
	}{{r.Added, "added"}, {r.Changed, "changed"}, {r.Removed, "removed"}} {
		if c.n > 0 {
			parts = append(parts, count(c.n, "proof")+" "+c.word)
		}
	}
	if r.Common {
		parts = append(parts, "the settings of all proofs changed")
	}
	if len(parts) == 0 {
		parts = []string{"nothing to change"}
	}
	line := strings.Join(parts, ", ")
	if len(r.Kept) > 0 {
		line += "; changed by hand, and in the kit, so left as they are: " + strings.Join(r.Kept, ", ") +
			" (delete such a table to have the kit's)"
	}
	return line
}
