package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestWritingProofs checks the programs of docs/writing-proofs.md, with the verdicts that their first comments state.
func TestWritingProofs(t *testing.T) {
	page, err := os.ReadFile("../../docs/writing-proofs.md")
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?s)```c\n(/\\* (\\w+)\\.c: (\\w+)(?: with ([^*]+))? \\*/\n.*?)```")
	blocks := block.FindAllSubmatch(page, -1)
	if want := strings.Count(string(page), "```c\n"); len(blocks) != want || want < 10 {
		t.Fatalf("%d of %d programs state a verdict", len(blocks), want)
	}
	program, dir := buildProgram(t), t.TempDir()
	for _, b := range blocks {
		t.Run(string(b[2]), func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(dir, string(b[2])+".c")
			if err := os.WriteFile(file, b[1], 0o600); err != nil {
				t.Fatal(err)
			}
			args := append([]string{"check", "--no-cache", file}, strings.Fields(string(b[4]))...)
			cmd := exec.CommandContext(t.Context(), program, args...)
			out, _ := cmd.CombinedOutput()
			if !strings.Contains("\n"+string(out), "\n"+string(b[3])+" ") {
				t.Errorf("not %s:\n%s", b[3], out)
			}
		})
	}
}
