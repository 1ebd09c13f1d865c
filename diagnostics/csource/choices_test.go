package csource

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestDeadCode derives dead code from the operands of conditions: "c" is never true, "C" is never false, "n" is never
// evaluated.
func TestDeadCode(t *testing.T) {
	for _, c := range []struct{ code, want string }{
		{"if (c) A(); else B();", "A();"},
		{"if (C) A(); else B();", "B();"},
		{"if (!c) A(); else { B(); }", "{ B(); }"},
		{"if (x) A(); else B();", ""},
		{"if (n) A(); else if (x) B(); else D();", "A(); | if (x) B(); else D();"},
		{"if (x) A(); else if (c) B(); else D();", "B();"},
		{"if (c && x) A(); else B();", "A();"},
		{"if (x && c) A(); else B();", "A();"},
		{"if (c || x) A(); else B();", ""},
		{"if (c || (c)) A(); else B();", "A();"},
		{"if (C || x) A(); else B();", "B();"},
		{"if (C && C) A(); else B();", "B();"},
		{"if (!(C && x)) A(); else B();", ""},
		{"if (!(C || x)) A(); else B();", "A();"},
		{"if (c) { if (c) A(); while (c) D(); }", "{ if (c) A(); while (c) D(); }"},
		{"while (c) A(); for (i = 0; c; i++) { B(); } do D(); while (c);", "A(); | { B(); }"},
		{"int y = c ? 1 : 2; int z = C ? 3 : 4;", "1 | 4"},
		{"if (c) { A(); again: B(); } goto again;", ""},
		{"if (c) { switch (x) { case 1: A(); } }", "{ switch (x) { case 1: A(); } }"},
		{"switch (x) { default: if (c) { A(); case 1: B(); } }", ""},
	} {
		text := "void f(void) {\n" + c.code + "\n}\n"
		var got []string
		for _, r := range NewSource([]byte(text)).DeadCode(20, func(head, start, end int, way bool) bool {
			if head > start {
				t.Errorf("%s: a condition before its statement", c.code)
			}
			operand := text[start:end]
			return operand == "n" || operand == "c" && way || operand == "C" && !way
		}) {
			got = append(got, text[r[0]:r[1]])
		}
		if s := strings.Join(got, " | "); s != c.want {
			t.Errorf("%s: %q is dead, want %q", c.code, s, c.want)
		}
	}
	if got := NewSource(nil).DeadCode(0, nil); !slices.Equal(got, nil) {
		t.Errorf("nothing: %v", got)
	}
}

// TestDeadCases lists the dead bodies of a switch. Bodies with "dead" are not entered through their labels.
func TestDeadCases(t *testing.T) {
	for _, c := range []struct{ code, want string }{
		{"case 1: dead(); break; case 2: B();", "1 case 1: dead(); break;"},
		{"case 1: A(); case 2: dead();", ""},
		{"case 1: A(); break; case 2: case 3: dead(); // c\n case 4: dead(); return; default: B();",
			"2 case 2: case 3: dead(); | 1 case 4: dead(); return;"},
		{"case 1: { A(); return; } default: dead();", "1 default: dead();"},
		{"case 1: { if (x) break; } default: dead();", ""},
		{"case 1: for (;;) { break; } case 2: dead();", ""},
		{"case 1 ... 4: dead(); break; case 6: B();", ""},
		{"case 1: dead(); again: break; case 6: goto again;", ""},
		{"case 1: dead(); { case 2: B(); }", ""},
		{"case 1: dead(); break; case 7:;", "1 case 1: dead(); break;"},
	} {
		text := "void f(void) {\nswitch (x) { " + c.code + " }\n}\n"
		var got []string
		for _, b := range NewSource([]byte(text)).DeadCases(strings.Index(text, "switch"), func(b CaseBody) bool {
			return strings.Contains(text[b.Body:b.End], "dead")
		}) {
			got = append(got, fmt.Sprint(b.Labels, " ", text[b.Start:b.End]))
		}
		if s := strings.Join(got, " | "); s != c.want {
			t.Errorf("%s: %q is dead, want %q", c.code, s, c.want)
		}
	}
}
