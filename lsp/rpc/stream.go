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

// maxBody is the size in bytes of the largest accepted message. C files are far smaller.
const maxBody = 64 << 20

// Limits of the header.
const (
	maxHeaderLine  = 4 << 10
	maxHeaderLines = 32
)

// stream reads and writes messages with the framing of the Language Server Protocol. The stream of
// go.lsp.dev/jsonrpc2 ends with the first malformed message and allocates any announced length; this one reports a
// [framingError] and continues with the next message.
//
// After broken framing the next message is found by its header: no body can contain one by accident, since line ends
// inside JSON strings are escaped.
type stream struct {
	in   source
	lost bool // the start of the next message has to be searched

	writing sync.Mutex
	out     io.Writer
	waiting atomic.Int64 // bytes waiting to be written
	most    int64        // limit of waiting
	// stuck is called when the peer does not read.
	stuck func()
}

// maxWaiting limits the bytes that wait for a peer that does not read. Each message counts as at least the memory of
// the goroutine that waits with it.
const (
	maxWaiting  = 256 << 20
	waitingSize = 16 << 10
)

var errNotRead = errors.New("the client does not read what it is sent")

func newStream(in io.Reader, out io.Writer) *stream {
	return &stream{in: source{in: bufio.NewReaderSize(in, 64<<10)}, out: out, most: maxWaiting}
}

// source is a reader with unread.
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

// unread puts bytes back in front of the input.
func (s *source) unread(data []byte) { s.back = append(bytes.Clone(data), s.back...) }

// framingError is the error for a malformed message, after which the stream can still be used.
type framingError struct {
	code jsonrpc2.Code
	text string
}

func (e *framingError) Error() string { return e.text }

// lose reports broken framing; the next read searches for a header, at any distance.
func (s *stream) lose(code jsonrpc2.Code, format string, args ...any) error {
	s.lost = true
	return &framingError{code, fmt.Sprintf(format, args...)}
}

// read returns the body of the next message. The error is a *framingError if the peer gets an error response and
// reading can continue. With any other error, such as io.EOF, the stream has ended.
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
		// The body is skipped by searching for the next header, so that the server neither waits for nor stores it,
		// even if the length is wrong.
		return nil, s.lose(jsonrpc2.InvalidRequest, "a message of %d bytes; at most %d are taken", length, maxBody)
	}
	// The buffer grows with the received data, not with the announced length.
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
	// The length may have been wrong, and the end of the body may be the next message.
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
			n = -1 // empty lines between messages are harmless
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

// line reads a line of at most maxHeaderLine bytes; a longer one is returned in pieces.
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
	tail := make([]byte, 0, 128) // the end of the input so far
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

// headerStart returns the offset of "Content-Length: DIGITS" with its line end, or len(data) if there is none.
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

// write sends one message. Unlike the library's write it has no context: the response to a cancelled request has to
// arrive too.
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
