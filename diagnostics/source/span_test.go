package source

import (
	"strings"
	"testing"

	"github.com/unitproof/unitproof/diagnostics/csource"
)

func sourceOf(text string) *File {
	return NewCache(func(string) []byte { return []byte(text) }).File("x.c")
}

// TestBranch checks the text that the branch at ^ tests, with ? if it is not certain.
func TestBranch(t *testing.T) {
	for _, test := range []struct{ src, want string }{
		{"if (^x > 0)", "x > 0"},
		{"if (^a < 3 || b > 4)", "b > 4"},
		{"if (a < 3 ^|| b > 4)", "a < 3"},
		{"if (a && b ^&& c)", "b"},
		{"if (f(a, b) ^&& c)", "f(a, b)"},
		{"^while (a && b)", "a && b"},
		{"while (a ^&& b)", "a"},
		{"^for (i = 0; i < n; i++)", "i < n"},
		{"for (i = 0; a ^|| b; i++)", "a"},
		{"if (^!(a || b))", "!(a || b)?"},
		{"if (a\n    ^|| b)", "a"},
		{"x = c ^? a : b;", "x = c ? a : b;?"},
		{"if (^x /* why */)", "x"},
	} {
		at := strings.Index(test.src, "^")
		src := sourceOf(strings.Replace(test.src, "^", "", 1))
		line, column := src.Position(at)
		got, certain := src.Branch(line, column)
		if !certain {
			got += "?"
		}
		if got != test.want {
			t.Errorf("%s: %q, want %q", test.src, got, test.want)
		}
	}
}

func TestDecisionOfDo(t *testing.T) {
	for _, test := range []struct{ src, at, want string }{
		{"do p++; while (*p != 'x');", "p++", "*p != 'x'"},
		{"do\n  f(a, b);\nwhile (n-- > 0);", "f(a", "n-- > 0"},
		{"do if (a) b; else c; while (d);", "if (a", "d"},
		{"do { p++; } while (*p);", "} while", "*p"},
		{"undo(p); while (q) r;", "(p", "p"},
		{"do p++;", "p++", ""},
	} {
		f := sourceOf(test.src)
		got, _, _ := f.Decision(f.Position(strings.Index(test.src, test.at)))
		if got != test.want {
			t.Errorf("%q: decides on %q, want %q", test.src, got, test.want)
		}
	}
}

func TestOperationOfMember(t *testing.T) {
	for _, test := range []struct{ src, at, want string }{
		{"  while (m->e[i].used) i++;", "used", "m->e[i].used"},
		{"x = s.buf[n];", "buf", "s.buf[n]"},
		{"x = p -> q;", "q", "p -> q"},
		{"x = f(1.5e3);", "f", "f(1.5e3)"},
		{"x = y;", "y", "y"},
	} {
		f := sourceOf(test.src)
		if got, _ := f.Operation(f.Position(strings.Index(test.src, test.at))); got != test.want {
			t.Errorf("%q at %q: %q, want %q", test.src, test.at, got, test.want)
		}
	}
}

// TestScanOfOneLongLine checks that scans are limited in very long lines, as in generated code.
func TestScanOfOneLongLine(t *testing.T) {
	for _, text := range []string{"a(", "if (a || ", "x /* ", "(a)b", "a[", "\"", "a+", "a)"} {
		src := sourceOf(strings.Repeat(text, 10000))
		n := len(src.Bytes())
		for _, column := range []int{1, 2, n / 2, n} {
			if r := src.Range(1, column, csource.Operation); r.StartLine != 1 || r.EndLine != 1 || r.StartColumn > column ||
				r.EndColumn > n+1 {
				t.Errorf("column %d of %.9q...: %+v", column, text, r)
			}
			src.Branch(1, column)
			src.Condition(1, column)
			if quoted, ok := src.Operation(1, column); ok && len(quoted) > 1<<12 {
				t.Errorf("column %d of %.9q...: the operation has %d bytes", column, text, len(quoted))
			}
			if quoted, _, ok := src.Decision(1, column); ok && len(quoted) > 1<<12 {
				t.Errorf("column %d of %.9q...: the decision has %d bytes", column, text, len(quoted))
			}
		}
		if src.CodeLine(1) == "" {
			t.Errorf("%.9q... has no code", text)
		}
	}
}

// FuzzScan checks that no source and no position causes a panic.
func FuzzScan(f *testing.F) {
	f.Add("if (a || b) x = f(c)[1].d;", 1, 5)
	f.Add("f(((\"\\", 1, 1)
	f.Add("(a)(b)(c", 1, 1)
	f.Fuzz(func(t *testing.T, text string, line, column int) {
		src := sourceOf(text)
		r := src.Range(line, column, csource.Operation)
		if r.EndLine < line || r.EndLine == line && r.EndColumn < r.StartColumn && r.StartLine == line {
			t.Errorf("ends before it starts: %+v", r)
		}
		src.Branch(line, column)
		src.Condition(line, column)
		src.CodeLine(line)
		src.Decision(line, column)
		src.Operation(line, column)
	})
}
