package diagnostics

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/vcgen/found"
)

// writtenPage returns the page of a document, after checking that its elements are closed in order.
func writtenPage(t *testing.T, doc Document) string {
	t.Helper()
	var b strings.Builder
	about := About{Project: "ring", Commit: "abc", Date: "<today>"}
	if err := WritePage(&b, about, doc, testSources, nil, nil); err != nil {
		t.Fatal(err)
	}
	wellFormed(t, b.String())
	return b.String()
}

// wellFormed checks that the elements of a page are closed in order.
func wellFormed(t *testing.T, page string) {
	t.Helper()
	var open []string
	for _, m := range regexp.MustCompile(`<(/?)([a-z0-9]+)[^>]*>`).FindAllStringSubmatch(page, -1) {
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
}

func TestPage(t *testing.T) {
	doc := document(t)
	doc.Proofs[0].Loops = []Loop{{Loop: "escape#1", Method: found.Induction, File: "escape.c", Line: 19, Unwritten: 2,
		Invariants: []found.Invariant{{Text: "used <= 2 * i", Origin: found.Found}}},
		{Loop: "escape#2", Method: found.Unrolled, Iterations: 1, File: "escape.c", Line: 22}}
	page := writtenPage(t, doc)
	for _, want := range []string{"<title>Unit proofs of ring</title>",
		"<dt>Commit</dt><dd>abc</dd><dt>Date</dt><dd>&lt;today&gt;</dd><dt>Made by",
		"<summary>1 loop for every number of iterations</summary>", "<code>used &lt;= 2 * i</code>",
		"<code>2 more that cannot be written as a short C condition</code>", `<a href="#p0">list_push</a>`,
		"<summary>Inputs</summary>",
		`<div id="f0-1"`, "<code>"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %s", want)
		}
	}
}

// TestPageEscapes checks that text from sources, names and messages is escaped.
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

// TestPageWithoutSources renders findings without a file, or with a deleted one.
func TestPageWithoutSources(t *testing.T) {
	p := Proof{Name: "p", File: "gone.c", Verdict: found.Failed, Obligations: []Finding{
		{Kind: found.MemoryLeak, Verdict: found.Failed, Message: "leaks"},
		{Kind: found.Assertion, Verdict: found.Failed, Message: "fails", File: "gone.h", Line: 3}}}
	page := writtenPage(t, Document{Proofs: []Proof{p}})
	if !strings.Contains(page, "gone.h:3") || strings.Contains(page, "Sources") {
		t.Errorf("the page is %s", page)
	}
}

// TestPageBranchesOfAllProofs checks that a way is dead only if all proofs find it dead.
func TestPageBranchesOfAllProofs(t *testing.T) {
	branch := func(yes, no found.Taken) Proof {
		return Proof{Name: "p", File: "list.c", Verdict: found.Proved, Branches: []Branch{{Text: "n > 0", File: "list.c",
			Line: 2, Column: 1, Entered: true, Ways: []BranchWay{{Way: "true", Taken: yes}, {Way: "false", Taken: no}}}}}
	}
	for _, test := range []struct {
		no   found.Taken
		says bool
	}{{found.NeverTaken, true}, {found.MaybeTaken, false}, {found.TakenBy, false}} {
		one, other := branch(found.TakenBy, found.NeverTaken), branch(found.MaybeTaken, test.no)
		for _, proofs := range [][]Proof{{one, other}, {other, one}} {
			if says := strings.Contains(writtenPage(t, Document{Proofs: proofs}), "in all proofs"); says != test.says {
				t.Errorf("%s: says so: %v", test.no, says)
			}
		}
	}
}

// TestPageSaysWhy checks that the worst proof comes first, and that each unproved one has its reason in its row.
func TestPageSaysWhy(t *testing.T) {
	fails := func(n int, v found.Verdict) (list []Finding) {
		for i := range n {
			list = append(list, Finding{Kind: found.Assertion, Verdict: v, Message: fmt.Sprintf("`x > %d` is false", i)})
		}
		return list
	}
	page := writtenPage(t, Document{Proofs: []Proof{
		{Name: "good", Verdict: found.Proved, Loops: []Loop{{Loop: "f#1", Method: found.Induction, MayNotEnd: true}}},
		{Name: "vague", Verdict: found.Unknown, Reason: "the time ended"},
		{Name: "bad", Verdict: found.Failed, Obligations: fails(3, found.Failed)},
		{Name: "empty", Verdict: found.Vacuous, Obligations: fails(1, found.Vacuous)},
		{Name: "broken", Verdict: found.Error, Reason: "does not compile", Errors: []Error{{Message: "expected ';'"}}}}})
	at := 0
	for _, row := range []string{"broken</a></td><td class=\"soft\"></td><td>expected ';'</td>",
		"bad</a></td><td class=\"soft\"></td><td><code>x &gt; 0</code> is false; and 2 more</td>",
		"empty</a></td><td class=\"soft\"></td><td><code>x &gt; 0</code> is false</td>",
		"vague</a></td><td class=\"soft\"></td><td>the time ended</td>",
		"good</a></td><td class=\"soft\"></td><td>if loop f#1 ends</td>"} {
		i := strings.Index(strings.ReplaceAll(page, "&#39;", "'")[at:], row)
		if i < 0 {
			t.Errorf("behind %d there is no %s", at, row)
			continue
		}
		at += i
	}
}
