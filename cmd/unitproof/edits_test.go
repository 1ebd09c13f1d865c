package main

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/pipeline/randproof"
	"github.com/unitproof/unitproof/vcgen/found"
)

var (
	editsFrom  = flag.Uint64("edits-from", 1, "the first seed of TestRandomEdits")
	editsCount = flag.Uint64("edits-count", 2, "how many projects TestRandomEdits edits")
	editsSteps = flag.Int("edits-steps", 6, "how many edits it makes of each")
	editsKeep  = flag.String("edits-keep", "", "a folder for the projects that TestRandomEdits finds something in")
)

// TestRandomEdits edits small projects at random: the proof, headers and their folders, flags, settings, the
// environment. After each edit it compares the results with the caches of all earlier checks and without caches.
func TestRandomEdits(t *testing.T) {
	program := buildProgram(t)
	for seed := *editsFrom; seed < *editsFrom+*editsCount; seed++ {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			newEdited(t, program, seed).work(*editsSteps)
		})
	}
}

// edited is a project under edit.
type edited struct {
	*testing.T
	r       *rand.Rand
	editor  *randproof.Editor
	program string
	root    string
	cache   string
	text    string
	base    []string // flags that the program needs
	flags   []string
	config  map[string]string
	env     map[string]string
	history []string
	unequal int
}

// searchFolders are the possible folders of the project's header, in search order.
var searchFolders = []string{"near", "cpath", "first", "second", "third"}

const limitsHeader = "limits_of_it.h"

func newEdited(t *testing.T, program string, seed uint64) *edited {
	e := &edited{T: t, r: rand.New(rand.NewPCG(seed, 4)), editor: randproof.NewEditor(seed), program: program,
		root: t.TempDir(), cache: t.TempDir(),
		config: map[string]string{}, env: map[string]string{}}
	text, p := randproof.Draft(seed)
	e.base = []string{"--timeout", "100s"}
	if p.Unwind > 0 {
		e.base = append(e.base, "--unwind", fmt.Sprint(p.Unwind))
	}
	// Some numbers are replaced by macros of the header or the command line. Excluded are labels and designators,
	// which C requires to be distinct and small, and arguments of INT64_C, which pastes a suffix.
	lines := strings.Split(text, "\n")
	rigid := regexp.MustCompile(`\bcase\b|\benum\b|\{.*\[\d+\] =|INT\d+_C\(`)
	for i := range lines {
		if !rigid.MatchString(lines[i]) && i > strings.Count(text[:strings.Index(text, "int main")], "\n") &&
			e.r.IntN(5) == 0 {
			lines[i] = regexp.MustCompile(`\b[234]\b`).ReplaceAllString(lines[i], []string{"K2", "K3", "SET"}[e.r.IntN(3)])
		}
	}
	e.text = "#include <" + limitsHeader + ">\n#include <override.h>\n#ifndef SET\n#define SET 3\n#endif\n" +
		strings.Replace(strings.Join(lines, "\n"), "int main(void) {",
			"int main(void) {\n  log_it();\n  sassert(linked(K3) != 9);", 1)
	for _, d := range searchFolders {
		if err := os.MkdirAll(filepath.Join(e.root, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	e.header("third")
	e.write("near/override.h", "int linked(int x);\nvoid log_it(void);\n")
	e.linked()
	return e
}

func (e *edited) write(name, text string) {
	path := filepath.Join(e.root, name)
	os.Remove(path) // it may be a link
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		e.Fatal(err)
	}
}

func (e *edited) header(folder string) {
	e.write(folder+"/"+limitsHeader, fmt.Sprintf("#define K2 %d\n#define K3 %d\n", 2+e.r.IntN(2), 3+e.r.IntN(2)))
}

func (e *edited) linked() {
	e.write("linked.c", fmt.Sprintf("int linked(int x) { return x + %d; }\n", 4+e.r.IntN(3)))
	e.write("override.c", fmt.Sprintf("int linked(int x) { return x * %d; }\n", 1+e.r.IntN(3)))
}

// step makes one edit of the project and returns its description.
func (e *edited) step() string {
	if e.r.IntN(10) < 6 {
		var what string
		e.text, what = e.editor.Edit(e.text, 20)
		return what
	}
	folder := searchFolders[e.r.IntN(len(searchFolders))]
	choice := func(key string, values ...string) string {
		v := values[e.r.IntN(len(values))]
		if e.config[key] = v; v == "" {
			delete(e.config, key)
		}
		return "setting " + key + " = " + v
	}
	switch e.r.IntN(14) {
	case 0, 1:
		e.header(folder)
		return "header in " + folder
	case 2:
		if folder != "third" {
			os.Remove(filepath.Join(e.root, folder, limitsHeader))
		}
		return "no header in " + folder
	case 3:
		other := searchFolders[e.r.IntN(len(searchFolders))]
		if other != folder && folder != "third" {
			path := filepath.Join(e.root, folder, limitsHeader)
			os.Remove(path)
			if err := os.Symlink("../"+other+"/"+limitsHeader, path); err != nil {
				e.Fatal(err)
			}
		}
		return "link from " + folder + " to " + other
	case 4:
		e.write(folder+"/"+limitsHeader, fmt.Sprintf("#include_next <%s>\n#undef K2\n#define K2 %d\n", limitsHeader,
			e.r.IntN(5)))
		if folder == "third" {
			e.header(folder)
		}
		return "include_next in " + folder
	case 5:
		if e.env["CPATH"] = ""; e.r.IntN(2) == 0 {
			e.env["CPATH"] = filepath.Join(e.root, "cpath")
		}
		return "CPATH = " + e.env["CPATH"]
	case 6:
		if e.flags = nil; e.r.IntN(2) == 0 {
			e.flags = []string{"-D", fmt.Sprintf("SET=%d", e.r.IntN(5))}
		}
		return fmt.Sprintf("flags %v", e.flags)
	case 7:
		e.linked()
		return "linked files"
	case 8:
		return choice("override", "", `["override.c"]`)
	case 9:
		return choice("malloc-may-fail", "true", "false")
	case 10:
		return choice("missing-body", "", `"havoc"`, `"pure"`, `"error"`)
	case 11:
		return choice("vacuity", "", `"all"`, `"off"`, `"entry"`)
	case 12:
		return choice("checks", "", "{ signed-overflow = false }", "{ array-bounds = false, null-dereference = false }",
			"{ unsigned-overflow = true }", "{ memory-leak = true, uninitialized-read = true }")
	default:
		return choice("unwind", "", "1", "2", "3")
	}
}

// settle writes all pending files.
func (e *edited) settle() {
	e.write("p_harness.c", e.text)
	var config strings.Builder
	config.WriteString("[compile]\nflags = [\"-iquotenear\", \"-Inear\", \"-Ifirst\", \"--include-directory=second\", " +
		"\"-idirafterthird\"]\n[[proof]]\nname = \"p\"\nfile = \"p_harness.c\"\n")
	if e.config["override"] == "" {
		config.WriteString("sources = [\"linked.c\"]\n")
	}
	var keys []string
	for k := range e.config {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, k := range keys {
		fmt.Fprintf(&config, "%s = %s\n", k, e.config[k])
	}
	e.write("unitproof.toml", config.String())
}

func (e *edited) work(steps int) {
	findings, errors, recalled := 0, 0, 0
	good, broken := e.text, false
	for i := range steps {
		what := "as generated"
		switch {
		case broken && e.r.IntN(3) > 0:
			e.text, e.config, what = good, map[string]string{}, "as it was when it compiled"
		case i > 0:
			what = e.step()
		}
		e.history = append(e.history, what)
		e.settle()
		warm, wrote := e.check()
		cold, _ := e.check("--no-cache")
		errors++
		broken = true
		for j := range warm.Proofs {
			if n := len(warm.Proofs[j].Obligations); n > 0 {
				errors--
				good, broken = e.text, false
				findings += n
			}
			recalled += warm.Proofs[j].Stats.CacheHits
		}
		if got, want := said(e.T, warm), said(e.T, cold); got != want && !undecided(warm) && !undecided(cold) {
			again, _ := e.check("--no-cache")
			e.Errorf("seed, step %d (%s): with caches\n%s\nand without\n%s\nand once more without, the same: %v\nenvironment "+
				"%v, flags %v\n%s", i, what, got, want, said(e.T, again) == want,
				e.env, append(e.base, e.flags...), wrote)
			if *editsKeep != "" {
				if out, err := exec.Command("cp", "-a", e.root, filepath.Join(*editsKeep,
					fmt.Sprint(filepath.Base(e.Name()), "-", i))).CombinedOutput(); err != nil {
					e.Logf("%v: %s", err, out)
				}
			}
			if e.unequal++; e.unequal == 3 {
				return
			}
		}
	}
	e.Logf("%d edits, %d of them do not compile; %d findings, %d answers from caches", steps, errors, findings, recalled)
	if findings == 0 || recalled == 0 {
		e.Error("nothing was compared")
	}
}

func (e *edited) check(more ...string) (doc diagnostics.Document, wrote []byte) {
	cmd := exec.Command(e.program, slices.Concat([]string{"check", "-j", "1"}, e.base, e.flags, more)...)
	cmd.Dir = e.root
	cmd.Env = append(os.Environ(), "XDG_CACHE_HOME="+e.cache)
	for k, v := range e.env {
		if v != "" {
			cmd.Env = append(cmd.Env, k+"="+v)
		}
	}
	doc, _, wrote, _ = documentIf(e.T, cmd) // both report errors in the settings
	return doc, wrote
}

// undecided reports whether a budget ended. Cached answers may then decide findings that a run without cache does
// not, and the other way round.
func undecided(doc diagnostics.Document) bool {
	for i := range doc.Proofs {
		p := &doc.Proofs[i]
		if p.Verdict == found.Unknown && strings.HasPrefix(p.Reason, "timeout") {
			return true
		}
		for j := range p.Obligations {
			if r := p.Obligations[j].Reason; strings.Contains(r, "solver steps") || strings.Contains(r, "time limit") {
				return true
			}
		}
	}
	return false
}

// said returns the verdicts, findings and positions as text. Executions that show a failure may differ: a cached one
// is valid.
func said(t *testing.T, doc diagnostics.Document) string {
	doc.Proofs = slices.Clone(doc.Proofs)
	for i := range doc.Proofs {
		p := &doc.Proofs[i]
		p.Obligations = slices.Clone(p.Obligations)
		for j := range p.Obligations {
			o := &p.Obligations[j]
			o.Inputs, o.Trace, o.Operands, o.Actual = nil, nil, nil, ""
			if o.Verdict == found.Failed || o.Verdict == found.Vacuous {
				o.Message, _, _ = strings.Cut(o.Message, ":") // followed by values, or by a contradiction
			}
			o.VacuityCore = nil // its size depends on the step budget
		}
	}
	return withoutCosts(t, doc)
}
