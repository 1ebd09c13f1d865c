package lsptest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/textproto"
	"strconv"
	"time"
)

// Message is a message in either direction.
type Message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *Error          `json:"error,omitempty"`
}

// Error is an error response.
type Error struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (e *Error) Error() string { return fmt.Sprintf("%d: %s", e.Code, e.Message) }

// readMessage reads one framed message.
func readMessage(in *bufio.Reader) (*Message, []byte, error) {
	header, err := textproto.NewReader(in).ReadMIMEHeader()
	if err != nil {
		return nil, nil, err
	}
	n, err := strconv.Atoi(header.Get("Content-Length"))
	if err != nil {
		return nil, nil, fmt.Errorf("header %v: %w", header, err)
	}
	body := make([]byte, n)
	if _, err := io.ReadFull(in, body); err != nil {
		return nil, nil, err
	}
	var m Message
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&m); err != nil {
		return nil, body, fmt.Errorf("%s: %w", body, err)
	}
	if m.Version != "2.0" {
		return nil, body, fmt.Errorf("no jsonrpc 2.0: %s", body)
	}
	return &m, body, nil
}

// Frame returns a body with its header.
func Frame(body string) []byte {
	return fmt.Appendf(nil, "Content-Length: %d\r\n\r\n%s", len(body), body)
}

// SendRaw writes bytes unchanged, such as a malformed message.
func (e *Editor) SendRaw(data []byte) {
	e.t.Helper()
	e.writing.Lock()
	defer e.writing.Unlock()
	if _, err := e.out.Write(data); err != nil && !e.leaving.Load() && !e.hasEnded() {
		e.t.Errorf("write to the server: %v", err)
	}
}

func (e *Editor) hasEnded() bool {
	select {
	case <-e.ended:
		return true
	default:
		return false
	}
}

func (e *Editor) send(m map[string]any) {
	m["jsonrpc"] = "2.0"
	body, err := json.Marshal(m)
	if err != nil {
		e.t.Fatal(err)
	}
	e.SendRaw(Frame(string(body)))
}

// Notify sends a notification.
func (e *Editor) Notify(method string, params any) {
	e.t.Helper()
	e.send(map[string]any{"method": method, "params": params})
}

// Request is a pending request.
type Request struct {
	ID     any
	answer chan *Message
}

// Start sends a request without waiting. A nil id is replaced by a number.
func (e *Editor) Start(id any, method string, params any) *Request {
	e.t.Helper()
	e.mu.Lock()
	if id == nil {
		e.nextID++
		id = e.nextID
	}
	key, err := json.Marshal(id)
	if err != nil {
		e.t.Fatal(err)
	}
	r := &Request{id, make(chan *Message, 1)}
	e.pending[string(key)] = r.answer
	e.mu.Unlock()
	m := map[string]any{"id": id, "method": method}
	if params != nil {
		m["params"] = params
	}
	e.send(m)
	return r
}

// Wait waits for the response and decodes it.
func (r *Request) Wait(ctx context.Context, result any) error {
	select {
	case m, ok := <-r.answer:
		switch {
		case !ok:
			return io.ErrUnexpectedEOF
		case m.Error != nil:
			return m.Error
		case result == nil:
			return nil
		}
		return json.Unmarshal(m.Result, result)
	case <-ctx.Done():
		return fmt.Errorf("no answer: %w", ctx.Err())
	}
}

// Patience is the time limit for a response, after which a test counts as hanging. It does not measure speed.
const Patience = 4 * time.Minute

// Call sends a request and waits for the answer.
func (e *Editor) Call(method string, params, result any) error {
	e.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), Patience)
	defer cancel()
	if err := e.Start(nil, method, params).Wait(ctx, result); err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	return nil
}

// Must is like Call for requests that must succeed.
func (e *Editor) Must(method string, params, result any) {
	e.t.Helper()
	if err := e.Call(method, params, result); err != nil {
		e.t.Fatal(err)
	}
}
