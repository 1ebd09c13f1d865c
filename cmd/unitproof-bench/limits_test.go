package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestLimits checks that each numeric limit of the engine has a reason in a comment.
func TestLimits(t *testing.T) {
	list, err := findLimits("../..")
	if err != nil || len(list) < 250 {
		t.Fatalf("%d limits, %v", len(list), err)
	}
	for i := range list {
		if list[i].reason == "" {
			t.Errorf("%s = %s has no comment", list[i].String(), list[i].value)
		}
	}
}

func TestLimitsOf(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.go")
	text := []byte("package x\n\n// most is a bound.\nconst most = 4\n\n" +
		"// Bounds.\nconst (\n\ta = 1 << 3\n\tb = 2 // of b\n" +
		"\tc = 0\n\td = iota\n\te = \"5\"\n)\n")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	list, err := limitsOf(file)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, l := range list {
		got = append(got, l.name+" "+l.value+" "+l.reason)
	}
	if want := []string{"most 4 most is a bound.", "a 1 << 3 Bounds.", "b 2 of b"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := string(list[1].changed(text, "(%s)/2")); len(got) != len(text)+4 || !slices.Contains(
		[]byte(got), '/') {
		t.Errorf("changed to %s", got)
	}
}

func TestVerdictChanges(t *testing.T) {
	got := verdictChanges(map[string]string{"p": "proved", "p a": "proved", "p b": "bounded"},
		map[string]string{"p": "bounded", "p a": "proved", "p c": "unknown"})
	want := []string{"p b: bounded, now not listed", "p c: not listed, now unknown", "p: proved, now bounded"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
