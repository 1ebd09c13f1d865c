package main

import (
	"bufio"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	protocol "github.com/google/go-dap"

	"github.com/unitproof/unitproof/cmd/internal/cli"
)

// TestDebugAdapter starts the debug adapter like an editor: with workers, flags and the proof's configuration.
func TestDebugAdapter(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	dir := t.TempDir()
	for name, text := range map[string]string{
		"unitproof.toml": "[compile]\nflags = [\"-DLIMIT=3\"]\n",
		"limit_harness.c": "#include <unitproof.h>\nint main(void) {\n  unsigned n = nd_uint();\n  unsigned sum = n + " +
			"1u;\n  sassert(n != LIMIT);\n  return (int)sum;\n}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	status := make(chan int, 1)
	go func() {
		status <- run(context.Background(), []string{"dap"}, cli.Streams{In: inR, Out: outW, Err: os.Stderr})
		outW.Close()
	}()
	messages := make(chan protocol.Message, 100)
	go func() {
		defer close(messages)
		for r := bufio.NewReader(outR); ; {
			m, err := protocol.ReadProtocolMessage(r)
			if err != nil {
				return
			}
			messages <- m
		}
	}()
	send := func(body string) {
		if err := protocol.WriteBaseMessage(inW, []byte(body)); err != nil {
			t.Fatal(err)
		}
	}
	wait := func(what string, is func(protocol.Message) bool) {
		t.Helper()
		for deadline := time.After(2 * time.Minute); ; {
			select {
			case m, ok := <-messages:
				if !ok {
					t.Fatalf("the adapter ended before %s", what)
				}
				if e, failed := m.(*protocol.ErrorResponse); failed {
					t.Fatalf("%s: %s", e.Command, e.Message)
				}
				if is(m) {
					return
				}
			case <-deadline:
				t.Fatalf("no %s", what)
			}
		}
	}
	send(`{"seq":1,"type":"request","command":"initialize","arguments":{"adapterID":"unitproof","linesStartAt1":true,"columnsStartAt1":true}}`)
	// Compiler flags from a launch request pass the same filter as others.
	written := filepath.Join(dir, "written")
	send(`{"seq":2,"type":"request","command":"launch","arguments":{"program":"` + filepath.Join(dir, "limit_harness.c") +
		`","args":["--check","unsigned-overflow","--cflag","-fproc-stat-report=` + written +
		`","--cflag","-Wp,-MMD,` + written + `","--cflag","-fplugin=` + written + `"]}}`)
	wait("initialized", func(m protocol.Message) bool { _, ok := m.(*protocol.InitializedEvent); return ok })
	send(`{"seq":3,"type":"request","command":"configurationDone"}`)
	wait("stopped", func(m protocol.Message) bool {
		e, ok := m.(*protocol.StoppedEvent)
		if ok && !strings.Contains(e.Body.Description, "unsigned-overflow") {
			t.Errorf("stopped for %s: the flag in args was not heard", e.Body.Description)
		}
		return ok
	})
	send(`{"seq":4,"type":"request","command":"evaluate","arguments":{"expression":"n","context":"watch"}}`)
	wait("n", func(m protocol.Message) bool {
		r, ok := m.(*protocol.EvaluateResponse)
		if ok && r.Body.Result != "4294967295" {
			t.Errorf("n is %s", r.Body.Result)
		}
		return ok
	})
	send(`{"seq":5,"type":"request","command":"disconnect"}`)
	wait("disconnect", func(m protocol.Message) bool { _, ok := m.(*protocol.DisconnectResponse); return ok })
	select {
	case got := <-status:
		if got != 0 {
			t.Errorf("exit status %d", got)
		}
	case <-time.After(time.Minute):
		t.Error("the adapter goes on after disconnect")
	}
	if _, err := os.Stat(written); err == nil {
		t.Error("a flag in args had the compiler write a file")
	}
	if _, err := parseProofFlags([]string{"file.c"}); err == nil {
		t.Error("a file is taken for a flag")
	}
}
