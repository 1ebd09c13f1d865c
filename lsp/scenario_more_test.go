package lsp

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.lsp.dev/protocol"

	"github.com/unitproof/unitproof/lsp/lsptest"
	"github.com/unitproof/unitproof/pipeline"
)

// TestScenarioMerging checks that proofs with the same finding share one diagnostic, which names them; a run replaces
// only its own part.
func TestScenarioMerging(t *testing.T) {
	f := files{"list.h": "static int next(int a) {\n\treturn a + 1;\n}\n"}
	for _, name := range []string{"push", "pop"} {
		f[name+"_harness.c"] = "#include <unitproof.h>\n#include \"list.h\"\nint main(void) {\n\tnext(nd_int());\n}\n"
	}
	for _, name := range []string{"a", "b", "c"} {
		f[name+"_harness.c"] = "#include <unitproof.h>\n#include \"list.h\"\nint main(void) {\n\tint x = " +
			"nd_int();\n\tassume(x < 100);\n\tnext(x);\n}\n"
	}
	e, dir := workspace(t, f)
	d := e.Open(filepath.Join(dir, "pop_harness.c"))
	e.Settle()
	shown := e.Shown()
	if len(shown) != 1 || !strings.HasPrefix(shown[0], "list.h:2 error ") ||
		!strings.HasSuffix(shown[0], "(fails in pop, push; proved in 3 others)") {
		t.Fatalf("shown is %q", shown)
	}
	diag := e.Diagnostics(filepath.Join(dir, "list.h"))[0]
	if !slices.ContainsFunc(diag.RelatedInformation, func(r protocol.DiagnosticRelatedInformation) bool {
		return r.Message == "called in main" && strings.HasSuffix(string(r.Location.URI), "_harness.c") &&
			r.Location.Range.Start.Line == 3
	}) {
		t.Errorf("no call path among %+v", diag.RelatedInformation)
	}
	e.Replace(d, "next(nd_int())", "int x = nd_int();\n\tassume(x < 50);\n\tnext(x)")
	e.Save(d)
	e.Settle()
	if shown := e.Shown(); len(shown) != 1 || !strings.HasSuffix(shown[0], "(fails in push; proved in 4 others)") {
		t.Errorf("shown is %q", shown)
	}
}

// TestScenarioDependents checks that findings that hold only within a loop's bound are counted at the loop.
// Assertions have their own diagnostics.
func TestScenarioDependents(t *testing.T) {
	e, dir := workspace(t,
		files{"walk_harness.c": "#include <unitproof.h>\nint a[4];\nint main(void) {\n\tunsigned n = nd_uint(), i = " +
			"0;\n\twhile (n > 1)\n\t\tn = n % 2 ? 3 * n + 1 : n / 2, i++;\n" +
			"\ta[i == 7777 ? 4 : 1] = 1;\n\ta[i == 8888 ? 4 : 2]++;\n\tsassert(i != 7777);\n}\n"})
	e.Open(filepath.Join(dir, "walk_harness.c"))
	e.Settle()
	expectShown(t, e, "walk_harness.c:5 information ", "walk_harness.c:9 information ")
	if loop := e.Shown()[0]; !strings.Contains(loop, "loop `main#1` was cut") ||
		!strings.Contains(loop, " more findings hold only within this bound") {
		t.Errorf("the loop says %q", loop)
	}
}

// TestScenarioRelated checks that a use after free refers to the allocation and the free of the object.
func TestScenarioRelated(t *testing.T) {
	e, dir := workspace(t,
		files{"free_harness.c": "#include <stdlib.h>\n#include <unitproof.h>\nint main(void) {\n\tint *p = " +
			"malloc(4);\n\tassume(p != NULL);\n\tfree(p);\n\t*p = 1;\n}\n"})
	d := e.Open(filepath.Join(dir, "free_harness.c"))
	e.Settle()
	expectShown(t, e, "free_harness.c:7 error ")
	lines := map[uint32]bool{}
	for _, r := range e.Diagnostics(d.Path)[0].RelatedInformation {
		lines[r.Location.Range.Start.Line+1] = true
	}
	if !lines[6] {
		t.Errorf("the place of the free is not among %+v", e.Diagnostics(d.Path)[0].RelatedInformation)
	}
}

// TestScenarioSingleFile checks that a file is verified even if no folder is open.
func TestScenarioSingleFile(t *testing.T) {
	dir := limits().write(t)
	e, _ := connectWith(t, lsptest.Options{}, Options{CacheDir: t.TempDir()})
	e.Initialize()
	d := e.Open(filepath.Join(dir, "proofs/limit_harness.c"))
	e.Settle()
	if got := e.Diagnostics(d.Path); len(got) != 1 {
		t.Errorf("shown is %v", e.Shown())
	}
	e.Close(d)
	e.Settle()
	if got := proofItems(e); len(got) != 0 {
		t.Errorf("proofs of a closed file: %+v", got)
	}
}

// TestScenarioFoldersAndSettings removes one of several folders, and changes settings that need new workers.
func TestScenarioFoldersAndSettings(t *testing.T) {
	one, two := limits().write(t), limits().write(t)
	e, _ := connectWith(t, lsptest.Options{Folders: []string{one, two}, Capabilities: map[string]any{}},
		Options{CacheDir: t.TempDir()})
	e.Initialize()
	e.Settle()
	if got := proofItems(e); len(got) != 2 || got[0].ID == got[1].ID {
		t.Fatalf("proofs: %+v", got)
	}
	e.Notify("workspace/didChangeWorkspaceFolders", map[string]any{"event": map[string]any{"added": []any{},
		"removed": []any{map[string]any{"uri": lsptest.URI(two), "name": "two"}}}})
	e.Settle()
	if got := proofItems(e); len(got) != 1 || got[0].Verdict != "failed" {
		t.Errorf("proofs: %+v", got)
	}
	if got := e.Diagnostics(filepath.Join(two, "proofs/limit_harness.c")); len(got) != 0 {
		t.Errorf("of a folder that was closed is shown %v", got)
	}
	// The client disables a kind.
	e.Notify("workspace/didChangeConfiguration", map[string]any{"settings": map[string]any{"unitproof": map[string]any{
		"check": map[string]any{"checks": map[string]any{"assertion": false}}}}})
	e.Settle()
	if got := proofItems(e); len(got) != 1 || got[0].Verdict == "failed" {
		t.Errorf("proofs: %+v", got)
	}
	e.Notify("workspace/didChangeConfiguration", map[string]any{"settings": map[string]any{"jobs": 1,
		"check": map[string]any{"on": "sometimes"}}})
	e.Settle()
	if got := proofItems(e); len(got) != 1 || got[0].Verdict != "failed" {
		t.Errorf("proofs: %+v", got)
	}
	if got := e.Messages(); !slices.ContainsFunc(got,
		func(m protocol.ShowMessageParams) bool { return strings.Contains(m.Message, "sometimes") }) {
		t.Errorf("messages: %v", got)
	}
}

// TestScenarioMarksAndChanges checks that a client that requested proofs is notified of changes and marks.
func TestScenarioMarksAndChanges(t *testing.T) {
	e, dir := workspace(t, limits())
	d := e.Open(filepath.Join(dir, "proofs/limit_harness.c"))
	e.Settle()
	if e.Received("unitproof/marks")+e.Received("unitproof/proofsChanged") > 0 {
		t.Error("told without having asked")
	}
	proofItems(e)
	e.Sync()
	if got := e.Marks(d.Path); len(got) != 1 || got[0].Line != 9 || got[0].Verdict != "failed" || got[0].Stale {
		t.Errorf("marks: %+v", got)
	}
	before := e.Received("unitproof/proofsChanged")
	e.Replace(d, "x > 10", "x > 20")
	e.Sync()
	if got := e.Marks(d.Path); len(got) != 1 || !got[0].Stale {
		t.Errorf("marks after an edit: %+v", got)
	}
	if e.Received("unitproof/proofsChanged") == before {
		t.Error("not told that the proof is stale")
	}
	e.Replace(d, "x <= 100", "x < 100")
	e.Save(d)
	e.Settle()
	if got := e.Marks(d.Path); len(got) != 1 || got[0].Verdict != "proved" || got[0].Stale {
		t.Errorf("marks of a proved assertion: %+v", got)
	}
}

// TestScenarioOpenedLater checks that diagnostics are sent again when a file is opened, with the document's version.
// Eglot 1.9 drops those of files without a buffer.
func TestScenarioOpenedLater(t *testing.T) {
	e, dir := workspace(t, files{"src/half.c": "int half(int x) {\n\treturn 100 / x;\n}\n",
		"a_harness.c": "#include <unitproof.h>\nint half(int);\nvoid a_harness(void) {\n\tsassert(half(nd_int()) " +
			"<= 100);\n}\n",
		"unitproof.toml": "[[proof]]\nfile = \"a_harness.c\"\nsources = [\"src/half.c\"]\n"})
	path := filepath.Join(dir, "src/half.c")
	e.Open(filepath.Join(dir, "a_harness.c"))
	e.Settle()
	if len(e.Diagnostics(path)) == 0 || e.PublishedFor(path) != nil {
		t.Fatalf("shown is %q, of version %v", e.Shown(), e.PublishedFor(path))
	}
	for range 2 {
		before := e.Received("textDocument/publishDiagnostics")
		d := e.Open(path)
		e.Sync()
		of := e.PublishedFor(path)
		if e.Received("textDocument/publishDiagnostics") != before+1 || of == nil || *of != 1 {
			t.Errorf("after it is opened %d sets were sent, the last of version %v",
				e.Received("textDocument/publishDiagnostics")-before, e.PublishedFor(path))
		}
		e.Close(d)
		e.Sync()
	}
}

// TestScenarioLongSource edits a source of 5,000 lines in the middle and at the end.
func TestScenarioLongSource(t *testing.T) {
	var b strings.Builder
	b.WriteString("#include <unitproof.h>\n")
	for i := range 1250 {
		fmt.Fprintf(&b, "static int f%d(int a) {\n\treturn a %% 7;\n}\n\n", i)
	}
	b.WriteString("int main(void) {\n\tint x = nd_int();\n\tassume(x > 0);\n\tsassert(f7(x) < 6);\n}\n")
	e, dir := workspace(t, files{"long_harness.c": b.String()})
	d := e.Open(filepath.Join(dir, "long_harness.c"))
	e.Settle()
	if got := e.Diagnostics(d.Path); len(got) != 1 || d.TextAt(got[0].Range) != "sassert(f7(x) < 6)" {
		t.Fatalf("shown is %v", e.Shown())
	}
	for range 50 {
		e.Replace(d, "static int f600(", "// a line\nstatic int f600(")
	}
	e.Sync()
	if got := e.Diagnostics(d.Path); len(got) != 1 || d.TextAt(got[0].Range) != "sassert(f7(x) < 6)" ||
		!strings.HasSuffix(got[0].Message, lsptest.StaleSuffix) {
		t.Errorf("shown is %v", e.Shown())
	}
	e.Replace(d, "< 6)", "< 7)")
	e.Save(d)
	e.Settle()
	expectShown(t, e)
}

func TestMissingText(t *testing.T) {
	got := missingText([]string{"clang-14 missing", "llvm-link-14 missing"},
		[]pipeline.Part{{Advice: "install it", Package: "clang-14"}, {Advice: "and this", Package: "llvm-14"}})
	if got != "unitproof cannot check proofs: clang-14 missing, llvm-link-14 missing. On Debian and Ubuntu: sudo apt "+
		"install clang-14 llvm-14" {
		t.Error(got)
	}
	if got := missingText([]string{"x"}, nil); !strings.Contains(got, "unitproof doctor") {
		t.Error(got)
	}
	got = missingText([]string{"x"}, []pipeline.Part{{Package: "clang"}, {Advice: "install the package y yourself"}})
	if got != "unitproof cannot check proofs: x. On Debian and Ubuntu: sudo apt install clang. "+
		"install the package y yourself; `unitproof doctor` has details" {
		t.Error(got)
	}
}

// TestScenarioSettingsWhileRunning changes settings while proofs run: results stay, nothing hangs, and requests are
// completed.
func TestScenarioSettingsWhileRunning(t *testing.T) {
	f := limits()
	f["slow_harness.c"] = slowProof
	f["unitproof.toml"] += "timeout = \"1h\"\n" // it must not time out before it is cancelled, even on a slow machine
	dir := f.write(t)
	e, _ := connectWith(t, lsptest.Options{Folders: []string{dir}, Capabilities: map[string]any{}},
		Options{CacheDir: t.TempDir()})
	e.Initialize()
	settings := func(s map[string]any) {
		e.Notify("workspace/didChangeConfiguration", map[string]any{"settings": map[string]any{"unitproof": s}})
	}
	eventually(t, e, "the slow proof alone", func() bool {
		return stateOf(t, e, "slow").Phase == "running" && stateOf(t, e, "limit").Verdict == "failed"
	})
	verify := e.Start(nil, "workspace/executeCommand", map[string]any{"command": "unitproof.server.verify",
		"arguments": []any{map[string]any{"proofs": []string{stateOf(t, e, "slow").ID}}}})
	other := t.TempDir()
	settings(map[string]any{"jobs": 1, "cacheDir": other})
	e.Sync()
	if s := stateOf(t, e, "limit"); s.Verdict != "failed" || s.Stale {
		t.Errorf("after other means: %+v", s)
	}
	expectShown(t, e, "proofs/limit_harness.c:10 error ")
	// Another solver's results are other results; until they arrive the old ones are marked.
	settings(map[string]any{"jobs": 2, "cacheDir": other, "solver": "z3"})
	e.Sync()
	if s := stateOf(t, e, "limit"); s.Verdict != "failed" || !s.Stale && s.Phase != "idle" {
		t.Errorf("with another solver: %+v", s)
	}
	eventually(t, e, "the other solver's result", func() bool {
		s := stateOf(t, e, "limit")
		return s.Verdict == "failed" && !s.Stale && s.Phase == "idle"
	})
	if err := e.Execute("cancel", nil, nil); err != nil {
		t.Fatal(err)
	}
	if err := wait(t, verify, nil); err != nil {
		t.Logf("the verify that was under way: %v", err)
	}
	settings(map[string]any{"jobs": 2, "cacheDir": other, "check": map[string]any{"on": "manual"}})
	e.Settle()
	expectShown(t, e, "proofs/limit_harness.c:10 error ")
	if entries, err := os.ReadDir(other); err != nil || len(entries) == 0 {
		t.Errorf("the other cache holds %d entries, %v", len(entries), err)
	}
}
