package dap

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	protocol "github.com/google/go-dap"
)

// raw starts a server and returns its pipes.
func raw(t *testing.T) (in io.WriteCloser, out *bufio.Reader, done chan error) {
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	done = make(chan error, 1)
	go func() {
		err := Serve(context.Background(), inR, outW, testOptions())
		outW.Close()
		done <- err
	}()
	return inW, bufio.NewReader(outR), done
}

func wait(t *testing.T, done chan error) error {
	t.Helper()
	select {
	case err := <-done:
		return err
	case <-time.After(patience):
		t.Fatal("the server hangs")
		return nil
	}
}

// TestBrokenStreams checks that a stream that violates the protocol ends the session with an error instead of
// blocking.
func TestBrokenStreams(t *testing.T) {
	for _, input := range []string{
		"GET / HTTP/1.1\r\n\r\n", "Content-Length: x\r\n\r\n", "Content-Length: -5\r\n\r\n{}",
		"Content-Length: 99999999999999999999\r\n\r\n",
		"Content-Length: 900000000\r\n\r\n", "Content-Length: 10\r\n\r\n{}", "Content-Type: json\r\n\r\n{}",
		strings.Repeat("x", 100_000), "Content-Length: 2",
	} {
		in, out, done := raw(t)
		go func() {
			_, _ = io.WriteString(in, input)
			in.Close()
		}()
		go func() { _, _ = io.Copy(io.Discard, out) }()
		if err := wait(t, done); err == nil {
			t.Errorf("%.40q is taken for a stream of messages", input)
		}
	}
	in, _, done := raw(t)
	in.Close()
	if err := wait(t, done); err != nil {
		t.Errorf("a client that goes at once: %v", err)
	}
}

// TestWrongMessages checks that an invalid message is refused, and that the session continues.
func TestWrongMessages(t *testing.T) {
	in, out, done := raw(t)
	for i, body := range []string{
		`{"seq":1,"type":"request"`, `[]`, `null`, `"x"`, `{"seq":1,"type":"request","command":"launch","arguments":7}`,
		`{"seq":"1","type":"request","command":"threads"}`,
		`{"seq":1,"type":"request","command":"setBreakpoints","arguments":{"breakpoints":"all"}}`,
		`{"seq":1,"type":"request","command":"x"}`, `{"seq":1,"type":"request","command":"next"}`,
		`{"seq":1,"type":"nonsense"}`, `{"seq":1,"type":"request","command":"evaluate","arguments":null}`,
	} {
		go func() { fmt.Fprintf(in, "X-Other: 1\r\nContent-Length: %d\r\n\r\n%s", len(body), body) }()
		m, err := protocol.ReadProtocolMessage(out)
		if err != nil {
			t.Fatal(err)
		}
		if e, ok := m.(*protocol.ErrorResponse); !ok || e.Message == "" {
			t.Errorf("message %d is answered by %s", i, text(m))
		}
	}
	// Unsolicited responses and events get no answer.
	go func() {
		for _, body := range []string{`{"seq":1,"type":"response","command":"x","success":true}`,
			`{"seq":1,"type":"event","event":"y"}`, `{"seq":9,"type":"request","command":"threads"}`} {
			fmt.Fprintf(in, "Content-Length: %d\r\n\r\n%s", len(body), body)
		}
	}()
	m, err := protocol.ReadProtocolMessage(out)
	if err != nil {
		t.Fatal(err)
	}
	if r, ok := m.(*protocol.ThreadsResponse); !ok || r.RequestSeq != 9 {
		t.Errorf("answered %s", text(m))
	}
	in.Close()
	if err := wait(t, done); err != nil {
		t.Error(err)
	}
}

// hard is a proof that no solver decides in time: the product of two primes.
const hard = `#include <unitproof.h>
int main(void) {
  uint64_t a = nd_uint64_t(), b = nd_uint64_t();
  assume(a > 1 && b > 1 && a < (1ull << 31) && b < (1ull << 31));
  sassert(a * b != 4611685975477714963ull);
  sassert(nd_int() != 3);
  return 0;
}
`

// TestLeaveDuringLaunch checks that a check ends when the client disconnects.
func TestLeaveDuringLaunch(t *testing.T) {
	file := filepath.Join(t.TempDir(), "hard.c")
	if err := os.WriteFile(file, []byte(hard), 0o666); err != nil {
		t.Fatal(err)
	}
	start := func() *client {
		c := newClient(t)
		c.initialize()
		c.send("launch", map[string]any{"program": file, "args": []string{"--timeout", "20m"}})
		time.Sleep(300 * time.Millisecond) // the client may also leave before the check begins
		return c
	}
	c := start()
	ask[*protocol.DisconnectResponse](c, "disconnect", nil)
	if err := wait(t, c.done); err != nil {
		t.Error(err)
	}
	c.done <- nil // for the cleanup
	d := start()
	d.out.Close()
	if err := wait(t, d.done); err != nil {
		t.Error(err)
	}
	d.done <- nil
}

// TestListen runs several sessions at a time, over a network.
func TestListen(t *testing.T) {
	file := filepath.Join(t.TempDir(), "t.c")
	if err := os.WriteFile(file, []byte("#include <unitproof.h>\n"+loop), 0o666); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Skipf("no network here: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- Listen(ctx, l, testOptions()) }()
	var all sync.WaitGroup
	for range 4 {
		conn, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		c := &client{t: t, out: conn, responses: map[int]chan protocol.Message{}, events: make(chan protocol.Message, 1000)}
		go c.read(conn)
		all.Go(func() {
			defer conn.Close()
			c.launch(map[string]any{"program": file})
			for range 5 {
				c.move("stepBack", nil)
			}
			if got := c.eval("i", "watch"); got != "2" && got != "3" {
				t.Errorf("i is %s", got)
			}
			ask[*protocol.DisconnectResponse](c, "disconnect", nil)
		})
	}
	all.Wait()
	cancel()
	if err := wait(t, ended); err != nil {
		t.Error(err)
	}
}

// TestPause checks that a long search ends when the user pauses.
func TestPause(t *testing.T) {
	c, file := open(t, `
int main(void) {
  unsigned n = 0;
  for (unsigned i = 0; i < 3000; i++)
    n += i;
  sassert(n == 1);
  return 0;
}`)
	ask[*protocol.SetBreakpointsResponse](c, "setBreakpoints", map[string]any{"source": map[string]any{"path": file},
		"breakpoints": []map[string]any{{"line": 6, "condition": "n == i && n > 1000"}}})
	c.send("reverseContinue", map[string]any{"threadId": 1})
	paused := c.send("pause", map[string]any{"threadId": 1})
	e := next[*protocol.StoppedEvent](c)
	if e.Body.Reason != "pause" && e.Body.Reason != "entry" {
		t.Errorf("stopped for %s", text(e))
	}
	c.await("pause", paused)
}

// TestPauseArrives checks that a pause ends the search during or before which it arrives, and no later one. The test
// controls the order of events, which no client can.
func TestPauseArrives(t *testing.T) {
	pauses := []protocol.Message{&protocol.PauseRequest{}, &protocol.CancelRequest{}}
	for _, pause := range pauses {
		s := newSession(t.Context(), io.Discard, Options{})
		search := func(what string, during func(), ended bool) {
			t.Helper()
			ctx, done := s.searching()
			during()
			if got := ctx.Err() != nil; got != ended {
				t.Errorf("%T, %s: the search has ended: %t", pause, what, got)
			}
			done()
		}
		nothing := func() {}
		search("none arrived", nothing, false)
		s.arrived(pause)
		search("before the search", nothing, true)
		search("its turn has not come", nothing, true)
		s.taken(pause)
		search("its turn has come", nothing, false)
		search("during the search", func() { s.arrived(pause) }, true)
		s.taken(pause)
		search("answered", nothing, false)
		s.arrived(&protocol.ThreadsRequest{})
		search("another request", nothing, false)
		if s.ctx.Err() != nil {
			t.Errorf("%T ended the session", pause)
		}
	}
}

// TestRandomSession sends random requests with arbitrary arguments, and checks that each gets a response other than
// an internal error. The session must work afterwards.
func TestRandomSession(t *testing.T) {
	c, file := open(t, shapes)
	r := rand.New(rand.NewPCG(3, 5))
	number := func() int { return []int{-1, 0, 1, 2, 3, 5, 8, 26, 1000, 1 << 40}[r.IntN(10)] }
	expr := func() string {
		return []string{"p", "p->v", "first", "r", "second.w", "nope", "", "*p", ":last r", ":next second.c", ":start",
			":end", ":where", "second.v[3]", "p->op", "x +"}[r.IntN(16)]
	}
	refs := []int{0}
	var sent []chan protocol.Message
	for i := range 1500 {
		command, args := "", map[string]any{"threadId": 1, "frameId": number(),
			"granularity": []string{"", "line", "instruction", "x"}[r.IntN(4)]}
		switch r.IntN(16) {
		case 0, 1:
			command = []string{"next", "stepIn", "stepOut", "stepBack", "continue", "reverseContinue", "pause",
				"cancel"}[r.IntN(8)]
		case 2:
			command, args["expression"], args["context"] = "evaluate", expr(), []string{"watch", "repl", "hover"}[r.IntN(3)]
		case 3:
			command = "stackTrace"
			args["startFrame"], args["levels"] = number(), number()
		case 4:
			command = "scopes"
		case 5, 6:
			command = "variables"
			args["variablesReference"], args["start"], args["count"], args["filter"] = refs[r.IntN(len(refs))]+r.IntN(3),
				number(), number(), []string{"", "indexed", "named"}[r.IntN(3)]
		case 7:
			command = "setBreakpoints"
			args["source"] = map[string]any{"path": []string{file, "", "/nowhere.c"}[r.IntN(3)]}
			args["breakpoints"] = []map[string]any{{"line": r.IntN(40) - 3, "condition": []string{"", "x > 3", "1", "(",
				"p"}[r.IntN(5)], "hitCondition": []string{"", "2", ">= 1", "x"}[r.IntN(4)]}}
		case 8:
			command = "setFunctionBreakpoints"
			args["breakpoints"] = []map[string]any{{"name": []string{"add", "apply", "main", "nope", ""}[r.IntN(5)]}}
		case 9:
			command, args["name"], args["variablesReference"] = "dataBreakpointInfo", expr(), number()
		case 10:
			command = "setDataBreakpoints"
			args["breakpoints"] = []map[string]any{{"dataId": []string{fmt.Sprintf("%d:%d:%d:x", r.IntN(9), number(), number()),
				"1:2", ":::"}[r.IntN(3)]}}
		case 11:
			command = "readMemory"
			args["memoryReference"], args["offset"], args["count"] = fmt.Sprintf("object %d%+d", r.IntN(9), number()), number(),
				number()
		case 12:
			command = []string{"exceptionInfo", "threads", "restartFrame", "disassemble", "launch", "setVariable"}[r.IntN(6)]
		case 13:
			command, args["source"], args["line"] = "gotoTargets", map[string]any{"path": file}, r.IntN(40)
		case 14:
			command, args["targetId"] = "goto", r.IntN(6)
		case 15:
			command, args["source"], args["line"], args["endLine"] = "breakpointLocations", map[string]any{"path": file},
				number(), number()
		}
		ch := c.send(command, args)
		if i%5 != 0 { // some are not waited for
			sent = append(sent, ch)
			continue
		}
		sent = append(sent, ch)
		for _, ch := range sent {
			switch m := c.await(command, ch).(type) {
			case *protocol.ErrorResponse:
				if strings.Contains(m.Message, "internal error") {
					t.Fatalf("%s %v: %s", command, args, m.Message)
				}
			case *protocol.ScopesResponse:
				refs = nil
				for _, s := range m.Body.Scopes {
					refs = append(refs, s.VariablesReference)
				}
				refs = append(refs, 0)
			case *protocol.VariablesResponse:
				for _, v := range m.Body.Variables[:min(3, len(m.Body.Variables))] {
					refs = append(refs, v.VariablesReference)
				}
			}
		}
		sent = nil
		for len(c.events) > 0 {
			<-c.events
		}
	}
	for _, command := range []string{"setFunctionBreakpoints", "setDataBreakpoints"} {
		c.await(command, c.send(command, map[string]any{"breakpoints": []any{}}))
	}
	for _, path := range []string{file, "", "/nowhere.c"} {
		ask[*protocol.SetBreakpointsResponse](c, "setBreakpoints", map[string]any{"source": map[string]any{"path": path},
			"breakpoints": []any{}})
	}
	c.eval(":where", "repl")
	for len(c.events) > 0 {
		<-c.events
	}
	if got := c.move("continue", nil); got != "apply:11 exception" {
		t.Errorf("after all that continue leads to %s", got)
	}
}
