package equiv

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/pipeline/solver"
	"github.com/unitproof/unitproof/vcgen/clangtest"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/smt"
)

// steps returns the reason why two versions of f are not shown to be equal step by step; nil if they are.
func steps(t *testing.T, before, after string) error {
	t.Helper()
	module := func(text string) []byte {
		return []byte(strings.ReplaceAll(clangtest.Compile(t, text), "x86_64-pc-linux-gnu", "x86_64-unknown-linux-gnu"))
	}
	_, err := Lockstep(context.Background(), module(after), module(before), "f", "", found.DefaultChecks(),
		func(c *smt.Context) (smt.Solver, error) { return solver.New("", c, solver.Options{}) })
	return err
}

// pairs reads versions of f from testdata/equiv/pairs.
func pairs(t *testing.T, name string) map[string][2]string {
	t.Helper()
	text, err := os.ReadFile("../../testdata/equiv/pairs/" + name + ".txt")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][2]string{}
	for _, part := range strings.Split("\n"+string(text), "\n=== ")[1:] {
		title, rest, _ := strings.Cut(part, "\n")
		if strings.HasPrefix(rest, "assuming: ") { // it matters to the other comparison
			_, rest, _ = strings.Cut(rest, "\n")
		}
		before, after, ok := strings.Cut(rest, "\n---\n")
		if _, twice := all[title]; twice || !ok {
			t.Fatalf("%s: %s", name, title)
		}
		all[title] = [2]string{before + "\n", after + "\n"}
	}
	return all
}

// TestEqualSteps compares versions that behave equally, also each with itself.
func TestEqualSteps(t *testing.T) {
	for name, pair := range pairs(t, "equal") {
		t.Run(name, func(t *testing.T) {
			if err := steps(t, pair[0], pair[1]); err != nil {
				t.Error(err)
			}
			if err := steps(t, pair[0], pair[0]); err != nil {
				t.Errorf("the version before and itself: %v", err)
			}
		})
	}
}

// TestOtherSteps compares versions that must not be called equal, because an input is known for which they differ. A
// wrong answer here is the worst of all defects.
func TestOtherSteps(t *testing.T) {
	for name, pair := range pairs(t, "other") {
		t.Run(name, func(t *testing.T) {
			if err := steps(t, pair[0], pair[1]); err == nil {
				t.Error("they are called equal")
			} else {
				t.Log(err)
			}
		})
	}
}
