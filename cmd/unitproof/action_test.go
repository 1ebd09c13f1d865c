package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// action is a composite action of GitHub, as far as action.yml uses it.
type action struct {
	Inputs  map[string]struct{ Description, Default string }
	Outputs map[string]struct{ Description, Value string }
	Runs    struct {
		Using string
		Steps []struct {
			Name, ID, If, Uses, Shell, Run string
			WorkingDirectory               string `yaml:"working-directory"`
			Env, With                      map[string]string
		}
	}
}

// expression matches an expression in a value: ${{ inputs.args }}.
var expression = regexp.MustCompile(`\$\{\{ (.*?) \}\}`)

// ranAction is the result of an action: the output of its steps, their summary and outputs, the first failed status.
type ranAction struct {
	log, summary, outputs string
	restored, uploaded    string // the key of the restored cache; the uploaded SARIF
	status                int
}

// actionRun is a run of an action: on a machine with a fresh home, for a commit. Kept has the caches of all runs.
type actionRun struct {
	*testing.T
	work, home, kept string
	values           map[string]string // of expressions
}

func (r *actionRun) expand(s string) string {
	return expression.ReplaceAllStringFunc(s, func(e string) string {
		value, ok := r.values[expression.FindStringSubmatch(e)[1]]
		if !ok {
			r.Fatalf("%s is not defined", e)
		}
		return value
	})
}

// wanted reports whether a step runs, by its condition: always() and comparisons of a name, joined by &&.
func (r *actionRun) wanted(condition string, failed bool) bool {
	always, holds := false, true
	for _, part := range strings.Split(condition, " && ") {
		name, value, equal := strings.Cut(part, " == ")
		if !equal {
			name, value, _ = strings.Cut(part, " != ")
		}
		switch {
		case part == "always()":
			always = true
		case part != "":
			holds = holds && (r.values[name] == strings.Trim(value, "'")) == equal
		}
	}
	return holds && (always || !failed)
}

// use does what another action does: those for caches with folders below kept.
func (r *actionRun) use(name string, with map[string]string, ran *ranAction) {
	folder := strings.Replace(r.expand(with["path"]), "~", r.home, 1)
	switch name {
	case "actions/cache/restore@v5":
		for _, pattern := range []string{r.expand(with["key"]), r.expand(with["restore-keys"]) + "*"} {
			if found, _ := filepath.Glob(filepath.Join(r.kept, pattern)); len(found) > 0 {
				ran.restored = filepath.Base(found[len(found)-1])
				if err := os.CopyFS(folder, os.DirFS(found[len(found)-1])); err != nil {
					r.Fatal(err)
				}
				return
			}
		}
	case "actions/cache/save@v5":
		if err := os.CopyFS(filepath.Join(r.kept, r.expand(with["key"])), os.DirFS(folder)); err != nil {
			r.Fatal(err)
		}
	case "github/codeql-action/upload-sarif@v4":
		sarif, err := os.ReadFile(r.expand(with["sarif_file"]))
		if err != nil {
			r.Fatal(err)
		}
		ran.uploaded = string(sarif)
	default:
		r.Fatalf("the action %s is not known", name)
	}
}

// runAction runs the steps of action.yml in a folder as GitHub does, on a machine whose home is empty.
func runAction(t *testing.T, a *action, work, kept, commit string, inputs map[string]string) (ran ranAction) {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	r := &actionRun{T: t, work: work, home: t.TempDir(), kept: kept, values: map[string]string{
		"github.action_path": root, "github.sha": commit, "runner.os": "Linux", "runner.arch": "X64"}}
	for name, input := range a.Inputs {
		r.values["inputs."+name] = input.Default
	}
	for name, value := range inputs {
		r.values["inputs."+name] = value
	}
	temp := t.TempDir()
	for _, step := range a.Runs.Steps {
		if !r.wanted(step.If, ran.status != 0) {
			continue
		}
		if step.Uses != "" {
			r.use(step.Uses, step.With, &ran)
			continue
		}
		script := filepath.Join(temp, "step.sh")
		if err := os.WriteFile(script, []byte(step.Run), 0o600); err != nil {
			t.Fatal(err)
		}
		// The command that GitHub documents for shell: bash.
		cmd := exec.Command("bash", "--noprofile", "--norc", "-eo", "pipefail", script)
		cmd.Dir = filepath.Join(work, r.expand(step.WorkingDirectory))
		cmd.Env = append(os.Environ(), "HOME="+r.home, "XDG_CACHE_HOME=", "RUNNER_TEMP="+temp,
			"GITHUB_OUTPUT="+filepath.Join(temp, "output"), "GITHUB_STEP_SUMMARY="+filepath.Join(temp, "summary"))
		for name, value := range step.Env {
			cmd.Env = append(cmd.Env, name+"="+r.expand(value))
		}
		out, _ := cmd.CombinedOutput() // the status has the error
		ran.log += string(out)
		if ran.status == 0 {
			ran.status = cmd.ProcessState.ExitCode()
		}
		data, _ := os.ReadFile(filepath.Join(temp, "output")) // it is absent if no step wrote it
		ran.outputs = string(data)
		for line := range strings.Lines(ran.outputs) {
			name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
			r.values["steps."+step.ID+".outputs."+name] = value
		}
	}
	data, _ := os.ReadFile(filepath.Join(temp, "summary"))
	ran.summary = string(data)
	return ran
}

// TestAction runs the action of GitHub on a Makefile project with a failing proof, twice, and after the repair. Each
// run is on a new machine with the kept results.
func TestAction(t *testing.T) {
	text, err := os.ReadFile("../../action.yml")
	if err != nil {
		t.Fatal(err)
	}
	var a action
	if err := yaml.Unmarshal(text, &a); err != nil {
		t.Fatal(err)
	}
	if a.Runs.Using != "composite" {
		t.Fatalf("the action uses %s", a.Runs.Using)
	}
	for name, input := range a.Inputs {
		if input.Description == "" {
			t.Errorf("the input %s has no description", name)
		}
	}
	work := t.TempDir()
	kept := t.TempDir()
	program(t)
	write := func(name, text string) {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(work, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(work, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("a project/unitproof.toml", "")
	write("a project/Makefile", "half.o: half.c\n\tcc -DBY=2 -c half.c\n")
	write("a project/half.c", "int half(int x) { return x / BY; }\n")
	proof := "#include <unitproof.h>\nint half(int x);\nint main(void) {\n  int x = nd_int();\n%s" +
		"  sassert(half(x) <= x);\n}\n"
	write("a project/half_harness.c", fmt.Sprintf(proof, ""))
	inputs := map[string]string{"working-directory": "a project", "build": "make -B half.o",
		"args": "--json result.json", "upload": "true"}
	cached := func() bool {
		result, err := os.ReadFile(filepath.Join(work, "a project", "result.json"))
		if err != nil {
			t.Fatal(err)
		}
		return strings.Contains(string(result), `"cached": true`)
	}
	r := runAction(t, &a, work, kept, "c1", inputs)
	if r.status != 1 || !strings.Contains(r.outputs, "status=1\n") {
		t.Errorf("status %d, outputs %s\n%s", r.status, r.outputs, r.log)
	}
	if want := "half_harness.c:5 failed assertion"; !strings.Contains(annotations(t, r.log), want) {
		t.Errorf("the annotations are %q, without %s\n%s", annotations(t, r.log), want, r.log)
	}
	if !strings.Contains(r.summary, "1 proof: 1 failed") {
		t.Errorf("the summary is %s", r.summary)
	}
	if !json.Valid([]byte(r.uploaded)) || !strings.Contains(r.uploaded, "half_harness.c") {
		t.Errorf("the uploaded SARIF is %s", r.uploaded)
	}
	if r.restored != "" || cached() {
		t.Errorf("the first run has the results of %q", r.restored)
	}
	// The results of a failed run are kept, too.
	if again := runAction(t, &a, work, kept, "c2", inputs); again.status != 1 || !cached() ||
		again.restored != "unitproof-Linux-X64-c1" || annotations(t, again.log) != annotations(t, r.log) {
		t.Errorf("the second run: status %d, the results of %q\n%s", again.status, again.restored, again.log)
	}
	write("a project/half_harness.c", fmt.Sprintf(proof, "  assume(x >= 0);\n"))
	for _, commit := range []string{"c3", "c4"} {
		if r = runAction(t, &a, work, kept, commit, inputs); r.status != 0 || annotations(t, r.log) != "" ||
			commit == "c4" && !cached() {
			t.Errorf("%s after the repair: status %d\n%s", commit, r.status, r.log)
		}
	}
}

// TestProblemMatchers checks that GitHub and VS Code read the text of check with the same expressions.
func TestProblemMatchers(t *testing.T) {
	text, err := os.ReadFile("../../editors/vscode/package.json")
	if err != nil {
		t.Fatal(err)
	}
	var extension struct {
		Contributes struct {
			ProblemMatchers []struct {
				Severity string
				Pattern  struct{ Regexp string }
			}
		}
	}
	if err := json.Unmarshal(text, &extension); err != nil {
		t.Fatal(err)
	}
	matchers := readMatchers(t)
	if len(extension.Contributes.ProblemMatchers) != len(matchers) {
		t.Fatalf("%d matchers for VS Code", len(extension.Contributes.ProblemMatchers))
	}
	for i, m := range matchers {
		code := extension.Contributes.ProblemMatchers[i]
		if code.Severity != m.Severity || code.Pattern.Regexp != m.Pattern[0].Regexp {
			t.Errorf("%s of VS Code is %v", m.Owner, code)
		}
	}
	const log = "src/a b.c:12:8: failed [out-of-bounds-write] writes 4 bytes: [x]\n" +
		"a.c:1:2: unknown [assertion] the time ended\n a.c:1:2: failed [assertion] within a list\n" +
		"a.c:1:2: proved [assertion] holds\na.c:3:1: vacuous [vacuity] no execution\n"
	const want = "src/a b.c:12 failed out-of-bounds-write\na.c:3 failed vacuity\na.c:1 open assertion\n"
	if have := annotations(t, log); have != want {
		t.Errorf("the annotations are %s, want %s", have, want)
	}
}

// matcher is a problem matcher of GitHub.
type matcher struct {
	Owner, Severity string
	Pattern         []struct {
		Regexp                            string
		File, Line, Column, Code, Message int
	}
}

func readMatchers(t *testing.T) []matcher {
	t.Helper()
	text, err := os.ReadFile("../../ci/problem-matcher.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ ProblemMatcher []matcher }
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	return file.ProblemMatcher
}

// program puts the test binary into PATH as unitproof.
func program(t *testing.T) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	if err := os.Symlink(self, filepath.Join(bin, "unitproof")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
}

// annotations returns a line for each annotation that the problem matchers find in a log: place, verdict, kind.
func annotations(t *testing.T, log string) string {
	t.Helper()
	var out strings.Builder
	for _, m := range readMatchers(t) {
		re := regexp.MustCompile(m.Pattern[0].Regexp)
		for _, line := range strings.Split(log, "\n") {
			if found := re.FindStringSubmatch(line); found != nil {
				p := m.Pattern[0]
				fmt.Fprintf(&out, "%s:%s %s %s\n", found[p.File], found[p.Line],
					strings.TrimPrefix(m.Owner, "unitproof-"), found[p.Code])
			}
		}
	}
	return out.String()
}
