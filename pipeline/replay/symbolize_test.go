package replay

import (
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
)

const symbolized = `static const int fixed = 5;
int written = 6;
static inline __attribute__((always_inline)) int inner(volatile int *p) {
  return *p + 1;
}
static inline __attribute__((always_inline)) int middle(volatile int *p) {
  {
    int y = 2 *
            inner(p);
    return y;
  }
}
int outer(volatile int *p) {
  return middle(p) + fixed;
}
int main(void) {
  return outer(&written);
}
`

// TestPlaces checks that addresses become places, innermost first, each with its line; callers with the line of the
// call.
func TestPlaces(t *testing.T) {
	dir := t.TempDir()
	source, program := filepath.Join(dir, "s.c"), filepath.Join(dir, "s")
	if err := os.WriteFile(source, []byte(symbolized), 0o600); err != nil {
		t.Fatal(err)
	}
	// The name is relative, so that the folder of the compilation is needed.
	cmd := exec.Command("clang-14", "-gdwarf-4", "-O1", "-fno-inline-functions", "-o", program, "s.c")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	s, err := readSymbols(program)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	list, err := s.file.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	symbol := func(name string) elf.Symbol {
		i := slices.IndexFunc(list, func(s elf.Symbol) bool { return s.Name == name })
		if i < 0 {
			t.Fatalf("no symbol %s", name)
		}
		return list[i]
	}
	outer := symbol("outer")
	found := false
	for pc := outer.Value; pc < outer.Value+outer.Size; pc++ {
		got := s.places(pc)
		if len(got) == 0 || got[len(got)-1].Function != "outer" {
			t.Fatalf("%#x: %v", pc, got)
		}
		if len(got) != 3 || got[0].Line != 4 {
			continue
		}
		found = true
		want := []place{{"inner", source, 4, got[0].Column}, {"middle", source, 9, 13}, {"outer", source, 14, 10}}
		if !slices.Equal(got, want) {
			t.Errorf("%#x: %v, want %v", pc, got, want)
		}
	}
	if !found {
		t.Error("no address of the innermost function")
	}
	if got := s.places(symbol("main").Value); len(got) == 0 || got[0].Function != "main" || got[0].Line != 16 &&
		got[0].Line != 17 {
		t.Errorf("main: %v", got)
	}
	if got := s.places(symbol("_start").Value); got != nil {
		t.Errorf("code without debug information: %v", got)
	}
	if !s.constant(outer.Value) || s.constant(symbol("written").Value) || s.constant(0xdeadbeef0000) {
		t.Error("what may be written is mistaken")
	}
}

// TestPlacesInNamespaces checks functions in the namespaces of C++ and modules of Rust.
func TestPlacesInNamespaces(t *testing.T) {
	dir := t.TempDir()
	source, program := filepath.Join(dir, "n.cc"), filepath.Join(dir, "n")
	if err := os.WriteFile(source, []byte(`namespace a { namespace b {
static inline __attribute__((always_inline)) int inner(volatile int *p) {
  return *p + 1;
}
int outer(volatile int *p) {
  return inner(p);
}
} }
extern "C" int main() { int x = 1; return a::b::outer(&x); }
`), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("clang-14", "-g", "-O1", "-fno-inline-functions", "-o", program,
		source).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	s, err := readSymbols(program)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	list, err := s.file.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(list, func(s elf.Symbol) bool { return s.Name == "_ZN1a1b5outerEPVi" })
	if i < 0 {
		t.Fatal("no symbol of a::b::outer")
	}
	found := false
	for pc := list[i].Value; pc < list[i].Value+list[i].Size; pc++ {
		got := s.places(pc)
		if len(got) == 0 || got[len(got)-1].Function != "outer" {
			t.Fatalf("%#x: %v", pc, got)
		}
		found = found || len(got) == 2 && got[0].Line == 3 && got[1].Line == 6
	}
	if !found {
		t.Error("no address of the inlined function")
	}
}
