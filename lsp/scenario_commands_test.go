package lsp

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"go.lsp.dev/protocol"

	"github.com/unitproof/unitproof/lsp/lsptest"
	"github.com/unitproof/unitproof/lsp/rpc"
	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/pipeline/workertest"
)

// TestScenarioCommands runs every command of executeCommand, also with invalid arguments.
func TestScenarioCommands(t *testing.T) {
	f := limits()
	f["unitproof.toml"] = "[check]\non = \"manual\"\n"
	f["proofs/fine_harness.c"] = "#include <unitproof.h>\nstatic int twice(int x) {\n\tif (x > 1000)\n\t\treturn " +
		"0;\n\treturn 2 * x;\n}\nint main(void) {\n\tint x = nd_int();\n\tassume(x > 0);\n\tassume(x < " +
		"100);\n\tsassert(twice(x) > x);\n}\n"
	dir := f.write(t)
	cacheDir := t.TempDir()
	e, _ := connectWith(t,
		lsptest.Options{Folders: []string{dir}, Settings: map[string]any{"check": map[string]any{"vacuity": "all",
			"checks": map[string]any{"memory-leak": true}}}},
		Options{CacheDir: cacheDir})
	e.Initialize()
	d := e.Open(filepath.Join(dir, "proofs/limit_harness.c"))
	e.Settle()
	expectShown(t, e) // no check was requested
	items := proofItems(e)
	if len(items) != 2 || items[0].Name != "fine" || items[1].Name != "limit" || items[1].Verdict != "" ||
		!strings.Contains(items[1].Title, "not verified") {
		t.Fatalf("items: %+v", items)
	}
	fine, limit := items[0].ID, items[1].ID

	var list struct{ Proofs []item1 }
	if err := e.Execute("verify", map[string]any{"uri": d.URI}, &list); err != nil || len(list.Proofs) != 1 ||
		list.Proofs[0].Verdict != "failed" || list.Proofs[0].Phase != "idle" {
		t.Fatalf("verify of a file: %+v, %v", list, err)
	}
	expectShown(t, e, "proofs/limit_harness.c:10 error")
	if err := e.Execute("verify", map[string]any{"proofs": []string{fine}, "coverage": true}, &list); err != nil ||
		len(list.Proofs) != 1 || list.Proofs[0].Verdict != "proved" {
		t.Fatalf("verify of a proof: %+v, %v", list, err)
	}
	var covered struct {
		Files []struct {
			URI   string
			Lines []coverageLine
		}
	}
	if err := e.Execute("coverage", map[string]any{"proofs": []string{fine}}, &covered); err != nil ||
		len(covered.Files) != 1 {
		t.Fatalf("coverage: %+v, %v", covered, err)
	}
	hit := map[int]bool{}
	for _, l := range covered.Files[0].Lines {
		hit[l.Line] = l.Hit
	}
	if !hit[4] || hit[3] || covered.Files[0].URI != lsptest.URI(filepath.Join(dir, "proofs/fine_harness.c")) {
		t.Errorf("coverage: %+v", covered)
	}
	if err := e.Execute("verify", map[string]any{"force": true}, &list); err != nil || len(list.Proofs) != 2 {
		t.Errorf("verify of all: %+v, %v", list, err)
	}

	// The command line has the server's settings.
	var line string
	if err := e.Execute("commandLine", map[string]any{"proof": limit}, &line); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"unitproof check proofs/limit_harness.c", "--vacuity all", "--check memory-leak"} {
		if !strings.Contains(line, part) {
			t.Errorf("the command line %q has no %q", line, part)
		}
	}
	script := strings.Replace(line, "unitproof check", "printf '%s\\n'", 1)
	out, err := exec.Command("sh", "-c", script).CombinedOutput()
	if err != nil || !strings.HasPrefix(string(out), "proofs/limit_harness.c\n") {
		t.Errorf("the shell makes of %q: %q, %v", line, out, err)
	}

	// The debugger gets the same settings.
	var launch debugResult
	if err := e.Execute("debug", map[string]any{"proof": limit}, &launch); err != nil ||
		launch.Program != filepath.Join(dir, "proofs/limit_harness.c") ||
		launch.Request != "launch" || launch.Finding == "" || launch.Entry != "main" || launch.Cwd != dir ||
		strings.Join(launch.Args, " ") != "--vacuity all --check memory-leak" {
		t.Errorf("debug: %+v, %v", launch, err)
	}

	var doctor struct {
		Parts []struct {
			Name string
			OK   bool
		}
	}
	if err := e.Execute("doctor", nil, &doctor); err != nil || len(doctor.Parts) < 3 {
		t.Errorf("doctor: %+v, %v", doctor, err)
	}
	if err := e.Execute("cancel", map[string]any{"proofs": []string{fine}}, nil); err != nil {
		t.Error(err)
	}
	if err := e.Execute("cancel", nil, nil); err != nil {
		t.Error(err)
	}
	if err := e.Execute("clearCache", nil, nil); err != nil {
		t.Error(err)
	}

	for _, bad := range []struct {
		command string
		args    any
		says    string
	}{
		{"verify", map[string]any{"proofs": []string{"no such"}}, "no such proof"},
		{"verify", 7, "argument"},
		{"trace", map[string]any{"proof": fine}, "has no counterexample"},
		{"trace", map[string]any{"proof": limit, "finding": "feed"}, "no finding feed"},
		{"debug", map[string]any{"proof": fine}, "has no counterexample"},
		{"commandLine", nil, "no such proof"},
		{"nonsense", nil, "no such command"},
	} {
		if err := e.Execute(bad.command, bad.args, nil); err == nil || !strings.Contains(err.Error(), bad.says) {
			t.Errorf("%s %v: %v, want %q", bad.command, bad.args, err, bad.says)
		}
	}
	// The counterexample runs natively.
	var replayed struct {
		Outcome, Message, Report string
		Location                 *protocol.Location
	}
	if err := e.Execute("replay", map[string]any{"proof": limit}, &replayed); err != nil ||
		replayed.Outcome != "reproduced" || replayed.Location == nil ||
		replayed.Location.Range.Start.Line != 9 {
		t.Errorf("replay: %+v, %v", replayed, err)
	}
	e.Sync()
	if got := proofItems(e)[1].Findings; len(got) != 1 || got[0].Replay != "reproduced" {
		t.Errorf("after the replay: %+v", got)
	}
	var saved struct{ Path, Build string }
	file := filepath.Join(t.TempDir(), "again.c")
	if err := e.Execute("reproducer", map[string]any{"proof": limit, "path": file}, &saved); err != nil {
		t.Errorf("reproducer: %v", err)
	} else if data, err := os.ReadFile(file); err != nil || saved.Build == "" ||
		!strings.Contains(string(data), saved.Build) {
		t.Errorf("the reproducer %+v: %q, %v", saved, data, err)
	} else if src := project.ReadSource(data); !src.SavedRun || src.HoldsProofs() {
		t.Errorf("beside its proof the reproducer is taken for one: %+v", src)
	}
	if err := e.Execute("reproducer", map[string]any{"proof": limit, "path": "here.c"}, nil); err == nil ||
		!strings.Contains(err.Error(), "not absolute") {
		t.Errorf("reproducer at a relative path: %v", err)
	}
	var native struct {
		Program, Cwd, BreakpointFunction string
		Args, Env                        []string
	}
	if err := e.Execute("nativeDebug", map[string]any{"proof": limit}, &native); err != nil ||
		native.BreakpointFunction == "" || native.Cwd != dir {
		t.Errorf("nativeDebug: %+v, %v", native, err)
	} else if info, err := os.Stat(native.Program); err != nil || info.Mode()&0o100 == 0 {
		t.Errorf("the program to debug: %v, %v", info, err)
	}
	// Replay is refused for an edited text.
	e.Edit(d, 0, 0, "\n#define A 1\n")
	if err := e.Execute("replay", map[string]any{"proof": limit}, nil); err == nil ||
		!strings.Contains(err.Error(), "has changed since") {
		t.Errorf("replay of an edited proof: %v", err)
	}
	// Symbols.
	var found []struct {
		Name     string
		Location struct{ URI string }
	}
	e.Must("workspace/symbol", map[string]any{"query": "lmt"}, &found)
	if len(found) != 1 || found[0].Name != "limit" || found[0].Location.URI != d.URI {
		t.Errorf("symbols: %+v", found)
	}
}

// TestScenarioProgress checks that progress counts, starts at 0 % and can be cancelled. Trap: the library loses a
// begin at 0 %.
func TestScenarioProgress(t *testing.T) {
	e, dir := workspace(t, limits())
	e.Open(filepath.Join(dir, "proofs/limit_harness.c"))
	e.Settle()
	e.Await("the end of the progress", func() bool {
		values := e.ProgressValues()
		return len(values) > 0 && values[len(values)-1].Value.Kind == "end"
	})
	values := e.ProgressValues()
	first := values[0].Value
	if first.Kind != "begin" || first.Percentage == nil || !first.Cancellable || first.Title == "" ||
		!strings.Contains(first.Message, " of ") { // of 2, if the settings are read after the proof was begun
		t.Errorf("begin: %+v", first)
	}
	if !slices.ContainsFunc(values, func(p lsptest.Progress) bool { return p.Value.Kind == "end" }) {
		t.Errorf("no end among %+v", values)
	}
}

// slowProof needs minutes: it inverts a function similar to a hash.
const slowProof = `#include <stdint.h>
#include <unitproof.h>
static uint64_t mix(uint64_t x) {
	for (int i = 0; i < 9; i++) {
		x = (x ^ (x >> 31)) * 0x94d049bb133111ebu;
		x = x + (x << 21) * x;
	}
	return x;
}
int main(void) {
	uint64_t x = nd_uint64_t();
	sassert((mix(x) ^ mix(x + 1)) * x != 12345);
}
`

// TestScenarioCancelRuns ends runs by the cancel button and by cancelling the request, while the server answers.
func TestScenarioCancelRuns(t *testing.T) {
	started := newChildren(t)
	e, dir := workspace(t, files{"slow_harness.c": slowProof})
	d := e.Open(filepath.Join(dir, "slow_harness.c"))
	e.Await("progress", func() bool { return len(e.ProgressValues()) > 0 })
	if e.Hover(d, "main") == "" {
		t.Error("no hover while a proof runs")
	}
	e.Notify("window/workDoneProgress/cancel", map[string]any{"token": e.ProgressValues()[0].Token})
	e.Settle()
	items := proofItems(e)
	if len(items) != 1 || items[0].Verdict == "proved" || items[0].Phase != "idle" {
		t.Fatalf("items: %+v", items)
	}
	r := e.Start(nil, "workspace/executeCommand", map[string]any{"command": "unitproof.server.verify",
		"arguments": []any{map[string]any{"proofs": []string{items[0].ID}, "force": true}}})
	e.Await("the run", func() bool { return proofItems(e)[0].Phase == "running" })
	e.Notify("$/cancelRequest", map[string]any{"id": r.ID})
	wantCode(t, wait(t, r, nil), int(rpc.RequestCancelled))
	e.Settle()
	eventually(t, e, "the end of all workers but one", func() bool { return len(started()) <= 1 })
}

// TestScenarioAnswersAreTold checks that the server shows results of commands if the client does not, like Eglot and
// Helix.
func TestScenarioAnswersAreTold(t *testing.T) {
	dir := t.TempDir()
	const text = "#include <unitproof.h>\nvoid next_harness(void) {\n\tunsigned x = nd_uint();\n\tassume(x < 10);\n" +
		"\tsassert(x + 1 != 8);\n}\n"
	if err := os.WriteFile(filepath.Join(dir, "next_harness.c"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, shows := range []bool{false, true} {
		t.Run(fmt.Sprint(shows), func(t *testing.T) {
			e, _ := connectWith(t, lsptest.Options{Folders: []string{dir},
				Init: map[string]any{"trusted": true, "showsAnswers": shows}}, Options{CacheDir: t.TempDir()})
			e.Initialize()
			e.Open(filepath.Join(dir, "next_harness.c"))
			e.Settle()
			proof := proofItems(e)[0].ID
			for _, test := range []struct {
				command string
				says    string // "" for no message
			}{
				{"verify", "next: 1 failed"},
				{"replay", "reproduced"},
				{"trace", "`x + 1 != 8` is false: x = 7. Inputs: x = 7. `unitproof check` prints the"},
				{"hideTrace", ""},
				{"commandLine", "unitproof check next_harness.c"},
				{"debug", "unitproof dap"},
				{"strength", "not measured"},
				{"doctor", "unitproof"},
				{"trust", "no folder needs permission"},
			} {
				before := len(e.Messages())
				args := map[string]any{"proof": proof, "proofs": []string{proof}}
				if err := e.Execute(test.command, args, nil); err != nil {
					t.Errorf("%s: %v", test.command, err)
				}
				messages := e.Messages()[before:]
				switch {
				case shows || test.says == "":
					if len(messages) != 0 {
						t.Errorf("%s: told %+v", test.command, messages)
					}
				case len(messages) != 1 || !strings.Contains(messages[0].Message, test.says):
					t.Errorf("%s: told %+v, want one with %q", test.command, messages, test.says)
				}
			}
		})
	}
}

// newChildren returns a function that lists the running workers and compilers that this process has started since the
// call. Child processes of other tests' clients of clusters and caches run until the process ends, and are excluded.
func newChildren(t *testing.T) func() []string {
	t.Helper()
	list := func() map[string]string { // command lines by process
		children := map[string]string{}
		out, err := exec.Command("ps", "-o", "pid=,args=", "--ppid", strconv.Itoa(os.Getpid())).Output()
		if err != nil {
			t.Fatal(err) // at least ps itself is listed
		}
		for line := range strings.Lines(string(out)) {
			if !strings.Contains(line, " ps -o ") && !strings.Contains(line, "<defunct>") {
				pid, args, _ := strings.Cut(strings.TrimSpace(line), " ")
				children[pid] = args
			}
		}
		return children
	}
	before := list()
	return func() []string {
		now := list()
		maps.DeleteFunc(now, func(pid, _ string) bool { _, old := before[pid]; return old })
		return slices.Sorted(maps.Values(now))
	}
}

// TestScenarioUntrusted checks that an untrusted workspace lists its proofs, and compiles and runs nothing.
func TestScenarioUntrusted(t *testing.T) {
	ran, started := watchClang(t), newChildren(t)
	dir := limits().write(t)
	e, _ := connectWith(t, lsptest.Options{Folders: []string{dir}, Init: map[string]any{"trusted": false}},
		Options{CacheDir: t.TempDir()})
	e.Initialize()
	e.Open(filepath.Join(dir, "proofs/limit_harness.c"))
	e.Settle()
	items := proofItems(e)
	if len(items) != 1 || items[0].Verdict != "" || !strings.Contains(items[0].Title, "trust") {
		t.Errorf("items: %+v", items)
	}
	expectShown(t, e)
	if list := started(); len(list) > 0 {
		t.Errorf("processes were started: %v", list)
	}
	if err := e.Execute("doctor", nil, nil); err == nil || !strings.Contains(err.Error(), "not trusted") {
		t.Errorf("doctor: %v", err)
	}
	if words := ran(); words != "" {
		t.Errorf("clang was run with %s", words)
	}
	e.Notify("unitproof/trust", map[string]any{"trusted": true})
	e.Settle()
	expectShown(t, e, "proofs/limit_harness.c:10 error")
	if ran() == "" {
		t.Error("clang was not seen to run in the trusted workspace either")
	}
}

// watchClang puts a wrapper before the real clang that logs its arguments, and replaces the user's cache, which has
// clang's version, by an empty one. The returned function returns the log, "" if clang was not run.
func watchClang(t *testing.T) func() string {
	t.Helper()
	t.Setenv("UNITPROOF_CLANG", "clang-14") // otherwise a newer one may be used
	clang, err := exec.LookPath("clang-14")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	record := filepath.Join(dir, "record")
	script := fmt.Sprintf("#!/bin/sh\necho \"$@\" >>'%s'\nexec '%s' \"$@\"\n", record, clang)
	if err := os.WriteFile(filepath.Join(dir, "clang-14"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	return func() string {
		data, err := os.ReadFile(record)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		return string(data)
	}
}

// serverProcess starts the server as a process.
func serverProcess(t *testing.T, dir, cacheDir string) (*lsptest.Editor, *exec.Cmd) {
	t.Helper()
	workertest.Sample(t)
	return startServer(t, exec.Command(os.Args[0], "lsp", cacheDir), lsptest.Options{Folders: []string{dir}})
}

// startServer starts a server process, and connects an editor to it.
func startServer(t *testing.T, cmd *exec.Cmd, opts lsptest.Options) (*lsptest.Editor, *exec.Cmd) {
	t.Helper()
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	e := lsptest.Connect(t, out, in, opts)
	t.Cleanup(func() {
		e.Abandon()
		in.Close()
		<-e.Ended()
		_ = cmd.Wait() // killed or ended
	})
	e.Initialize()
	return e, cmd
}

// TestScenarioTwoServersOneKilled kills and restarts one of two servers that share a workspace and its cache.
func TestScenarioTwoServersOneKilled(t *testing.T) {
	dir, cacheDir := limits().write(t), t.TempDir()
	harness := filepath.Join(dir, "proofs/limit_harness.c")
	first, cmd := serverProcess(t, dir, cacheDir)
	second, _ := serverProcess(t, dir, cacheDir)
	for _, e := range []*lsptest.Editor{first, second} {
		e.Open(harness)
	}
	first.Settle()
	second.Settle()
	expectShown(t, first, "proofs/limit_harness.c:10 error")
	expectShown(t, second, "proofs/limit_harness.c:10 error")
	first.Abandon()
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-first.Ended()
	again, _ := serverProcess(t, dir, cacheDir)
	d := again.Open(harness)
	again.Settle()
	expectShown(t, again, "proofs/limit_harness.c:10 error")
	again.Replace(d, "x <= 100", "x < 100")
	again.Save(d)
	second.Watched(harness)
	again.Settle()
	expectShown(t, again)
	second.Settle()
	// The second editor's buffer still has the old text.
	expectShown(t, second, "proofs/limit_harness.c:10 error")
}
