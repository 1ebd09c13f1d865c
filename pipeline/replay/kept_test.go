package replay

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/pipeline/cache"
)

// A kept program that is not what was built, for whatever reason, is built again and not run.
func TestKeptProgramIsVerified(t *testing.T) {
	compiler := tools(t)
	dir := filepath.Join(t.TempDir(), "cache")
	module := func(status string) *instrumented {
		return &instrumented{text: []byte("target triple = \"x86_64-pc-linux-gnu\"\n" +
			"define void @unitproof_start() { ret void }\ndefine void @unitproof_at_end() { ret void }\n" +
			"define i32 @unitproof_entry() { ret i32 " + status + " }\n"), watch: addresses}
	}
	make := func(status string) *program {
		t.Helper()
		p, err := build(t.Context(), compiler, dir, module(status))
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	one, two := make("1"), make("2")
	if again := make("1"); !again.reused || again.path != one.path || two.path == one.path {
		t.Fatal("nothing is kept")
	}
	good, err := os.ReadFile(one.path)
	if err != nil {
		t.Fatal(err)
	}
	other, err := os.ReadFile(two.path)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"another program": string(other), "nothing": "", "a script": "#!/bin/sh\n",
		"half of it": string(good[:len(good)/2]), "a byte": "\x00" + string(good[1:])} {
		if err := os.WriteFile(one.path, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
		if p := make("1"); p.reused || !cache.Sealed(p.path) {
			t.Errorf("%s in the place of a program is run", name)
		}
	}
	runtimes, _ := filepath.Glob(filepath.Join(dir, "native", "runtime-*.o"))
	if len(runtimes) != 1 {
		t.Fatal(runtimes)
	}
	if err := os.WriteFile(runtimes[0], nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if p := make("3"); p.reused || !cache.Sealed(runtimes[0]) {
		t.Error("an empty runtime is linked")
	}
	// A folder that others can write to is refused.
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := build(t.Context(), compiler, dir, module("1")); err == nil ||
		!strings.Contains(err.Error(), "chmod 700") {
		t.Errorf("others can write to the folder: %v", err)
	}
}
