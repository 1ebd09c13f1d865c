// Package remotetest is a server for tests of package remote and its users: it stores data as bazel-remote does, with
// configurable faults.
package remotetest

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"google.golang.org/grpc/metadata"
)

// Server is a cache server for tests.
type Server struct {
	URL string

	mu    sync.Mutex
	files map[string][]byte // by path: "/ac/HASH", "/cas/HASH"
	fault http.HandlerFunc  // answers instead of the server; nil: none
	gets  int
	puts  int

	broken   error // of gRPC
	wait     <-chan struct{}
	metadata metadata.MD
}

// Start starts a server, which ends with the test.
func Start(t testing.TB) *Server {
	s, stop := New()
	t.Cleanup(stop)
	return s
}

// New starts a server.
func New() (s *Server, stop func()) {
	s = &Server{files: map[string][]byte{}}
	h := httptest.NewServer(http.HandlerFunc(s.serve))
	s.URL = h.URL
	return s, func() {
		h.CloseClientConnections() // a fault may have left requests without an answer
		h.Close()
	}
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	s.mu.Lock()
	fault := s.fault
	if r.Method == http.MethodPut {
		s.puts++
	} else {
		s.gets++
	}
	s.mu.Unlock()
	if fault != nil {
		fault(w, r)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case r.Method == http.MethodGet && s.files[r.URL.Path] == nil:
		http.Error(w, "not found", http.StatusNotFound)
	case r.Method == http.MethodGet:
		_, _ = w.Write(s.files[r.URL.Path]) // the client may be gone
	case r.Method == http.MethodPut:
		sum := sha256.Sum256(body)
		if name, ok := strings.CutPrefix(r.URL.Path, "/cas/"); ok && name != hex.EncodeToString(sum[:]) {
			http.Error(w, "another hash", http.StatusBadRequest)
			return
		}
		s.files[r.URL.Path] = body
	default:
		http.Error(w, "what?", http.StatusMethodNotAllowed)
	}
}

// Fail sets a handler that answers all requests; nil: the server itself.
func (s *Server) Fail(h http.HandlerFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fault = h
}

// Files returns a copy of the stored data, by path.
func (s *Server) Files() map[string][]byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.files)
}

// SetFiles replaces the stored data.
func (s *Server) SetFiles(files map[string][]byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files = maps.Clone(files)
}

// Requests returns the numbers of reads and writes since the last call.
func (s *Server) Requests() (gets, puts int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	gets, puts, s.gets, s.puts = s.gets, s.puts, 0, 0
	return gets, puts
}
