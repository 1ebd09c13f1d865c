package diagnostics

import (
	"strings"
	"testing"

	"github.com/unitproof/unitproof/vcgen/found"
)

// An assertion that repeats an assumption is named, and none that could say more.
func TestRepeatedAssumptions(t *testing.T) {
	for _, test := range []struct {
		body string
		want bool
	}{
		{"int x = nd_int(); assume(x > 3); sassert(x > 3);", true},
		{"int x = nd_int(); assume(x>3); int y = nd_int(); assume(y); sassert( x > 3 );", true},
		{"int x = nd_int(); assume(y && x > 3); sassert(x > 3);", true},
		{"assume(p->n > 0); if (p) { y = 1; } sassert(p->n > 0);", true},
		{"assume(valid(s)); sassert(valid(s));", true},
		{"assume(x > 3); sassert(x > 2);", false},
		{"assume(x > 3); x = x + 1; sassert(x > 3);", false},
		{"assume(x > 3); x += 1; sassert(x > 3);", false},
		{"assume(x > 3); x++; sassert(x > 3);", false},
		{"assume(x > 3); --x; sassert(x > 3);", false},
		{"assume(valid(s)); push(s, 1); sassert(valid(s));", false},
		{"assume(a[0] > 3); a[i] = 1; sassert(a[0] > 3);", false},
		{"assume(x > 3); *p = 1; sassert(x > 3);", false},
		{"assume(s.n > 3); s.n = 1; sassert(s.n > 3);", false},
		{"assume(x > 3); memhavoc(&x, sizeof x); sassert(x > 3);", false},
		{"if (y) { assume(x > 3); } sassert(x > 3);", false},
		{"assume(x > 3 || y); sassert(x > 3);", false},
		{"assume(x > 3); again: x2 = 1; goto again; sassert(x > 3);", false},
		{"sassert(x > 3); assume(x > 3);", false},
		{"assume(x > 3); while (y) { sassert(x > 3); x = y; }", false},
		{"assume(x > 3", false},
	} {
		text := "#include <unitproof.h>\nvoid f(int x) {\n" + test.body + "\n}\n"
		column := strings.Index(test.body, "sassert") + 1
		p := Proof{Name: "p", File: "p.c", Verdict: found.Proved, Obligations: []Finding{{Kind: found.Assertion,
			Verdict: found.Proved, File: "p.c", Line: 3, Column: max(column, 1)}}}
		list := Audit(AuditInput{Proofs: []AuditedProof{{Proof: p}}, Read: func(string) []byte { return []byte(text) }})
		got := len(list) == 1 && list[0].Kind == found.AuditRepeats
		if got != test.want || len(list) > 1 {
			t.Errorf("%s: %+v", test.body, list)
		}
	}
}

// Code for verifiers only is named, and declarations are not.
func TestVerifierOnlyCode(t *testing.T) {
	for text, want := range map[string]int{
		"#ifdef CBMC\nint f(void) { return 0; }\n#endif\n":                              1,
		"#ifndef __CPROVER__\n  x = 1;\n#endif\n":                                       1,
		"#if defined(KLEE) && 1\n#else\n  return 3;\n#endif\n":                          1,
		"#ifdef CBMC\n#define A(x) __CPROVER_assigns(x)\n#else\n#define A(x)\n#endif\n": 0,
		"#ifdef CBMC\n#define A(x) do { \\\n  x = 1; } while (0)\n#endif\n":             0,
		"#ifdef CBMC\nvoid contract(int x);\n#endif\nint f(void) { return 0; }\n":       0,
		"#ifdef CBMCX\n x = 1;\n#endif\n":                                               0,
		"/* #ifdef CBMC */ int x = 1;\n":                                                0,
		"#ifdef CBMC":                                                                   0,
		"":                                                                              0,
	} {
		list := Audit(AuditInput{Sources: []string{"a.c"}, Read: func(string) []byte { return []byte(text) }})
		if len(list) != want {
			t.Errorf("%q: %+v", text, list)
		}
	}
}

// A missing file causes no finding, and no panic.
func TestAuditOfNothing(t *testing.T) {
	p := Proof{Name: "p", File: "gone.c", Verdict: found.Proved, Obligations: []Finding{{Kind: found.Assertion,
		Verdict: found.Proved, File: "gone.c", Line: 7, Column: 3}, {Kind: found.Postcondition, Verdict: found.Proved}}}
	list := Audit(AuditInput{Proofs: []AuditedProof{{Proof: p}}, Sources: []string{"none.c"},
		Known: map[string]bool{"f": true}, Read: func(string) []byte { return nil }})
	if len(list) != 0 {
		t.Errorf("%+v", list)
	}
	if list := Audit(AuditInput{}); list == nil || len(list) != 0 {
		t.Errorf("%+v", list)
	}
}

// The page of an audit is well-formed, escapes all texts, and has each finding.
func TestAuditPage(t *testing.T) {
	const bad = `<script>alert("1")</script>'&`
	doc := AuditDocument{Tool: bad, Proofs: 1, Findings: []AuditFinding{
		{Kind: found.AuditTautology, Severity: found.High, Message: "`" + bad + "` is true", File: "escape.c", Line: 2,
			Proof: bad},
		{Kind: found.AuditNoProof, Severity: found.Low, Message: bad, File: bad, Accepted: true, AcceptReason: bad},
	}}
	for range 12 {
		doc.Findings = append(doc.Findings, AuditFinding{Kind: found.AuditBound, Severity: found.Medium, File: bad, Line: 9})
	}
	proofs := []Proof{{Name: bad, File: bad, Verdict: found.Proved, Assumes: []string{bad},
		NotDone: []NotDone{WithinBound}, Assumptions: []Assumption{{Message: bad}}}}
	var b strings.Builder
	if err := WriteAuditPage(&b, About{Project: bad}, doc, proofs, testSources); err != nil {
		t.Fatal(err)
	}
	wellFormed(t, b.String())
	if strings.Contains(b.String(), "<script") {
		t.Error("a text is not escaped")
	}
	for _, want := range []string{`<span class="failed">1 high</span>`, "1 accepted", "<summary>2 more</summary>",
		"in the proof &lt;script", "<code>bound</code>", "<summary>2 assumptions</summary>"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the page has no %s", want)
		}
	}
}
