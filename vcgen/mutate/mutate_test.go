package mutate

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/clangtest"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

const source = `int calls;
static void note(void) { calls++; }
int f(int x, unsigned u, int *p) {
  if (x < 4 && p)
    *p = 7;
  note();
  switch (x) {
  case 1: return 3;
  }
  return (int)(u >> 2) + x;
}
`

func everywhere(*llvmir.Func, *llvmir.Loc) bool { return true }

// TestList checks that List returns each change that is visible in the source of f, and no other.
func TestList(t *testing.T) {
	m := read(t)
	var got []string
	for _, mu := range List(m.Module, Options{Code: everywhere}) {
		if mu.Function == "f" {
			got = append(got, fmt.Sprintf("%d %s %s %s", mu.Line, mu.Kind, mu.From, mu.To))
		}
	}
	for _, want := range []string{"4 comparison < <=", "4 constant 4 5", "4 constant 4 3", "4 branch  ", "5 assignment  ",
		"5 constant 7 8", "5 constant 7 6", "6 call note ", "8 constant 3 4", "10 operator >> <<", "10 operator + -"} {
		if !slices.Contains(got, want) {
			t.Errorf("no change %q among %q", want, got)
		}
	}
	for _, line := range got {
		if line == "8 assignment  " || line == "4 comparison != ==" {
			t.Errorf("%q is not what the source says", line)
		}
	}
}

// TestApply checks that each mutation changes the module exactly once, and that each probe has an assertion.
func TestApply(t *testing.T) {
	plain := dump(read(t))
	list := List(read(t).Module, Options{Code: everywhere})
	seen := map[string]bool{plain: true}
	for _, mu := range list {
		m := read(t)
		if err := mu.Apply(m.Module); err != nil {
			t.Fatal(err)
		}
		text := dump(m)
		if seen[text] {
			t.Errorf("%+v gives a program that there was", mu)
		}
		seen[text] = true
		m = read(t)
		if err := mu.Probe(m.Module); err != nil {
			t.Fatal(err)
		}
		if dump(m) == plain {
			t.Errorf("the probe of %+v changes nothing", mu)
		}
	}
	if err := (&Mutation{id: 1 << 20}).Apply(read(t).Module); err == nil {
		t.Error("a place that there is not was changed")
	}
}

func dump(m *clangir.Module) string {
	var b strings.Builder
	for _, f := range m.Funcs {
		for _, block := range f.Blocks {
			for _, in := range block.Instrs {
				fmt.Fprintln(&b, in, in.Intrinsic, in.Succs)
			}
		}
	}
	return b.String()
}

func read(t *testing.T) *clangir.Module {
	t.Helper()
	m, err := clangir.Read([]byte(clangtest.Compile(t, source)), llvmir.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}
