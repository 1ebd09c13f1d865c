package clang

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRustcRunsElsewhere checks that rustc does not run in the folder of the file. There rustup would start the program
// that a rust-toolchain.toml names.
func TestRustcRunsElsewhere(t *testing.T) {
	dir := t.TempDir()
	where := filepath.Join(dir, "where")
	rustc := filepath.Join(dir, "rustc")
	script := fmt.Sprintf("#!/bin/sh\npwd > '%s'\necho 'error: no' >&2\nexit 1\n", where)
	if err := os.WriteFile(rustc, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv(RustVariable, rustc)
	source := files(t, "p.rs", "#[no_mangle] pub extern \"C\" fn proof_p() {}\n")
	err := compileError(t, Request{Entry: "proof_p", EntryUnit: unit(source, "p.rs", "")})
	at, readErr := os.ReadFile(where)
	if readErr != nil || strings.TrimSpace(string(at)) != "/" {
		t.Errorf("rustc ran in %q (%v): %v", at, readErr, err)
	}
}
