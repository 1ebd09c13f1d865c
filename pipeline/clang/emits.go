package clang

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
)

// Emits compiles another text of the entry's file, with all else of the request as it is, and tells of functions that nobody
// declares whether code is made of their calls. clang makes none of what its own folding of constants shows to be dead.
func (t *Toolchain) Emits(ctx context.Context, r Request, text []byte, names []string) ([]bool, error) {
	headers, err := HeaderDir()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(r.TempDir, "unitproof-clang-")
	if err != nil {
		return nil, fmt.Errorf("temporary files: %w", err)
	}
	defer os.RemoveAll(dir)
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, fmt.Errorf("temporary files: %w", err)
	}
	u := r.EntryUnit
	r.Store = nil
	r.Virtual = maps.Clone(r.Virtual)
	if r.Virtual == nil {
		r.Virtual = map[string][]byte{}
	}
	r.Virtual[u.path()] = text
	c := &compilation{Toolchain: t, request: &r, headers: headers, dir: dir, overlay: newOverlay(r.Virtual, dir)}
	user, args, dropped := c.arguments(u)
	var notes []Note
	out, _, _, err := c.clang(ctx, u, user, args, 0, &dropped, &notes)
	if err != nil {
		return nil, err
	}
	emitted := make([]bool, len(names))
	for i, name := range names {
		emitted[i] = strings.Contains(string(out), "@"+name+"(")
	}
	return emitted, nil
}
