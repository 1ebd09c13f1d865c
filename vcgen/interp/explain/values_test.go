package explain_test

import (
	"context"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/vcgen/choice"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/interp"
	"github.com/unitproof/unitproof/vcgen/interp/interptest"
)

var update = flag.Bool("update", false, "write the comments of testdata anew")

// TestValues compares the rendered values of variables of all types with the comments behind them.
func TestValues(t *testing.T) {
	compareComments(t, "testdata/values.c", 60, func(o *interp.Outcome, _ int, code string) (out []string) {
		for _, v := range o.Violation.Vars {
			if v.Name == declared(code) {
				out = append(out, v.Value)
			}
		}
		return out
	})
}

// TestPlaces compares the rendered assignments to places of all kinds with the comments behind them.
func TestPlaces(t *testing.T) {
	compareComments(t, "testdata/places.c", 40, func(o *interp.Outcome, line int, _ string) (out []string) {
		for _, s := range o.Steps {
			if s.Event == "assign" && s.Line == line {
				out = append(out, s.Text)
			}
		}
		return out
	})
}

// compareComments runs a program up to its failing assertion, and compares a description of each line with its
// comment.
func compareComments(t *testing.T, file string, atLeast int,
	tell func(o *interp.Outcome, line int, code string) []string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	o := interp.Run(context.Background(), interptest.Compile(t, []string{"-include", "unitproof.h"}, file), "main",
		choice.Zero, interptest.Options())
	if o.Violation == nil || o.Violation.Kind != found.Assertion {
		t.Fatal(interptest.Summary(o))
	}
	lines, shown := strings.Split(string(text), "\n"), 0
	for i, line := range lines {
		code, want, marked := strings.Cut(line, " //")
		if !marked {
			continue
		}
		shown++
		got := "(nothing)"
		if said := tell(o, i+1, code); len(said) > 0 {
			got = strings.Join(said, "; ")
		}
		if *update {
			lines[i] = code + " // " + got
		} else if want = strings.TrimSpace(want); got != want {
			t.Errorf("%s:%d: told as %s, want %s", file, i+1, got, want)
		}
	}
	if shown < atLeast {
		t.Errorf("only %d comments", shown)
	}
	if *update {
		if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// declared returns the variable that a line of C declares.
func declared(code string) string {
	code, _, _ = strings.Cut(code, "=")
	code, _, _ = strings.Cut(code, "[")
	words := strings.FieldsFunc(code, func(r rune) bool { return strings.ContainsRune(" *;()", r) })
	return words[len(words)-1]
}
