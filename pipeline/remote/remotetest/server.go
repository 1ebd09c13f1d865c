// Package remotetest is a server for the tests of what uses package remote: it keeps what it is given as bazel-remote
// does, and misbehaves as told.
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

// Server is such a server.
type Server struct {
	URL string

	mu    sync.Mutex
	files map[string][]byte // by path: "/ac/HASH", "/cas/HASH"
	fault http.HandlerFunc  // answers in its place; nil: none
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
		_, _ = w.Write(s.files[r.URL.Path]) // whoever has gone does not want it
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

// Fail has a handler answer from now on; nil: the server itself.
func (s *Server) Fail(h http.HandlerFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fault = h
}

// Files is a copy of what is kept, by path.
func (s *Server) Files() map[string][]byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.files)
}

// SetFiles replaces what is kept.
func (s *Server) SetFiles(files map[string][]byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files = maps.Clone(files)
}

// Requests counts what was asked and what was put since the last call.
func (s *Server) Requests() (gets, puts int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	gets, puts, s.gets, s.puts = s.gets, s.puts, 0, 0
	return gets, puts
}
