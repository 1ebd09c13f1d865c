package assistant

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

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

// A project without a configuration and a folder for proofs gets both by edits.
func TestFirstProofOfAProject(t *testing.T) {
	s := start(t, files{"unitproof.toml": noConfig, "src/a.c": "static int twice(int x) { return x & 1; }\n",
		"src/b.c":    "static int twice(int x) { return x & 2; }\n",
		"src/half.h": "int half(int x);\nstatic inline int third(int x) { return x / 3; }\n",
		"src/half.c": "#include \"half.h\"\nstatic int hidden(int x) { return x / 2; }\n" +
			"int half(int x) { return hidden(x); }\n"}, Options{})
	n := call[NewAnswer](s, "new", args{"function": "half"})
	if n.Check == nil || n.Check.Proved != 1 || len(n.Check.Proofs[0].NotDone) > 0 || n.Config == "" ||
		n.File != "proofs/half_harness.c" {
		t.Fatalf("new: %+v", n)
	}
	stronger := strings.Replace(n.Text, "  half(x);", "  sassert(half(x) != 7);", 1)
	c := call[CheckAnswer](s, "try", args{"edits": []args{{"file": n.File, "text": stronger},
		{"file": n.ConfigFile, "text": n.Config}}})
	if c.Verdict != "failed" || c.Finding.Kind != "assertion" {
		t.Fatalf("try: %+v", c)
	}
	if r := call[ReplayAnswer](s, "replay", args{"id": c.Finding.ID}); r.Outcome != "reproduced" {
		t.Errorf("replay: %+v", r)
	}
	// The file of a static function, and the header of an inline one, need not be named.
	for function, file := range map[string]string{"hidden": "src/half.c", "third": "src/half.h"} {
		n := call[NewAnswer](s, "new", args{"function": function})
		if n.Check == nil || n.Check.Proved != 1 || !strings.Contains(n.Text, "#include \"../"+file+"\"") {
			t.Errorf("new: %+v", n)
		}
	}
	s.wrong("new", args{"function": "twice"}, "twice is defined in src/a.c, src/b.c: name one")
	s.wrong("check", nil, "the project has no proofs on disk")
	s.wrong("audit", nil, "the project has no proofs on disk")
	if p := call[ProofsAnswer](s, "proofs", nil); p.Total != 0 {
		t.Errorf("proofs: %+v", p)
	}
}

// Each tool that takes long ends when its call is cancelled, and leaves no worker busy.
func TestCancel(t *testing.T) {
	const head = "#include <unitproof.h>\nint main(void) {\n  unsigned long a = nd_size_t(), b = nd_size_t();\n"
	const hard = "  assume(a > 1 && b > 1 && a < 4294967296 && b < 4294967296);\n" +
		"  sassert(a * b != 1000000016000000063);\n}\n"
	const factor = "int factor(unsigned long a, unsigned long b) {\n" +
		"  if (a < 2 || b < 2 || a >> 32 || b >> 32) return 0;\n  return 1 / (a * b != 1000000016000000063);\n}\n"
	var long strings.Builder // a program that can be changed in many ways
	for i := range 300 {
		fmt.Fprintf(&long, "  if (x == %d) r += %d;\n", i, i)
	}
	s := start(t, files{"slow.c": head + hard, "clamp.c": clampFile, "factor.c": factor,
		"long.c": "#include <unitproof.h>\nstatic int f(int x) {\n  int r = 0;\n" + long.String() + "  return r;\n}\n" +
			"void long_proof(void) { sassert(f(nd_int()) >= 0); }\n"}, Options{})
	slow, comment := []string{"slow"}, []args{{"file": "slow.c", "old": "int main", "new": "/* */ int main"}}
	failed := call[CheckAnswer](s, "check", args{"names": []string{"clamp", "long"}}).Finding.ID
	for _, x := range []struct {
		tool  string
		args  args
		after time.Duration
	}{
		{"replay", args{"id": failed}, 100 * time.Millisecond},
		{"strength", args{"proof": "long", "max": mostMutants}, 100 * time.Millisecond},
		{"check", args{"names": slow}, time.Second},
		{"check", args{"names": slow, "steps": 1 << 40}, time.Second},
		{"try", args{"names": slow, "edits": comment}, time.Second},
		{"why", args{"proof": "slow"}, time.Second},
		{"audit", nil, time.Second},
		{"new", args{"function": "factor", "file": "factor.c"}, time.Second},
	} {
		t.Run(x.tool, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), x.after)
			defer cancel()
			began := time.Now()
			if r, err := s.client.CallTool(ctx, &mcp.CallToolParams{Name: x.tool, Arguments: x.args}); err == nil {
				t.Fatalf("it was answered before it could be cancelled: %s", r.Content[0].(*mcp.TextContent).Text)
			}
			for busy := true; busy; time.Sleep(20 * time.Millisecond) {
				b, _ := s.server.pool.Workers()
				busy = len(b) > 0 && time.Since(began) < 10*time.Second
			}
			if took := time.Since(began); took > 6*time.Second {
				t.Errorf("it took %s until the worker was gone", took)
			}
		})
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
