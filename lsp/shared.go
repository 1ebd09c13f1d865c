package lsp

import (
	"context"
	"encoding/json"
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
	// Call returns the answer of a tool for assistants; nil if there are none.
	Call func(ctx context.Context, tool string, arguments json.RawMessage) (string, error)
}

// tool answers "unitproof/tool".
func (v *view) tool(ctx context.Context, p *struct {
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
}) (any, error) {
	e, err := v.server.waitEngine(ctx)
	if err != nil {
		return nil, err
	}
	e.mu.Lock()
	call := e.service.Call
	e.mu.Unlock()
	if call == nil {
		return nil, rpc.Failure(jsonrpc2.InvalidRequest, "there are no tools for assistants")
	}
	text, err := call(ctx, p.Tool, p.Arguments)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
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
