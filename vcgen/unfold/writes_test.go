package unfold_test

import (
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/vcgen/choice"
	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/clangtest"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/language"
	"github.com/unitproof/unitproof/vcgen/llvmir"
	"github.com/unitproof/unitproof/vcgen/smt"
	"github.com/unitproof/unitproof/vcgen/unfold"
)

// A walker is a random function with a loop, which can be executed and printed as C. It has three numbers (x, y, z),
// three arrays (a, b, c) and two pointers to these (p, q).
type walker struct {
	point [2][2]string // targets of p and q if the input is 0, and if it is not
	body  []statement
}

type statement struct {
	kind string
	to   string // a variable, an array, or a pointer
	from string // an array
	only int    // the only iteration that executes it; negative: all do
}

var (
	numbers  = []string{"x", "y", "z"}
	arrays   = []string{"a", "b", "c"}
	pointers = []string{"p", "q"}
)

func randomWalker(rng *rand.Rand) walker {
	one := func(of []string) string { return of[rng.Intn(len(of))] }
	var w walker
	for i := range w.point {
		first := one(arrays)
		w.point[i] = [2]string{first, first}
		if rng.Intn(2) == 0 {
			w.point[i][1] = one(arrays)
		}
	}
	for range 1 + rng.Intn(4) {
		s := statement{only: rng.Intn(6) - 3}
		switch rng.Intn(16) {
		case 0, 1, 2:
			s.kind, s.to = "number", one(numbers)
		case 3, 4:
			s.kind, s.to = "array", one(arrays)
		case 5, 6, 7:
			s.kind, s.to = "through", one(pointers)
		case 8:
			s.kind, s.to = "fill", one(append(pointers, arrays...))
		case 9:
			s.kind, s.to = "call", one(append(pointers, arrays...))
		case 10, 11:
			s.kind, s.to = "read", one(pointers)
		case 12:
			s.kind, s.to = "own", one(pointers)
		case 13:
			s.kind, s.to, s.from = "move", one(pointers), one(arrays)
		default:
			s.kind = "inner"
		}
		w.body = append(w.body, s)
	}
	return w
}

// text returns the function in C.
func (w walker) text(name string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "void %s(int in) {\n  int x = 0, y = 0, z = 0, a[2] = {0}, b[2] = {0}, c[2] = {0};\n", name)
	for i, p := range pointers {
		fmt.Fprintf(&b, "  int *%s = in ? %s : %s;\n", p, w.point[i][1], w.point[i][0])
	}
	b.WriteString("  for (int i = 0; i < 3; i++) {\n    __unitproof_frame_begin(1);\n    __unitproof_frame_written(1);\n")
	for _, s := range w.body {
		b.WriteString("    ")
		if s.only >= 0 {
			fmt.Fprintf(&b, "if (i == %d) ", s.only)
		}
		switch s.kind {
		case "number":
			fmt.Fprintf(&b, "%s = i + 1;\n", s.to)
		case "array", "through":
			fmt.Fprintf(&b, "%s[i & 1] = i + 1;\n", s.to)
		case "fill":
			fmt.Fprintf(&b, "memset(%s, i + 1, 8);\n", s.to)
		case "call":
			fmt.Fprintf(&b, "set(%s, i + 1);\n", s.to)
		case "read":
			fmt.Fprintf(&b, "peek(%s);\n", s.to)
		case "own":
			fmt.Fprintf(&b, "{ int *r = %s; r[1] = i + 1; }\n", s.to)
		case "move":
			fmt.Fprintf(&b, "%s = %s;\n", s.to, s.from)
		case "inner":
			b.WriteString("{ int t = i; int u[2] = {t, t}; t++; u[t & 1] = 1; }\n")
		}
	}
	b.WriteString("    __unitproof_stop();\n  }\n  peek(x + y + z ? a : b); peek(c); peek(p); peek(q);\n}\n")
	return b.String()
}

// walk executes the function naively and returns the places that the loop writes.
func (w walker) walk(in int) map[string]bool {
	at := map[string]string{}
	for i, p := range pointers {
		at[p] = w.point[i][in]
	}
	array := func(of string) string {
		if to, is := at[of]; is {
			return to
		}
		return of
	}
	out := map[string]bool{"i": true}
	for i := range 3 {
		for _, s := range w.body {
			if s.only >= 0 && s.only != i {
				continue
			}
			switch s.kind {
			case "number":
				out[s.to] = true
			case "array", "through", "fill", "call", "own":
				out[array(s.to)] = true
			case "move":
				at[s.to] = s.from
				out[s.to] = true
			}
		}
	}
	return out
}

// plain reports whether the write set names the target of each write. It does not for a write through a pointer that
// moves, or whose lifetime begins, in the loop, nor in a function that writes through a parameter.
func (w walker) plain() bool {
	return !slices.ContainsFunc(w.body, func(s statement) bool {
		return s.kind == "call" || s.kind == "own" || s.kind == "move"
	})
}

// TestWriteSets compares the write sets of random cut loops with the writes of executions. Nothing may be missing, and
// if each write has a named target, nothing may be in excess.
func TestWriteSets(t *testing.T) {
	const count = 150
	rng := rand.New(rand.NewSource(7))
	walkers := make([]walker, count)
	source := prelude + "static void set(int *to, int v) { to[0] = v; }\n" +
		"static int peek(const int *at) { return at[0]; }\n"
	for i := range walkers {
		walkers[i] = randomWalker(rng)
		source += walkers[i].text(fmt.Sprintf("f%d", i))
	}
	m, err := clangir.Read([]byte(clangtest.Compile(t, source)), llvmir.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	exact := 0
	for i, w := range walkers {
		got := writeSet(t, m, fmt.Sprintf("f%d", i))
		want := map[string]bool{}
		for in := range 2 {
			for name := range w.walk(in) {
				want[name] = true
				if !got[name] {
					t.Errorf("the loop of f%d writes %s, which is not in its write set %v", i, name, got)
				}
			}
		}
		if w.plain() {
			for name := range got {
				// A statement of an iteration that is never reached is in the loop all the same.
				if !want[name] && !strings.Contains("p q", name) && !w.never(name) {
					t.Errorf("the write set of the loop of f%d has %s, which it does not write", i, name)
				}
			}
			exact++
		}
		if t.Failed() {
			t.Fatalf("%s", w.text("f"))
		}
	}
	if exact < count/4 {
		t.Errorf("only %d write sets had to be exact", exact)
	}
}

// never reports whether a write of a variable is in the loop, but is never executed.
func (w walker) never(name string) bool {
	return slices.ContainsFunc(w.body, func(s statement) bool { return s.only > 2 && s.to == name })
}

// writeSet unfolds a function with its loop cut and returns the places that are arbitrary at its head.
func writeSet(t *testing.T, m *clangir.Module, name string) map[string]bool {
	t.Helper()
	c := smt.NewContext()
	p, err := unfold.Run(t.Context(), m, name, c, &enumerating{c: c}, unfold.Options{
		Semantics:     found.Semantics{Checks: found.DefaultChecks()},
		LoopContracts: language.LoopsCut})
	if err != nil {
		t.Fatal(err)
	}
	locals := map[string]string{}
	for _, b := range m.FuncByName[name].Blocks {
		for _, in := range b.Instrs {
			if in.Op == llvmir.OpAlloca {
				locals[choice.Local(in.ID)] = m.FuncByName[name].RegName(in.Dst)
			}
		}
	}
	out := map[string]bool{}
	for _, in := range p.Log.Inputs {
		switch {
		case in.Kind != choice.LoopState:
		case in.Bytes:
			out[p.Memory.Objects[in.Object].Name] = true
		default:
			out[locals[in.Name]] = true
		}
	}
	return out
}
