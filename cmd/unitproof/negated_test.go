package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/vcgen/found"
)

// TestNegated negates an assertion of each proved program of the corpora, which must then fail. It detects verdicts
// that do not depend on the assertion. It takes one in twelve programs; "make negated" takes each assertion of all of
// them.
func TestNegated(t *testing.T) {
	program, cache := buildProgram(t), t.TempDir()
	tried := 0
	for _, p := range testPrograms(t, corpora...) {
		places := assertions(p.text)
		if p.expect.Verdict != found.Proved || len(places) == 0 ||
			strings.Contains(strings.Join(p.expect.Flags, " "), "--no-check assertion") {
			continue
		}
		if !*everything {
			if !p.sampled(t, 12) {
				continue
			}
			k := len(p.name) % len(places)
			places = places[k : k+1]
		}
		for _, at := range places {
			tried++
			condition := p.text[at[0]:at[1]]
			t.Run(p.title()+"/"+condition, func(t *testing.T) {
				t.Parallel()
				negated := p.text[:at[0]] + "!(" + condition + ")" + p.text[at[1]:]
				copied := filepath.Join(t.TempDir(), filepath.Base(p.file))
				if err := os.WriteFile(copied, []byte(negated), 0o600); err != nil {
					t.Fatal(err)
				}
				line := 1 + strings.Count(negated[:at[0]], "\n")
				args := slices.Concat([]string{"-I", filepath.Dir(p.file), "--stop-on-failure"}, p.expect.Flags)
				fails := func(o diagnostics.Finding) bool {
					return o.Line == line && o.Kind == "assertion" && o.Verdict == found.Failed
				}
				// A violation is found soon, but the rest of the program may take all of its time.
				var said []byte
				for _, time := range [][]string{{"--timeout", "3s"}, {"--timeout", "10s"}, nil} {
					var doc diagnostics.Document
					doc, said, _ = runCheck(t, program, cache, slices.Concat(args, time, []string{copied})...)
					for i := range doc.Proofs {
						if slices.ContainsFunc(doc.Proofs[i].Obligations, fails) {
							return
						}
					}
				}
				t.Errorf("the negation of the assertion in line %d does not fail:\n%s", line, said)
			})
		}
	}
	if tried < 2 {
		t.Errorf("only %d assertions were found", tried)
	}
}

var (
	assertionStart = regexp.MustCompile(`\b(sassert|assert|__VERIFIER_assert|__CPROVER_assert|__SEA_assert)\s*\(`)
	neverHolds     = regexp.MustCompile(`^\s*(0|false|!".*")\s*$`)
	// comments and literals of C, preprocessor lines with continuations
	notCode = regexp.MustCompile(`(?ms)/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|^[ \t]*#(?:\\\n|[^\n])*`)
	calls   = regexp.MustCompile(`(?:^|[;{}:)]|\belse|\bdo)\s*$`)
)

// assertions returns the ranges of the conditions of a program's assertions, except assertions of unreachability.
func assertions(text string) (places [][2]int) {
	code := notCode.ReplaceAllStringFunc(text, func(s string) string {
		blank := bytes.Repeat([]byte{' '}, len(s))
		for i := range len(s) {
			if s[i] == '\n' {
				blank[i] = '\n'
			}
		}
		return string(blank)
	})
	for _, m := range assertionStart.FindAllStringIndex(code, -1) {
		if !calls.MatchString(code[:m[0]]) {
			continue // a declaration
		}
		depth, end := 1, m[1]
		for ; end < len(code) && depth > 0; end++ {
			switch code[end] {
			case '(':
				depth++
			case ')':
				depth--
			case ',':
				if depth == 1 && strings.HasPrefix(code[m[0]:], "__CPROVER_assert") {
					depth = -1 // the text that follows is not part of the condition
				}
			}
		}
		if condition := text[m[1] : end-1]; depth <= 0 && !neverHolds.MatchString(condition) {
			places = append(places, [2]int{m[1], end - 1})
		}
	}
	return places
}

func TestAssertions(t *testing.T) {
	text := "#define assert(x) sassert(x)\nvoid sassert(bool c); // sassert(1)\nint f(void) { sassert(g(\")\", ')')); " +
		"if (a) sassert(0); else assert ( b ); __CPROVER_assert(p(1, 2), \"c\"); }"
	var got []string
	for _, at := range assertions(text) {
		got = append(got, text[at[0]:at[1]])
	}
	if s := strings.Join(got, "|"); s != `g(")", ')')| b |p(1, 2)` {
		t.Errorf("%s", s)
	}
}
