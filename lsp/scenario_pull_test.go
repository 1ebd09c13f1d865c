package lsp

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.lsp.dev/protocol"

	"github.com/unitproof/unitproof/lsp/lsptest"
	"github.com/unitproof/unitproof/lsp/rpc"
)

// capabilities returns those of AllCapabilities with members added to (or, if nil, removed from) their sections.
func capabilities(workspace, textDocument map[string]any) map[string]any {
	all := maps.Clone(lsptest.AllCapabilities)
	for section, more := range map[string]map[string]any{"workspace": workspace, "textDocument": textDocument} {
		members := maps.Clone(all[section].(map[string]any))
		for name, value := range more {
			if members[name] = value; value == nil {
				delete(members, name)
			}
		}
		all[section] = members
	}
	return all
}

// opened opens an editor with capabilities on files.
func opened(t *testing.T, f files, caps map[string]any, init map[string]any) (*lsptest.Editor, string) {
	t.Helper()
	dir := f.write(t)
	options := map[string]any{"trusted": true, "showsAnswers": true}
	maps.Copy(options, init)
	e, _ := connectWith(t, lsptest.Options{Folders: []string{dir}, Capabilities: caps, Init: options},
		Options{Version: "test", CacheDir: t.TempDir()})
	e.Initialize()
	return e, dir
}

// capability returns a member of the server's capabilities, "" if it is absent.
func capability(t *testing.T, e *lsptest.Editor, name string) string {
	t.Helper()
	var r struct {
		Capabilities map[string]json.RawMessage `json:"capabilities"`
	}
	if err := json.Unmarshal(e.Initialized, &r); err != nil {
		t.Fatal(err)
	}
	return string(r.Capabilities[name])
}

// report is a report of a pull.
type report struct {
	Kind     string
	ResultID string `json:"resultId"`
	URI      string
	Version  *int
	Items    *[]protocol.Diagnostic
}

func (r *report) messages() (list []string) {
	if r.Items != nil {
		for _, d := range *r.Items {
			list = append(list, d.Message)
		}
	}
	return list
}

func pull(e *lsptest.Editor, d *lsptest.Document, previous string) (r report) {
	e.Must("textDocument/diagnostic", map[string]any{"textDocument": map[string]any{"uri": d.URI},
		"previousResultId": previous}, &r)
	return r
}

var (
	refreshesPull = map[string]any{"diagnostics": map[string]any{"refreshSupport": true}}
	pulls         = map[string]any{"diagnostic": map[string]any{"relatedDocumentSupport": false}}
)

const failingUse = "#include <unitproof.h>\nint get(int *, int);\nint main(void) {\n\tint a[4] = {1};\n" +
	"\tsassert(get(a, nd_int()) == 1);\n}\n"

// TestScenarioPull checks that a document that the client pulls is not published any more. Changes ask it to pull
// again; other files and closed documents are published as before.
func TestScenarioPull(t *testing.T) {
	e, dir := opened(t, files{"get.c": "int get(int *a, int i) {\n\treturn a[i];\n}\n", "use_harness.c": failingUse,
		"unitproof.toml": "[[proof]]\nfile = \"use_harness.c\"\nsources = [\"get.c\"]\n"},
		capabilities(refreshesPull, pulls), nil)
	if got := capability(t, e, "diagnosticProvider"); got !=
		`{"identifier":"unitproof","interFileDependencies":true,"workspaceDiagnostics":true}` {
		t.Errorf("the capability is %s", got)
	}
	d := e.Open(filepath.Join(dir, "use_harness.c"))
	e.Settle()
	shown := e.Diagnostics(d.Path)
	if len(shown) == 0 || len(e.Diagnostics(filepath.Join(dir, "get.c"))) == 0 {
		t.Fatalf("shown is\n%s", strings.Join(e.Shown(), "\n"))
	}
	first := pull(e, d, "")
	if first.Kind != "full" || len(first.messages()) != len(shown) || first.messages()[0] != shown[0].Message {
		t.Errorf("pulled is %+v %q, published was %+v", first, first.messages(), shown)
	}
	if again := pull(e, d, first.ResultID); again.Kind != "unchanged" || again.Items != nil ||
		again.ResultID != first.ResultID {
		t.Errorf("the second report is %+v", again)
	}
	if left := e.Diagnostics(d.Path); len(left) > 0 {
		t.Errorf("published beside the pull: %+v", left)
	}
	if len(e.Diagnostics(filepath.Join(dir, "get.c"))) == 0 {
		t.Error("a file that is not pulled lost its diagnostics")
	}
	before := e.Received("workspace/diagnostic/refresh")
	e.SetText(d, strings.Replace(d.Text, "nd_int()", "0", 1))
	e.Save(d)
	e.Settle()
	if e.Received("workspace/diagnostic/refresh") == before {
		t.Error("the client was not asked to pull again")
	}
	if fixed := pull(e, d, first.ResultID); fixed.Kind != "full" || len(fixed.messages()) > 0 {
		t.Errorf("after the edit, pulled is %q", fixed.messages())
	}
	e.SetText(d, strings.Replace(d.Text, "== 1", "== 2", 1))
	e.Save(d)
	e.Settle()
	if left := e.Diagnostics(d.Path); len(left) > 0 {
		t.Errorf("published beside the pull: %+v", left)
	}
	e.Close(d)
	e.Sync()
	if len(e.Diagnostics(d.Path)) == 0 {
		t.Errorf("a closed document is not published; shown is\n%s", strings.Join(e.Shown(), "\n"))
	}
	if other := pull(e, &lsptest.Document{URI: "untitled:x"}, ""); other.Kind != "full" || len(other.messages()) > 0 {
		t.Errorf("of another scheme: %+v", other)
	}
}

// TestScenarioPullWaits checks that the pull of a client that cannot be asked again has the result of the runs.
func TestScenarioPullWaits(t *testing.T) {
	e, dir := opened(t, files{"a_harness.c": addProof}, capabilities(nil, map[string]any{"diagnostic": map[string]any{},
		"publishDiagnostics": nil}), nil)
	if capability(t, e, "diagnosticProvider") == "" {
		t.Error("it is not offered to a client that only pulls")
	}
	d := e.Open(filepath.Join(dir, "a_harness.c"))
	if r := pull(e, d, ""); len(r.messages()) != 1 || !strings.Contains(r.messages()[0], "does not fit int") {
		t.Errorf("pulled is %q", r.messages())
	}
	e.SetText(d, strings.Replace(d.Text, "a + 1", "a", 1))
	e.Save(d)
	if r := pull(e, d, ""); len(r.messages()) != 0 {
		t.Errorf("after the edit, pulled is %q", r.messages())
	}
	if shown := e.Shown(); len(shown) > 0 {
		t.Errorf("published to a client that only pulls: %q", shown)
	}
}

// TestScenarioPullIsNotOffered checks that clients that show published diagnostics, and would show the pulled ones
// beside them or late, are not offered to pull.
func TestScenarioPullIsNotOffered(t *testing.T) {
	for name, test := range map[string]struct{ caps, init map[string]any }{
		"it cannot":                {lsptest.AllCapabilities, nil},
		"it cannot be asked again": {capabilities(nil, pulls), nil},
		"it refuses":               {capabilities(refreshesPull, pulls), map[string]any{"without": []string{withoutPull}}},
	} {
		e, dir := opened(t, files{"a_harness.c": addProof}, test.caps, test.init)
		if got := capability(t, e, "diagnosticProvider"); got != "" {
			t.Errorf("%s: %s", name, got)
		}
		e.Open(filepath.Join(dir, "a_harness.c"))
		e.Settle()
		expectShown(t, e, "a_harness.c:4 error ")
	}
}

// TestScenarioWorkspacePull checks the reports about all files, and that a client that takes partial results waits for
// a change.
func TestScenarioWorkspacePull(t *testing.T) {
	e, dir := opened(t, files{"a_harness.c": addProof, "b_harness.c": addProof}, capabilities(refreshesPull, pulls), nil)
	d := e.Open(filepath.Join(dir, "a_harness.c"))
	e.Settle()
	var all struct{ Items []report }
	e.Must("workspace/diagnostic", map[string]any{"previousResultIds": []any{}}, &all)
	var ids []map[string]any
	for _, r := range all.Items {
		if r.Kind != "full" || len(r.messages()) != 1 || (r.Version != nil) != (r.URI == d.URI) {
			t.Errorf("a report is %+v: %q", r, r.messages())
		}
		ids = append(ids, map[string]any{"uri": r.URI, "value": r.ResultID})
	}
	if len(all.Items) != 2 || len(e.Shown()) > 0 {
		t.Fatalf("%d reports; published is %q", len(all.Items), e.Shown())
	}
	var same struct{ Items []report }
	e.Must("workspace/diagnostic", map[string]any{"previousResultIds": ids}, &same)
	if len(same.Items) != 2 || same.Items[0].Kind != "unchanged" || same.Items[1].Kind != "unchanged" {
		t.Errorf("nothing changed, and the reports are %+v", same.Items)
	}
	waiting := e.Start(nil, "workspace/diagnostic", map[string]any{"previousResultIds": ids, "partialResultToken": 7})
	cancelled := e.Start(nil, "workspace/diagnostic", map[string]any{"previousResultIds": ids, "partialResultToken": 8})
	e.Notify("$/cancelRequest", map[string]any{"id": cancelled.ID})
	wantCode(t, wait(t, cancelled, nil), int(rpc.RequestCancelled))
	e.SetText(d, strings.Replace(d.Text, "a + 1", "a", 1))
	e.Save(d)
	var changed struct{ Items []report }
	if err := wait(t, waiting, &changed); err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(changed.Items, func(r report) bool { return r.Kind == "full" && r.URI == d.URI }) {
		t.Errorf("after the edit, the reports are %+v", changed.Items)
	}
	e.Settle()
	if err := os.Remove(filepath.Join(dir, "b_harness.c")); err != nil {
		t.Fatal(err)
	}
	e.Watched(filepath.Join(dir, "b_harness.c"))
	e.Settle()
	e.Must("workspace/diagnostic", map[string]any{"previousResultIds": ids}, &all)
	for _, r := range all.Items {
		if r.Kind != "full" || r.Items == nil || len(*r.Items) > 0 {
			t.Errorf("without a failure, a report is %+v", r)
		}
	}
	if len(all.Items) != 2 || len(e.Shown()) > 0 {
		t.Errorf("%d reports; published is %q", len(all.Items), e.Shown())
	}
}
