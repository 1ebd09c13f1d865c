//go:build !linux

package forkserver

import (
	"context"
	"time"
)

// Server is not available on this system.
type Server struct{}

// New returns a server whose Run always returns ErrUnavailable.
func New(program, library string, env []string, idle time.Duration) *Server {
	return &Server{}
}

// Suits reports whether a Server can run a file, which is never the case here.
func Suits(path string) bool { return false }

// Run returns ErrUnavailable.
func (s *Server) Run(ctx context.Context, dir string, args []string, stdin []byte) (stdout, stderr []byte, err error) {
	return nil, nil, ErrUnavailable
}

// Running reports whether the server's process exists, which is never the case here.
func (s *Server) Running() bool { return false }

// Close does nothing.
func (s *Server) Close() {}
