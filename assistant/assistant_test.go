package assistant

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/docs"
)

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
	s.wrong("new", args{"function": "nothing"}, "has the body of a function nothing")
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

// Answers about a large project, and about large texts, are small.
func TestAnswersAreSmall(t *testing.T) {
	f, files := files{}, 400
	if testing.Short() {
		files = 150
	}
	for i := range files {
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
		if from, seen = p.Next, seen+len(p.Proofs); p.Total != files+1 || len(p.Proofs) == 0 {
			t.Fatalf("%d proofs, %d of them listed from %d on", p.Total, len(p.Proofs), from)
		}
	}
	if seen != files+1 {
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
