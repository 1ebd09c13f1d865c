//go:build !linux

package forkserver

import (
	"context"
	"time"
)

// Server is not to be had on this system.
type Server struct{}

// New makes a server whose Run always says ErrUnavailable.
func New(program, library string, env []string, idle time.Duration) *Server {
	return &Server{}
}

// Suits says no.
func Suits(path string) bool { return false }

// Run says ErrUnavailable.
func (s *Server) Run(ctx context.Context, dir string, args []string, stdin []byte) (stdout, stderr []byte, err error) {
	return nil, nil, ErrUnavailable
}

// Running says no.
func (s *Server) Running() bool { return false }

// Close does nothing.
func (s *Server) Close() {}
