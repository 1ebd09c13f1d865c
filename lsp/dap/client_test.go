package dap

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	protocol "github.com/google/go-dap"

	"github.com/unitproof/unitproof/pipeline"
	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/vcgen/found"
)

// client is a plain debugger: it sends requests over pipes and waits for responses. It does not access the server's
// internals.
type client struct {
	t    testing.TB
	out  io.WriteCloser
	seq  int
	done chan error // receives the server's result

	mu        sync.Mutex
	responses map[int]chan protocol.Message
	events    chan protocol.Message
	console   strings.Builder
}

// patience is the time limit for a response. It is reached only if the server hangs.
const patience = 2 * time.Minute

var (
	poolOnce sync.Once
	testPool *pipeline.Pool
	cacheDir string
)

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "dap")
	if err != nil {
		panic(err)
	}
	cacheDir = dir
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

func testOptions() Options {
	poolOnce.Do(func() { testPool = pipeline.NewPool(pipeline.PoolOptions{InProcess: true}) })
	return Options{Pool: testPool, CacheDir: cacheDir, ParseArgs: parseArgs}
}

// parseArgs parses the flags that the acceptance programs use; the real parser is tested in cmd/unitproof.
func parseArgs(args []string) (flags project.Flags, err error) {
	flags.Checks = map[found.Kind]bool{}
	for len(args) > 1 {
		switch args[0] {
		case "--check":
			flags.Checks[found.Kind(args[1])] = true
		case "--no-check":
			flags.Checks[found.Kind(args[1])] = false
		case "--timeout":
			d, err := time.ParseDuration(args[1])
			if err != nil {
				return flags, err
			}
			flags.Timeout = &d
		default:
			return flags, fmt.Errorf("%s is no flag here", args[0])
		}
		args = args[2:]
	}
	if len(args) > 0 {
		return flags, fmt.Errorf("%s needs a value", args[0])
	}
	return flags, nil
}

func newClient(t testing.TB) *client {
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	c := &client{t: t, out: inW, done: make(chan error, 1), responses: map[int]chan protocol.Message{},
		events: make(chan protocol.Message, 1000)}
	go func() {
		err := Serve(context.Background(), inR, outW, testOptions())
		outW.Close()
		c.done <- err
	}()
	go c.read(outR)
	t.Cleanup(func() {
		inW.Close()
		select {
		case <-c.done:
		case <-time.After(patience):
			t.Error("the server goes on when its client is gone")
		}
	})
	return c
}

func (c *client) read(r io.Reader) {
	b := bufio.NewReader(r)
	for {
		m, err := protocol.ReadProtocolMessage(b)
		if err != nil {
			close(c.events)
			return
		}
		switch m := m.(type) {
		case *protocol.OutputEvent:
			c.mu.Lock()
			c.console.WriteString(m.Body.Output)
			c.mu.Unlock()
		case protocol.ResponseMessage:
			c.mu.Lock()
			ch := c.responses[m.GetResponse().RequestSeq]
			c.mu.Unlock()
			if ch != nil {
				ch <- m
			}
		default:
			c.events <- m
		}
	}
}

// send sends a request and returns a channel for the response.
func (c *client) send(command string, arguments any) chan protocol.Message {
	c.t.Helper()
	c.seq++
	ch := make(chan protocol.Message, 1)
	c.mu.Lock()
	c.responses[c.seq] = ch
	c.mu.Unlock()
	body, err := json.Marshal(map[string]any{"seq": c.seq, "type": "request", "command": command, "arguments": arguments})
	if err != nil {
		c.t.Fatal(err)
	}
	if err := protocol.WriteBaseMessage(c.out, body); err != nil {
		c.t.Fatal(err)
	}
	return ch
}

func (c *client) await(command string, ch chan protocol.Message) protocol.Message {
	c.t.Helper()
	select {
	case m := <-ch:
		return m
	case <-time.After(patience):
		c.t.Fatalf("no answer to %s", command)
		return nil
	}
}

// ask sends a request that must succeed.
func ask[T protocol.Message](c *client, command string, arguments any) T {
	c.t.Helper()
	m := c.await(command, c.send(command, arguments))
	r, ok := m.(T)
	if !ok {
		c.t.Fatalf("%s: %s", command, text(m))
	}
	return r
}

// refused sends a request that must fail, and returns the message.
func (c *client) refused(command string, arguments any) string {
	c.t.Helper()
	m := c.await(command, c.send(command, arguments))
	e, ok := m.(*protocol.ErrorResponse)
	if !ok || e.Success || e.Message == "" {
		c.t.Fatalf("%s was not refused: %s", command, text(m))
	}
	return e.Message
}

func text(m any) string {
	b, _ := json.Marshal(m)
	return string(b)
}

// next returns the next event of a type.
func next[T protocol.Message](c *client) T {
	c.t.Helper()
	for {
		select {
		case m, ok := <-c.events:
			if !ok {
				c.t.Fatal("the server ended")
			}
			if e, ok := m.(T); ok {
				return e
			}
		case <-time.After(patience):
			c.t.Fatal("an event is missing")
		}
	}
}

// launch opens a program and returns the first stop of the session.
func (c *client) launch(config map[string]any) *protocol.StoppedEvent {
	c.t.Helper()
	c.initialize()
	ask[*protocol.LaunchResponse](c, "launch", config)
	next[*protocol.InitializedEvent](c)
	ask[*protocol.ConfigurationDoneResponse](c, "configurationDone", nil)
	return next[*protocol.StoppedEvent](c)
}

func (c *client) initialize() protocol.Capabilities {
	c.t.Helper()
	return ask[*protocol.InitializeResponse](c, "initialize", map[string]any{"adapterID": "unitproof",
		"linesStartAt1": true, "columnsStartAt1": true}).Body
}

// open returns a session on a C program, stopped at its violation.
func open(t testing.TB, src string) (*client, string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "t.c")
	if err := os.WriteFile(file, []byte("#include <unitproof.h>\n"+src), 0o666); err != nil {
		t.Fatal(err)
	}
	c := newClient(t)
	if e := c.launch(map[string]any{"program": file}); e.Body.Reason != "exception" {
		t.Fatalf("stopped for %s", text(e))
	}
	return c, file
}

func (c *client) stack() []protocol.StackFrame {
	c.t.Helper()
	return ask[*protocol.StackTraceResponse](c, "stackTrace", map[string]any{"threadId": 1}).Body.StackFrames
}

// where returns the function and the line of the top frame.
func (c *client) where() string {
	c.t.Helper()
	top := c.stack()[0]
	return fmt.Sprintf("%s:%d", top.Name, top.Line)
}

// move sends a request that moves to another moment, and returns the place and the reason of the stop.
func (c *client) move(command string, arguments map[string]any) string {
	c.t.Helper()
	if arguments == nil {
		arguments = map[string]any{}
	}
	arguments["threadId"] = 1
	m := c.await(command, c.send(command, arguments))
	if e, ok := m.(*protocol.ErrorResponse); ok {
		c.t.Fatalf("%s: %s", command, e.Message)
	}
	e := next[*protocol.StoppedEvent](c)
	return c.where() + " " + e.Body.Reason
}

// moves checks a sequence of "command -> place reason".
func (c *client) moves(lines ...string) {
	c.t.Helper()
	for i, l := range lines {
		command, want, _ := strings.Cut(l, " -> ")
		if got := c.move(command, nil); got != want {
			c.t.Fatalf("move %d: %s stops at %s, want %s", i, command, got, want)
		}
	}
}

func (c *client) scope(frame int, name string) int {
	c.t.Helper()
	for _, s := range ask[*protocol.ScopesResponse](c, "scopes", map[string]any{"frameId": frame}).Body.Scopes {
		if s.Name == name {
			return s.VariablesReference
		}
	}
	return 0
}

func (c *client) vars(ref int, paging ...int) []protocol.Variable {
	c.t.Helper()
	a := map[string]any{"variablesReference": ref}
	if len(paging) == 2 {
		a["start"], a["count"], a["filter"] = paging[0], paging[1], "indexed"
	}
	return ask[*protocol.VariablesResponse](c, "variables", a).Body.Variables
}

func list(vars []protocol.Variable) string {
	var parts []string
	for _, v := range vars {
		parts = append(parts, v.Name+"="+v.Value)
	}
	return strings.Join(parts, "; ")
}

func find(t testing.TB, vars []protocol.Variable, name string) protocol.Variable {
	t.Helper()
	for _, v := range vars {
		if v.Name == name {
			return v
		}
	}
	t.Fatalf("no %s among %s", name, list(vars))
	return protocol.Variable{}
}

// eval evaluates an expression in the top frame.
func (c *client) eval(expr, context string) string {
	c.t.Helper()
	m := c.await("evaluate", c.send("evaluate", map[string]any{"expression": expr, "frameId": c.stack()[0].Id,
		"context": context}))
	if e, ok := m.(*protocol.ErrorResponse); ok {
		return "error: " + e.Message
	}
	return m.(*protocol.EvaluateResponse).Body.Result
}

// evals checks "expression -> result".
func (c *client) evals(lines ...string) {
	c.t.Helper()
	for _, l := range lines {
		expr, want, _ := strings.Cut(l, " -> ")
		if got := c.eval(expr, "watch"); got != want && !(strings.HasPrefix(want, "error: ") &&
			strings.HasPrefix(got, want)) {
			c.t.Errorf("%s is %s, want %s", expr, got, want)
		}
	}
}
