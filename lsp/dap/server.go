package dap

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"

	protocol "github.com/google/go-dap"

	"github.com/unitproof/unitproof/pipeline"
	"github.com/unitproof/unitproof/pipeline/project"
)

// Options configure sessions.
type Options struct {
	// Pool runs the checks; it is not closed.
	Pool *pipeline.Pool
	// CacheDir is the folder of the cache; "" for none.
	CacheDir string
	// ParseArgs parses flags of `unitproof check` in configurations; nil accepts none.
	ParseArgs func(args []string) (project.Flags, error)
}

// Serve runs one session on a connection, and returns when the client has disconnected. It cancels the work in
// progress.
func Serve(ctx context.Context, in io.Reader, out io.Writer, opts Options) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s := newSession(ctx, out, opts)
	requests := make(chan any, 64)
	var readErr error
	go func() {
		defer close(requests)
		r := bufio.NewReader(in)
		for {
			body, err := readMessage(r)
			if err != nil {
				if !errors.Is(err, io.EOF) {
					readErr = err
				}
				s.cancel() // the client is gone
				return
			}
			m := decode(body)
			s.arrived(m)
			select {
			case requests <- m:
			case <-ctx.Done():
				return
			}
		}
	}()
	for {
		select {
		case m, ok := <-requests:
			if !ok {
				return readErr
			}
			s.taken(m)
			s.handle(m)
			if s.over {
				return nil
			}
		case <-ctx.Done():
			return nil
		}
	}
}

// Listen runs a session on every connection that l accepts, until ctx ends.
func Listen(ctx context.Context, l net.Listener, opts Options) error {
	var sessions sync.WaitGroup
	defer sessions.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stop := context.AfterFunc(ctx, func() { l.Close() })
	defer stop()
	for {
		conn, err := l.Accept()
		if err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return fmt.Errorf("accept a debugger's connection: %w", err)
		}
		sessions.Go(func() {
			defer conn.Close()
			leave := context.AfterFunc(ctx, func() { conn.Close() })
			defer leave()
			_ = Serve(ctx, conn, conn, opts) // an error ends only this session
		})
	}
}

// Limits on the memory that a client can consume.
const (
	maxHeader  = 4096
	maxMessage = 16 << 20
)

// readMessage reads one message. Headers other than Content-Length are skipped; an error means that the stream cannot
// be parsed any further.
func readMessage(r *bufio.Reader) ([]byte, error) {
	length, size, headers := -1, 0, 0
	for {
		var line []byte
		for {
			c, err := r.ReadByte()
			if err != nil {
				if headers == 0 && len(line) == 0 {
					return nil, err
				}
				return nil, io.ErrUnexpectedEOF
			}
			if size++; size > maxHeader {
				return nil, errors.New("the header of a message is too long")
			}
			if c == '\n' {
				break
			}
			line = append(line, c)
		}
		text := strings.TrimSuffix(string(line), "\r")
		if text == "" {
			if length >= 0 {
				break
			}
			if headers == 0 {
				continue // between messages
			}
			return nil, errors.New("a message without Content-Length")
		}
		headers++
		name, value, ok := strings.Cut(text, ":")
		if !ok {
			return nil, fmt.Errorf("%.40q is not the header of a message", text)
		}
		if strings.EqualFold(strings.TrimSpace(name), "Content-Length") {
			n, err := strconv.Atoi(strings.TrimSpace(value))
			if err != nil || n < 0 || n > maxMessage {
				return nil, fmt.Errorf("Content-Length %.40q is not a length between 0 and %d", value, maxMessage)
			}
			length = n
		}
	}
	body := make([]byte, length)
	if _, err := io.ReadFull(r, body); err != nil {
		return nil, io.ErrUnexpectedEOF
	}
	return body, nil
}

// malformed is a message that is not a valid request.
type malformed struct {
	seq     int
	command string
	err     error
}

// decode returns a protocol.RequestMessage, a malformed, or nil for a message without response.
func decode(body []byte) any {
	m, err := protocol.DecodeProtocolMessage(body)
	if err == nil {
		if r, ok := m.(protocol.RequestMessage); ok {
			return r
		}
		return nil // an unsolicited response or event
	}
	var head struct {
		Seq     int    `json:"seq"`
		Type    string `json:"type"`
		Command string `json:"command"`
	}
	_ = json.Unmarshal(body, &head) // the readable part determines whether the client expects a response
	if head.Type == "response" || head.Type == "event" {
		return nil
	}
	var field *protocol.DecodeProtocolMessageFieldError
	if errors.As(err, &field) && head.Command != "" {
		err = fmt.Errorf("unitproof's debugger has no request %q", head.Command)
	}
	return malformed{head.Seq, head.Command, err}
}
