package lsp

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.lsp.dev/protocol"

	"github.com/unitproof/unitproof/lsp/lsptest"
	"github.com/unitproof/unitproof/lsp/rpc"
)

// TestScenarioHierarchy checks that the incoming calls of a function are the proofs that execute it, and the outgoing
// calls those that the proofs executed.
func TestScenarioHierarchy(t *testing.T) {
	e, dir := opened(t, files{
		"put.c": "static int at(int *a, int n) {\n\treturn a[n];\n}\nint put(int *a, int n) {\n\treturn at(a, n) + " +
			"1;\n}\nint alone(int x) {\n\treturn x;\n}\n",
		"good.c": "#include <unitproof.h>\nint put(int *, int);\nint main(void) {\n\tint a[4] = {1};\n\tsassert(put(a, 0) " +
			"== 2);\n\treturn 0;\n}\n",
		"bad.c": "#include <unitproof.h>\nint put(int *, int);\nint main(void) {\n\tint a[4] = {1};\n\treturn put(a, " +
			"nd_int());\n}\n",
		"unitproof.toml": "[[proof]]\nfile = \"good.c\"\nsources = [\"put.c\"]\n[[proof]]\nfile = \"bad.c\"\nsources = " +
			"[\"put.c\"]\n",
	}, capabilities(nil, map[string]any{"callHierarchy": map[string]any{}}), nil)
	if capability(t, e, "callHierarchyProvider") != "true" {
		t.Error("it is not offered")
	}
	d, bad := e.Open(filepath.Join(dir, "put.c")), e.Open(filepath.Join(dir, "bad.c"))
	if err := e.Execute("verify", map[string]any{}, nil); err != nil {
		t.Fatal(err)
	}
	e.Settle()
	prepare := func(d *lsptest.Document, text string) []protocol.CallHierarchyItem {
		var items []protocol.CallHierarchyItem
		e.Must("textDocument/prepareCallHierarchy", map[string]any{"textDocument": map[string]any{"uri": d.URI},
			"position": e.RangeOf(d, text).Start}, &items)
		return items
	}
	incoming := func(item protocol.CallHierarchyItem) (list []string) {
		var calls []protocol.CallHierarchyIncomingCall
		e.Must("callHierarchy/incomingCalls", map[string]any{"item": item}, &calls)
		for _, c := range calls {
			line := 0
			if len(c.FromRanges) == 1 {
				line = int(c.FromRanges[0].Start.Line)
			}
			list = append(list, fmt.Sprintf("%s:%d", c.From.Name, line))
		}
		return list
	}
	outgoing := func(item protocol.CallHierarchyItem) (list []string) {
		var calls []protocol.CallHierarchyOutgoingCall
		e.Must("callHierarchy/outgoingCalls", map[string]any{"item": item}, &calls)
		for _, c := range calls {
			list = append(list, fmt.Sprintf("%s:%d", c.To.Name, c.FromRanges[0].Start.Line))
		}
		return list
	}
	for _, text := range []string{"at(int", "at(a, n)"} { // the definition, a call
		items := prepare(d, text)
		if len(items) != 1 || items[0].Name != "at" || d.TextAt(items[0].SelectionRange) != "at" ||
			items[0].Detail != "1 proof ✓ · 1 ✗ bad" {
			t.Fatalf("%s: %+v", text, items)
		}
		if got := incoming(items[0]); !slices.Equal(got, []string{"bad:4", "good:4"}) {
			t.Errorf("the proofs of at are %q", got)
		}
		if got := outgoing(items[0]); len(got) > 0 {
			t.Errorf("at calls %q", got)
		}
	}
	if items := prepare(d, "put(int"); len(items) != 1 || !slices.Equal(outgoing(items[0]), []string{"at:4"}) {
		t.Errorf("put calls %q", outgoing(items[0]))
	}
	items := prepare(bad, "main(")
	if len(items) != 1 || items[0].Name != "bad" || !strings.Contains(items[0].Detail, "failed") {
		t.Fatalf("the proof is %+v", items)
	}
	if got := outgoing(items[0]); !slices.Equal(got, []string{"put:4"}) || len(incoming(items[0])) > 0 {
		t.Errorf("the proof calls %q", got)
	}
	for _, text := range []string{"alone", "return", "{"} {
		if items := prepare(d, text); items != nil {
			t.Errorf("%s: %+v", text, items)
		}
	}
	wantCode(t, e.Call("callHierarchy/incomingCalls", map[string]any{"item": map[string]any{"name": "x"}}, nil),
		int(rpc.RequestFailed))
	// Places follow an edit, and a function without a text is left out.
	e.Edit(d, 0, 0, "// one more line\n\n")
	e.Sync()
	if items := prepare(d, "put(int"); len(items) != 1 || !slices.Equal(outgoing(items[0]), []string{"at:6"}) ||
		d.TextAt(items[0].SelectionRange) != "put" {
		t.Errorf("after an edit, %+v calls %q", items, outgoing(items[0]))
	}
}

// TestScenarioTokens checks the tokens of clauses; a document without clauses has none.
func TestScenarioTokens(t *testing.T) {
	e, dir := opened(t, files{"é.c": "int get(int *ä, int n)\n__CPROVER_requires(n > 0 && ä[0] == n)\n{\n\treturn n;\n}\n",
		"plain.c": "int x;\n"}, capabilities(nil, map[string]any{"semanticTokens": map[string]any{}}), nil)
	var options struct {
		Full   bool
		Legend protocol.SemanticTokensLegend
	}
	if err := json.Unmarshal([]byte(capability(t, e, "semanticTokensProvider")), &options); err != nil || !options.Full {
		t.Fatalf("%v, %+v", err, options)
	}
	tokens := func(d *lsptest.Document) (list []string) {
		var r *protocol.SemanticTokens
		e.Must("textDocument/semanticTokens/full", map[string]any{"textDocument": map[string]any{"uri": d.URI}}, &r)
		if r == nil {
			return nil
		}
		var line, column uint32
		for i := 0; i+5 <= len(r.Data); i += 5 {
			if r.Data[i] > 0 {
				column = 0
			}
			line, column = line+r.Data[i], column+r.Data[i+1]
			text := d.TextAt(protocol.Range{Start: protocol.Position{Line: line, Character: column},
				End: protocol.Position{Line: line, Character: column + r.Data[i+2]}})
			list = append(list, text+" "+string(options.Legend.TokenTypes[r.Data[i+3]]))
		}
		return list
	}
	want := []string{"__CPROVER_requires keyword", "n parameter", "0 number", "ä parameter", "0 number", "n parameter"}
	if got := tokens(e.Open(filepath.Join(dir, "é.c"))); !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	if got := tokens(e.Open(filepath.Join(dir, "plain.c"))); got != nil {
		t.Errorf("a plain file has %q", got)
	}
	without, _ := opened(t, nil, capabilities(nil, map[string]any{"semanticTokens": map[string]any{},
		"callHierarchy": map[string]any{}}), map[string]any{"without": []string{withoutTokens, withoutHierarchy}})
	if capability(t, without, "semanticTokensProvider")+capability(t, without, "callHierarchyProvider") != "" {
		t.Error("what the client refuses is offered")
	}
}

// TestScenarioActionResolve checks that the edit of an action is sent on request, for the text at that time. At most
// one action is preferred.
func TestScenarioActionResolve(t *testing.T) {
	known := lsptest.AllCapabilities["textDocument"].(map[string]any)["codeAction"].(map[string]any)
	action := united(known,
		map[string]any{"dataSupport": true, "resolveSupport": map[string]any{"properties": []string{"edit"}}})
	e, dir := opened(t, files{"size_harness.c": "#include <unitproof.h>\n\nint main(void) {\n\tFILE *f = 0;\n" +
		"\tsassert(f == 0);\n}\n"}, capabilities(nil, map[string]any{"codeAction": action}), nil)
	d := e.Open(filepath.Join(dir, "size_harness.c"))
	e.Settle()
	var list []json.RawMessage
	request := map[string]any{"textDocument": map[string]any{"uri": d.URI}, "range": e.RangeOf(d, "FILE *f"),
		"context": map[string]any{"diagnostics": e.Diagnostics(d.Path)}}
	e.Must("textDocument/codeAction", request, &list)
	preferred := 0
	var insert json.RawMessage
	for _, raw := range list {
		var a lsptest.Action
		if err := json.Unmarshal(raw, &a); err != nil {
			t.Fatal(err)
		}
		if a.Edit != nil {
			t.Errorf("%s already has its edit", a.Title)
		}
		if a.IsPreferred {
			preferred++
		}
		if a.Title == "Insert #include <stdio.h>" {
			if insert = raw; !a.IsPreferred || len(a.Diagnostics) == 0 {
				t.Errorf("the remedy is %+v", a)
			}
		}
	}
	if preferred != 1 || insert == nil {
		t.Fatalf("%d preferred of %s", preferred, list)
	}
	e.Edit(d, 0, 0, "// a comment\n")
	e.Sync()
	// The range of the list is now one line too early, at another place: the action is gone, and the error says so.
	wantCode(t, e.Call("codeAction/resolve", insert, nil), int(rpc.RequestFailed))
	e.Edit(d, 0, len("// a comment\n"), "")
	e.Sync()
	var resolved lsptest.Action
	e.Must("codeAction/resolve", insert, &resolved)
	e.Apply(resolved.Edit)
	e.Settle()
	expectShown(t, e)
	wantCode(t, e.Call("codeAction/resolve", map[string]any{"title": "x", "data": map[string]any{"uri": "git:x"}}, nil),
		int(rpc.RequestFailed))
}

func united(a, b map[string]any) map[string]any {
	out := map[string]any{}
	for _, m := range []map[string]any{a, b} {
		for k, v := range m {
			out[k] = v
		}
	}
	return out
}

// TestScenarioHintResolve checks that tooltips of hints, and the edits that write invariants down, are sent on request.
func TestScenarioHintResolve(t *testing.T) {
	e, dir := opened(t, files{"sum_harness.c": "#include <unitproof.h>\nint main(void) {\n\tunsigned n = nd_uint(), " +
		"sum = 0;\n\tassume(n < 100000);\n\tfor (unsigned i = 0; i < n; i++)\n\t\tsum += 2;\n\tsassert(sum == 2 * " +
		"n);\n\treturn 0;\n}\n"}, capabilities(nil, map[string]any{"inlayHint": map[string]any{
		"resolveSupport": map[string]any{"properties": []string{"tooltip", "textEdits"}}}}), nil)
	if got := capability(t, e, "inlayHintProvider"); got != `{"resolveProvider":true}` {
		t.Errorf("the capability is %s", got)
	}
	d := e.Open(filepath.Join(dir, "sum_harness.c"))
	e.Settle()
	var list []inlayHint
	e.Must("textDocument/inlayHint", map[string]any{"textDocument": map[string]any{"uri": d.URI},
		"range": protocol.Range{End: protocol.Position{Line: 1000}}}, &list)
	if len(list) != 1 || list[0].Tooltip != "" || list[0].Data == nil || list[0].TextEdits != nil {
		t.Fatalf("the hints are %+v; shown is %q", list, e.Shown())
	}
	var hint inlayHint
	e.Must("inlayHint/resolve", list[0], &hint)
	if !strings.Contains(hint.Tooltip, "by induction") || len(hint.TextEdits) == 0 ||
		!strings.Contains(hint.TextEdits[0].NewText, invariantClause) {
		t.Errorf("resolved, it is %+v", hint)
	}
	// A hint of an older text is returned as it was.
	e.SetText(d, "int x;\n")
	e.Sync()
	var old inlayHint
	e.Must("inlayHint/resolve", list[0], &old)
	if old.Tooltip != "" || old.Label != list[0].Label {
		t.Errorf("of an older text: %+v", old)
	}
}

// TestScenarioWorkDone checks the progress of a command on the client's token, and cancelling by it.
func TestScenarioWorkDone(t *testing.T) {
	e, _ := workspace(t, files{"a_harness.c": addProof, "b_harness.c": addProof})
	e.Settle()
	e.Must("workspace/executeCommand", map[string]any{"command": "unitproof.server.verify", "arguments": []any{
		map[string]any{"force": true}}, "workDoneToken": "mine"}, nil)
	var kinds []string
	for _, p := range e.ProgressValues() {
		if p.Token == "mine" {
			if kind := p.Value.Kind; len(kinds) == 0 || kinds[len(kinds)-1] != kind {
				kinds = append(kinds, kind)
			}
			if p.Value.Kind == "begin" && (p.Value.Title != "unitproof: verify" || !p.Value.Cancellable) {
				t.Errorf("it begins with %+v", p)
			}
		}
	}
	if !slices.Equal(kinds, []string{"begin", "report", "end"}) {
		t.Errorf("the progress is %q", kinds)
	}
	slow, dir := workspace(t, files{"slow_harness.c": "#include <unitproof.h>\nint main(void) {\n\tunsigned long a = " +
		"nd_ulong(), b = nd_ulong();\n\tassume(a > 1 && b > 1 && a < b);\n\tsassert(a * b != 1000000016000000063ul);\n}\n"})
	slow.Open(filepath.Join(dir, "slow_harness.c"))
	r := slow.Start(nil, "workspace/executeCommand", map[string]any{"command": "unitproof.server.verify",
		"arguments": []any{map[string]any{"force": true}}, "workDoneToken": "slow"})
	slow.Await("the begin", func() bool {
		return slices.ContainsFunc(slow.ProgressValues(), func(p lsptest.Progress) bool { return p.Token == "slow" })
	})
	slow.Notify("window/workDoneProgress/cancel", map[string]any{"token": "slow"})
	wantCode(t, wait(t, r, nil), int(rpc.RequestCancelled))
}

// TestScenarioDelete checks that unitproof.toml forgets files and folders that are deleted in the editor.
func TestScenarioDelete(t *testing.T) {
	const config = "[compile]\ncompile-commands = \"build/compile_commands.json\" # the build\nflags = [\"-Isrc\"]\n\n" +
		"# the first\n[[proof]]\nfile = \"a.c\"\nname = \"src\"\nsources = [\n  \"src/x.c\", # x\n  \"src/y.c\",\n  " +
		"\"lib/z.c\",\n]\n\n# the second\n[[proof]]\nfile = \"src/b.c\"\n[proof.checks]\nmemory-leak = true\n\n[check]\n" +
		"unwind = 3\n"
	e, dir := workspace(t, files{"unitproof.toml": config, "a.c": "int x;\n"})
	d := e.Open(filepath.Join(dir, "unitproof.toml"))
	e.Sync()
	for _, test := range []struct {
		deleted []string
		old     []string // parts of the text and what they become, in pairs
	}{
		{[]string{"src/x.c"}, []string{"\"src/x.c\", # x\n  ", ""}},
		{[]string{"lib"}, []string{",\n  \"lib/z.c\"", ""}},
		{[]string{"src/y.c", "lib/z.c"}, []string{", # x\n  \"src/y.c\",\n  \"lib/z.c\"", ""}},
		{[]string{"src/b.c"}, []string{"[[proof]]\nfile = \"src/b.c\"\n[proof.checks]\nmemory-leak = true\n\n", ""}},
		{[]string{"src"}, []string{"\"src/x.c\", # x\n  \"src/y.c\",\n  ", "",
			"[[proof]]\nfile = \"src/b.c\"\n[proof.checks]\nmemory-leak = true\n\n", ""}},
		{[]string{"src", "lib"}, []string{"[\n  \"src/x.c\", # x\n  \"src/y.c\",\n  \"lib/z.c\",\n]", "[]",
			"[[proof]]\nfile = \"src/b.c\"\n[proof.checks]\nmemory-leak = true\n\n", ""}},
		{[]string{"build/compile_commands.json"},
			[]string{"compile-commands = \"build/compile_commands.json\" # the build\n", ""}},
		{[]string{"other.c", "sr"}, nil},
	} {
		var list []map[string]any
		for _, name := range test.deleted {
			list = append(list, map[string]any{"uri": lsptest.URI(filepath.Join(dir, name))})
		}
		var raw json.RawMessage
		e.Must("workspace/willDeleteFiles", map[string]any{"files": list}, &raw)
		if string(raw) != "null" {
			e.Apply(raw)
		}
		want := config
		for i := 0; i+1 < len(test.old); i += 2 {
			want = strings.Replace(want, test.old[i], test.old[i+1], 1)
		}
		if e.Content(d.Path) != want || want == config && test.old != nil {
			t.Errorf("%q deleted:\n%s\nwant\n%s", test.deleted, e.Content(d.Path), want)
		}
		e.SetText(d, config)
		e.Sync()
	}
}

func rename(t *testing.T, from, to string) {
	t.Helper()
	if err := os.Rename(from, to); err != nil {
		t.Fatal(err)
	}
}

// TestScenarioFileOperations checks that files that the editor created, renamed and deleted are noticed without file
// events.
func TestScenarioFileOperations(t *testing.T) {
	e, dir := workspace(t, files{"a_harness.c": addProof})
	e.Settle()
	expectShown(t, e, "a_harness.c:4 error ")
	uri := func(name string) string { return lsptest.URI(filepath.Join(dir, name)) }
	rename(t, filepath.Join(dir, "a_harness.c"), filepath.Join(dir, "b_harness.c"))
	e.Notify("workspace/didRenameFiles", map[string]any{"files": []map[string]any{{"oldUri": uri("a_harness.c"),
		"newUri": uri("b_harness.c")}}})
	e.Settle()
	expectShown(t, e, "b_harness.c:4 error ")
	rename(t, filepath.Join(dir, "b_harness.c"), filepath.Join(t.TempDir(), "gone"))
	e.Notify("workspace/didDeleteFiles", map[string]any{"files": []map[string]any{{"uri": uri("b_harness.c")}}})
	e.Settle()
	expectShown(t, e)
}

// TestScenarioSubjects checks the function that each proof is about.
func TestScenarioSubjects(t *testing.T) {
	e, dir := workspace(t, files{
		"ring.c": "struct ring { int at, size; };\nvoid start(struct ring *r) {\n\tr->at = 0;\n\tr->size = 4;\n}\n" +
			"int next(struct ring *r) {\n\treturn r->at++ % r->size;\n}\n",
		"next_harness.c": "#include <unitproof.h>\nstruct ring { int at, size; } r;\nvoid start(struct ring *);\n" +
			"int next(struct ring *);\nstatic int own(int x) {\n\treturn x + 1;\n}\nint main(void) {\n\tstart(&r);\n" +
			"\tsassert(next(&r) < own(3));\n}\n",
		"alone_harness.c": "#include <unitproof.h>\nint main(void) {\n\tint x = nd_int();\n\tsassert(x == x);\n}\n",
		"twice.c": "int twice(int x)\n__CPROVER_requires(x > 0 && x < 9)\n__CPROVER_ensures(__CPROVER_return_value == 2 " +
			"* x)\n{\n\treturn x + x;\n}\n",
		"unitproof.toml": "[[proof]]\nfile = \"next_harness.c\"\nsources = [\"ring.c\"]\n[[proof]]\nfile = " +
			"\"alone_harness.c\"\n[[proof]]\nfile = \"twice.c\"\ncontract = \"twice\"\n"})
	d := e.Open(filepath.Join(dir, "ring.c"))
	if err := e.Execute("verify", nil, nil); err != nil {
		t.Fatal(err)
	}
	e.Settle()
	var got subjectList
	e.Must("unitproof/subjects", map[string]any{}, &got)
	var list []string
	for _, s := range got.Subjects {
		list = append(list, strings.TrimPrefix(s.Proof[strings.LastIndexByte(s.Proof, '/')+1:], "#")+" "+s.Name)
		if string(s.URI) == d.URI && d.TextAt(s.Range) != "next" {
			t.Errorf("the place of %s is %v", s.Name, s.Range)
		}
	}
	slices.Sort(list)
	if len(list) != 2 || !strings.HasSuffix(list[0], " next") || !strings.HasSuffix(list[1], " twice") {
		t.Errorf("the subjects are %q", list)
	}
}
