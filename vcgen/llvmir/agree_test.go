package llvmir

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/unitproof/unitproof/vcgen/clangtest"
	"github.com/unitproof/unitproof/vcgen/llvmir/lexer"
	"github.com/unitproof/unitproof/vcgen/sampletest"
)

// difference describes the differences between two modules, ignoring private fields; "" if there are none.
func difference(a, b *Module) string {
	d := &differ{visited: map[[2]any]bool{}}
	d.compare(reflect.ValueOf(a), reflect.ValueOf(b), nil)
	return strings.Join(d.found, "\n")
}

// differ compares two graphs, and visits each pair of pointers once.
type differ struct {
	visited map[[2]any]bool
	found   []string
}

func (d *differ) report(path []string, format string, args ...any) {
	if len(d.found) < 10 {
		d.found = append(d.found, strings.Join(path, "")+": "+fmt.Sprintf(format, args...))
	}
}

func (d *differ) compare(a, b reflect.Value, path []string) {
	if len(d.found) >= 10 {
		return
	}
	switch a.Kind() {
	case reflect.Pointer:
		if a.IsNil() || b.IsNil() {
			if a.IsNil() != b.IsNil() {
				d.report(path, "%v and %v", a, b)
			}
			return
		}
		if x, ok := a.Interface().(*big.Int); ok {
			if y := b.Interface().(*big.Int); x.Cmp(y) != 0 {
				d.report(path, "%d and %d", x, y)
			}
			return
		}
		pair := [2]any{a.Interface(), b.Interface()}
		if d.visited[pair] {
			return
		}
		d.visited[pair] = true
		d.compare(a.Elem(), b.Elem(), path)
	case reflect.Struct:
		if in, ok := a.Interface().(Instr); ok {
			path = append(path[:len(path):len(path)], fmt.Sprintf(" (%s / %s)", &in, ptr(b.Interface().(Instr))))
		}
		for i := range a.NumField() {
			if f := a.Type().Field(i); f.IsExported() {
				d.compare(a.Field(i), b.Field(i), append(path[:len(path):len(path)], "."+f.Name))
			}
		}
	case reflect.Slice:
		if a.Len() != b.Len() {
			d.report(path, "%d and %d elements", a.Len(), b.Len())
			return
		}
		for i := range a.Len() {
			d.compare(a.Index(i), b.Index(i), append(path[:len(path):len(path)], fmt.Sprintf("[%d]", i)))
		}
	case reflect.Map:
		if a.Len() != b.Len() {
			d.report(path, "%d and %d entries", a.Len(), b.Len())
		}
		for _, k := range a.MapKeys() {
			other := b.MapIndex(k)
			if !other.IsValid() {
				d.report(path, "%v is missing", k)
				continue
			}
			d.compare(a.MapIndex(k), other, append(path[:len(path):len(path)], fmt.Sprintf("[%v]", k)))
		}
	default:
		if x, y := a.Interface(), b.Interface(); x != y {
			d.report(path, "%#v and %#v", x, y)
		}
	}
}

func ptr[T any](x T) *T { return &x }

// programs returns the C files of the corpora in testdata.
func programs(t *testing.T) []string {
	var out []string
	for _, root := range []string{"../../testdata/proofs", "../../testdata/acceptance"} {
		err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
			if err == nil && strings.HasSuffix(path, ".c") {
				out = append(out, path)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// TestAgreesWithOracle compares our reader with llir's parser on clang's output for all programs of the corpora.
//
// With -short it takes one in ten. If the folder UNITPROOF_MODULES exists, the linked modules in it are compared, too.
func TestAgreesWithOracle(t *testing.T) {
	var texts [][]byte
	var names []string
	all := programs(t)
	if len(all) < 100 {
		t.Fatalf("only %d programs", len(all))
	}
	all = slices.DeleteFunc(all, func(file string) bool { return !sampletest.Short(t, filepath.Base(file), 10) })
	var mu sync.Mutex
	var wg sync.WaitGroup
	files := make(chan string)
	for range 2 {
		wg.Go(func() {
			for file := range files {
				text, ok := compileFile(file)
				if !ok { // requires other headers
					continue
				}
				mu.Lock()
				texts, names = append(texts, text), append(names, file)
				mu.Unlock()
			}
		})
	}
	for _, file := range all {
		files <- file
	}
	close(files)
	wg.Wait()
	if len(texts) < len(all)/2 || len(texts) < 6 {
		t.Fatalf("clang-14 compiles only %d programs", len(texts))
	}
	modules, _ := filepath.Glob(filepath.Join(os.Getenv("UNITPROOF_MODULES"), "*.ll"))
	for _, file := range modules {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		texts, names = append(texts, text), append(names, file)
	}
	for i, text := range texts {
		ours, err := Read(text, ReadOptions{})
		if err != nil {
			t.Errorf("%s: %v", names[i], err)
			continue
		}
		if err := Verify(ours); err != nil {
			t.Errorf("%s: %v", names[i], err)
		}
		theirs, err := readByOracle(text, ReadOptions{})
		if err != nil {
			t.Logf("%s: the oracle refuses it: %v", names[i], err)
			continue
		}
		if d := difference(ours, theirs); d != "" {
			t.Errorf("%s:\n%s", names[i], d)
		}
	}
	t.Logf("%d modules", len(texts))
}

// compileFile returns clang's assembly for a file; false if it needs missing files.
func compileFile(file string) ([]byte, bool) {
	cmd := exec.Command("clang-14", append(slices.Clone(clangtest.Flags), "-o", "-", "-w", "-I../../pipeline/clang",
		"-I"+filepath.Dir(file), file)...)
	out, err := cmd.Output()
	return out, err == nil
}

// TestDifferenceIsFound checks that the comparison detects a change in any place.
func TestDifferenceIsFound(t *testing.T) {
	const text = "@g = global i32 7\ndefine i32 @f(i32 %x) {\n  %y = add i32 %x, 1\n  br label %b\nb:\n  ret i32 %y\n}"
	a := read(t, text, ReadOptions{})
	if d := difference(a, read(t, text, ReadOptions{})); d != "" {
		t.Fatal(d)
	}
	for _, change := range [][2]string{{"7", "8"}, {"add", "sub"}, {", 1", ", 2"}, {"i32 %y\n}", "i32 %x\n}"},
		{"@g", "@h"}, {"global i32", "constant i32"}} {
		if difference(a, read(t, strings.Replace(text, change[0], change[1], 1), ReadOptions{})) == "" {
			t.Errorf("%q for %q is not found", change[1], change[0])
		}
	}
}

// pieces returns the tokens of a text and the gaps between them.
func pieces(text []byte) [][]byte {
	var out [][]byte
	l := lexer.Lexer{Text: text}
	end := 0
	for l.Next(); l.Kind != lexer.EOF; l.Next() {
		if l.Start > end {
			out = append(out, text[end:l.Start])
		}
		out = append(out, text[l.Start:l.End])
		end = l.End
	}
	return append(out, text[end:])
}

// sameClass reports whether two pieces are tokens of the same kind.
func sameClass(a, b []byte) bool {
	x, y := lexer.Lexer{Text: a}, lexer.Lexer{Text: b}
	x.Next()
	y.Next()
	return x.Kind == y.Kind && (x.Kind != lexer.Punct || a[x.Start] == b[y.Start])
}

// TestMutatedTexts drops, swaps and replaces tokens of valid texts.
//
// If both parsers accept a text, they must agree on it; if ours rejects it, it must return an error.
func TestMutatedTexts(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 5))
	var texts [][][]byte
	var pool [][]byte
	for _, text := range []string{linkageModule, everyInstruction(), clangtest.Compile(t, `
struct s { int a; char b[3]; struct s *n; } g = {1, "ab", &g}; double d = 1.5; float fl = 0.1f; int arr[4] = {1, 2};
int f(int *p, int n) {
  int r = 0;
  for (int i = 0; i < n; i++) { r += p[i] / n; switch (r) { case 1: r = 4; break; case 7: return 3; } }
  return r + g.b[1];
}
long h(struct s x, unsigned char c) { return x.a ? c : (long)&g.n + (long)(d * 2); }`)} {
		texts = append(texts, pieces([]byte(text)))
		pool = append(pool, texts[len(texts)-1]...)
	}
	both, rounds := 0, sampletest.Rounds(1500)
	for range rounds {
		text := slices.Clone(texts[random.IntN(len(texts))])
		for range 1 + random.IntN(2) {
			at, other := random.IntN(len(text)), random.IntN(len(text))
			switch random.IntN(4) {
			case 0:
				text[at] = nil
			case 1:
				text[at], text[other] = text[other], text[at]
			case 2:
				text[at] = slices.Concat(text[at], []byte(" "), pool[random.IntN(len(pool))])
			default:
				for range 100 {
					if by := pool[random.IntN(len(pool))]; sameClass(by, text[at]) {
						text[at] = by
						break
					}
				}
			}
		}
		mutated := bytes.Join(text, nil)
		ours, err := Read(mutated, ReadOptions{})
		if err != nil {
			if strings.Contains(err.Error(), "internal error") || !strings.Contains(err.Error(), "line ") &&
				!errors.As(err, new(*UnsupportedTarget)) {
				t.Errorf("%v for\n%s", err, mutated)
			}
			continue
		}
		theirs, err := readByOracle(mutated, ReadOptions{})
		if err != nil {
			continue
		}
		if both++; difference(ours, theirs) != "" {
			t.Errorf("%s in\n%s", difference(ours, theirs), mutated)
		}
	}
	if both < int(rounds)/15 {
		t.Errorf("both parsers accept only %d texts", both)
	}
}
