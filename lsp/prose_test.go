package lsp

import (
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/lsp/lsptest"
)

// TestProse checks the assembled text, including its spaces.
func TestProse(t *testing.T) {
	for plain, want := range map[bool]string{
		false: "**A\\_b**: c is \\_d\n\n✓ **proved** in x (y)  \nnext - 1\n- \\- item  \nof two",
		true:  "A_b: c is _d\n\n✓ proved in x (y)\nnext - 1\n- - item\nof two"} {
		p := &prose{plain: plain}
		p.strong("A_b")
		p.say(": c is _d")
		p.paragraph()
		p.say("✓ ")
		p.strong("proved")
		p.say(" in x")
		p.sayf(" (%s)", "y")
		p.line()
		p.say("next")
		p.say(" - 1")
		p.bullet("- item\nof two")
		if got := p.String(); got != want {
			t.Errorf("plain: %v: %q, want %q", plain, got, want)
		}
	}
}

func TestEscape(t *testing.T) {
	for text, want := range map[string]string{
		"p->n_x = *q":            `p-\>n\_x = \*q`,
		"`a_b` is c_d":           "`a_b` is c\\_d",
		"a`b```[C](command:x)":   "a\\`b\\`\\`\\`\\[C\\](command:x)",
		"a``b`c``[C](command:x)": "a``b`c``\\[C\\](command:x)",
		"`` a ` b":               "\\`\\` a \\` b",
		"a `b\nc` [d](e)":        "a \\`b  \nc\\` \\[d\\](e)",
		"a\n\n    b\n- c\n1. d":  "a  \n  \nb  \n\\- c  \n1\\. d",
		"# a":                    `\# a`,
		"<b>&amp;":               `\<b\>\&amp;`,
		"see https://a.b":        `see https\://a.b`,
		"www.a.b a@b.c":          `www\.a.b a\@b.c`,
		"1.5 and 2":              `1\.5 and 2`,
		"x == 1.5":               "x == 1.5",
	} {
		if got := escape(text); got != want {
			t.Errorf("%q is escaped as %q, want %q", text, got, want)
		}
	}
}

// TestEscapeOfRandomText checks that an escaped text has no unescaped markup outside of CommonMark's code spans.
func TestEscapeOfRandomText(t *testing.T) {
	words := []string{"`", "``", "```", "a", "[x](command:y)", "*", "_", "<b>", " ", "\n", "\\", "\\`", "!", "&lt;"}
	for range 20_000 {
		var b strings.Builder
		for range rand.IntN(12) {
			b.WriteString(words[rand.IntN(len(words))])
		}
		text := b.String()
		if bad := unescaped(escape(text)); bad != "" {
			t.Fatalf("%q is escaped as %q, where %q is read as Markdown", text, escape(text), bad)
		}
	}
}

// unescaped returns the first markup outside of code spans, by the rules of CommonMark; "" if there is none.
func unescaped(text string) string {
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c == '\\' && i+1 < len(text):
			i += 2
		case c == '`':
			n, end := 0, -1
			for i+n < len(text) && text[i+n] == '`' {
				n++
			}
			for j := i + n; j < len(text) && end < 0; {
				k := 0
				for j+k < len(text) && text[j+k] == '`' {
					k++
				}
				if k == n {
					end = j + k
				}
				j += max(k, 1)
			}
			if end < 0 {
				return "`"
			}
			i = end
		case strings.IndexByte("*_[]<>&", c) >= 0:
			return string(c)
		default:
			i++
		}
	}
	return ""
}

// TestScenarioHoverHoldsNoLinkOfTheProgram checks that a hover does not render text of the program as Markdown,
// neither from an assertion nor from the value of a string.
func TestScenarioHoverHoldsNoLinkOfTheProgram(t *testing.T) {
	const text = "#include <unitproof.h>\nint main(void) {\n    int x = nd_int();\n    sassert(x > 1 && " +
		"\"a`b```[CLICK](command:unitproof.server.clearCache)\");\n    return 0;\n}\n"
	f := files{"a_harness.c": text}
	for name, test := range map[string]struct {
		init, caps map[string]any
		want       []string
		no         string
	}{
		"an editor that executes links": {
			init: map[string]any{"trusted": true, "showsAnswers": true, "commandLinks": true},
			want: []string{"[Trace](command:unitproof.server.trace?%5B%7B", "[Replay](command:unitproof.server.replay?",
				"[Debug](command:unitproof.server.debug?", `\[CLICK\](command:unitproof.server.clearCache)`},
			no: "```[CLICK]",
		},
		"an editor that does not": {want: []string{`\[CLICK\]`}, no: "[Trace]"},
		"an editor without Markdown": {
			caps: map[string]any{"textDocument": map[string]any{"hover": map[string]any{
				"contentFormat": []string{"plaintext"}}}},
			want: []string{"a`b```[CLICK](command:unitproof.server.clearCache)", "Assertion: "},
			no:   `\`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := f.write(t)
			e, _ := connectWith(t, lsptest.Options{Folders: []string{dir}, Init: test.init, Capabilities: test.caps},
				Options{Version: "test", CacheDir: t.TempDir()})
			e.Initialize()
			d := e.Open(filepath.Join(dir, "a_harness.c"))
			e.Settle()
			hover := e.Hover(d, "x > 1")
			for _, want := range test.want {
				if !strings.Contains(hover, want) {
					t.Errorf("the hover holds no %q:\n%s", want, hover)
				}
			}
			hover = strings.ReplaceAll(hover, `\"a`, "") // in C's spelling
			hover = strings.ReplaceAll(hover, `)\"`, "")
			if strings.Contains(hover, test.no) {
				t.Errorf("the hover holds %q:\n%s", test.no, hover)
			}
		})
	}
}

// TestScenarioPlainHover checks that a client without Markdown gets names in C's spelling.
func TestScenarioPlainHover(t *testing.T) {
	f := files{"a_harness.c": "#include <unitproof.h>\nstruct s { int n_x; };\nstatic int get(struct s *p) { return 10" +
		" / p->n_x; }\nvoid a_harness(void) {\n  struct s v = {nd_int()};\n  sassert(get(&v) <= 10);\n}\n" +
		"void fill_harness(void) {\n  unsigned n = nd_uint(), i = 0;\n  while (i < n) i++;\n  sassert(i == n);\n}\n"}
	dir := f.write(t)
	e, _ := connectWith(t, lsptest.Options{Folders: []string{dir},
		Capabilities: map[string]any{"textDocument": map[string]any{"hover": map[string]any{
			"contentFormat": []string{"plaintext"}}}}}, Options{Version: "test", CacheDir: t.TempDir()})
	e.Initialize()
	d := e.Open(filepath.Join(dir, "a_harness.c"))
	e.Settle()
	for at, want := range map[string]string{"10 / p->n_x": "`10 / p->n_x` divides by zero",
		"a_harness(": "Unit proof a.a_harness: 1 failed",
		"while (i":   "Loop fill_harness#1: every number of iterations"} {
		if hover := e.Hover(d, at); !strings.Contains(hover, want) || strings.ContainsAny(hover, `\`) ||
			strings.Contains(hover, "**") {
			t.Errorf("the hover at %q is\n%s", at, hover)
		}
	}
}
