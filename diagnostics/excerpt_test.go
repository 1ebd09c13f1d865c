package diagnostics

import (
	"strings"
	"testing"

	"github.com/unitproof/unitproof/diagnostics/csource"
	"github.com/unitproof/unitproof/diagnostics/source"
)

func textOf(text string) *source.File {
	return source.NewCache(func(string) []byte { return []byte(text) }).File("x.c")
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
		src := textOf(test.src)
		e, ok := excerptAt(src, 1, test.column, src.Range(1, test.column, test.part))
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
		e, ok := pointAt(textOf(test.src), 1, test.column)
		got := ""
		if ok {
			got = e.text() + "\n" + e.caret()
		}
		if got != test.want {
			t.Errorf("%q at %d:\n%s\nwant\n%s", test.src, test.column, got, test.want)
		}
	}
	long := strings.Repeat("x + ", 200) + "y / z" + strings.Repeat(" + x", 200)
	e, ok := excerptAt(textOf(long), 1, 803, source.Range{StartLine: 1, StartColumn: 801, EndLine: 1, EndColumn: 806})
	if !ok || cells(e.text()) > maxExcerpt || !strings.Contains(e.text(), "y / z") ||
		!strings.HasSuffix(e.caret(), "~ ^~~") {
		t.Errorf("a long line is shown as\n%s\n%s", e.text(), e.caret())
	}
}

// TestExcerptOfOneLongLine marks positions in very long lines, as in generated code.
func TestExcerptOfOneLongLine(t *testing.T) {
	for _, text := range []string{"a(", "x /* ", "\"", "a+"} {
		text = strings.Repeat(text, 10000)
		src := textOf(text)
		for _, column := range []int{1, 2, len(text) / 2, len(text)} {
			e, ok := excerptAt(src, 1, column, src.Range(1, column, csource.Operation))
			if !ok || cells(e.text()) > maxExcerpt || cells(e.caret()) > maxExcerpt || !strings.Contains(e.caret(), "^") {
				t.Errorf("column %d of %.5q...: %v\n%s\n%s", column, text, ok, e.text(), e.caret())
			}
		}
	}
}

// FuzzExcerpt checks that no source and no position causes a panic.
func FuzzExcerpt(f *testing.F) {
	f.Add("if (a || b) x = f(c)[1].d;", 1, 5)
	f.Add("f(((\"\\", 1, 1)
	f.Add("(a)(b)(c", 1, 1)
	f.Fuzz(func(t *testing.T, text string, line, column int) {
		src := textOf(text)
		excerptAt(src, line, column, src.Range(line, column, csource.Operation))
		pointAt(src, line, column)
		lvaluesIn([]byte(text))
	})
}
