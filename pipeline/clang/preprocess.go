package clang

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/unitproof/unitproof/pipeline/cflags"
	"github.com/unitproof/unitproof/pipeline/scratch"
)

// Preprocess returns the text of one unit of a request after preprocessing, with line markers `# LINE "FILE" FLAGS`.
func (t *Toolchain) Preprocess(ctx context.Context, r Request, u Unit) ([]byte, error) {
	headers, err := Headers()
	if err != nil {
		return nil, err
	}
	dir, err := scratch.Mkdir("clang-*")
	if err != nil {
		return nil, fmt.Errorf("temporary files: %w", err)
	}
	defer os.RemoveAll(dir)
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, fmt.Errorf("temporary files: %w", err)
	}
	c := &compilation{Toolchain: t, request: &r, headers: headers, dir: dir, overlay: newOverlay(r.Virtual, dir)}
	file, err := c.input(u)
	if err != nil {
		return nil, err
	}
	user, _ := cflags.Filter(u.Flags)
	user, library := targetFlags(user, headers)
	user, _ = c.withoutRejected(user)
	overlay, err := c.overlay.flags()
	if err != nil {
		return nil, err
	}
	out, stderr, err := c.Run(ctx, u.Dir, c.Clang, slices.Concat(user, overlay,
		[]string{"-E", "-U_FORTIFY_SOURCE", "-D__NO_INLINE__", "-D__UNITPROOF__", "-w", "-Qunused-arguments",
			"-isystem", headers, file}, library), nil)
	if err != nil {
		return nil, fmt.Errorf("preprocess %s: %w: %s", u.File, err, stderr)
	}
	return out, nil
}
