package clang

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"

	"github.com/unitproof/unitproof/pipeline/clang/asm"
	"github.com/unitproof/unitproof/pipeline/scratch"
	"github.com/unitproof/unitproof/vcgen/found"
)

// Mentions compiles a modified text of the entry's file, with everything else of the request unchanged. It returns the
// global names that each function with generated code mentions. clang generates no code for functions that its constant
// folding proves dead.
func (t *Toolchain) Mentions(ctx context.Context, r Request, text []byte) (map[string]map[string]bool, error) {
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
	u := r.EntryUnit
	r.Store = nil
	r.Virtual = maps.Clone(r.Virtual)
	if r.Virtual == nil {
		r.Virtual = map[string][]byte{}
	}
	r.Virtual[u.path()] = text
	c := &compilation{Toolchain: t, request: &r, headers: headers, dir: dir, overlay: newOverlay(r.Virtual, dir)}
	user, args, dropped := c.arguments(u)
	var notes []found.Assumption
	out, _, _, err := c.clang(ctx, u, user, args, 0, &dropped, &notes)
	if err != nil {
		return nil, err
	}
	a, err := asm.Cut(u.path(), out)
	if err != nil {
		return nil, err
	}
	mentions := map[string]map[string]bool{}
	for _, s := range a.Order {
		names := map[string]bool{}
		asm.References(a.Bytes(s.Span), func(sigil byte, name []byte, _ int) {
			if sigil == '@' {
				names[string(name)] = true
			}
		})
		delete(names, s.Name)
		if s.Link != asm.Declared && s.Link != asm.WeaklyDeclared {
			mentions[s.Name] = names
		}
	}
	return mentions, nil
}
