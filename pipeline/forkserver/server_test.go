//go:build linux

package forkserver_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/unitproof/unitproof/pipeline/forkserver"
)

const subject = `
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <signal.h>
extern char **environ;
static int before = 41;
__attribute__((constructor)) static void initialise(void) { before++; }
int main(int argc, char **argv) {
    if (argc > 1 && strcmp(argv[1], "environment") == 0) {
        for (char **e = environ; *e; e++) puts(*e);
        return 0;
    }
    if (argc > 1 && strcmp(argv[1], "descriptors") == 0) {
        for (int i = 0; i < 200; i++) if (fcntl(i, 1) >= 0) printf("%d ", i);
        return 0;
    }
    if (argc > 1 && strcmp(argv[1], "exit") == 0) return atoi(argv[2]);
    if (argc > 1 && strcmp(argv[1], "abort") == 0) abort();
    if (argc > 1 && strcmp(argv[1], "sleep") == 0) { puts("asleep"); fflush(stdout); sleep(600); }
    char folder[4096];
    printf("%s %d\n", getcwd(folder, sizeof folder), before++);
    for (int i = 0; i < argc; i++) printf("[%s]", argv[i]);
    int c;
    while ((c = getchar()) != EOF) putchar(c);
    fprintf(stderr, "complaint");
    return 0;
}
`

// tools compiles the subject and the library.
func tools(t *testing.T) (program, library string) {
	t.Helper()
	dir := t.TempDir()
	program = filepath.Join(dir, "subject")
	cmd := exec.Command("clang-14", "-x", "c", "-include", "fcntl.h", "-", "-o", program)
	cmd.Stdin = strings.NewReader(subject)
	if words, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("compile the subject: %v\n%s", err, words)
	}
	if err := forkserver.Build(context.Background(), "clang-14", os.Environ(), dir); err != nil {
		t.Fatal(err)
	}
	return program, forkserver.LibraryPath(dir)
}

func start(t *testing.T, program, library string) *forkserver.Server {
	s := forkserver.New(program, library, os.Environ(), time.Minute)
	t.Cleanup(s.Close)
	return s
}

// TestRun checks that every run has its own folder, arguments, streams and memory, and the server's environment.
func TestRun(t *testing.T) {
	program, library := tools(t)
	s := start(t, program, library)
	for i := range 3 {
		dir := t.TempDir()
		input := strings.Repeat("0123456789", 100_000) // exceeds the buffers of both pipes
		out, errs, err := s.Run(context.Background(), dir, []string{"a b", "", fmt.Sprint(i)}, []byte(input))
		if err != nil {
			t.Fatal(err)
		}
		want := fmt.Sprintf("%s 42\n[%s][a b][][%d]%s", dir, program, i, input)
		if string(out) != want || string(errs) != "complaint" {
			t.Fatalf("run %d printed %.200q and %q", i, out, errs)
		}
	}
	plain := exec.Command(program, "environment")
	want, err := plain.Output()
	if err != nil {
		t.Fatal(err)
	}
	got, _, err := s.Run(context.Background(), "", []string{"environment"}, nil)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("environment %v:\n%s\ninstead of\n%s", err, got, want)
	}
	if got, _, err := s.Run(context.Background(), "", []string{"descriptors"}, nil); err != nil ||
		string(got) != "0 1 2 " {
		t.Errorf("open descriptors: %q, %v", got, err)
	}
}

func TestFailures(t *testing.T) {
	program, library := tools(t)
	s := start(t, program, library)
	var exit *forkserver.ExitError
	if _, _, err := s.Run(context.Background(), "", []string{"exit", "7"}, nil); !errors.As(err, &exit) ||
		exit.Status.ExitStatus() != 7 {
		t.Errorf("exit 7: %v", err)
	}
	if _, _, err := s.Run(context.Background(), "", []string{"abort"}, nil); !errors.As(err, &exit) ||
		exit.Status.Signal() != syscall.SIGABRT {
		t.Errorf("abort: %v", err)
	}
	if _, _, err := s.Run(context.Background(), "/nowhere", nil, nil); !errors.As(err, &exit) ||
		exit.Status.ExitStatus() != 127 {
		t.Errorf("missing folder: %v", err)
	}
	if out, _, err := s.Run(context.Background(), "", []string{"x"}, nil); err != nil ||
		!strings.Contains(string(out), "[x]") {
		t.Errorf("after failures: %q, %v", out, err)
	}
	if _, _, err := s.Run(context.Background(), "", []string{strings.Repeat("x", 1<<18)}, nil); !errors.Is(err,
		forkserver.ErrUnavailable) {
		t.Errorf("too long: %v", err)
	}
	if _, _, err := s.Run(context.Background(), "", []string{"x"}, nil); err != nil {
		t.Errorf("after one that was too long: %v", err)
	}
}

// TestCancel checks that a cancelled run is killed without effect on others, and that Close kills all.
func TestCancel(t *testing.T) {
	program, library := tools(t)
	s := start(t, program, library)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var all sync.WaitGroup
	all.Go(func() {
		if _, _, err := s.Run(ctx, "", []string{"sleep"}, nil); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: %v", err)
		}
	})
	for i := range 40 {
		all.Go(func() {
			if out, _, err := s.Run(context.Background(), "", []string{fmt.Sprint(i)}, nil); err != nil ||
				!strings.Contains(string(out), fmt.Sprintf("[%d]", i)) {
				t.Errorf("%d: %q, %v", i, out, err)
			}
			if i == 20 {
				cancel()
			}
		})
	}
	all.Wait()

	asleep := make(chan error)
	go func() {
		_, _, err := s.Run(context.Background(), "", []string{"sleep"}, nil)
		asleep <- err
	}()
	for i := range 3 { // the sleeper's message is read before the last of these is answered, or it finds the server closed
		_, _, _ = s.Run(context.Background(), "", []string{fmt.Sprint(i)}, nil)
	}
	s.Close()
	select {
	case err := <-asleep:
		if !errors.Is(err, forkserver.ErrUnavailable) {
			t.Errorf("closed: %v", err)
		}
	case <-time.After(time.Minute):
		t.Fatal("closing the server did not end what runs in it")
	}
}

// TestIdle checks that idle servers end and are restarted.
func TestIdle(t *testing.T) {
	program, library := tools(t)
	s := forkserver.New(program, library, os.Environ(), time.Millisecond)
	t.Cleanup(s.Close)
	for range 20 {
		if _, _, err := s.Run(context.Background(), "", nil, nil); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Millisecond)
	}
}

// TestUnavailable checks the cases of ErrUnavailable.
func TestUnavailable(t *testing.T) {
	program, library := tools(t)
	dir := t.TempDir()
	script := filepath.Join(dir, "script")
	if err := os.WriteFile(script, []byte("#!/bin/sh\necho hello\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	notALibrary := filepath.Join(dir, "library.so")
	if err := os.WriteFile(notALibrary, []byte("nothing"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, program, library string }{
		{"script", script, library},
		{"broken library", program, notALibrary},
		{"no program", filepath.Join(dir, "none"), library},
	} {
		if out, _, err := start(t, c.program, c.library).Run(context.Background(), "", []string{"x"}, nil); !errors.Is(err,
			forkserver.ErrUnavailable) {
			t.Errorf("%s: %q, %v", c.name, out, err)
		}
	}
}
