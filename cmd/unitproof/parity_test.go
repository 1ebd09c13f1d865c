package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/cmd/internal/clitest"
	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/lsp/lsptest"
	"github.com/unitproof/unitproof/pipeline/project"
)

// TestParity checks a sample of the acceptance programs with the command line and with the language server as separate
// processes. Both must report the same findings. Both use the cache of TestAcceptance, so that the programs are solved
// once.
func TestParity(t *testing.T) {
	if testing.Short() {
		t.Skip("checks the whole corpus")
	}
	program := buildProgram(t)
	corpus, err := filepath.Abs(corpora[0])
	if err != nil {
		t.Fatal(err)
	}
	home := keptOfCorpus(t)
	dir := filepath.Join(t.TempDir(), "acceptance")
	copyCorpus(t, corpus, dir)
	env := append(os.Environ(), "XDG_CACHE_HOME="+home)

	check := exec.Command(program, "check", "--json", "-", "-q")
	check.Dir, check.Env = dir, env
	out, err := check.Output()
	var doc diagnostics.Document
	if jsonErr := readDocument(out, &doc); jsonErr != nil {
		t.Fatalf("check: %v, %v", err, jsonErr)
	}
	if len(doc.Proofs) == 0 {
		t.Fatal("check finds no proof")
	}

	server := exec.Command(program, "lsp", "--stdio")
	server.Env, server.Stderr = env, os.Stderr
	in, err := server.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	answers, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	e := lsptest.Connect(t, answers, in, lsptest.Options{Folders: []string{dir}})
	defer func() {
		e.Leave()
		<-e.Ended()
		if err := server.Wait(); err != nil {
			t.Errorf("the server: %v", err)
		}
	}()
	e.Initialize()
	e.Settle()
	var list struct{ Proofs []parityItem }
	e.Must("unitproof/proofs", map[string]any{}, &list)
	items := map[string]*parityItem{}
	for i := range list.Proofs {
		items[list.Proofs[i].Name] = &list.Proofs[i]
	}
	if len(list.Proofs) != len(doc.Proofs) {
		t.Errorf("the server has %d proofs, check %d", len(list.Proofs), len(doc.Proofs))
	}
	compared := 0
	for i := range doc.Proofs {
		p := &doc.Proofs[i]
		item := items[p.Name]
		if item == nil {
			t.Errorf("the server has no proof %s", p.Name)
			continue
		}
		if strings.Contains(p.Reason+item.Reason, "timeout") {
			continue // depends on the machine
		}
		if item.Verdict != string(p.Verdict) || item.Stale || item.Phase != "idle" {
			t.Errorf("%s: the server says %s (%s; stale: %v, %s), check %s (%s)", p.Name, item.Verdict, item.Title, item.Stale,
				item.Phase, p.Verdict, p.Reason)
			continue
		}
		compared++
		want, got := reportedBy(p, dir), item.reported()
		if !slices.Equal(want, got) {
			t.Errorf("%s: the server reports\n  %s\ncheck\n  %s", p.Name, strings.Join(got, "\n  "), strings.Join(want, "\n  "))
		}
		parityShown(t, e, p, dir)
	}
	if compared < len(doc.Proofs)*9/10 {
		t.Errorf("only %d of %d proofs could be compared", compared, len(doc.Proofs))
	}
}

// parityItem is a proof as the server lists it.
type parityItem struct {
	Name, Verdict, Title, Phase, Reason string
	Stale                               bool
	Findings                            []struct {
		ID, Kind, Verdict, Message, URI string
		Instances                       int
		Accepted                        bool
	}
}

func (it *parityItem) reported() []string {
	var out []string
	for _, f := range it.Findings {
		out = append(out, fmt.Sprint(f.ID, " ", f.Kind, " ", f.Verdict, " ", f.Instances, " ", f.Accepted, " ",
			lsptest.Path(f.URI), " ", f.Message))
	}
	slices.Sort(out)
	return out
}

func reportedBy(p *diagnostics.Proof, root string) []string {
	var out []string
	for i := range p.Obligations {
		if f := &p.Obligations[i]; f.Reported() {
			out = append(out, fmt.Sprint(f.ID, " ", f.Kind, " ", f.Verdict, " ", f.Instances, " ", f.Accepted, " ",
				under(root, f.File), " ", f.Message))
		}
	}
	slices.Sort(out)
	return out
}

func under(root, file string) string {
	if filepath.IsAbs(file) {
		return file
	}
	return filepath.Join(root, file)
}

// parityShown checks that a proof's findings and errors are shown in the editor, on their lines.
func parityShown(t *testing.T, e *lsptest.Editor, p *diagnostics.Proof, root string) {
	t.Helper()
	shows := func(file string, line int, message string) bool {
		return slices.ContainsFunc(e.Diagnostics(under(root, file)), func(d lsptest.Diagnostic) bool {
			// A diagnostic marks the whole expression, which may begin on an earlier line.
			return strings.HasPrefix(d.Message, message) && int(d.Range.Start.Line)+1 <= line && line <= int(d.Range.End.Line)+1
		})
	}
	var findings []*diagnostics.Finding
	for i := range p.Obligations {
		findings = append(findings, &p.Obligations[i])
	}
	_, folded := diagnostics.Dependents(findings) // they are counted at their origin
	for _, f := range findings {
		if folded[f] {
			continue
		}
		// Bounded accesses are counted at their loop.
		if f.Reported() && (f.Verdict != "bounded" || f.Kind == "assertion" || f.Kind == "unwinding") &&
			!shows(f.File, f.Line, f.Message) {
			t.Errorf("%s: not shown at %s:%d: %s", p.Name, f.File, f.Line, f.Message)
		}
	}
	for _, err := range p.Errors {
		if !shows(err.File, err.Line, err.Message) {
			t.Errorf("%s: not shown at %s:%d: %s", p.Name, err.File, err.Line, err.Message)
		}
	}
}

// copyCorpus copies a sample of the programs, and converts their flags to a unitproof.toml.
func copyCorpus(t *testing.T, from, to string) {
	t.Helper()
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(to, project.ConfigName)); err == nil {
		t.Fatal("the corpus has a configuration of its own")
	}
	var config strings.Builder
	for _, file := range testFiles(t, from) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name, err := filepath.Rel(from, file)
		if err != nil {
			t.Fatal(err)
		}
		title := "acceptance/" + strings.TrimSuffix(filepath.ToSlash(name), ".c")
		if !sampledProgram(t, title, 8) {
			if err := os.Remove(filepath.Join(to, name)); err != nil {
				t.Fatal(err)
			}
			continue
		}
		expect, err := clitest.ParseMarkers(file, text)
		if err != nil || len(expect.Flags) == 0 {
			continue // the acceptance test reports files without markers
		}
		fmt.Fprintf(&config, "[[proof]]\nfile = %q\n", name)
		for i := 0; i+1 < len(expect.Flags); i += 2 {
			switch value := expect.Flags[i+1]; expect.Flags[i] {
			case "--unwind":
				fmt.Fprintf(&config, "unwind = %s\n", value)
			case "--max-unwind":
				fmt.Fprintf(&config, "max-unwind = %s\n", value)
			case "--timeout":
				fmt.Fprintf(&config, "timeout = %q\n", value)
			case "--entry":
				fmt.Fprintf(&config, "entry = %q\n", value)
			case "--contract":
				fmt.Fprintf(&config, "contract = %q\n", value)
			case "--check":
				fmt.Fprintf(&config, "checks.%s = true\n", value)
			case "--no-check":
				fmt.Fprintf(&config, "checks.%s = false\n", value)
			default:
				t.Fatalf("%s: no key for %s", file, expect.Flags[i])
			}
		}
	}
	if err := os.WriteFile(filepath.Join(to, project.ConfigName), []byte(config.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}
