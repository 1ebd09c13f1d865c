// Package rpc exchanges JSON-RPC messages with one client. A Conn reads and sends messages, runs requests and cancels
// them, and continues after malformed input.
//
//	c := rpc.New(os.Stdin, os.Stdout, log, stuck)
//	for {
//		m, err := c.Read()             // skips and answers malformed messages
//		...
//		c.Serve(ctx, m, handle)        // runs a request on its own goroutine, and replies
//		c.Notify("textDocument/...", params)
//	}
//
// Below Conn (conn.go), stream (stream.go) does the framing, and ID and Message (message.go) the encoding. The
// package does not depend on the meaning of methods, on documents or on proofs.
package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime/debug"
	"strconv"
	"sync"

	"go.lsp.dev/jsonrpc2"
)

// Conn dispatches messages. Notifications are applied one after the other in the order of arrival. Every request has
// its own goroutine, so that a slow one does not delay others, and a handler can call the client. The library's
// handlers are serial, and one that calls the client deadlocks.
type Conn struct {
	stream *stream
	log    *slog.Logger

	mu      sync.Mutex
	next    int
	pending map[ID]chan *Message           // requests to the client
	running map[ID]context.CancelCauseFunc // requests of the client
	closed  bool
	done    sync.WaitGroup
}

// New returns a connection that reads messages from in and writes them to out. It calls stuck if the peer does not
// read; the writer may hold any lock then.
func New(in io.Reader, out io.Writer, log *slog.Logger, stuck func()) *Conn {
	s := newStream(in, out)
	s.stuck = stuck
	return &Conn{stream: s, log: log, pending: map[ID]chan *Message{}, running: map[ID]context.CancelCauseFunc{}}
}

// Read returns the next message. Malformed input gets an error response and is skipped; an error means that the
// stream has ended.
func (c *Conn) Read() (*Message, error) {
	for {
		body, err := c.stream.read()
		var framing *framingError
		switch {
		case errors.As(err, &framing):
			c.log.Warn("malformed message", "error", err)
			c.Reply("", nil, Failure(framing.code, "%s", framing.text))
			continue
		case err != nil:
			return nil, err
		}
		m, err := decode(body)
		if err == nil {
			return m, nil
		}
		key := ID("")
		if m.ID != nil {
			key = *m.ID
		}
		c.Reply(key, nil, Failure(jsonrpc2.InvalidRequest, "%v", err))
	}
}

var (
	errCancelled = errors.New("cancelled by the client")
	// ErrClosed is the error of requests that end with the connection.
	ErrClosed = errors.New("the connection is closed")
)

// Notify sends a notification. A failed write also ends the input.
func (c *Conn) Notify(method string, params any) {
	if err := c.stream.write(outgoingNotification{"2.0", method, params}); err != nil {
		c.log.Debug("not sent", "method", method, "error", err)
	}
}

// Call sends a request to the client and waits for the response. It must not run on the goroutine that reads
// messages.
func (c *Conn) Call(ctx context.Context, method string, params, result any) error {
	answer := make(chan *Message, 1)
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return ErrClosed
	}
	c.next++
	key := ID(strconv.Itoa(c.next))
	c.pending[key] = answer
	c.mu.Unlock()
	forget := func() {
		c.mu.Lock()
		delete(c.pending, key)
		c.mu.Unlock()
	}
	if err := c.stream.write(outgoingRequest{"2.0", key, method, params}); err != nil {
		forget()
		return err
	}
	select {
	case m, ok := <-answer:
		switch {
		case !ok:
			return ErrClosed
		case m.Error != nil:
			return fmt.Errorf("%s: %w", method, m.Error)
		case result == nil || len(m.Result) == 0:
			return nil
		}
		return json.Unmarshal(m.Result, result)
	case <-ctx.Done():
		forget()
		c.Notify("$/cancelRequest", map[string]any{"id": key})
		return ctx.Err()
	}
}

// Answered handles a response of the client. An unsolicited response is dropped.
func (c *Conn) Answered(m *Message) {
	c.mu.Lock()
	answer := c.pending[*m.ID]
	delete(c.pending, *m.ID)
	c.mu.Unlock()
	if answer != nil {
		answer <- m
	}
}

// Serve runs a request on its own goroutine and replies to it.
func (c *Conn) Serve(ctx context.Context, m *Message, handle func(context.Context) (any, error)) {
	ctx, cancel := context.WithCancelCause(ctx)
	key := *m.ID
	c.mu.Lock()
	_, twice := c.running[key]
	if !twice {
		c.running[key] = cancel
	}
	c.mu.Unlock()
	if twice {
		cancel(nil)
		c.Reply(key, nil, Failure(jsonrpc2.InvalidRequest, "a request with the id %s is under way", key))
		return
	}
	c.done.Go(func() {
		result, err := c.Guard(*m.Method, func() (any, error) { return handle(ctx) })
		c.mu.Lock()
		delete(c.running, key)
		c.mu.Unlock()
		if err != nil && ctx.Err() != nil && errors.Is(err, ctx.Err()) {
			err = Failure(RequestCancelled, "%v", context.Cause(ctx))
		}
		cancel(nil)
		c.Reply(key, result, err)
	})
}

// Guard turns a panic into an error, so that a defective handler does not end the server.
func (c *Conn) Guard(method string, handle func() (any, error)) (result any, err error) {
	defer func() {
		if r := recover(); r != nil {
			c.log.Error("panic", "method", method, "panic", r, "stack", string(debug.Stack()))
			result, err = nil, Failure(jsonrpc2.InternalError, "internal error in %s: %v", method, r)
		}
	}()
	return handle()
}

// Reply answers a request with a result or an error.
func (c *Conn) Reply(key ID, result any, err error) {
	var message any = outgoingResult{"2.0", key, result}
	if err != nil {
		var coded *jsonrpc2.Error
		if !errors.As(err, &coded) {
			coded = Failure(RequestFailed, "%v", err)
		}
		message = outgoingError{"2.0", key, coded}
	}
	if err := c.stream.write(message); err != nil {
		c.log.Debug("not answered", "id", key, "error", err)
	}
}

// Cancel ends a request of the client. Its ID may be a number or a string; the library rejects numbers.
func (c *Conn) Cancel(key ID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if cancel := c.running[key]; cancel != nil {
		cancel(errCancelled)
	}
}

// Close ends all requests and waits for them.
func (c *Conn) Close() {
	c.mu.Lock()
	c.closed = true
	for key, answer := range c.pending {
		close(answer)
		delete(c.pending, key)
	}
	for _, cancel := range c.running {
		cancel(ErrClosed)
	}
	c.mu.Unlock()
	c.done.Wait()
}
