package diagnostics

import (
	"regexp"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/vcgen"
	"github.com/unitproof/unitproof/vcgen/found"
)

// writtenPage is the page of a document, with the elements in it checked: each is closed, in its order.
func writtenPage(t *testing.T, doc Document) string {
	t.Helper()
	var b strings.Builder
	if err := WritePage(&b, doc, testSources, nil, nil); err != nil {
		t.Fatal(err)
	}
	var open []string
	for _, m := range regexp.MustCompile(`<(/?)([a-z0-9]+)[^>]*>`).FindAllStringSubmatch(b.String(), -1) {
		switch {
		case m[2] == "meta" || m[2] == "br":
		case m[1] == "":
			open = append(open, m[2])
		case len(open) == 0 || open[len(open)-1] != m[2]:
			t.Fatalf("%s closes %v", m[0], open)
		default:
			open = open[:len(open)-1]
		}
	}
	if len(open) > 0 {
		t.Errorf("open at the end: %v", open)
	}
	return b.String()
}

func TestPage(t *testing.T) {
	doc := document(t)
	doc.Proofs[0].Loops = []Loop{{Loop: "escape#1", Method: found.Induction, File: "escape.c", Line: 19, Unwritten: 2,
		Invariants: []found.Invariant{{Text: "used <= 2 * i", Origin: found.Found}}},
		{Loop: "escape#2", Method: found.Unrolled, Iterations: 1, File: "escape.c", Line: 22}}
	page := writtenPage(t, doc)
	for _, want := range []string{"<title>Unit proofs</title>",
		"<summary>1 loop for every number of iterations</summary>", "<code>used &lt;= 2 * i</code>",
		"<code>2 more that no short condition of C says</code>", `<a href="#p0">list_push</a>`, "<summary>Inputs</summary>",
		`<div id="f0-1"`, "<code>"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %s", want)
		}
	}
}

// Whatever stands in sources, names and messages is text, and no markup.
func TestPageEscapes(t *testing.T) {
	const bad = `<script>alert("1")</script>'&`
	f := Finding{Kind: bad, Verdict: found.Failed, Message: "`" + bad + "` is false", Reason: bad, File: bad, Line: 3,
		Function: bad, ReplayDetail: bad, AcceptReason: bad, Accepted: true,
		CallPath: []Frame{{Function: bad, File: bad, Line: 1}},
		Inputs:   []found.Input{{Kind: bad, Function: bad, Variable: bad, Value: bad, Type: bad}},
		Trace:    []found.Step{{Pos: found.Pos{Function: bad}, Text: bad, Skipped: &found.Skipped{Iterations: 2}}}}
	p := Proof{Name: bad, File: bad, Entry: bad, Verdict: found.Failed, Reason: bad, Obligations: []Finding{f},
		Errors:      []Error{{File: bad, Line: 1, Message: bad}},
		Assumptions: []Assumption{{Message: bad, File: bad, Line: 1}}}
	page := writtenPage(t, Document{Tool: bad, Toolchain: Toolchain{Clang: bad, Solvers: []string{bad}},
		Proofs: []Proof{p}})
	if strings.Contains(page, "<script") || strings.Contains(page, `"1"`) || strings.Contains(page, ">'") {
		t.Errorf("not escaped: %s", page)
	}
}

// A finding may have no file, or one that is not there any more.
func TestPageWithoutSources(t *testing.T) {
	p := Proof{Name: "p", File: "gone.c", Verdict: found.Failed, Obligations: []Finding{
		{Kind: found.MemoryLeak, Verdict: found.Failed, Message: "leaks"},
		{Kind: found.Assertion, Verdict: found.Failed, Message: "fails", File: "gone.h", Line: 3}}}
	page := writtenPage(t, Document{Proofs: []Proof{p}})
	if !strings.Contains(page, "gone.h:3") || strings.Contains(page, "Sources") {
		t.Errorf("the page is %s", page)
	}
}

// What one proof never does, and of another is not known, is not said of all proofs.
func TestPageBranchesOfAllProofs(t *testing.T) {
	branch := func(yes, no vcgen.Taken) Proof {
		return Proof{Name: "p", File: "list.c", Verdict: found.Proved, Branches: []Branch{{Text: "n > 0", File: "list.c",
			Line: 2, Column: 1, Entered: true, Ways: []BranchWay{{Way: "true", Taken: yes}, {Way: "false", Taken: no}}}}}
	}
	for _, test := range []struct {
		no   vcgen.Taken
		says bool
	}{{vcgen.NeverTaken, true}, {vcgen.MaybeTaken, false}, {vcgen.TakenBy, false}} {
		one, other := branch(vcgen.TakenBy, vcgen.NeverTaken), branch(vcgen.MaybeTaken, test.no)
		for _, proofs := range [][]Proof{{one, other}, {other, one}} {
			if says := strings.Contains(writtenPage(t, Document{Proofs: proofs}), "in all proofs"); says != test.says {
				t.Errorf("%s: says so: %v", test.no, says)
			}
		}
	}
}
