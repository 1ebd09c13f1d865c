package pipeline

import (
	"context"
	"embed"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/diagnostics/paths"
	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/pipeline/scratch"
	"github.com/unitproof/unitproof/vcgen/found"
)

// selfTests are the programs of SelfTest.
//
//go:embed selftest/*.c
var selfTests embed.FS

// Canary is a program whose verdict is known, and the verdict that this installation gives.
type Canary struct {
	Name    string        `json:"name"`
	Want    found.Verdict `json:"want"`
	Verdict found.Verdict `json:"verdict"`
	OK      bool          `json:"ok"`
	// Detail is the finding that decides, or the reason of a wrong verdict.
	Detail string `json:"detail"`
}

// canary is a program with its right result.
type canary struct {
	name string
	want found.Verdict
	// holds returns the finding that shows the verdict, and reports whether it is the right one.
	holds func(p *diagnostics.Proof) (string, bool)
}

var canaries = []canary{
	{"must_fail", found.Failed, func(p *diagnostics.Proof) (string, bool) {
		for i := range p.Obligations {
			if f := &p.Obligations[i]; f.Verdict == found.Failed {
				return f.Message, f.Kind == found.SignedOverflow && len(f.Inputs) == 2
			}
		}
		return "no finding fails", false
	}},
	{"must_be_proved", found.Proved, func(p *diagnostics.Proof) (string, bool) {
		n := 0
		for i := range p.Obligations {
			if p.Obligations[i].Verdict == found.Proved {
				n++
			}
		}
		if len(p.NotDone) > 0 {
			return fmt.Sprintf("%d findings, but not done: %v", n, p.NotDone), false
		}
		return fmt.Sprintf("%d findings", n), n > 2
	}},
	{"must_be_vacuous", found.Vacuous, func(p *diagnostics.Proof) (string, bool) {
		for i := range p.Obligations {
			if f := &p.Obligations[i]; f.Verdict == found.Vacuous {
				return f.Message, len(f.VacuityCore) == 2
			}
		}
		return "no finding is vacuous", false
	}},
}

// SelfTest checks programs whose verdicts are known: one fails, one is proved, one is vacuous. They lie in a scratch
// folder, and no cache is used. It returns an error if they cannot be checked on this machine.
func SelfTest(ctx context.Context, pool *Pool) ([]Canary, error) {
	dir, err := scratch.Mkdir("selftest")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	files := []string{filepath.Join(dir, project.ConfigName)} // which makes the folder a root
	if err := os.WriteFile(files[0], nil, 0o600); err != nil {
		return nil, err
	}
	for _, c := range canaries {
		text, err := selfTests.ReadFile("selftest/" + c.name + ".c")
		if err != nil {
			return nil, err
		}
		path := filepath.Join(dir, c.name+".c")
		if err := os.WriteFile(path, text, 0o600); err != nil {
			return nil, err
		}
		files = append(files, path)
	}
	w, err := project.Open(dir, project.Flags{})
	if err != nil {
		return nil, err
	}
	proofs, problems := w.Proofs(files[1:])
	if len(problems) > 0 {
		return nil, project.Problems(problems)
	}
	results := pool.Run(ctx, Batch{Settings: Settings{Root: paths.Root(w.Root)}, Proofs: proofs,
		Define: w.Definitions}, nil)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	var out []Canary
	for _, c := range canaries {
		i := slices.IndexFunc(results, func(r Result) bool { return strings.HasSuffix(r.Proof.File, c.name+".c") })
		if i < 0 {
			out = append(out, Canary{Name: c.name, Want: c.want, Verdict: found.Error, Detail: "no proof was found in it"})
			continue
		}
		out = append(out, c.judge(&results[i].Proof))
	}
	return out, nil
}

// judge compares a result with the right one.
func (c *canary) judge(p *diagnostics.Proof) Canary {
	out := Canary{Name: c.name, Want: c.want, Verdict: p.Verdict, Detail: p.Reason}
	if p.Verdict != c.want {
		if out.Detail == "" {
			out.Detail = "a wrong verdict"
		}
		return out
	}
	out.Detail, out.OK = c.holds(p)
	return out
}
