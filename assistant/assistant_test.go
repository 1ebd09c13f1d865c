package assistant

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/docs"
	"github.com/unitproof/unitproof/editing"
	"github.com/unitproof/unitproof/pipeline"
	"github.com/unitproof/unitproof/pipeline/trust"
	"github.com/unitproof/unitproof/vcgen/found"
)

// The test program is also the worker.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "worker" {
		if err := pipeline.ServeWorker(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, "unitproof:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// files are the files of a project by relative path.
type files map[string]string

// session is a client of a server for a project of the test's own.
type session struct {
	*testing.T
	dir    string
	server *Server
	client *mcp.ClientSession
}

// start starts a server and the client of the SDK. At the end of the test the project has to be as it was.
func start(t *testing.T, f files, opts Options) *session {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if f["unitproof.toml"] == "" {
		f["unitproof.toml"] = "\n"
	}
	for name, text := range f {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if opts.CacheDir == "" {
		opts.CacheDir = t.TempDir()
	}
	server, err := New(dir, opts)
	if err != nil {
		t.Fatal(err)
	}
	clientEnd, serverEnd := mcp.NewInMemoryTransports()
	ctx := t.Context()
	if _, err := server.MCP().Connect(ctx, serverEnd, nil); err != nil {
		t.Fatal(err)
	}
	client, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(ctx, clientEnd, nil)
	if err != nil {
		t.Fatal(err)
	}
	before := contents(t, dir)
	t.Cleanup(func() {
		client.Close()
		server.Close()
		if after := contents(t, dir); after != before {
			t.Errorf("a tool has written into the project:\n%s\nwas\n%s", after, before)
		}
	})
	return &session{t, dir, server, client}
}

// contents are names and sizes of all files of a folder, and their texts.
func contents(t *testing.T, dir string) string {
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		fmt.Fprintf(&b, "%s %d %q\n", path, len(text), clip(string(text), 2000))
		return err
	})
	if err != nil {
		t.Error(err)
	}
	return b.String()
}

// args are the arguments of a call.
type args = map[string]any

// raw calls a tool and returns its text, and whether that is an error. No answer is too large.
func (s *session) raw(tool string, a args) (string, bool) {
	s.Helper()
	r, err := s.client.CallTool(context.Background(), &mcp.CallToolParams{Name: tool, Arguments: a})
	if err != nil {
		return err.Error(), true
	}
	text := r.Content[0].(*mcp.TextContent).Text
	if len(text) > maxAnswer || size(r.StructuredContent) > maxAnswer {
		s.Errorf("%s answers %d bytes, %d of them structured: %.300s", tool, len(text), size(r.StructuredContent), text)
	}
	return text, r.IsError
}

// call calls a tool that has to answer.
func call[Out any](s *session, tool string, a args) (out Out) {
	s.Helper()
	text, failed := s.raw(tool, a)
	if failed {
		s.Fatalf("%s %v: %s", tool, a, text)
	}
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		s.Fatalf("%s: %v: %s", tool, err, text)
	}
	return out
}

// wrong calls a tool that has to refuse, with words that match.
func (s *session) wrong(tool string, a args, want string) {
	s.Helper()
	text, failed := s.raw(tool, a)
	if !failed || !regexp.MustCompile(want).MatchString(text) {
		s.Errorf("%s %v: %q (error: %v), want an error that matches %q", tool, a, text, failed, want)
	}
}

const clampFile = `#include <unitproof.h>
static int clamp(int x, int lo, int hi) { return x < lo ? lo : x > hi ? hi - 1 : x; }
void clamp_proof(void) {
  int x = nd_int(), lo = nd_int(), hi = nd_int();
  int r = clamp(x, lo, hi);
  sassert(lo <= r && r <= hi);
}
`

func TestToolsAreDescribed(t *testing.T) {
	s := start(t, files{"clamp.c": clampFile}, Options{})
	list, err := s.client.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
		if tool.Description == "" || tool.OutputSchema == nil || !tool.Annotations.ReadOnlyHint {
			t.Errorf("%s is not described: %+v", tool.Name, tool)
		}
		schema, _ := json.Marshal(tool.InputSchema)
		if strings.Contains(string(schema), `"null"`) {
			t.Errorf("%s takes null, which some clients do not understand: %s", tool.Name, schema)
		}
		var in struct {
			Properties map[string]struct{ Description string }
		}
		if err := json.Unmarshal(schema, &in); err != nil {
			t.Fatal(err)
		}
		for name, p := range in.Properties {
			if p.Description == "" {
				t.Errorf("%s: %s is not described", tool.Name, name)
			}
		}
	}
	// The manual is about these tools, and names no others.
	manual := docs.Instructions()
	for _, name := range names {
		if page, err := os.ReadFile("../docs/assistants.md"); err != nil || !strings.Contains(string(page), "`"+name+"`") {
			t.Errorf("docs/assistants.md lacks the tool %s (%v)", name, err)
		}
	}
	for _, m := range regexp.MustCompile("`([a-z_]+)`").FindAllStringSubmatch(manual, -1) {
		word := m[1]
		known := slices.Contains(names, word) || docs.Word(word) != "" || diagnostics.NotDone(word).Help() != "" ||
			strings.Contains(answerFields(), `"`+word+`"`) || word == "main" || word == "malloc"
		if !known {
			t.Errorf("the manual speaks of %s, which is nothing", word)
		}
	}
}

// answerFields are the names of fields in answers.
func answerFields() string {
	text := ""
	for _, value := range []any{CheckAnswer{Changes: &Changes{AssumptionsAdded: []string{""}, ChecksLost: 1}},
		FindingAnswer{InTheWay: "x"}, ProofAnswer{}} {
		data, _ := json.Marshal(value)
		text += string(data)
	}
	return text + `"not_done"`
}

// The examples of the manual are true.
func TestInstructions(t *testing.T) {
	manual := docs.Instructions()
	block := func(language string) string {
		_, rest, ok := strings.Cut(manual, "```"+language+"\n")
		text, _, _ := strings.Cut(rest, "```")
		if !ok {
			t.Fatalf("no block of %s", language)
		}
		return text
	}
	s := start(t, files{"unitproof.toml": block("toml"), "proofs/clamp_proof.c": block("c"),
		"src/clamp.c": "int clamp(int x, int lo, int hi) { return x < lo ? lo : x > hi ? hi : x; }\n"}, Options{})
	got := call[CheckAnswer](s, "check", nil)
	if got.Verdict != "proved" || got.Proved != 1 || got.Total != 1 {
		t.Errorf("the example is %+v", got)
	}
}

func TestEveryTool(t *testing.T) {
	s := start(t, files{"clamp.c": clampFile,
		"src/sum.c": "int twice(int x) { return x > 1000 || x < -1000 ? 0 : 2 * x; }\n"}, Options{})
	if p := call[ProofsAnswer](s, "proofs", nil); p.Total != 1 || p.Proofs[0].Verdict != notChecked {
		t.Errorf("proofs: %+v", p)
	}
	c := call[CheckAnswer](s, "check", args{"names": []string{"clamp"}, "steps": 100000})
	if c.Verdict != "failed" || c.Finding == nil || c.Finding.Kind != "signed-overflow" ||
		!slices.Equal(c.Finding.CWE, []string{"CWE-190", "CWE-191"}) {
		t.Errorf("check: %+v", c)
	}
	f := call[FindingAnswer](s, "finding", args{"id": c.Finding.ID[:8]})
	if len(f.Inputs) == 0 || len(f.Steps) == 0 || !strings.HasPrefix(f.Source[1], ">2 ") {
		t.Errorf("finding: %+v", f)
	}
	if r := call[ReplayAnswer](s, "replay", args{"id": c.Finding.ID}); r.Outcome != "reproduced" {
		t.Errorf("replay: %+v", r)
	}
	r := call[ReplayAnswer](s, "replay", args{"id": c.Finding.ID, "as": "c"})
	resource, err := s.client.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: r.Resource})
	if err != nil || !strings.Contains(resource.Contents[0].Text, "static int clamp") || r.Build == "" {
		t.Errorf("replay as C: %+v, %v", r, err)
	}
	for _, uri := range []string{f.Whole, "unitproof://report/clamp"} {
		x, err := s.client.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
		if err != nil || !json.Valid([]byte(x.Contents[0].Text)) {
			t.Errorf("%s: %v", uri, err)
		}
	}
	fixed := []args{{"file": "clamp.c", "old": "hi - 1", "new": "hi"},
		{"file": "clamp.c", "old": "hi = nd_int();", "new": "hi = nd_int();\n  assume(lo <= hi && x != 3 && x == x);"}}
	c = call[CheckAnswer](s, "try", args{"edits": fixed})
	if c.Verdict != "proved" || len(c.Changes.Vanished) != 2 || len(c.Changes.AssumptionsAdded) == 0 {
		t.Errorf("try: %+v", c)
	}
	if w := call[WhyAnswer](s, "why", args{"proof": "clamp"}); !strings.Contains(strings.Join(w.Needed, ";"), "lo <= hi") {
		t.Errorf("why: %+v", w)
	}
	if x := call[StrengthAnswer](s, "strength", args{"proof": "clamp", "max": 10}); x.Killed == 0 || !x.WithEdits {
		t.Errorf("strength: %+v", x)
	}
	if x := call[CostAnswer](s, "cost", args{"proof": "clamp"}); len(x.Lines) == 0 {
		t.Errorf("cost: %+v", x)
	}
	call[SuggestAnswer](s, "suggest", args{"proof": "clamp"})
	n := call[NewAnswer](s, "new", args{"function": "twice"})
	if n.Check == nil || n.Check.Proved != 1 || len(n.Check.Problems) > 0 || n.File == "" ||
		!strings.Contains(n.Config, "src/sum.c") {
		t.Errorf("new: %+v", n)
	}
	if x := call[ExplainAnswer](s, "explain", args{"word": "out-of-bounds-read"}); !strings.Contains(x.Text, "read") {
		t.Errorf("explain: %+v", x)
	}
	if x := call[AuditAnswer](s, "audit", nil); x.Proofs != 1 || len(x.Findings) != 1 ||
		x.Findings[0].Kind != "not-proved" {
		t.Errorf("audit: %+v", x)
	}
	if x := call[SelfTestAnswer](s, "selftest", nil); !x.OK || len(x.Canaries) != 3 {
		t.Errorf("selftest: %+v", x)
	}
	// The files on disk are unchanged.
	if p := call[ProofsAnswer](s, "proofs", args{"match": "clamp"}); p.Total != 1 || p.Counts["proved"] > 0 {
		t.Errorf("proofs: %+v", p)
	}
}

func TestWrongCalls(t *testing.T) {
	s := start(t, files{"clamp.c": clampFile, "sub/x.h": ""}, Options{})
	s.wrong("check", args{"names": []string{"clam"}}, `no proof is called "clam"; similar: clamp`)
	s.wrong("check", args{"names": "clamp"}, "names")
	s.wrong("check", args{"steps": -1}, "steps")
	s.wrong("check", args{"budget": 1}, "budget")
	s.wrong("try", args{"edits": []args{}}, "no edits")
	s.wrong("try", args{}, "edits")
	s.wrong("try", args{"edits": []args{{"file": "../etc.c", "text": "x"}}}, "is not a file below")
	s.wrong("try", args{"edits": []args{{"file": "/etc/passwd", "text": "x"}}}, "is not a file below")
	s.wrong("try", args{"edits": []args{{"file": "", "text": "x"}}}, "names no file")
	s.wrong("try", args{"edits": []args{{"file": "a\x00b", "text": "x"}}}, "names no file")
	s.wrong("try", args{"edits": []args{{"file": "sub", "text": "x"}}}, "is a folder")
	s.wrong("try", args{"edits": []args{{"file": "none.c", "old": "x", "new": "y"}}}, "cannot be read")
	s.wrong("try", args{"edits": []args{{"file": "clamp.c", "old": "nd_int", "new": "y"}}}, "3 times")
	s.wrong("try", args{"edits": []args{{"file": "clamp.c", "old": "nothing", "new": "y"}}}, "does not have the piece")
	s.wrong("try", args{"edits": []args{{"file": "clamp.c", "old": "a", "text": "y"}}}, "cannot be combined")
	s.wrong("try", args{"edits": []args{{"file": "clamp.c", "text": strings.Repeat("x", maxEditText+1)}}}, "bytes")
	s.wrong("try", args{"edits": []args{{"file": "clamp.c", "text": "int x;"}}}, "no proof")
	s.wrong("finding", args{"id": "x"}, "is not the id")
	s.wrong("finding", args{"id": "ffffffffffff"}, "no finding ffffffffffff")
	s.wrong("replay", args{"id": "ffffffffffff"}, "no finding")
	s.wrong("why", args{"proof": "nothing"}, "no proof is called")
	s.wrong("strength", args{"proof": "clamp"}, "check it first")
	s.wrong("strength", args{"proof": "clamp", "max": 100000}, "max")
	s.wrong("explain", args{"word": "melting"}, "is unknown")
	s.wrong("new", args{"function": "nothing"}, "defines nothing for others")
	s.wrong("new", args{"function": "clamp", "file": "../x.c"}, "is not a file below")
	s.wrong("melt", nil, "melt")
	if _, err := s.client.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "unitproof://text/9/x"}); err == nil {
		t.Error("a resource that is not there can be read")
	}
	// A proof that does not compile is an answer, and the place is the first that it says.
	c := call[CheckAnswer](s, "try", args{"edits": []args{{"file": "clamp.c", "old": "int r =", "new": "int r = ;"}}})
	if c.Verdict != "error" || c.Finding.Kind != "error" || !strings.HasPrefix(c.Finding.At, "clamp.c:5:") ||
		!slices.Equal(c.Proofs[0].NotDone, []diagnostics.NotDone{diagnostics.NotCompiled}) {
		t.Errorf("a syntax error is %+v", c)
	}
	// Nothing of it is left.
	if c = call[CheckAnswer](s, "check", nil); c.Verdict != "failed" {
		t.Errorf("the files on disk are %+v", c)
	}
	s.wrong("strength", args{"proof": "sub/x.h"}, "no proof is called")
	if x := call[StrengthAnswer](s, "strength", args{"proof": "clamp"}); x.Reason == "" || x.Score != 0 {
		t.Errorf("strength of what fails: %+v", x)
	}
}

// A finding keeps its id when lines are inserted before it, and is shown at its new place.
func TestEditsMoveFindings(t *testing.T) {
	s := start(t, files{"clamp.c": clampFile}, Options{})
	before := call[CheckAnswer](s, "check", nil)
	c := call[CheckAnswer](s, "try", args{"edits": []args{{"file": "clamp.c",
		"text": strings.Repeat("/* */\n", 100) + clampFile}}})
	if len(c.Changes.Appeared)+len(c.Changes.Vanished) > 0 || c.Finding.ID != before.Finding.ID {
		t.Errorf("moving a proof changes %+v", c.Changes)
	}
	f := call[FindingAnswer](s, "finding", args{"id": c.Finding.ID})
	if !strings.HasPrefix(f.At, "clamp.c:102:") || !slices.ContainsFunc(f.Source, func(l string) bool {
		return strings.HasPrefix(l, ">102 static int clamp")
	}) {
		t.Errorf("the finding is %+v", f)
	}
	if r := call[ReplayAnswer](s, "replay", args{"id": c.Finding.ID}); r.Outcome != "reproduced" ||
		!strings.Contains(r.Message, "clamp.c:102") {
		t.Errorf("replay: %+v", r)
	}
}

// A finding of files that have changed since is marked.
func TestStaleFinding(t *testing.T) {
	s := start(t, files{"clamp.c": clampFile}, Options{})
	c := call[CheckAnswer](s, "check", nil)
	if f := call[FindingAnswer](s, "finding", args{"id": c.Finding.ID}); f.Stale {
		t.Errorf("a new finding is stale: %+v", f)
	}
	path := filepath.Join(s.dir, "clamp.c")
	write := func(text string) {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(strings.Replace(clampFile, "hi - 1", "hi", 1))
	if f := call[FindingAnswer](s, "finding", args{"id": c.Finding.ID}); !f.Stale {
		t.Errorf("the finding of another text is not stale: %+v", f)
	}
	if p := call[ProofsAnswer](s, "proofs", nil); !p.Proofs[0].Stale {
		t.Errorf("proofs: %+v", p)
	}
	if c := call[CheckAnswer](s, "check", nil); c.Finding == nil || c.Finding.Kind != "assertion" {
		t.Errorf("the changed file is %+v", c)
	}
	s.wrong("finding", args{"id": c.Finding.ID}, "no finding .*; open findings there are")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	s.wrong("check", args{"names": []string{"clamp"}}, "no proofs")
	write(clampFile)
}

func TestUntrusted(t *testing.T) {
	s := start(t, files{"clamp.c": clampFile, "unitproof.toml": "[compile]\nflags = [\"-DX\", \"-I/somewhere\"]\n"},
		Options{Allowed: func(trust.Request) bool { return false }})
	const want = "not trusted.*unitproof trust .*-I/somewhere"
	s.wrong("check", nil, want)
	s.wrong("try", args{"edits": []args{{"file": "clamp.c", "old": "hi - 1", "new": "hi"}}}, want)
	s.wrong("why", args{"proof": "clamp"}, want)
	s.wrong("audit", nil, want)
	s.wrong("strength", args{"proof": "clamp"}, want)
	s.wrong("cost", args{"proof": "clamp"}, want)
	s.wrong("new", args{"function": "clamp", "file": "clamp.c"}, want)
	if p := call[ProofsAnswer](s, "proofs", nil); p.Total != 1 || !regexp.MustCompile(want).MatchString(p.Trust) {
		t.Errorf("proofs: %+v", p)
	}
}

// An edit cannot get more than the user has allowed to the folder.
func TestEditsAskForTrust(t *testing.T) {
	s := start(t, files{"clamp.c": clampFile, "compile_commands.json": "[]\n"},
		Options{Allowed: func(trust.Request) bool { return false }})
	if c := call[CheckAnswer](s, "check", nil); c.Verdict != "failed" {
		t.Errorf("a folder that asks for nothing is %+v", c)
	}
	s.wrong("try", args{"edits": []args{{"file": "unitproof.toml", "text": "[compile]\nclang = \"./evil\"\n"}}},
		"not trusted")
	s.wrong("try", args{"edits": []args{{"file": "compile_commands.json", "text": `[{"directory": "/", "file": "` +
		filepath.Join(s.dir, "clamp.c") + `", "arguments": ["cc", "-include", "/etc/passwd"]}]`}}}, "would have no effect")
}

func TestCancel(t *testing.T) {
	s := start(t, files{"slow.c": `#include <unitproof.h>
int main(void) {
  unsigned long a = nd_size_t(), b = nd_size_t();
  assume(a > 1 && b > 1 && a < 4294967296 && b < 4294967296);
  sassert(a * b != 1000000016000000063);
}
`, "clamp.c": clampFile}, Options{})
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	began := time.Now()
	if _, err := s.client.CallTool(ctx, &mcp.CallToolParams{Name: "check",
		Arguments: args{"names": []string{"slow"}}}); err == nil {
		t.Fatal("the proof was decided before it could be cancelled")
	}
	for busy := true; busy; time.Sleep(20 * time.Millisecond) {
		b, _ := s.server.pool.Workers()
		busy = len(b) > 0 && time.Since(began) < 10*time.Second
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("it took %s until the worker was gone", took)
	}
	if c := call[CheckAnswer](s, "check", args{"names": []string{"clamp"}}); c.Verdict != "failed" {
		t.Errorf("afterwards: %+v", c)
	}
}

// Calls at the same time get the answers that they would get alone.
func TestTogether(t *testing.T) {
	s := start(t, files{"clamp.c": clampFile}, Options{})
	var group sync.WaitGroup
	for i := range 12 {
		group.Go(func() {
			switch i % 3 {
			case 0:
				if text, _ := s.raw("check", nil); !strings.Contains(text, `"verdict":"failed"`) {
					t.Errorf("check: %s", text)
				}
			case 1:
				text, _ := s.raw("try", args{"edits": []args{{"file": "clamp.c", "old": "hi - 1", "new": "hi"}, {"file": "clamp.c",
					"old": "hi = nd_int();", "new": fmt.Sprintf("hi = nd_int(); assume(lo <= hi && x != %d);", i)}}})
				if !strings.Contains(text, `"verdict":"proved"`) {
					t.Errorf("try: %s", text)
				}
			default:
				if text, failed := s.raw("proofs", nil); failed {
					t.Errorf("proofs: %s", text)
				}
			}
		})
	}
	group.Wait()
}

// Answers about a large project, and about large texts, are small.
func TestAnswersAreSmall(t *testing.T) {
	f := files{}
	for i := range 400 {
		f[fmt.Sprintf("folder_with_a_long_name/%03d_proof.c", i)] = fmt.Sprintf(
			"#include <unitproof.h>\nvoid a_proof_with_a_rather_long_name_%03d_proof(void) { sassert(nd_int() != 7); }\n", i)
	}
	name := strings.Repeat("a_long_name_", 30)
	long := "#include <unitproof.h>\nvoid many_proof(void) {\n  int " + name + " = nd_int(), a[3];\n"
	for i := range 60 {
		long += fmt.Sprintf("  if (nd_bool()) a[%s & %d] = \"<>&\"[1];\n", name, i+4)
	}
	f["many.c"] = long + "}\n"
	s := start(t, f, Options{})
	seen, from := 0, 0
	for first := true; first || from > 0; first = false {
		p := call[ProofsAnswer](s, "proofs", args{"from": from})
		if from, seen = p.Next, seen+len(p.Proofs); p.Total != 401 || len(p.Proofs) == 0 {
			t.Fatalf("%d proofs, %d of them listed from %d on", p.Total, len(p.Proofs), from)
		}
	}
	if seen != 401 {
		t.Errorf("%d proofs were listed", seen)
	}
	c := call[CheckAnswer](s, "check", args{"names": []string{"many"}})
	if c.Finding == nil || c.Proofs[0].Findings < 50 {
		t.Fatalf("check: %+v", c)
	}
	call[FindingAnswer](s, "finding", args{"id": c.Finding.ID})
	c = call[CheckAnswer](s, "try", args{"edits": []args{{"file": "many.c", "old": "a[3]", "new": "a[99]"}}})
	if len(c.Changes.Vanished) == 0 || c.Changes.More == 0 {
		t.Errorf("try: %+v", c)
	}
	s.raw("why", args{"proof": "many"})
	s.raw("explain", args{"word": strings.Repeat("x", 10000)})
	s.raw("check", args{"names": []string{strings.Repeat("<", 10000)}})
}

func TestHTTP(t *testing.T) {
	s := start(t, files{"clamp.c": clampFile}, Options{})
	for _, address := range []string{"0.0.0.0:0", "192.168.0.1:0", ":0", "example.org:80", "127.0.0.1", "localhost:0"} {
		if l, err := Listen(address); err == nil {
			l.Close()
			t.Errorf("%s is listened on", address)
		}
	}
	l, err := Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	token := Token()
	go func() { done <- s.server.ServeHTTP(ctx, l, token) }()
	url := "http://" + l.Addr().String()
	for header, status := range map[string]int{"": 401, "Bearer wrong": 401, "Bearer ": 401, token: 401} {
		r, _ := http.NewRequest(http.MethodPost, url, strings.NewReader("{}"))
		r.Header.Set("Authorization", header)
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != status {
			t.Errorf("with the token %q the status is %d, want %d", header, answer.StatusCode, status)
		}
	}
	r, _ := http.NewRequest(http.MethodPost, url, strings.NewReader("{}"))
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Origin", "https://example.org")
	if answer, err := http.DefaultClient.Do(r); err != nil || answer.StatusCode != http.StatusForbidden {
		t.Errorf("a web page gets %v, %v", answer, err)
	}
	client, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(),
		&mcp.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{Transport: bearer(token)}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	over := &session{t, s.dir, s.server, client}
	if c := call[CheckAnswer](over, "check", nil); c.Verdict != "failed" {
		t.Errorf("check: %+v", c)
	}
	client.Close()
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// bearer adds a token to requests.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

// A budget in steps gives the same answer each time, and does not change the results of the project.
func TestBudget(t *testing.T) {
	s := start(t, files{"hard.c": `#include <unitproof.h>
int main(void) {
  unsigned a = nd_uint(), b = nd_uint();
  assume(a > 1 && b > 1 && a < 65536 && b < 65536);
  sassert(a * b != 4292870399u);
}
`}, Options{})
	first, failed := s.raw("check", args{"steps": 5})
	again, _ := s.raw("check", args{"steps": 5})
	if failed || !strings.Contains(first, `"verdict":"unknown"`) || first != again {
		t.Errorf("with 5 steps: %s\nand again: %s", first, again)
	}
	if p := call[ProofsAnswer](s, "proofs", nil); p.Proofs[0].Verdict != notChecked {
		t.Errorf("the budget counts for the project: %+v", p)
	}
}

// A server that is attached to an editor checks the unsaved texts of its buffers. Edits lie over them, and the runs are
// those of the editor's workspace.
func TestAttached(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "p.c")
	const saved = "#include <unitproof.h>\nint main(void) { int x = nd_int(); sassert(x != 7); }\n"
	for name, text := range map[string]string{"unitproof.toml": "\n", "p.c": saved} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var listener atomic.Pointer[func(editing.Update)]
	pool := pipeline.NewPool(pipeline.PoolOptions{})
	defer pool.Close()
	w := editing.NewWorkspace(editing.Options{Folders: []string{dir}, Trusted: true, Pool: pool, Manual: true},
		func(u editing.Update) {
			if f := listener.Load(); f != nil {
				(*f)(u)
			}
		})
	defer w.Close()
	buffers := map[string][]byte{path: []byte(strings.Replace(saved, "int x", "/* typed */ int x", 1))}
	w.SetBuffer(path, buffers[path])
	server, err := New(dir, Options{CacheDir: t.TempDir(), Attached: &Attached{Workspace: w, Pool: pool,
		Buffers: func() map[string][]byte { return buffers },
		Updates: func(f func(editing.Update)) { listener.Store(&f) }}})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	clientEnd, serverEnd := mcp.NewInMemoryTransports()
	if _, err := server.MCP().Connect(t.Context(), serverEnd, nil); err != nil {
		t.Fatal(err)
	}
	client, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), clientEnd, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	call := func(name string, in any) string {
		r, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: in})
		if err != nil || r.IsError {
			t.Fatalf("%s: %+v, %v", name, r, err)
		}
		return r.Content[0].(*mcp.TextContent).Text
	}
	if text := call("check", nil); !strings.Contains(text, `"verdict":"failed"`) {
		t.Errorf("check answers %s", text)
	}
	if p := w.Snapshot().Proofs()[0]; p.Result == nil || p.Result.Verdict != found.Failed {
		t.Errorf("the editor does not see the run: %+v", p)
	}
	text := call("try", edits(edit("p.c", "/* typed */ int x = nd_int();", "int x = nd_int(); assume(x > 7);")))
	if !strings.HasPrefix(text, `{"verdict":"proved"`) {
		t.Errorf("try answers %s", text)
	}
	if p := w.Snapshot().Proofs()[0]; p.Result.Verdict != found.Failed {
		t.Error("an edit of try has changed the editor's result")
	}
}
