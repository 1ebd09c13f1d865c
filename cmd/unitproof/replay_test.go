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
)

// replayedShare is the n of a sample of one in n of the programs that fail.
const replayedShare = 8

// TestReplayOutcomes runs counterexamples of a sample of the corpora natively. All must reproduce, except those listed
// with reasons in testdata/replays.golden.
func TestReplayOutcomes(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a native program for each file")
	}
	program, cache := buildProgram(t), keptOfCorpus(t)
	failing := slices.DeleteFunc(testPrograms(t, corpora...), func(p testProgram) bool {
		return !strings.Contains(p.text, "want failed ") || !p.sampled(t, replayedShare)
	})
	if len(failing) < 20 {
		t.Errorf("only %d programs", len(failing))
	}
	got := make([][]string, len(failing))
	slots := make(chan struct{}, 2)
	t.Run("files", func(t *testing.T) {
		for i, p := range failing {
			t.Run(p.title(), func(t *testing.T) {
				t.Parallel()
				slots <- struct{}{}
				defer func() { <-slots }()
				got[i] = replayOutcomes(t, program, cache, &p)
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
	var before []string
	for group := range strings.SplitSeq(string(want), "\n\n") {
		entries := strings.Split(strings.TrimSpace(group), "\n")
		if !strings.HasPrefix(entries[0], "# ") {
			t.Errorf("%s gives no reason for %s", golden, entries[0])
			continue
		}
		before = append(before, entries[1:]...)
	}
	for _, l := range lines {
		if !slices.Contains(before, l) {
			t.Errorf("not in %s: %s", golden, l)
		}
	}
	for _, l := range before {
		name, _, _ := strings.Cut(l, ".c:")
		if sampledProgram(t, name, replayedShare) && !slices.Contains(lines, l) {
			t.Errorf("only in %s: %s", golden, l)
		}
	}
}

// replayOutcomes returns the outcomes of a program that do not reproduce: place, kind, and reason.
func replayOutcomes(t *testing.T, program, cache string, p *testProgram) []string {
	output := filepath.Join(t.TempDir(), "out.json")
	cmd := exec.Command(program, append([]string{"replay", "--json", output}, p.args()...)...)
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
		lines = append(lines, fmt.Sprintf("%s:%d: %s: %s", p.name, o.Line, o.Kind, o.Detail))
	}
	if len(doc.Outcomes) == 0 {
		t.Errorf("no counterexample:\n%s", said)
	}
	if got := exitStatus(status); got != worst && len(doc.Outcomes) > 0 {
		t.Errorf("exit status %d, want %d", got, worst)
	}
	return lines
}
