package diagnostics

import (
	"strings"
	"testing"

	"github.com/unitproof/unitproof/diagnostics/csource"
)

func sourceOf(text string) *sourceFile {
	return newSourceCache(func(string) []byte { return []byte(text) }).file("x.c")
}

// TestBranch: the text that the branch at ^ decides on, with ? where that is not certain.
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
		line, column := src.position(at)
		got, certain := src.branchAt(line, column)
		if !certain {
			got += "?"
		}
		if got != test.want {
			t.Errorf("%s: %q, want %q", test.src, got, test.want)
		}
	}
}

func TestExcerptAlignsCarets(t *testing.T) {
	for _, test := range []struct {
		src    string
		column int
		part   csource.Part
		want   string
	}{
		{"\tx = y / z;", 8, csource.Operation, "    x = y / z;\n        ~ ^~~"},
		{"größe = 漢字[i] / 0;", 21, csource.Operation, "größe = 漢字[i] / 0;\n        ~~~~~~~ ^~~"},
		{"a\xff\xfeb = 1;", 4, csource.Operation, "a\uFFFDb = 1;\n  ^"},
		{"x\x1b[31m = 1;", 1, csource.Operation, "x\uFFFD[31m = 1;\n^~~~~~~~~~"},
		{"f(x);", 9, csource.Operation, ""},
		{"   ", 1, csource.Operation, ""},
		{"\treturn *p;", 9, csource.Operation, "    return *p;\n           ^~"},
		{"  p->x = 5;", 8, csource.Operation, "  p->x = 5;\n  ~~~~ ^~~"},
		{"  x = p->next->x;", 10, csource.Operation, "  x = p->next->x;\n      ~~~^~~~"},
	} {
		src := sourceOf(test.src)
		e, ok := src.excerptAt(1, test.column, src.textRange(1, test.column, test.part))
		got := ""
		if ok {
			got = e.text() + "\n" + e.caret()
		}
		if got != test.want {
			t.Errorf("%q:\n%s\nwant\n%s", test.src, got, test.want)
		}
	}
	for _, test := range []struct {
		src    string
		column int
		want   string
	}{
		{"#include <no/such.h>", 10, "#include <no/such.h>\n         ^"},
		{"  int x = f()", 14, "  int x = f()\n             ^"},
		{"\treturn größe;", 9, "    return größe;\n           ^~~~~"},
		{"x", 3, ""},
		{"  ", 1, ""},
	} {
		e, ok := sourceOf(test.src).pointAt(1, test.column)
		got := ""
		if ok {
			got = e.text() + "\n" + e.caret()
		}
		if got != test.want {
			t.Errorf("%q at %d:\n%s\nwant\n%s", test.src, test.column, got, test.want)
		}
	}
	long := strings.Repeat("x + ", 200) + "y / z" + strings.Repeat(" + x", 200)
	e, ok := sourceOf(long).excerptAt(1, 803, textRange{1, 801, 1, 806})
	if !ok || cells(e.text()) > maxExcerpt || !strings.Contains(e.text(), "y / z") ||
		!strings.HasSuffix(e.caret(), "~ ^~~") {
		t.Errorf("a long line is shown as\n%s\n%s", e.text(), e.caret())
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
		got, _, _ := f.decision(f.position(strings.Index(test.src, test.at)))
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
		if got, _ := f.operationAt(f.position(strings.Index(test.src, test.at))); got != test.want {
			t.Errorf("%q at %q: %q, want %q", test.src, test.at, got, test.want)
		}
	}
}

// TestScanOfOneLongLine: generated code may stand on one line; what is looked at, and found, has a limit there as well.
func TestScanOfOneLongLine(t *testing.T) {
	for _, text := range []string{"a(", "if (a || ", "x /* ", "(a)b", "a[", "\"", "a+", "a)"} {
		src := sourceOf(strings.Repeat(text, 10000))
		n := len(src.data)
		for _, column := range []int{1, 2, n / 2, n} {
			src.textRange(1, column, csource.Operation)
			src.branchAt(1, column)
			src.conditionAt(1, column)
			src.decision(1, column)
			src.operationAt(1, column)
			src.excerptAt(1, column, src.textRange(1, column, csource.Operation))
		}
		src.codeLine(1)
	}
}

// FuzzScan: no source and no position upsets the scanner.
func FuzzScan(f *testing.F) {
	f.Add("if (a || b) x = f(c)[1].d;", 1, 5)
	f.Add("f(((\"\\", 1, 1)
	f.Add("(a)(b)(c", 1, 1)
	f.Fuzz(func(t *testing.T, text string, line, column int) {
		src := sourceOf(text)
		r := src.textRange(line, column, csource.Operation)
		if r.endLine < line || r.endLine == line && r.endColumn < r.startColumn && r.startLine == line {
			t.Errorf("ends before it starts: %+v", r)
		}
		src.branchAt(line, column)
		src.conditionAt(line, column)
		src.codeLine(line)
		src.excerptAt(line, column, r)
		src.pointAt(line, column)
		src.decision(line, column)
		src.operationAt(line, column)
		lvaluesIn([]byte(text))
	})
}
