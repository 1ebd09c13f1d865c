package lsp

import (
	"context"
	"slices"

	"go.lsp.dev/jsonrpc2"

	"github.com/unitproof/unitproof/editing"
	"github.com/unitproof/unitproof/lsp/rpc"
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

// Service is the use of a workspace by another service.
type Service struct {
	Stop func() // called before the workspace is closed; nil if there is nothing to stop
	// Describe returns the description of a finding for an assistant; nil if there is none.
	Describe func(ctx context.Context, proof, finding string) (string, error)
}

// describe answers "unitproof/describe".
func (v *view) describe(ctx context.Context, p *struct {
	Proof   string `json:"proof"`
	Finding string `json:"finding"`
}) (any, error) {
	e, err := v.server.waitEngine(ctx)
	if err != nil {
		return nil, err
	}
	e.mu.Lock()
	describe := e.service.Describe
	e.mu.Unlock()
	if describe == nil {
		return nil, rpc.Failure(jsonrpc2.InvalidRequest, "there are no descriptions for assistants")
	}
	text, err := describe(ctx, p.Proof, p.Finding)
	if err != nil {
		return nil, rpc.Failure(jsonrpc2.InvalidParams, "%v", err)
	}
	return map[string]string{"text": text}, nil
}

// share offers the engine to Options.Started. s.mu is held.
func (s *server) share(e *engine, cacheDir string) {
	if s.opts.Started == nil {
		return
	}
	service := s.opts.Started(Shared{Workspace: e.workspace, Pool: e.pool, Folders: slices.Clone(s.folders),
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
	e.mu.Lock()
	e.service = service
	e.mu.Unlock()
}
