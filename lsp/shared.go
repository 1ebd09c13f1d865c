package lsp

import (
	"slices"

	"github.com/unitproof/unitproof/editing"
	"github.com/unitproof/unitproof/pipeline"
)

// Shared is the part of a server that another service of this process may use: the tools for assistants.
type Shared struct {
	Workspace *editing.Workspace
	Pool      *pipeline.Pool
	Folders   []string // absolute
	CacheDir  string
	// Buffers returns the texts of the open documents, by absolute path.
	Buffers func() map[string][]byte
	// Updates passes each further update of the workspace to a function.
	Updates func(func(editing.Update))
}

// share offers the engine to Options.Started. s.mu is held.
func (s *server) share(e *engine, cacheDir string) {
	if s.opts.Started == nil {
		return
	}
	e.unshare = s.opts.Started(Shared{Workspace: e.workspace, Pool: e.pool, Folders: slices.Clone(s.folders),
		CacheDir: cacheDir,
		Buffers: func() map[string][]byte {
			s.mu.Lock()
			defer s.mu.Unlock()
			out := map[string][]byte{}
			for path, d := range s.docs {
				out[path] = d.text.data
			}
			return out
		},
		Updates: func(f func(editing.Update)) {
			e.mu.Lock()
			defer e.mu.Unlock()
			e.listener = f
		}})
}
