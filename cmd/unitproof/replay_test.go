package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/pipeline/project"
)

// TestReplayOutcomes runs every counterexample of the corpora natively. All of them reproduce, except
// those of testdata/replays.golden, which says why not.
func TestReplayOutcomes(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a native program for each file")
	}
	program := buildProgram(t)
	cache := t.TempDir()
	type job struct{ name, file string }
	var jobs []job
	for _, corpus := range corpora {
		dir, err := filepath.Abs(corpus)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range testFiles(t, dir) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(text), "want failed ") {
				name, _ := filepath.Rel(filepath.Dir(dir), file)
				jobs = append(jobs, job{filepath.ToSlash(name), file})
			}
		}
	}
	got := make([][]string, len(jobs))
	slots := make(chan struct{}, 2)
	t.Run("files", func(t *testing.T) {
		for i, j := range jobs {
			t.Run(strings.TrimSuffix(j.name, ".c"), func(t *testing.T) {
				t.Parallel()
				slots <- struct{}{}
				defer func() { <-slots }()
				got[i] = replayOutcomes(t, program, cache, j.name, j.file)
			})
		}
	})
	lines := slices.Concat(got...)
	slices.Sort(lines)
	const golden = "testdata/replays.golden"
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Error(err)
	}
	if text := strings.Join(lines, "\n") + "\n"; text != string(want) {
		before := strings.Split(string(want), "\n")
		for _, l := range lines {
			if !slices.Contains(before, l) {
				t.Errorf("not in %s: %s", golden, l)
			}
		}
		for _, l := range before {
			if l != "" && !slices.Contains(lines, l) {
				t.Errorf("only in %s: %s", golden, l)
			}
		}
	}
}

// replayOutcomes lists the outcomes of a file that do not reproduce: place, kind, and why.
func replayOutcomes(t *testing.T, program, cache, name, file string) []string {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	expect, err := project.ParseMarkers(file, text)
	if err != nil {
		t.Fatal(err)
	}
	output := filepath.Join(t.TempDir(), "out.json")
	cmd := exec.Command(program, append(append([]string{"replay", "--json", output}, expect.Flags...), file)...)
	cmd.Env = append(os.Environ(), "XDG_CACHE_HOME="+cache)
	said, status := cmd.CombinedOutput()
	data, err := os.ReadFile(output)
	if err != nil {
		t.Fatalf("%v: %v\n%s", err, status, said)
	}
	var doc struct{ Outcomes []replayed }
	if err := json.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	var lines []string
	worst := exitReproduced
	for _, o := range doc.Outcomes {
		switch o.Outcome {
		case "reproduced":
			continue
		case "not-reproduced":
			worst = exitNotReproduced
		default:
			if worst == exitReproduced {
				worst = exitNotRun
			}
		}
		lines = append(lines, fmt.Sprintf("%s:%d: %s: %s", name, o.Line, o.Kind, o.Detail))
	}
	if len(doc.Outcomes) == 0 && !strings.Contains(name, "/unbounded/") { // those may be undecided
		t.Errorf("no counterexample:\n%s", said)
	}
	if got := exitStatus(status); got != worst && len(doc.Outcomes) > 0 {
		t.Errorf("exit status %d, want %d", got, worst)
	}
	return lines
}
