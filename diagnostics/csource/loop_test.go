package csource

import (
	"strings"
	"testing"
)

func TestLoopHead(t *testing.T) {
	for _, test := range []struct{ text, want string }{ // the offset is behind the bar
		{"for (int i = 0; |i < n; i++) x();", "for (int i = 0; i < n; i++)"},
		{"|for (;;) x();", "for (;;)"},
		{"while (a) |while (b) x();", "while (b)"},
		{"while (|a) while (b) x();", "while (a)"},
		{"while (a) |do { x(); } while (b);", "do"},
		{"for (int i = 0; f(\")\", |i); /* ) */ i++) { while (y) ; }", "for (int i = 0; f(\")\", i); /* ) */ i++)"},
		{"for (a; ({ while (|y) z(); 1; }); b) ;", "while (y)"},
		{"for (a; b; c) { |x(); }", ""},
		{"do { x(); } while (|x < 3);", "while (x < 3)"},
		{"while (|x", ""},
		{"format(|x)", ""},
	} {
		at := strings.Index(test.text, "|")
		text := strings.Replace(test.text, "|", "", 1)
		start, end, ok := LoopHead([]byte(text), at)
		if got := text[start:end]; got != test.want || ok != (test.want != "") {
			t.Errorf("%s: %q, %t", test.text, got, ok)
		}
	}
}
