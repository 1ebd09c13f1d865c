package clang

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/pipeline/forkserver"
)

// TestStarts checks that a program prints and fails the same whether it is started or forked, and that both see changes
// of the environment.
func TestStarts(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("fork servers are for Linux")
	}
	cache := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	tc := toolchain(t)
	defer tc.Close()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "found.h"), []byte("int found;\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	source := []byte("#include <stdlib.h>\n#if __has_include(<found.h>)\n#include <found.h>\n#endif\nint f(int x) { " +
		"return abs(x) / 2; }\n")
	args := []string{"-x", "c", "-S", "-emit-llvm", "-g", "-O0", "-", "-o", "-"}
	library := forkserver.LibraryPath(filepath.Join(cache, "unitproof", "toolchain"))
	var plain []byte
	for i := 1; i <= buildFrom+2; i++ {
		out, errs, err := tc.Run(context.Background(), dir, tc.Clang, args, source)
		if err != nil || len(errs) > 0 {
			t.Fatalf("run %d: %v\n%s", i, err, errs)
		}
		if i == 1 {
			plain = out
		} else if !bytes.Equal(out, plain) {
			t.Fatalf("run %d printed something else", i)
		}
		if _, err := os.Stat(library); (err == nil) != (i >= buildFrom) {
			t.Errorf("run %d: the library: %v", i, err)
		}
		server := tc.starts.programs[tc.Clang].server
		if served := server != nil && server.Running(); served != (i >= buildFrom) {
			t.Errorf("run %d: served: %v", i, served)
		}
	}
	fresh := toolchain(t)
	defer fresh.Close()
	wrong := []byte("int f(void) { return g; }\n")
	_, wantErrs, want := fresh.Run(context.Background(), dir, tc.Clang, args, wrong)
	_, errs, err := tc.Run(context.Background(), dir, tc.Clang, args, wrong)
	if !Exited(want) || !Exited(err) || err.Error() != want.Error() || !bytes.Equal(errs, wantErrs) {
		t.Errorf("an error: %v\n%s\ninstead of %v\n%s", err, errs, want, wantErrs)
	}
	t.Setenv("CPATH", dir)
	out, errs, err := tc.Run(context.Background(), dir, tc.Clang, args, source)
	if err != nil || !bytes.Contains(out, []byte("@found")) {
		t.Errorf("CPATH was not seen: %v\n%s", err, errs)
	}
	if _, _, err := fresh.Run(context.Background(), dir, tc.Clang, args, source); err != nil ||
		!fresh.starts.programs[tc.Clang].server.Running() {
		t.Errorf("the second run does not use the library that is there: %v", err)
	}
}

// TestStartsWithoutLibrary checks that everything works if the library cannot be compiled, and that no fork server is
// tried for a script.
func TestStartsWithoutLibrary(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	script := filepath.Join(t.TempDir(), "clang")
	if err := os.WriteFile(script, []byte("#!/bin/sh\necho $* >> \"$0.calls\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	tc := &Toolchain{Clang: script}
	run := func(program string) {
		t.Helper()
		for range buildFrom + 3 {
			if out, _, err := tc.Run(context.Background(), "", program, []string{"hello"}, nil); err != nil ||
				program != script && string(out) != "hello\n" {
				t.Fatalf("%q, %v", out, err)
			}
		}
	}
	run(script)
	want := strings.Repeat("hello\n", buildFrom+3)
	if calls, err := os.ReadFile(script + ".calls"); err != nil || string(calls) != want {
		t.Errorf("a script was called with %q, %v", calls, err)
	}
	run("/bin/echo")
	if calls, err := os.ReadFile(script + ".calls"); err != nil || strings.Count(strings.TrimPrefix(string(calls), want),
		"-shared") != 1 {
		t.Errorf("the library was not tried once: %q, %v", calls, err)
	}
}
