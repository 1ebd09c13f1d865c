package lsp

import (
	"path/filepath"
	"sync"

	"go.lsp.dev/protocol"

	"github.com/unitproof/unitproof/docs"
	"github.com/unitproof/unitproof/pipeline/cache"
)

// kindPages are the documentation pages that diagnostics link to. Users may have neither this repository nor a
// network, so a file for each kind is written to the cache folder when it is first linked.
type kindPages struct {
	mu   sync.Mutex
	dir  string
	uris map[string]protocol.DocumentURI // by kind; "" if unavailable
}

// of returns a link to the page on a kind; nil if there is none.
func (k *kindPages) of(cacheDir, kind string) *protocol.CodeDescription {
	text := docs.Kind(kind)
	if cacheDir == "" || text == "" {
		return nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.dir != cacheDir {
		k.dir, k.uris = cacheDir, map[string]protocol.DocumentURI{}
	}
	uri, known := k.uris[kind]
	if !known {
		path := filepath.Join(cacheDir, "docs", kind+".md")
		if cache.EnsureFile(path, []byte(text)) == nil {
			uri = uriOf(path)
		}
		k.uris[kind] = uri
	}
	if uri == "" {
		return nil
	}
	return &protocol.CodeDescription{Href: protocol.URI(uri)}
}
