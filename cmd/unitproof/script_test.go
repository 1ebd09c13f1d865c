package main

import (
	"bytes"
	"debug/elf"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/unitproof/unitproof/cmd/internal/cli"
	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/pipeline/remote/remotetest"
)

// cmdInterrupt is "interrupt DUR unitproof ARGS...": the program gets a SIGINT after DUR, and must soon end with the
// status 130. Its output is in $WORK/interrupted.txt.
func cmdInterrupt(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: interrupt DUR PROGRAM ARGS...")
	}
	after, err := time.ParseDuration(args[0])
	ts.Check(err)
	program, err := exec.LookPath(args[1])
	ts.Check(err)
	cmd := exec.Command(program, args[2:]...)
	cmd.Dir = ts.Getenv("WORK")
	cmd.Env = append(os.Environ(), "XDG_CACHE_HOME="+ts.Getenv("XDG_CACHE_HOME"))
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	ts.Check(cmd.Start())
	time.Sleep(after)
	ts.Check(cmd.Process.Signal(syscall.SIGINT))
	interrupted := time.Now()
	_ = cmd.Wait() // checked below
	ts.Check(os.WriteFile(filepath.Join(cmd.Dir, "interrupted.txt"), out.Bytes(), 0o600))
	if code := cmd.ProcessState.ExitCode(); code != cli.ExitInterrupted {
		ts.Fatalf("exit status %d, want %d\n%s", code, cli.ExitInterrupted, out.String())
	}
	if took := time.Since(interrupted); took > 5*time.Second {
		ts.Fatalf("it took %s to end", took)
	}
}

// servers are the shared caches of scripts, by work folder.
var servers sync.Map

// cmdServer is "server", which starts an empty shared cache and sets $REMOTE to its address, or "server FAULT":
//
//   - "fine" ends all faults
//   - "gone" closes connections
//   - "refuse" forbids everything
//   - "corrupt" damages the entries
//   - "swap" returns each entry for another one
//   - "together" answers three requests when all of them have arrived
//   - "asked", "idle" and "empty" check that there was a request since the last call, that there was none, and that
//     the cache is empty
func cmdServer(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 1 {
		ts.Fatalf("usage: server [FAULT]")
	}
	known, _ := servers.Load(ts.Getenv("WORK"))
	s, _ := known.(*remotetest.Server)
	switch {
	case len(args) == 0:
		s, stop := remotetest.New()
		servers.Store(ts.Getenv("WORK"), s)
		ts.Setenv("REMOTE", s.URL)
		ts.Defer(stop)
		return
	case s == nil:
		ts.Fatalf("there is no server")
	}
	files := s.Files()
	switch args[0] {
	case "fine":
		s.Fail(nil)
	case "gone":
		s.Fail(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	case "refuse":
		s.Fail(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) })
	case "corrupt":
		for path, data := range files {
			data = bytes.Clone(data)
			data[len(data)*2/3] ^= 4
			files[path] = data
		}
		s.SetFiles(files)
	case "swap":
		var last []byte
		for path, data := range files {
			files[path], last = last, data
		}
		s.SetFiles(files)
	case "together":
		var waiting sync.WaitGroup
		waiting.Add(3)
		s.Fail(func(w http.ResponseWriter, r *http.Request) {
			waiting.Done()
			waiting.Wait()
			_, _ = w.Write(files[r.URL.Path]) // a closed connection needs no response
		})
	case "asked":
		if gets, _ := s.Requests(); gets == 0 {
			ts.Fatalf("the server was not asked")
		}
	case "idle":
		if gets, puts := s.Requests(); gets+puts > 0 {
			ts.Fatalf("the server was asked %d times, and told %d times", gets, puts)
		}
	case "empty":
		if len(files) > 0 {
			ts.Fatalf("the server has %d files", len(files))
		}
	default:
		ts.Fatalf("server %s: what is that?", args[0])
	}
}

// clusters are the clusters of scripts, by work folder.
var clusters sync.Map

// cmdCluster is one of
//
//   - "cluster": starts a cluster of two workers, and sets $CLUSTER to its address
//   - "cluster FAULT": sets a fault (remotetest.Fault); "fine" ends it
//   - "cluster executed N": checks the number of actions executed since the last call; "any" accepts each number
//   - "cluster interrupt PROGRAM ARGS...": the program gets a SIGINT when the cluster executes an action for it, and
//     must cancel the action
func cmdCluster(ts *testscript.TestScript, neg bool, args []string) {
	if neg {
		ts.Fatalf("usage: cluster [FAULT]")
	}
	known, _ := clusters.Load(ts.Getenv("WORK"))
	c, _ := known.(*remotetest.Cluster)
	switch {
	case len(args) == 0:
		c, stop, err := remotetest.NewCluster("127.0.0.1:0", 2)
		ts.Check(err)
		clusters.Store(ts.Getenv("WORK"), c)
		ts.Setenv("CLUSTER", c.URL)
		ts.Defer(stop)
	case c == nil:
		ts.Fatalf("there is no cluster")
	case args[0] == "fine":
		c.Befall(remotetest.Fine)
	case args[0] == "executed":
		if n, _ := c.Counts(); args[1] != "any" && fmt.Sprint(n) != args[1] {
			ts.Fatalf("%d actions were executed, want %s", n, args[1])
		}
	case args[0] == "interrupt":
		c.Counts()
		program, err := exec.LookPath(args[1])
		ts.Check(err)
		cmd := exec.Command(program, args[2:]...)
		cmd.Dir = ts.MkAbs(".")
		ts.Check(cmd.Start())
		executed, cancelled := 0, 0
		wait := func(done func() bool) {
			for began := time.Now(); !done(); time.Sleep(10 * time.Millisecond) {
				e, n := c.Counts()
				if executed, cancelled = executed+e, cancelled+n; time.Since(began) > 5*time.Minute {
					ts.Fatalf("%d actions were executed, %d cancelled", executed, cancelled)
				}
			}
		}
		wait(func() bool { return executed > 0 })
		ts.Check(cmd.Process.Signal(syscall.SIGINT))
		wait(func() bool { return cancelled > 0 })
		if _ = cmd.Wait(); cmd.ProcessState.ExitCode() != cli.ExitInterrupted {
			ts.Fatalf("exit status %d, want %d", cmd.ProcessState.ExitCode(), cli.ExitInterrupted)
		}
	default:
		c.Befall(remotetest.Fault(args[0]))
	}
}

// cmdRebuild is "rebuild FILE": it writes the program with another build ID.
func cmdRebuild(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: rebuild FILE")
	}
	self, err := os.Executable()
	ts.Check(err)
	program, err := os.ReadFile(self)
	ts.Check(err)
	file, err := elf.NewFile(bytes.NewReader(program))
	ts.Check(err)
	note := file.Section(".note.go.buildid")
	if note == nil || note.Size < 20 {
		ts.Fatalf("%s has no build ID", self)
	}
	program[note.Offset+16] ^= 1 // behind three words and the note's name
	ts.Check(os.MkdirAll(filepath.Dir(ts.MkAbs(args[0])), 0o700))
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), program, 0o700))
}

// cmdValid is "valid FILE": checks a document of check --json against the shipped schema.
func cmdValid(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: valid FILE")
	}
	schema, err := jsonschema.UnmarshalJSON(bytes.NewReader(diagnostics.JSONSchema))
	ts.Check(err)
	c := jsonschema.NewCompiler()
	ts.Check(c.AddResource("schema.json", schema))
	compiled, err := c.Compile("schema.json")
	ts.Check(err)
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(ts.ReadFile(args[0])))
	ts.Check(err)
	ts.Check(compiled.Validate(document))
}
