package clang

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/unitproof/unitproof/pipeline/clang/asm"
)

// link merges modules that are already resolved: no name has two definitions. With typed pointers a declaration can
// have another type than the definition, and types of structs have to be matched, so llvm-link does the work.
func (t *Toolchain) link(ctx context.Context, texts [][]byte, dir string) ([]byte, error) {
	if len(texts) == 1 {
		return texts[0], nil
	}
	if !t.typedPointers() {
		return asm.Merge(texts)
	}
	args := []string{"-S", "-o", "-"}
	for i, text := range texts {
		name := filepath.Join(dir, fmt.Sprintf("module%d.ll", i))
		if err := os.WriteFile(name, text, 0o600); err != nil {
			return nil, fmt.Errorf("link: %w", err)
		}
		args = append(args, name)
	}
	out, stderr, err := t.Run(ctx, "", t.Link, args, nil)
	if err != nil {
		return nil, processError(ctx, "link", err, stderr)
	}
	return out, nil
}

// processError returns the error of a program that failed, or of the context if the context ended it.
func processError(ctx context.Context, stage string, err error, stderr []byte) error {
	if ctx.Err() != nil {
		return fmt.Errorf("%s: %w", stage, ctx.Err())
	}
	text := strings.TrimSpace(string(stderr))
	if text == "" {
		return fmt.Errorf("%s: %w", stage, err)
	}
	first, _, _ := strings.Cut(text, "\n")
	return &CompileError{Stage: stage, Output: text, Diagnostics: []Diagnostic{{Severity: "error",
		Message: fmt.Sprintf("%s: %s", stage, first)}}}
}
