package forkserver

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

//go:embed native/forkserver.c
var source string

// LibraryPath returns the path in a folder of this version's library, which need not exist.
func LibraryPath(folder string) string {
	sum := sha256.Sum256([]byte(source))
	return filepath.Join(folder, fmt.Sprintf("forkserver-%x.so", sum[:12]))
}

// Build compiles the library with a C compiler and stores it at LibraryPath(folder). It is safe for concurrent use by
// several processes. The error has the compiler's output; a missing linker is the most likely reason.
func Build(ctx context.Context, compiler string, env []string, folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return fmt.Errorf("fork server: %w", err)
	}
	temp, err := os.MkdirTemp(folder, "forkserver-")
	if err != nil {
		return fmt.Errorf("fork server: %w", err)
	}
	defer os.RemoveAll(temp)
	output := filepath.Join(temp, "library.so")
	cmd := exec.CommandContext(ctx, compiler, "-x", "c", "-O1", "-fPIC", "-shared", "-", "-o", output)
	cmd.Dir, cmd.Env, cmd.Stdin = temp, env, strings.NewReader(source)
	if words, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("fork server: %s: %w: %s", compiler, err, strings.TrimSpace(string(words)))
	}
	if err := os.Rename(output, LibraryPath(folder)); err != nil {
		return fmt.Errorf("fork server: %w", err)
	}
	return nil
}
