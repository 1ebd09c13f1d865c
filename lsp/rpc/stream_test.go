package rpc

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.lsp.dev/jsonrpc2"
)

func frame(body string) string { return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body) }

// readAll returns bodies, and errors as "!code", until the stream ends.
func readAll(t *testing.T, input string) []string {
	t.Helper()
	s := newStream(strings.NewReader(input), io.Discard)
	var out []string
	for range 1000 {
		body, err := s.read()
		var framing *framingError
		switch {
		case errors.As(err, &framing):
			out = append(out, fmt.Sprintf("!%d", framing.code))
		case err != nil:
			return append(out, err.Error())
		default:
			out = append(out, string(body))
		}
	}
	t.Fatal("the stream does not end")
	return nil
}

// TestStreamSurvives checks that the stream continues after any malformed input. The library's stream ends.
func TestStreamSurvives(t *testing.T) {
	good := frame(`{"a":1}`)
	for name, test := range map[string]struct {
		input string
		want  []string
	}{
		"two":              {good + good, []string{`{"a":1}`, `{"a":1}`, "EOF"}},
		"type header":      {"Content-Type: x\r\nContent-Length: 2\r\n\r\n{}", []string{"{}", "EOF"}},
		"case and newline": {"content-length:2\n\n{}", []string{"{}", "EOF"}},
		"no json":          {frame(`{"a":`) + good, []string{"!-32700", `{"a":1}`, "EOF"}},
		"empty body":       {"Content-Length: 0\r\n\r\n" + good, []string{"!-32700", `{"a":1}`, "EOF"}},
		"length too large": {"Content-Length: 20\r\n\r\n{}" + good, []string{"!-32700", `{"a":1}`, "EOF"}},
		"length too small": {"Content-Length: 3\r\n\r\n{\"a\":1}" + good,
			[]string{"!-32700", "!-32700", `{"a":1}`, "EOF"}},
		"negative":    {"Content-Length: -5\r\n\r\n{}" + good, []string{"!-32700", `{"a":1}`, "EOF"}},
		"no number":   {"Content-Length: x\r\n\r\n{}" + good, []string{"!-32700", `{"a":1}`, "EOF"}},
		"huge, a lie": {"Content-Length: 9999999999999\r\n\r\n" + good, []string{"!-32600", `{"a":1}`, "EOF"}},
		"beyond 64 bits": {"Content-Length: 99999999999999999999999\r\n\r\n" + good,
			[]string{"!-32600", `{"a":1}`, "EOF"}},
		"huge, honest":   {frame(`"`+strings.Repeat("x", maxBody)+`"`) + good, []string{"!-32600", `{"a":1}`, "EOF"}},
		"garbage":        {"hello\r\nworld\r\n" + good, []string{"!-32700", `{"a":1}`, "EOF"}},
		"garbage before": {"GET / HTTP/1.1\r\nHost: x\r\n\r\n" + good, []string{"!-32700", `{"a":1}`, "EOF"}},
		"a header in a string": {frame(`"Content-Length: 5\r\n\r\n"`) + good,
			[]string{`"Content-Length: 5\r\n\r\n"`, `{"a":1}`, "EOF"}},
		"cut off": {"Content-Length: 20\r\n\r\n{}", []string{"unexpected EOF"}},
	} {
		t.Run(name, func(t *testing.T) {
			got := readAll(t, test.input)
			if fmt.Sprint(got) != fmt.Sprint(test.want) {
				t.Errorf("got %.300q, want %q", got, test.want)
			}
		})
	}
}

// TestStreamDoesNotAllocateWhatIsAnnounced checks that an announced length is not allocated.
func TestStreamDoesNotAllocateWhatIsAnnounced(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 10 {
		s := newStream(strings.NewReader(fmt.Sprintf("Content-Length: %d\r\n\r\n{", maxBody)), io.Discard)
		if _, err := s.read(); err == nil {
			t.Fatal("a message that is not there was read")
		}
	}
	runtime.ReadMemStats(&after)
	if grown := after.TotalAlloc - before.TotalAlloc; grown > maxBody {
		t.Errorf("%d bytes were allocated", grown)
	}
}

func FuzzStream(f *testing.F) {
	for _, seed := range []string{frame("{}"), "Content-Length: 9999999999999\r\n\r\n" + frame("[]"), "x\r\n" + frame("1"),
		"Content-Length: 3\r\n\r\n{}"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		// After any input that ends with a line end, the next message arrives or is reported as malformed, and
		// reading ends.
		input := string(data) + "\r\n" + frame(`{"last":true}`)
		s := newStream(strings.NewReader(input), io.Discard)
		last, steps := "", 0
		for ; ; steps++ {
			body, err := s.read()
			var framing *framingError
			if err != nil && !errors.As(err, &framing) {
				break
			}
			if err == nil {
				last = string(body)
			}
			if steps > len(input)+2 {
				t.Fatalf("reading %q does not end", input)
			}
		}
		if !strings.Contains(strings.ToLower(string(data)), lengthHeader) && last != `{"last":true}` {
			t.Fatalf("the message behind %q got lost", data)
		}
	})
}

func TestStreamWrites(t *testing.T) {
	var out bytes.Buffer
	s := newStream(strings.NewReader(""), &out)
	if err := s.write(outgoingResult{"2.0", `"x"`, map[string]string{"a": "<é>"}}); err != nil {
		t.Fatal(err)
	}
	if want := frame(`{"jsonrpc":"2.0","id":"x","result":{"a":"<é>"}}`); out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
	if err := s.write(outgoingError{"2.0", "", Failure(jsonrpc2.ParseError, "x")}); err != nil ||
		!strings.Contains(out.String(), `"id":null`) {
		t.Errorf("got %q, %v", out.String(), err)
	}
}

// unread is a full pipe whose other end does not read.
type unread struct {
	blocked chan struct{}
	wrote   atomic.Bool
}

func (u *unread) Write([]byte) (int, error) {
	u.wrote.Store(true)
	<-u.blocked
	return 0, io.ErrClosedPipe
}

// TestStreamIsStuck checks that waiting bytes are counted, not messages: four messages of a quarter of the limit are
// too many, because of the overhead of each.
func TestStreamIsStuck(t *testing.T) {
	out := &unread{blocked: make(chan struct{})}
	defer close(out.blocked)
	s := newStream(bytes.NewReader(nil), out)
	s.most = 64 * waitingSize
	stuck := make(chan struct{}, 100)
	s.stuck = func() { stuck <- struct{}{} }
	go func() { _ = s.write("first") }()
	for !out.wrote.Load() {
		time.Sleep(time.Millisecond)
	}
	large := strings.Repeat("x", int(s.most)/4)
	for range 4 {
		go func() { _ = s.write(large) }()
	}
	select {
	case <-stuck:
	case <-time.After(20 * time.Second):
		t.Error("nobody is told that the client does not read")
	}
}
