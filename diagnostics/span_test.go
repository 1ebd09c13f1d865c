package diagnostics

import (
	"strings"
	"testing"
)

func sourceOf(text string) *sourceFile {
	return newSourceCache(func(string) []byte { return []byte(text) }).file("x.c")
}

// TestExtent: «…» stands around what the position of its first byte is widened to.
func TestExtent(t *testing.T) {
	for _, test := range []string{
		"  «sassert(a < (b, c))»;",
		"  «sassert(f(\")\", ')', '\\''))»;",
		"  «assert(a /* ) */ &&\n     b)»;",
		"  x = «f (1)» + 2;",
		"  «m[i][j]».k = 2;",
		"  p->«x» = 2;",
		"  a «+ b[i].c->d»;",
		"  a «+ (int)b» * c;",
		"  a «<<= n»;",
		"  x «=» a + b;",
		"  y = «*p->q»;",
		"  y = -«x»;",
		"  for («i»=0;;)",
		"  «for (int i = 0; i < n; i++)» {",
		"  «while (a\n  && b)» {",
		"  «do» { } while (x);",
		"  «return a + b»;",
		"  «return» ",
		"  s = «\"a;b\"»;",
		"  x = «1.5e+3»;",
		"  «f»(unbalanced",
		"  (void)«nd_int()»;",
		"  «größe(1)»;",
	} {
		start, end := strings.Index(test, "«"), strings.Index(test, "»")
		text := strings.NewReplacer("«", "", "»", "").Replace(test)
		src := sourceOf(text)
		line, column := src.position(start)
		endLine, endColumn := src.extent(line, column)
		if wantLine, wantColumn := src.position(end - len("«")); endLine != wantLine || endColumn != wantColumn {
			t.Errorf("%s: ends at %d:%d, want %d:%d", test, endLine, endColumn, wantLine, wantColumn)
		}
	}
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
		src       string
		column    int
		endColumn int
		want      string
	}{
		{"\tx = y / z;", 8, 11, "    x = y / z;\n        ~ ^~~"},
		{"größe = 漢字[i] / 0;", 21, 24, "größe = 漢字[i] / 0;\n        ~~~~~~~ ^~~"},
		{"a\xff\xfeb = 1;", 4, 5, "a\uFFFDb = 1;\n  ^"},
		{"x\x1b[31m = 1;", 1, 2, "x\uFFFD[31m = 1;\n^"},
		{"f(x);", 9, 12, ""},
		{"   ", 1, 1, ""},
		{"\treturn *p;", 9, 11, "    return *p;\n           ^~"},
	} {
		e, ok := sourceOf(test.src).excerptAt(1, test.column, 1, test.endColumn)
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
	e, ok := sourceOf(long).excerptAt(1, 803, 1, 806)
	if !ok || cells(e.text()) > maxExcerpt || !strings.Contains(e.text(), "y / z") || !strings.HasSuffix(e.caret(), "~ ^~~") {
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
			src.extent(1, column)
			src.branchAt(1, column)
			src.conditionAt(1, column)
			src.decision(1, column)
			src.operationAt(1, column)
			src.excerptAt(1, column, 1, column+1)
		}
		src.codeLine(1)
	}
	// A call that ends beyond the limit is not followed, one that ends before it is.
	for arguments, whole := range map[int]bool{1000: true, 4096: false} {
		src := sourceOf("f(" + strings.Repeat("a,", arguments) + "a)")
		if _, end := src.extent(1, 1); (end == len(src.data)+1) != whole {
			t.Errorf("with %d arguments, the call ends in column %d of %d", arguments+1, end, len(src.data))
		}
	}
}

// FuzzScan: no source and no position upsets the scanner.
func FuzzScan(f *testing.F) {
	f.Add("if (a || b) x = f(c)[1].d;", 1, 5)
	f.Add("f(((\"\\", 1, 1)
	f.Add("(a)(b)(c", 1, 1)
	f.Fuzz(func(t *testing.T, text string, line, column int) {
		src := sourceOf(text)
		endLine, endColumn := src.extent(line, column)
		if endLine < line || endLine == line && endColumn < column {
			t.Errorf("ends before it starts: %d:%d", endLine, endColumn)
		}
		src.branchAt(line, column)
		src.conditionAt(line, column)
		src.codeLine(line)
		src.excerptAt(line, column, endLine, endColumn)
		src.pointAt(line, column)
		src.decision(line, column)
		src.operationAt(line, column)
		lvaluesIn([]byte(text))
	})
}
