package lsp

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.lsp.dev/protocol"

	"github.com/unitproof/unitproof/lsp/lsptest"
)

// limits returns a small workspace: a proof that fails because of a value in a header.
func limits() files {
	return files{
		"proofs/limit_harness.c": `#include <unitproof.h>
#include "limit.h"

/* «größer» */ int unused;

int main(void) {
	int x = nd_int();
	assume(x > 10);
	assume(x <= 100);
	sassert(within(x));
	return 0;
}
`,
		"proofs/limit.h": `#define LIMIT 100

static int within(int x) { return x < LIMIT; }
`,
		"unitproof.toml": "# settings\n[check]\nunwind = 0\n",
	}
}

// expectShown compares the diagnostics, each line by its prefix.
func expectShown(t *testing.T, e *lsptest.Editor, want ...string) {
	t.Helper()
	got := e.Shown()
	ok := len(got) == len(want)
	for i := range want {
		ok = ok && strings.HasPrefix(got[i], want[i])
	}
	if !ok {
		t.Errorf("shown is\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

// TestScenarioEdit follows a proof that fails, becomes vacuous and is fixed. The diagnostics follow, and none looks
// fresh too early.
func TestScenarioEdit(t *testing.T) {
	e, dir := workspace(t, limits())
	harness := filepath.Join(dir, "proofs/limit_harness.c")
	cache := t.TempDir()
	d := e.Open(harness)
	e.Settle()
	expectShown(t, e, "proofs/limit_harness.c:10 error `within(x)` is false: x = 100")
	failed := e.Diagnostics(harness)[0]
	if got := d.TextAt(failed.Range); got != "sassert(within(x))" || failed.Code != "assertion" {
		t.Errorf("the diagnostic %v marks %q", failed.Code, got)
	}

	// The code links to a page on the kind, which is available offline.
	if failed.CodeDescription == nil {
		t.Error("the kind is not explained")
	} else if page, err := os.ReadFile(lsptest.Path(string(failed.CodeDescription.Href))); err != nil ||
		!strings.HasPrefix(string(page), "# assertion\n") {
		t.Errorf("%s: %.100s, %v", failed.CodeDescription.Href, page, err)
	}

	// Typing marks results as stale, and moves them.
	e.Edit(d, 0, 0, "// a comment of two\n// lines\n")
	e.Sync()
	if shown := e.Shown(); len(shown) != 1 || !strings.HasPrefix(shown[0], "proofs/limit_harness.c:12 error") {
		t.Errorf("shown is %v", shown)
	}
	e.Replace(d, "assume(x <= 100);", "assume(x <= 100);\n\tassume(x < 5);")
	e.Sync()
	if shown := e.Shown(); len(shown) != 1 || !strings.HasPrefix(shown[0], "proofs/limit_harness.c:13 error") ||
		!strings.HasSuffix(shown[0], lsptest.StaleSuffix) {
		t.Errorf("shown is %v", shown)
	}

	// Saved, the assertion is vacuous, and the contradicting assumptions are named.
	e.Save(d)
	e.Settle()
	// Each of them has its own message and mark.
	expectShown(t, e, "proofs/limit_harness.c:10 warning this assumption contradicts the assumption `x < 5` (line 12), "+
		"so nothing behind both is reached",
		"proofs/limit_harness.c:12 warning this assumption contradicts the assumption `x > 10` (line 10)",
		"proofs/limit_harness.c:13 warning `within(x)` is never reached")
	vacuous := e.Diagnostics(harness)[2]
	for _, text := range []string{"x > 10", "x < 5"} {
		if !strings.Contains(vacuous.Message, text) {
			t.Errorf("%q does not name %s", vacuous.Message, text)
		}
		if !slices.ContainsFunc(vacuous.RelatedInformation,
			func(r protocol.DiagnosticRelatedInformation) bool { return strings.Contains(r.Message, text) }) {
			t.Errorf("%v does not point to %s", vacuous.RelatedInformation, text)
		}
	}

	// After the fix there are no diagnostics.
	e.Replace(d, "\n\tassume(x < 5);", "")
	e.Replace(d, "x <= 100", "x < 100")
	e.Save(d)
	e.Settle()
	expectShown(t, e)
	if got := cold(t, dir, cache); len(got[harness]) > 0 {
		t.Errorf("a cold check says %v", got)
	}
}

// TestScenarioSyntaxError shows clang's message; the older verdict stays, marked.
func TestScenarioSyntaxError(t *testing.T) {
	e, dir := workspace(t, limits())
	d := e.Open(filepath.Join(dir, "proofs/limit_harness.c"))
	e.Settle()
	e.Replace(d, "int x = nd_int();", "int x = nd_int()")
	e.Save(d)
	e.Settle()
	expectShown(t, e, "proofs/limit_harness.c:10 error `within(x)` is false: x = 100; `x < LIMIT` is false in `within` "+
		"(limit.h:3): x = 100 [before your last edit]", "proofs/limit_harness.c:7 error expected ';'")
	e.Replace(d, "int x = nd_int()", "int x = nd_int();")
	e.Save(d)
	e.Settle()
	expectShown(t, e, "proofs/limit_harness.c:10 error `within(x)` is false: x = 100")
}

// TestScenarioHeader moves a failure by editing a header that is open, written by another program, or unsaved.
func TestScenarioHeader(t *testing.T) {
	e, dir := workspace(t, limits())
	harness, header := filepath.Join(dir, "proofs/limit_harness.c"), filepath.Join(dir, "proofs/limit.h")
	e.Open(harness)
	e.Settle()
	expectShown(t, e, "proofs/limit_harness.c:10 error")
	h := e.Open(header)
	e.Replace(h, "LIMIT 100", "LIMIT 101")
	e.Sync()
	if shown := e.Shown(); len(shown) > 0 && !strings.HasSuffix(shown[0], lsptest.StaleSuffix) {
		t.Errorf("shown is %v", shown)
	}
	e.Save(h)
	e.Settle()
	expectShown(t, e)
	e.Replace(h, "return x < LIMIT;", "return 1000 / (x - 50) < LIMIT;")
	e.Save(h)
	e.Settle()
	expectShown(t, e, "proofs/limit.h:3 error", "proofs/limit_harness.c:10 error")
	e.Close(h)
	e.WriteFile(header, "#define LIMIT 101\nstatic int within(int x) { return x < LIMIT; }\n")
	e.Settle()
	expectShown(t, e)
}

// TestScenarioConfiguration checks that an error in unitproof.toml is shown there, and that the last valid
// configuration stays.
func TestScenarioConfiguration(t *testing.T) {
	e, dir := workspace(t, limits())
	e.Open(filepath.Join(dir, "proofs/limit_harness.c"))
	c := e.Open(filepath.Join(dir, "unitproof.toml"))
	e.Settle()
	expectShown(t, e, "proofs/limit_harness.c:10 error")
	e.Replace(c, "unwind = 0", "unwind = 0\nvacuitty = \"all\"")
	e.Save(c)
	e.Settle()
	expectShown(t, e, "proofs/limit_harness.c:10 error", "unitproof.toml:4 error check.vacuitty: ")
	if got := c.TextAt(e.Diagnostics(c.Path)[0].Range); got != "vacuitty = \"all\"" {
		t.Errorf("marked is %q", got)
	}
	e.SetText(c, "[check\n")
	e.Save(c)
	e.Settle()
	if shown := e.Shown(); len(shown) != 2 || !strings.HasPrefix(shown[1], "unitproof.toml:") ||
		!strings.Contains(shown[1], "error not valid TOML") {
		t.Errorf("shown is %v", shown)
	}
	e.SetText(c, "[check]\nchecks = { assertion = false }\n")
	e.Save(c)
	e.Settle()
	expectShown(t, e)
}

// TestScenarioRenameAndDelete checks that renamed and deleted files leave no diagnostics.
func TestScenarioRenameAndDelete(t *testing.T) {
	e, dir := workspace(t, limits())
	old, renamed := filepath.Join(dir, "proofs/limit_harness.c"), filepath.Join(dir, "proofs/bound_harness.c")
	d := e.Open(old)
	e.Settle()
	expectShown(t, e, "proofs/limit_harness.c:10 error")
	if err := os.Rename(old, renamed); err != nil {
		t.Fatal(err)
	}
	e.Close(d)
	e.Watched(old, renamed)
	e.Open(renamed)
	e.Settle()
	expectShown(t, e, "proofs/bound_harness.c:10 error")
	var list struct {
		Proofs []struct{ Name string } `json:"proofs"`
	}
	e.Must("unitproof/proofs", map[string]any{}, &list)
	if len(list.Proofs) != 1 || list.Proofs[0].Name != "bound" {
		t.Errorf("proofs: %v", list)
	}
	if err := os.Remove(renamed); err != nil {
		t.Fatal(err)
	}
	e.Close(&lsptest.Document{Path: renamed, URI: lsptest.URI(renamed)})
	e.Watched(renamed)
	e.Settle()
	expectShown(t, e)
}

// TestScenarioBareClient checks that a client without capabilities gets diagnostics.
func TestScenarioBareClient(t *testing.T) {
	dir := limits().write(t)
	e, _ := connectWith(t, lsptest.Options{Capabilities: map[string]any{}, Folders: []string{dir}},
		Options{CacheDir: t.TempDir()})
	e.Must("initialize", map[string]any{"processId": nil, "capabilities": map[string]any{}, "rootUri": lsptest.URI(dir)},
		nil)
	e.Notify("initialized", map[string]any{})
	d := e.Open(filepath.Join(dir, "proofs/limit_harness.c"))
	e.Settle()
	expectShown(t, e, "proofs/limit_harness.c:10 error")
	if got := e.Diagnostics(d.Path); len(got) > 0 && got[0].CodeDescription != nil {
		t.Error("a link for a client that knows none")
	}
	e.SetText(d, strings.Replace(d.Text, "x <= 100", "x < 100", 1))
	e.Save(d)
	e.Settle()
	expectShown(t, e)
	if n := e.Received("client/registerCapability") + e.Received("window/workDoneProgress/create") +
		e.Received("workspace/codeLens/refresh") +
		e.Received("workspace/configuration") + e.Received("unitproof/proofsChanged") + e.Received("unitproof/marks"); n > 0 {
		t.Errorf("the client was asked %d things that it does not know", n)
	}
}

// TestScenarioOddTexts has CRLF line ends, columns behind non-ASCII text, and a folder with spaces behind a link.
func TestScenarioOddTexts(t *testing.T) {
	f := files{"x_harness.c": "#include <unitproof.h>\r\nint main(void) {\r\n\tint x = nd_int(); /* 😀 ä */ sassert(x " +
		"!= 7); /* 😀 */ sassert(x != 8);\r\n}\r\n"}
	e, dir := workspace(t, f)
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	d := e.Open(filepath.Join(dir, "x_harness.c"))
	e.Settle()
	var marked []string
	for _, diag := range e.Diagnostics(d.Path) {
		marked = append(marked, d.TextAt(diag.Range))
	}
	if strings.Join(marked, "|") != "sassert(x != 7)|sassert(x != 8)" {
		t.Errorf("marked is %q", marked)
	}
	e.Close(d)
	// Opened through the link, the document is the same file.
	l := e.Open(filepath.Join(link, "x_harness.c"))
	e.Edit(l, 0, 0, "\r\n")
	e.Sync()
	e.Save(l)
	e.Settle()
	if got := e.Diagnostics(l.Path); len(got) != 2 || l.TextAt(got[0].Range) != "sassert(x != 7)" {
		t.Errorf("shown is %v", e.Shown())
	}
}

// item1 is a listed proof, as decoded by tests.
type item1 struct {
	ID, Name, Phase, Verdict, Title, Reason string
	Stale                                   bool
	Findings                                []struct {
		ID, Kind, Verdict, Message, Expected, Actual, Replay string
		URI                                                  string
		Range                                                protocol.Range
	}
	Assumptions []struct{ Message string }
	Errors      []struct{ Message string }
}

func proofItems(e *lsptest.Editor) []item1 {
	var list struct{ Proofs []item1 }
	e.Must("unitproof/proofs", map[string]any{}, &list)
	return list.Proofs
}

// TestScenarioLenses checks that lenses appear at once, show the verdict, and exist as code actions too.
func TestScenarioLenses(t *testing.T) {
	e, dir := workspace(t, limits())
	d := e.Open(filepath.Join(dir, "proofs/limit_harness.c"))
	titles := func() []string {
		var out []string
		for _, l := range e.Lenses(d) {
			if got := d.TextAt(l.Range); got != "main" {
				t.Errorf("a lens stands at %q", got)
			}
			if l.Command == nil || l.Command.Title == "" {
				t.Errorf("a lens says nothing: %+v", l)
				continue
			}
			out = append(out, l.Command.Title)
		}
		return out
	}
	if got := titles(); len(got) < 3 || !slices.Contains(got, "Verify") {
		t.Errorf("lenses at once: %q", got)
	}
	e.Settle()
	got := titles()
	if len(got) < 4 || !strings.HasPrefix(got[0], "✗ 1 failed · ") || !slices.Contains(got, "Trace") ||
		!slices.Contains(got, "Copy command line") {
		t.Errorf("lenses: %q", got)
	}
	actions := e.Actions(d, "sassert")
	for _, title := range got[1:] {
		if !slices.ContainsFunc(actions, func(a lsptest.Action) bool {
			return strings.Contains(a.Title, title) &&
				a.Command != nil
		}) {
			t.Errorf("no code action for %s among %v", title, actions)
		}
	}
	// An edit does not make them jump or vanish.
	e.Edit(d, 0, 0, "\n")
	if after := titles(); len(after) != len(got) {
		t.Errorf("lenses after an edit: %q", after)
	}
	// A broken text keeps them.
	e.Replace(d, "int x = nd_int();", "int x = (")
	if after := titles(); len(after) < 3 {
		t.Errorf("lenses of a broken text: %q", after)
	}
}

// shareOfTime matches the cost of a finding in a hover.
var shareOfTime = regexp.MustCompile(`[1-9][0-9]* % of the time`)

func TestScenarioHoverTraceAndHints(t *testing.T) {
	e, dir := workspace(t, limits())
	d := e.Open(filepath.Join(dir, "proofs/limit_harness.c"))
	e.Settle()
	if got := e.Hover(d, "sassert"); !strings.Contains(got, "failed") || !strings.Contains(got, "x = 100") ||
		!strings.Contains(got, "limit") || !shareOfTime.MatchString(got) {
		t.Errorf("hover: %s", got)
	}
	if got := e.Hover(d, "main"); !strings.Contains(got, "Unit proof limit") || !strings.Contains(got, "1 failed") {
		t.Errorf("hover over the entry: %s", got)
	}
	if got := e.Hover(d, "unused"); got != "" {
		t.Errorf("hover over nothing: %s", got)
	}
	items := proofItems(e)
	if len(items) != 1 || len(items[0].Findings) != 1 || items[0].Findings[0].Expected != "within(x)" ||
		!strings.Contains(items[0].Findings[0].Actual, "x = 100") {
		t.Fatalf("items: %+v", items)
	}
	hints := func() string {
		var list []inlayHint
		e.Must("textDocument/inlayHint", map[string]any{"textDocument": map[string]any{"uri": d.URI},
			"range": protocol.Range{End: protocol.Position{Line: 1000}}}, &list)
		var b strings.Builder
		for _, h := range list {
			line := strings.Split(d.Text, "\n")[h.Position.Line]
			if int(h.Position.Character) != len(line) {
				t.Errorf("a hint in the middle of %q", line)
			}
			b.WriteString(strings.TrimSpace(line) + "→" + h.Label + "\n")
		}
		return b.String()
	}
	if got := hints(); got != "" {
		t.Errorf("hints before a trace is shown: %s", got)
	}
	var trace struct {
		Title  string
		Steps  []json.RawMessage
		Inputs []struct{ Variable, Value string }
		Memory string
	}
	if err := e.Execute("trace", map[string]any{"proof": items[0].ID}, &trace); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(trace.Title, "within") || len(trace.Steps) == 0 || len(trace.Inputs) != 1 ||
		trace.Inputs[0].Value != "100" {
		t.Errorf("trace: %+v", trace)
	}
	if m := trace.Memory; !strings.HasPrefix(m, "<style>") || !strings.Contains(m, "x = 100") {
		t.Errorf("the memory is %s", m)
	}
	slice := len(trace.Steps)
	if err := e.Execute("trace", map[string]any{"proof": items[0].ID, "all": true}, &trace); err != nil ||
		len(trace.Steps) < slice {
		t.Errorf("the whole trace has %d steps, the slice %d; %v", len(trace.Steps), slice, err)
	}
	if got := hints(); !strings.Contains(got, "int x = nd_int();→x = 100\n") {
		t.Errorf("hints: %s", got)
	}
	if err := e.Execute("hideTrace", nil, nil); err != nil {
		t.Fatal(err)
	}
	if got := hints(); got != "" {
		t.Errorf("hints after hiding: %s", got)
	}
	if err := e.Execute("trace", map[string]any{"proof": items[0].ID, "finding": items[0].Findings[0].ID},
		nil); err != nil {
		t.Fatal(err)
	}
	// The counterexample is executed with other inputs, and the hints follow.
	var changed struct {
		Title, End string
		Steps      []struct{ Event, Text string }
		Inputs     []struct {
			Index int
			Value string
		}
	}
	vary := func(value string) error {
		return e.Execute("vary", map[string]any{"proof": items[0].ID, "finding": items[0].Findings[0].ID,
			"changes": []map[string]any{{"input": 0, "value": value}}}, &changed)
	}
	if err := vary("99"); err != nil || changed.End != "holds" ||
		!strings.Contains(changed.Title, "nothing is violated") || len(changed.Steps) == 0 ||
		changed.Inputs[0].Value != "99" {
		t.Errorf("with 99: %+v, %v", changed, err)
	}
	if got := hints(); !strings.Contains(got, "int x = nd_int();→x = 99\n") {
		t.Errorf("hints with 99: %s", got)
	}
	if err := vary("101"); err != nil || changed.End != "excluded" ||
		changed.Title != "excluded: the assumption `x <= 100` at limit_harness.c:9 is false" {
		t.Errorf("with 101: %+v, %v", changed, err)
	}
	if last := changed.Steps[len(changed.Steps)-1]; last.Event != "assume" || last.Text != changed.Title {
		t.Errorf("the last step: %+v", last)
	}
	if err := vary("much"); err == nil || !strings.Contains(err.Error(), "no value of int") {
		t.Errorf("with a word: %v", err)
	}
	replay := func() (out struct{ Outcome string }, err error) {
		return out, e.Execute("replay", map[string]any{"proof": items[0].ID, "varied": true}, &out)
	}
	if out, err := replay(); err == nil || !strings.Contains(err.Error(), "violates nothing") {
		t.Errorf("a native run without a violation: %+v, %v", out, err)
	}
	if err := vary("100"); err != nil || changed.End != "fails" {
		t.Errorf("with 100: %+v, %v", changed, err)
	}
	e.Edit(d, 0, 0, "\n")
	if got := hints(); got != "" {
		t.Errorf("hints after an edit: %s", got)
	}
}
