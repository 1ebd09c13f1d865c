package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strconv"
	"sync"

	"go.lsp.dev/jsonrpc2"
)

// conn dispatches messages. Notifications are applied one after the other in the order of arrival;
// every request gets a goroutine, so that a slow one holds nobody up and a handler may ask the client
// something. The library's handlers are serial, and one that calls the client waits for itself.
type conn struct {
	stream *stream
	log    *slog.Logger

	mu      sync.Mutex
	next    int
	pending map[id]chan *incoming          // requests to the client
	running map[id]context.CancelCauseFunc // requests of the client
	closed  bool
	done    sync.WaitGroup
}

func newConn(s *stream, log *slog.Logger) *conn {
	return &conn{stream: s, log: log, pending: map[id]chan *incoming{}, running: map[id]context.CancelCauseFunc{}}
}

var (
	errCancelled = errors.New("cancelled by the client")
	errClosed    = errors.New("the connection is closed")
)

// notify sends a notification. Errors of writing show as the end of the input.
func (c *conn) notify(method string, params any) {
	if err := c.stream.write(outgoingNotification{"2.0", method, params}); err != nil {
		c.log.Debug("not sent", "method", method, "error", err)
	}
}

// call asks the client and waits for its answer; never on the goroutine that reads messages.
func (c *conn) call(ctx context.Context, method string, params, result any) error {
	answer := make(chan *incoming, 1)
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return errClosed
	}
	c.next++
	key := id(strconv.Itoa(c.next))
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
			return errClosed
		case m.Error != nil:
			return fmt.Errorf("%s: %w", method, m.Error)
		case result == nil || len(m.Result) == 0:
			return nil
		}
		return json.Unmarshal(m.Result, result)
	case <-ctx.Done():
		forget()
		c.notify("$/cancelRequest", map[string]any{"id": key})
		return ctx.Err()
	}
}

// answered takes an answer of the client; one that nobody waits for is dropped.
func (c *conn) answered(m *incoming) {
	c.mu.Lock()
	answer := c.pending[*m.ID]
	delete(c.pending, *m.ID)
	c.mu.Unlock()
	if answer != nil {
		answer <- m
	}
}

// serve runs a request on a goroutine of its own and answers it.
func (c *conn) serve(ctx context.Context, m *incoming, handle func(context.Context) (any, error)) {
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
		c.reply(key, nil, failure(jsonrpc2.InvalidRequest, "a request with the id %s is under way", key))
		return
	}
	c.done.Go(func() {
		result, err := c.guard(*m.Method, func() (any, error) { return handle(ctx) })
		c.mu.Lock()
		delete(c.running, key)
		c.mu.Unlock()
		if err != nil && ctx.Err() != nil && errors.Is(err, ctx.Err()) {
			err = failure(requestCancelled, "%v", context.Cause(ctx))
		}
		cancel(nil)
		c.reply(key, result, err)
	})
}

// guard turns a panic into an error: one broken handler is not the end of the server.
func (c *conn) guard(method string, handle func() (any, error)) (result any, err error) {
	defer func() {
		if r := recover(); r != nil {
			c.log.Error("panic", "method", method, "panic", r, "stack", string(debug.Stack()))
			result, err = nil, failure(jsonrpc2.InternalError, "internal error in %s: %v", method, r)
		}
	}()
	return handle()
}

// reply answers a request with a result or an error.
func (c *conn) reply(key id, result any, err error) {
	var message any = outgoingResult{"2.0", key, result}
	if err != nil {
		var coded *jsonrpc2.Error
		if !errors.As(err, &coded) {
			coded = failure(requestFailed, "%v", err)
		}
		message = outgoingError{"2.0", key, coded}
	}
	if err := c.stream.write(message); err != nil {
		c.log.Debug("not answered", "id", key, "error", err)
	}
}

// cancel ends a request of the client, whether its id is a number or a string. The library refuses
// numbers.
func (c *conn) cancel(key id) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if cancel := c.running[key]; cancel != nil {
		cancel(errCancelled)
	}
}

// close ends what is under way and waits for it.
func (c *conn) close() {
	c.mu.Lock()
	c.closed = true
	for key, answer := range c.pending {
		close(answer)
		delete(c.pending, key)
	}
	for _, cancel := range c.running {
		cancel(errClosed)
	}
	c.mu.Unlock()
	c.done.Wait()
}
