package assistant

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Token returns a new secret for Handler.
func Token() string { return rand.Text() }

// Handler serves the streamable HTTP transport to requests that carry a token: "Authorization: Bearer TOKEN".
func (s *Server) Handler(token string) http.Handler {
	m := s.MCP()
	inner := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return m },
		&mcp.StreamableHTTPOptions{SessionTimeout: time.Hour, Logger: s.opts.Log})
	want := sha256.Sum256([]byte("Bearer " + token))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got := sha256.Sum256([]byte(r.Header.Get("Authorization")))
		if subtle.ConstantTimeCompare(got[:], want[:]) != 1 {
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "the token is missing or wrong", http.StatusUnauthorized)
			return
		}
		if r.Header.Get("Origin") != "" { // a page in a browser, which has no business here
			http.Error(w, "requests from web pages are refused", http.StatusForbidden)
			return
		}
		inner.ServeHTTP(w, r)
	})
}

// Listen opens a port of the loopback interface: "127.0.0.1:0" takes any. Other interfaces are refused.
func Listen(address string) (net.Listener, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("%s is not HOST:PORT: %w", address, err)
	}
	if ip := net.ParseIP(strings.Trim(host, "[]")); ip == nil || !ip.IsLoopback() {
		return nil, fmt.Errorf("%s is not an address of the loopback interface, such as 127.0.0.1:0: "+
			"nothing is served to other machines", address)
	}
	return net.Listen("tcp", address)
}

// ServeHTTP serves until ctx ends.
func (s *Server) ServeHTTP(ctx context.Context, l net.Listener, token string) error {
	server := &http.Server{Handler: s.Handler(token), ReadHeaderTimeout: 10 * time.Second}
	go func() {
		<-ctx.Done()
		server.Close()
	}()
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// ServeStdio serves one client on standard input and output, until it leaves.
func (s *Server) ServeStdio(ctx context.Context) error {
	err := s.MCP().Run(ctx, &mcp.StdioTransport{})
	if ctx.Err() != nil || errors.Is(err, io.EOF) || err != nil && strings.HasSuffix(err.Error(), io.EOF.Error()) {
		return nil // the client has left, perhaps without waiting for an answer
	}
	return err
}
