package pipeline

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/diagnostics/paths"
	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/vcgen/found"
)

// leastNamed is the number of bad proofs of the corpus, in percent, that the audit has to name by their kind.
const leastNamed = 95

// quickArchives are audited by each run of the tests, the others if corpusVariable is set ("make audit-corpus").
var quickArchives = []string{"ci", "ci_filter", "heap", "math", "ring", "stubs"}

const corpusVariable = "UNITPROOF_TEST_AUDIT"

// TestAuditCorpus audits the projects of testdata/audit. Bad proofs are named by their kind, no good one is doubted.
func TestAuditCorpus(t *testing.T) {
	archives, err := filepath.Glob("../testdata/audit/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatal(archives, err)
	}
	full := os.Getenv(corpusVariable) != ""
	bad, good, missed := map[found.AuditKind]int{}, 0, 0
	for _, file := range archives {
		if !full && !slices.Contains(quickArchives, strings.TrimSuffix(filepath.Base(file), ".txtar")) {
			continue
		}
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			marks, findings := auditArchive(t, a)
			for name, kind := range marks {
				var kinds []found.AuditKind
				text := ""
				for _, f := range findings[name] {
					kinds = append(kinds, f.Kind)
					text += fmt.Sprintf("\n  %s:%d: %s: %s", f.File, f.Line, f.Kind, f.Message)
				}
				switch {
				case kind == "none" && len(kinds) > 0:
					t.Errorf("a good proof is doubted: %s%s", name, text)
				case kind != "none" && !slices.Contains(kinds, kind):
					missed++
					t.Logf("%s is not reported: %s%s", kind, name, text)
				}
				if kind == "none" {
					good++
				} else {
					bad[kind]++
				}
				delete(findings, name)
			}
			for name, list := range findings {
				for _, f := range list {
					t.Errorf("a finding about a file without a mark: %s:%d: %s: %s", name, f.Line, f.Kind, f.Message)
				}
			}
		})
	}
	all := 0
	for _, k := range found.AuditKinds() {
		if full && bad[k] < 5 {
			t.Errorf("%d bad proofs of the kind %s, at least 5 are required", bad[k], k)
		}
		all += bad[k]
	}
	t.Logf("%d of %d bad proofs are named, %d good ones", all-missed, all, good)
	if full && (all < 100 || good < 60) {
		t.Errorf("%d bad and %d good proofs are too few", all, good)
	}
	if (all-missed)*100 < leastNamed*all && (full || missed > 3) { // the misses of the quick archives are known
		t.Errorf("%d of %d bad proofs are missed", missed, all)
	}
}

// auditArchive audits a project of the corpus. It returns the marks of its files, and the findings by file.
func auditArchive(t *testing.T, a *txtar.Archive) (map[string]found.AuditKind, map[string][]diagnostics.AuditFinding) {
	dir := t.TempDir()
	marks := map[string]found.AuditKind{}
	for _, f := range a.Files {
		path := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.Data, 0o600); err != nil {
			t.Fatal(err)
		}
		first, _, _ := strings.Cut(string(f.Data), "\n")
		if kind, ok := strings.CutPrefix(first, "// audit: "); ok {
			marks[f.Name] = found.AuditKind(kind)
		}
	}
	opts := AuditOptions{}
	for _, line := range strings.Split(string(a.Comment), "\n") {
		if words, ok := strings.CutPrefix(line, "options: "); ok {
			for _, word := range strings.Fields(words) {
				switch word {
				case "min-score=60":
					opts.MinScore = 60
				case "clauses":
					opts.Clauses = true
				default:
					t.Fatal(word)
				}
			}
		}
	}
	w, err := project.Open(dir, project.Flags{})
	if err != nil {
		t.Fatal(err)
	}
	proofs, problems := w.Proofs(nil)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	pool := NewPool(PoolOptions{InProcess: true})
	defer pool.Close()
	files := map[string]string{}
	for i := range proofs {
		files[proofs[i].Name] = paths.Root(dir).Show(proofs[i].File)
	}
	_, list := pool.Audit(t.Context(), Batch{Settings: Settings{Root: paths.Root(dir)}, Proofs: proofs,
		Define: w.Definitions}, w, opts, nil)
	findings := map[string][]diagnostics.AuditFinding{}
	for _, f := range list {
		at := f.File
		if _, marked := marks[at]; !marked && f.Proof != "" {
			at = files[f.Proof]
		}
		findings[at] = append(findings[at], f)
	}
	return marks, findings
}
