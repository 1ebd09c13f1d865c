package rpc

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"go.lsp.dev/jsonrpc2"
)

// maxBody is the largest message in bytes that is taken in. C files do not come near it.
const maxBody = 64 << 20

// Limits of what stands before a body.
const (
	maxHeaderLine  = 4 << 10
	maxHeaderLines = 32
)

// stream reads and writes messages with the framing of the language server protocol. The stream of
// go.lsp.dev/jsonrpc2 ends with the first malformed message and allocates whatever length is
// claimed; this one reports a [framingError] and goes on with the next message.
//
// After broken framing the next message is found by its header: no body can hold one by accident,
// since a line end inside a JSON string is escaped.
type stream struct {
	in   source
	lost bool // where the next message starts has to be looked for

	writing sync.Mutex
	out     io.Writer
	waiting atomic.Int64 // bytes that somebody waits to write
	most    int64        // of them
	// stuck is called when the peer does not read what it asked for.
	stuck func()
}

// maxWaiting bounds what waits for a peer that does not read, in bytes: each message counts as much as the goroutine
// that waits with it at least.
const (
	maxWaiting  = 256 << 20
	waitingSize = 16 << 10
)

var errNotRead = errors.New("the client does not read what it is sent")

func newStream(in io.Reader, out io.Writer) *stream {
	return &stream{in: source{in: bufio.NewReaderSize(in, 64<<10)}, out: out, most: maxWaiting}
}

// source is a reader that takes bytes back.
type source struct {
	back []byte
	in   *bufio.Reader
}

func (s *source) ReadByte() (byte, error) {
	if len(s.back) > 0 {
		b := s.back[0]
		s.back = s.back[1:]
		return b, nil
	}
	return s.in.ReadByte()
}

func (s *source) Read(p []byte) (int, error) {
	if len(s.back) > 0 {
		n := copy(p, s.back)
		s.back = s.back[n:]
		return n, nil
	}
	return s.in.Read(p)
}

// unread puts bytes in front of what comes next.
func (s *source) unread(data []byte) { s.back = append(bytes.Clone(data), s.back...) }

// framingError is a message that could not be read; the stream can still be used.
type framingError struct {
	code jsonrpc2.Code
	text string
}

func (e *framingError) Error() string { return e.text }

// lose reports broken framing; the next read looks for a message, however long that takes.
func (s *stream) lose(code jsonrpc2.Code, format string, args ...any) error {
	s.lost = true
	return &framingError{code, fmt.Sprintf(format, args...)}
}

// read returns the body of the next message. The error is a *framingError when the peer has to be
// told and reading can go on; with any other error, io.EOF among them, the stream has ended.
func (s *stream) read() ([]byte, error) {
	if s.lost {
		if err := s.resync(); err != nil {
			return nil, err
		}
		s.lost = false
	}
	length, err := s.header()
	if err != nil {
		return nil, err
	}
	if length > maxBody {
		// What follows is skipped by looking for the next header, so that neither an honest giant nor
		// a lie is waited for or stored.
		return nil, s.lose(jsonrpc2.InvalidRequest, "a message of %d bytes; at most %d are taken", length, maxBody)
	}
	// The buffer grows with what arrives, not with what was announced.
	var body bytes.Buffer
	body.Grow(int(min(length, 1<<20)))
	if _, err := io.CopyN(&body, &s.in, length); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	}
	data := body.Bytes()
	if json.Valid(data) {
		return data, nil
	}
	// Perhaps the length was wrong and the next message was read as the end of this one.
	s.in.unread(data[headerStart(data):])
	return nil, &framingError{jsonrpc2.ParseError, "the message is no JSON"}
}

// header reads up to the empty line and returns the length.
func (s *stream) header() (int64, error) {
	length := int64(-1)
	for n := 0; ; n++ {
		line, err := s.line()
		if err != nil {
			if errors.Is(err, io.EOF) && (length >= 0 || len(line) > 0) {
				err = io.ErrUnexpectedEOF
			}
			return 0, err
		}
		text := strings.TrimSpace(string(line))
		if text == "" {
			if length >= 0 {
				return length, nil
			}
			n = -1 // empty lines between messages do no harm
			continue
		}
		name, value, ok := strings.Cut(text, ":")
		if !ok || n > maxHeaderLines || strings.ContainsAny(name, " \t{\"") {
			s.in.unread(line[headerStart(line):])
			return 0, s.lose(jsonrpc2.ParseError, "no header where a message should begin")
		}
		if !strings.EqualFold(name, jsonrpc2.HdrContentLength) {
			continue
		}
		length, err = strconv.ParseInt(strings.TrimSpace(value), 10, 64)
		switch {
		case errors.Is(err, strconv.ErrRange):
			length = maxBody + 1 // refused after the header like any other
		case err != nil || length < 0:
			return 0, s.lose(jsonrpc2.ParseError, "a Content-Length that is no number")
		}
	}
}

// line reads a line of at most maxHeaderLine bytes; a longer one comes in pieces.
func (s *stream) line() ([]byte, error) {
	var line []byte
	for len(line) < maxHeaderLine {
		b, err := s.in.ReadByte()
		if err != nil {
			return line, err
		}
		line = append(line, b)
		if b == '\n' {
			break
		}
	}
	return line, nil
}

const lengthHeader = "content-length:"

// resync skips to the next header, reading no byte beyond it.
func (s *stream) resync() error {
	tail := make([]byte, 0, 128) // the end of what was read
	for {
		b, err := s.in.ReadByte()
		if err != nil {
			return err
		}
		if len(tail) == cap(tail) {
			tail = append(tail[:0], tail[len(tail)/2:]...)
		}
		tail = append(tail, b)
		if b != '\n' {
			continue
		}
		if at := headerStart(tail); at < len(tail) {
			s.in.unread(tail[at:])
			return nil
		}
	}
}

// headerStart finds "Content-Length: DIGITS" with its line end; it gives len(data) where there is none.
func headerStart(data []byte) int {
	for i := 0; i+len(lengthHeader) < len(data); i++ {
		if data[i]|0x20 != 'c' || !strings.EqualFold(string(data[i:i+len(lengthHeader)]), lengthHeader) {
			continue
		}
		j := i + len(lengthHeader)
		for j < len(data) && data[j] == ' ' {
			j++
		}
		digits := j
		for j < len(data) && data[j] >= '0' && data[j] <= '9' {
			j++
		}
		if j > digits && j < len(data) && (data[j] == '\r' || data[j] == '\n') {
			return i
		}
	}
	return len(data)
}

// write sends one message. Unlike the library's it does not look at a context: the answer to a
// cancelled request has to arrive, too.
func (s *stream) write(message any) error {
	var body bytes.Buffer
	enc := json.NewEncoder(&body)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(message); err != nil {
		return fmt.Errorf("message to the client: %w", err)
	}
	data := bytes.TrimRight(body.Bytes(), "\n")
	frame := fmt.Appendf(make([]byte, 0, len(data)+32), "%s: %d\r\n\r\n", jsonrpc2.HdrContentLength, len(data))
	frame = append(frame, data...)
	size := int64(len(frame)) + waitingSize
	defer s.waiting.Add(-size)
	if s.waiting.Add(size) > s.most {
		if s.stuck != nil {
			s.stuck()
		}
		return errNotRead
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	_, err := s.out.Write(frame)
	return err
}
