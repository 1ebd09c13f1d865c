// Package workertest lets test programs with the race detector use workers without it, which are several times faster.
// A worker shares no memory with the test, so the detector misses nothing in the test's own process.
//
//	func TestMain(m *testing.M) {
//		if len(os.Args) == 2 && os.Args[1] == "worker" {
//			workertest.Exec() // returns if this process is to be the worker
//			...
//		}
//		done := workertest.Build()
//		status := m.Run()
//		done()
//		os.Exit(status)
//	}
package workertest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/unitproof/unitproof/pipeline/cache"
	"github.com/unitproof/unitproof/vcgen/sampletest"
)

const (
	// wanted is the environment variable of the Makefile: with the value "plain", tests use workers without the detector.
	wanted = "UNITPROOF_TEST_WORKERS"
	// built is the environment variable with the path of the built program, for the test programs that start as workers.
	built = "UNITPROOF_TEST_WORKER"
)

// Build builds the program without the race detector if the environment asks for plain workers; done removes it. The
// build ID is that of the test program: it identifies the engine in the keys of the cache, and server and worker must
// agree on these.
func Build() (done func()) {
	os.Unsetenv(built)
	if os.Getenv(wanted) != "plain" {
		return func() {}
	}
	dir, err := os.MkdirTemp("", "unitproof-worker-*")
	if err == nil {
		err = buildInto(dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "a worker for the tests:", err)
		os.Exit(1)
	}
	return func() { _ = os.RemoveAll(dir) } // in the folder for temporary files
}

func buildInto(dir string) error {
	engine, err := cache.Engine()
	if err != nil {
		return err
	}
	id, ok := strings.CutPrefix(engine, "build ")
	if !ok {
		return fmt.Errorf("the test program has no build ID, but is the %s", engine)
	}
	program := filepath.Join(dir, "unitproof")
	// Without tables for debuggers, linking takes a quarter less.
	build := exec.Command("go", "build", "-ldflags", "-s -w -buildid="+id, "-o", program,
		"github.com/unitproof/unitproof/cmd/unitproof")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w\n%s", err, out)
	}
	return os.Setenv(built, program)
}

// Exec replaces this process, a test program started as a worker, by the built program. It returns if there is none.
func Exec() {
	program := os.Getenv(built)
	if program == "" {
		return
	}
	err := syscall.Exec(program, []string{program, "worker"}, os.Environ())
	fmt.Fprintln(os.Stderr, "unitproof:", program, err)
	os.Exit(3)
}

// Race gives the workers of a test the race detector. A test that observes single runs needs it: without the detector a
// run can begin and end between two updates of the workspace.
func Race(t testing.TB) { t.Setenv(built, "") }

// Sample keeps workers with the race detector for today's sample of one test in twelve.
func Sample(t testing.TB) {
	if os.Getenv(built) != "" && sampletest.Takes(t, t.Name(), 12) {
		t.Log("its workers have the race detector")
		t.Setenv(built, "")
	}
}
