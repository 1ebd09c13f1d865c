package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/unitproof/unitproof/assistant"
	"github.com/unitproof/unitproof/cmd/internal/cli"
	"github.com/unitproof/unitproof/lsp"
	"github.com/unitproof/unitproof/pipeline/project"
)

// meetingPoint is the socket of the language server that has a project open. Its folder belongs to the user alone.
func meetingPoint(folder string) (string, error) {
	w, err := project.Open(folder, project.Flags{})
	if w == nil {
		return "", err
	}
	dir := os.Getenv("XDG_RUNTIME_DIR")
	if dir == "" {
		if dir, err = os.UserCacheDir(); err != nil {
			return "", err
		}
	}
	dir = filepath.Join(dir, "unitproof-attach")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	if info, err := os.Lstat(dir); err != nil || !info.IsDir() || info.Mode().Perm() != 0o700 {
		return "", fmt.Errorf("%s is not a folder that only its owner can use", dir)
	}
	sum := sha256.Sum256([]byte(w.Root))
	return filepath.Join(dir, hex.EncodeToString(sum[:12])+".sock"), nil
}

// offerTools serves the tools for assistants on the workspace of a language server, to "unitproof mcp --attach". The
// first server that opens a project serves it. Each serves its own editor.
func offerTools(ctx context.Context, opts assistant.Options) func(lsp.Shared) lsp.Service {
	return func(shared lsp.Shared) lsp.Service {
		if len(shared.Folders) == 0 {
			return lsp.Service{}
		}
		opts := opts
		opts.CacheDir = shared.CacheDir
		opts.Attached = &assistant.Attached{Workspace: shared.Workspace, Pool: shared.Pool, Buffers: shared.Buffers,
			Updates: shared.Updates}
		s, err := assistant.New(shared.Folders[0], opts)
		if err != nil {
			opts.Log.Warn("there are no tools for assistants", "folder", shared.Folders[0], "error", err)
			return lsp.Service{}
		}
		stop := serveAttached(ctx, s, shared.Folders[0], opts.Log)
		return lsp.Service{Call: s.Call, Stop: func() {
			stop()
			s.Close()
		}}
	}
}

// serveAttached serves the clients that attach to a server. stop ends the service.
func serveAttached(ctx context.Context, s *assistant.Server, folder string, log *slog.Logger) (stop func()) {
	nothing := func() {}
	socket, err := meetingPoint(folder)
	if err != nil {
		log.Info("assistants cannot attach", "error", err)
		return nothing
	}
	if conn, err := net.Dial("unix", socket); err == nil { // another server has the project open
		conn.Close()
		return nothing
	}
	os.Remove(socket) // of a server that was killed
	listener, err := net.Listen("unix", socket)
	if err != nil {
		log.Info("assistants cannot attach", "error", err)
		return nothing
	}
	ctx, cancel := context.WithCancel(ctx)
	var sessions sync.WaitGroup
	sessions.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			sessions.Go(func() {
				defer conn.Close()
				defer context.AfterFunc(ctx, func() { conn.Close() })()
				err := s.MCP().Run(ctx, &mcp.IOTransport{Reader: conn, Writer: conn}) // until the client leaves
				if err != nil && ctx.Err() == nil {
					log.Warn("the session of an assistant failed", "error", err)
				}
			})
		}
	})
	return func() {
		cancel()
		listener.Close() // and removes the socket
		sessions.Wait()
	}
}

// attachAlways is the value of --attach for which a missing language server is an error.
const attachAlways = "always"

var errNoEditor = errors.New("no language server has this project open: open it in an editor with unitproof, or omit " +
	"--attach")

// attach connects a client on standard input and output to the language server that has a project open.
func attach(ctx context.Context, std cli.Streams, dir string) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	socket, err := meetingPoint(dir)
	if err != nil {
		return err
	}
	conn, err := net.Dial("unix", socket)
	if err != nil {
		return errNoEditor
	}
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	defer stop()
	sent := make(chan error, 1)
	go func() {
		_, err := io.Copy(conn, std.In)
		sent <- err
		if c, ok := conn.(*net.UnixConn); ok {
			c.CloseWrite() // fails if the server has left, which ends the other direction, too
		}
	}()
	_, err = io.Copy(std.Out, conn)
	switch {
	case ctx.Err() != nil:
		return nil
	case err != nil:
		return err
	}
	select {
	case err := <-sent: // the client has left
		return err
	default:
		return errors.New("the language server has closed the project")
	}
}
