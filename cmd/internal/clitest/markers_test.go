package clitest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/vcgen/found"
)

func TestParseMarkers(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"all", "/*\nWhat it shows.\nverdict: failed\nflags: --unwind 4 -D 'A=\"b c\"'\nobligations: 3\n*/\nint x;\n  " +
			"f(x); // want failed assertion\n\n  g(); //want unknown signed-overflow  \n",
			`failed ["--unwind" "4" "-D" "A=\"b c\""] 3 [{8 failed assertion} {10 unknown signed-overflow}]`},
		{"stars and CRLF", "/*\r\n * What it shows.\r\n * verdict: bounded\r\n */\r\nwhile (1) // want bounded " +
			"unwinding\r\n;\r\n", `bounded [] 0 [{5 bounded unwinding}]`},
		{"one line", "/* verdict: proved */ int x;", `proved [] 0 []`},
		{"line comments", "// verdict: proved\n// obligations: 2\n\n// flags: not the first comment\n", `proved [] 2 []`},
		{"not a marker", "/* verdict: proved */\nchar *s = \"// want failed assertion\"; // wanted: failed\n/* want " +
			"failed assertion */ // as we want failed\n", `proved [] 0 []`},
		{"two on a line", "/* verdict: failed */\nx; // want failed assertion // want failed out-of-bounds-read\n",
			`failed [] 0 [{2 failed assertion} {2 failed out-of-bounds-read}]`},
		{"no UTF-8", "/* \xff verdict: no\nverdict: failed\n*/ x; // want failed assertion",
			`failed [] 0 [{3 failed assertion}]`},
		{"text with a colon", "/*\nthe verdict: is told below\nsee: verdict: failed\nverdict:proved*/", `proved [] 0 []`},
	} {
		e, err := ParseMarkers("t.c", []byte(test.text))
		if got := fmt.Sprintf("%s %q %d %v", e.Verdict, e.Flags, e.Obligations, e.Wants); err != nil || got != test.want {
			t.Errorf("%s: got %s, %v; want %s", test.name, got, err, test.want)
		}
	}
	for _, test := range []struct{ name, text, want string }{
		{"empty", "", "t.c: verdict: the first comment states no verdict"},
		{"no verdict", "/* obligations: 3 */ int x; /* verdict: proved */",
			"t.c: verdict: the first comment states no verdict"},
		{"unknown verdict", "/*\nverdict: prooved\n*/",
			`t.c:2: verdict: "prooved" is not one of proved, failed, unknown, bounded, vacuous, error; did you mean "proved"?`},
		{"empty verdict", "/* verdict: */", `t.c:1: verdict: "" is not one of`},
		{"two verdicts", "/*\nverdict: proved\nverdict: failed\n*/", "t.c:3: verdict: stated before, on line 2"},
		{"obligations", "/*\nverdict: proved\nobligations: many\n*/", `t.c:3: obligations: "many" is not a number`},
		{"flags", "/*\nverdict: proved\nflags: -D'x\n*/", "t.c:3: flags: a single quote is not closed"},
		{"unknown kind", "/* verdict: failed */\nx; // want failed asertion",
			`t.c:2: want: unknown kind "asertion"; did you mean "assertion"?`},
		{"unknown verdict of a marker", "/* verdict: failed */\nx; // want error assertion",
			`t.c:2: want: "error" is not one of`},
		{"incomplete", "/* verdict: failed */\nx; // want failed", `t.c:2: want: "// want failed" is not of the form`},
		{"too much", "/* verdict: failed */\nx; // want failed assertion here", `is not of the form`},
		{"nothing", "/* verdict: failed */\nx; // want", `is not of the form`},
		{"twice", "/* verdict: failed */\nx; // want failed assertion // want failed assertion",
			`t.c:2: want: failed assertion is wanted twice`},
		{"several", "x; // want a b\ny; // want c d",
			"t.c: verdict: the first comment states no verdict\nt.c:1: want: \"a\" is not one of"},
	} {
		_, err := ParseMarkers("t.c", []byte(test.text))
		var ps project.Problems
		if !errors.As(err, &ps) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %s", test.name, err, test.want)
		}
	}
}

func FuzzParseMarkers(f *testing.F) {
	f.Add([]byte("/*\nverdict: failed\nflags: --unwind 4 'a b'\nobligations: 3\n*/\nx; // want failed assertion\n"))
	f.Add([]byte("// verdict: proved\r\n// obligations: 1\r\n\"\\\n\" 'x // want failed assertion // want a b"))
	f.Fuzz(func(t *testing.T, text []byte) {
		e, err := ParseMarkers("t.c", text)
		if err != nil {
			return
		}
		if e.Verdict == "" {
			t.Fatal("accepted without a verdict")
		}
		for _, w := range e.Wants {
			if w.Line < 1 || w.Line > strings.Count(string(text), "\n")+1 {
				t.Fatalf("a marker on line %d", w.Line)
			}
		}
	})
}

// TestAcceptanceMarkers checks that all markers of the acceptance set are read.
func TestAcceptanceMarkers(t *testing.T) {
	wants := 0
	err := filepath.WalkDir("../../../testdata/acceptance", func(file string, d os.DirEntry, err error) error {
		if err != nil || filepath.Ext(file) != ".c" {
			return err
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		e, err := ParseMarkers(file, text)
		if err != nil {
			t.Errorf("%v", err)
		}
		if dir := filepath.Base(filepath.Dir(file)); e.Obligations == 0 && dir != "edges" && dir != "third" {
			t.Errorf("%s: no number of obligations was read", file)
		}
		if e.Verdict == found.Proved && slices.ContainsFunc(e.Wants, func(w Want) bool { return w.Verdict != found.Proved }) {
			t.Errorf("%s: proved, but wants %v", file, e.Wants)
		}
		wants += len(e.Wants)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if wants < 100 {
		t.Errorf("only %d markers were read", wants)
	}
}
