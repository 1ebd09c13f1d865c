package mutants

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const source = `package main

import "fmt"

type size int

// f has something to change of each kind but terms.
func f(a, b int, list []int) (out string) {
	for i, x := range list {
		if x == 0 {
			continue
		}
		if a < b && x > 2 {
			out += fmt.Sprint(list[i], " ")
		}
	}
	n := size(len(list))
	n += 3
	switch most := ^uint64(0); {
	case n > 4 || a == -7 || uint64(b) == most:
		out += fmt.Sprint(a + b)
	}
	return out
}

func main() { fmt.Println(f(1, 2, []int{0, 3, 5})) }
`

// TestMutants builds a program with all mutants at once, and runs it with each of them active.
func TestMutants(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module example\n\ngo 1.24\n", "main.go": source} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p, err := Load(dir, ".")
	if err != nil {
		t.Fatal(err)
	}
	var all []int
	for _, m := range p.Mutants {
		all = append(all, m.ID)
	}
	overlay, err := p.Overlay(t.TempDir(), all)
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "program")
	build := exec.Command("go", "build", "-overlay", overlay, "-o", program, ".")
	build.Dir = dir
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	reachedFile := filepath.Join(dir, "met")
	run := func(id int) string {
		cmd := exec.Command(program)
		cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d", Variable, id), MetVariable+"="+reachedFile)
		out, err := cmd.Output()
		if err != nil {
			return "fails"
		}
		return strings.TrimSpace(string(out))
	}
	const plain = "3 5 3"
	if got := run(0); got != plain {
		t.Errorf("without a change it prints %q", got)
	}
	want := map[string]string{
		"comparison x == 0 -> !=":                     "3",
		"comparison a < b -> <=":                      plain,
		"logic a < b && x > 2 -> ||":                  plain,
		"operand a < b && x > 2 -> without x > 2":     plain,
		"condition a < b && x > 2 -> never":           "3",
		"condition a < b && x > 2 -> negated":         "3",
		"constant 2 -> 3":                             "5 3",
		"dropped continue -> nothing":                 plain,
		"dropped n += 3 -> nothing":                   "3 5",
		"operand n > 4 || a == -7 -> without n > 4":   "3 5",
		"operand n > 4 || a == -7 -> without a == -7": plain,
		"constant -7 -> -6":                           plain,
		"constant 4 -> 5":                             plain,
		"comparison n > 4 -> >=":                      plain,
		"arithmetic a + b -> -":                       "3 5 -1",
		`dropped out += fmt.Sprint(a + b) -> nothing`: "3 5",
	}
	for _, m := range p.Mutants {
		key := fmt.Sprintf("%s %s -> %s", m.Kind, m.Was, m.Is)
		text, listed := want[key]
		if !listed {
			continue
		}
		if delete(want, key); run(m.ID) != text {
			t.Errorf("%s: prints %q, want %q", m, run(m.ID), text)
		}
	}
	for key := range want {
		t.Errorf("no mutant: %s", key)
	}
	if noted, err := os.ReadFile(reachedFile); err != nil || len(strings.Fields(string(noted))) < len(all)/2 {
		t.Errorf("of %d mutants, the program came to %d: %v", len(all), len(strings.Fields(string(noted))), err)
	}
	if got, err := os.ReadFile(filepath.Join(dir, "main.go")); err != nil || string(got) != source {
		t.Error("the source has changed")
	}
}
