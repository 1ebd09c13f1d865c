package lsp

import (
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"go.lsp.dev/protocol"

	"github.com/unitproof/unitproof/pipeline/links"
)

// pathOf returns the file of a URI, clean and absolute. It returns false for documents of other schemes (untitled:,
// git:, vscode-notebook-cell:), on which the library's URI.Filename panics.
func pathOf(uri protocol.DocumentURI) (string, bool) {
	u, err := url.Parse(string(uri))
	if err != nil || !strings.EqualFold(u.Scheme, "file") || u.Host != "" && u.Host != "localhost" ||
		!strings.HasPrefix(u.Path, "/") {
		return "", false
	}
	if strings.ContainsRune(u.Path, 0) {
		return "", false
	}
	return filepath.Clean(u.Path), true
}

// uriOf is the inverse of pathOf. It escapes like VS Code does.
func uriOf(path string) protocol.DocumentURI {
	var b strings.Builder
	b.WriteString("file://")
	for i := 0; i < len(path); i++ {
		switch c := path[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.IndexByte("/-._~", c) >= 0:
			b.WriteByte(c)
		default:
			const hex = "0123456789ABCDEF"
			b.Write([]byte{'%', hex[c>>4], hex[c&15]})
		}
	}
	return protocol.DocumentURI(b.String())
}

// linkMemory caches the results of links.Resolve for a short time, as the same files are resolved again and again.
type linkMemory struct {
	mu    sync.Mutex
	since time.Time
	known map[string]links.Real
}

// linksAge is the longest time for which an unnoticed change of a link has no effect.
const linksAge = 2 * time.Second

func (l *linkMemory) of(path string) links.Real {
	l.mu.Lock()
	defer l.mu.Unlock()
	if now := time.Now(); l.known == nil || now.Sub(l.since) > linksAge {
		l.since, l.known = now, map[string]links.Real{}
	}
	real, ok := l.known[path]
	if !ok {
		real = links.Resolve(path)
		l.known[path] = real
	}
	return real
}

func (l *linkMemory) forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.known = nil
}
