package lsp

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/unitproof/unitproof/lsp/lsptest"
	"github.com/unitproof/unitproof/pipeline/workertest"
)

// The tests below inject faults of the machine, with the server as its own process: other work continues, no wrong
// result is shown, no process is left behind, and a message names cause and remedy.

// familyVariable is an environment variable that marks all processes that descend from a test's server, even after
// their parent has ended.
const familyVariable = "UNITPROOF_TEST_FAMILY"

// family is a server with the processes that it has started.
type family struct {
	t    *testing.T
	name string
	temp string // its folder of temporary files
}

func newFamily(t *testing.T) *family {
	workertest.Sample(t)
	return &family{t: t, name: fmt.Sprintf("%d-%d", os.Getpid(), time.Now().UnixNano()), temp: t.TempDir()}
}

// server starts a server; before is a prefix of its command line.
func (f *family) server(cacheDir string, opts lsptest.Options, before ...string) (*lsptest.Editor, *exec.Cmd) {
	f.t.Helper()
	args := append(before, os.Args[0], "lsp", cacheDir)
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = append(os.Environ(), familyVariable+"="+f.name, "TMPDIR="+f.temp)
	return startServer(f.t, cmd, opts)
}

// members returns the process IDs of the family with their command lines.
func (f *family) members() map[int]string {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil // not supported on this system
	}
	found := map[int]string{}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		env, err := os.ReadFile(filepath.Join("/proc", e.Name(), "environ"))
		if err != nil || !bytes.Contains(env, []byte(familyVariable+"="+f.name+"\x00")) {
			continue
		}
		line, _ := os.ReadFile(filepath.Join("/proc", e.Name(), "cmdline"))
		if alive(pid) {
			found[pid] = strings.ReplaceAll(string(line), "\x00", " ")
		}
	}
	return found
}

// find returns a member whose command line contains a text.
func (f *family) find(command string) int {
	for pid, line := range f.members() {
		if strings.Contains(line, command) {
			return pid
		}
	}
	return 0
}

// gone waits until no member's command line contains the text.
func (f *family) gone(command string) {
	f.t.Helper()
	for deadline := time.Now().Add(lsptest.Patience); f.find(command) != 0; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			f.t.Errorf("%q was left behind: %v", command, f.members())
			return
		}
	}
}

// ended shuts the server down, or waits for its end if it was killed. It checks that no process of the family is left
// and, of all its servers, no temporary file.
func (f *family) ended(e *lsptest.Editor, killed bool) {
	f.t.Helper()
	if !killed {
		e.Leave()
	}
	<-e.Ended()
	f.gone("")
	if killed {
		return // the next server deletes its files
	}
	remaining, err := os.ReadDir(f.temp)
	if err != nil {
		f.t.Fatal(err)
	}
	for _, entry := range remaining {
		more, _ := filepath.Glob(filepath.Join(f.temp, entry.Name(), "*", "*")) // the pattern is valid
		f.t.Errorf("%s was left in the folder for temporary files: %q", entry.Name(), more)
	}
}

// told waits for a message to the user that contains all the texts.
func expectMessage(t *testing.T, e *lsptest.Editor, texts ...string) {
	t.Helper()
	e.Await("message "+strings.Join(texts, "…"), func() bool {
		for _, m := range e.Messages() {
			if !slices.ContainsFunc(texts, func(text string) bool { return !strings.Contains(m.Message, text) }) {
				return true
			}
		}
		return false
	})
}

// stateOf returns the listed state of a proof.
func stateOf(t *testing.T, e *lsptest.Editor, name string) item1 {
	t.Helper()
	for _, item := range proofItems(e) {
		if item.Name == name {
			return item
		}
	}
	return item1{} // not listed yet
}

// eventually waits until a condition holds, each time after all earlier messages were applied.
func eventually(t *testing.T, e *lsptest.Editor, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(lsptest.Patience); ; time.Sleep(20 * time.Millisecond) {
		e.Sync()
		if holds() {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s: not within %s; proofs are %+v", what, lsptest.Patience, proofItems(e))
		}
	}
}

// twoProofs returns limits with a second proof, the one under a fault.
func twoProofs(text string) files {
	f := limits()
	f["proofs/odd_harness.c"] = text
	return f
}

// worksOn edits the good proof, and checks that it is verified.
func worksOn(t *testing.T, e *lsptest.Editor, dir string) {
	t.Helper()
	d := e.Open(filepath.Join(dir, "proofs/limit_harness.c"))
	e.Replace(d, "x <= 100", "x < 100")
	e.Save(d)
	e.Settle()
	if s := stateOf(t, e, "limit"); s.Verdict != "proved" || s.Stale {
		t.Errorf("the other proof is %+v", s)
	}
	e.Replace(d, "x < 100", "x <= 100")
	e.Save(d)
	e.Settle()
	if s := stateOf(t, e, "limit"); s.Verdict != "failed" || s.Stale {
		t.Errorf("the other proof is %+v", s)
	}
}

// TestScenarioDiskFull fills the disk with the cache and the user's files.
func TestScenarioDiskFull(t *testing.T) {
	if out, err := exec.Command("unshare", "-rm", "sh", "-c",
		"mount -t tmpfs -o size=64k none /mnt").CombinedOutput(); err != nil {
		t.Skipf("file systems cannot be mounted here: %s", out)
	}
	for _, size := range []string{"8k", "48k", "200k"} { // room for nothing, for a part, for most of it
		t.Run(size, func(t *testing.T) {
			dir, disk, f := limits().write(t), t.TempDir(), newFamily(t)
			full := []string{"unshare", "-rm", "sh", "-c", "mount -t tmpfs -o size=" + size +
				` none "$0" && export XDG_CACHE_HOME="$0/user" && exec "$@"`, disk}
			e, _ := f.server(filepath.Join(disk, "cache"), lsptest.Options{Folders: []string{dir}}, full...)
			e.Settle()
			expectShown(t, e, "proofs/limit_harness.c:10 error `within(x)` is false: x = 100")
			worksOn(t, e, dir)
			expectShown(t, e, "proofs/limit_harness.c:10 error `within(x)` is false: x = 100")
			if size != "200k" {
				expectMessage(t, e, "results are not cached", filepath.Join(disk, "cache"), "no space left on device",
					"free some space")
			}
			n := 0
			for _, m := range e.Messages() {
				if strings.Contains(m.Message, "not kept") {
					n++
				}
			}
			if n > 1 {
				t.Errorf("told %d times", n)
			}
			f.ended(e, false)
		})
	}
}

// TestScenarioCacheNotWritable makes the cache folder read-only.
func TestScenarioCacheNotWritable(t *testing.T) {
	dir, cacheDir, f := limits().write(t), t.TempDir(), newFamily(t)
	if err := os.Chmod(cacheDir, 0o555); err != nil {
		t.Fatal(err)
	}
	var before []string
	if os.Geteuid() == 0 {
		// Without this capability permissions apply to root too.
		before = []string{"setpriv", "--bounding-set=-dac_override,-dac_read_search"}
		if out, err := exec.Command(before[0], before[1], "true").CombinedOutput(); err != nil {
			t.Skipf("root writes everywhere: %v %s", err, out)
		}
	}
	e, _ := f.server(cacheDir, lsptest.Options{Folders: []string{dir}}, before...)
	e.Settle()
	expectShown(t, e, "proofs/limit_harness.c:10 error `within(x)` is false: x = 100")
	expectMessage(t, e, "results are not cached", cacheDir, "permission denied", "another folder")
	worksOn(t, e, dir)
	f.ended(e, false)
}

// TestScenarioTempFull fills the folder for temporary files: nothing can be compiled, which is a fault of the
// machine.
func TestScenarioTempFull(t *testing.T) {
	if out, err := exec.Command("unshare", "-rm", "sh", "-c",
		"mount -t tmpfs -o size=64k none /mnt").CombinedOutput(); err != nil {
		t.Skipf("file systems cannot be mounted here: %s", out)
	}
	dir, f := limits().write(t), newFamily(t)
	full := []string{"unshare", "-rm", "sh", "-c",
		`mount -t tmpfs -o size=4k none "$TMPDIR" && head -c 4096 /dev/zero >"$TMPDIR/filler" && exec "$@"`, "sh"}
	e, _ := f.server(t.TempDir(), lsptest.Options{Folders: []string{dir}}, full...)
	e.Settle()
	expectShown(t, e, "proofs/limit_harness.c:6 information limit is unknown: no space is left in the folder of "+
		"temporary files, "+f.temp)
	expectMessage(t, e, "cannot check proofs", "space left on device", f.temp, "TMPDIR")
	f.ended(e, false)
}

// hangingSolver returns a solver that starts a child process and hangs on formulas with a product.
func hangingSolver(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "hanging-solver")
	script := "#!/bin/sh\nquestion=$(cat)\ncase $question in *bvmul*) sleep 98765 & wait ;; esac\nprintf '%s' " +
		"\"$question\" | z3 -in\n"
	if err := os.WriteFile(path, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestScenarioSolverHangs checks that a proof is unknown when its time is up, that the hanging solver is gone, and
// that other proofs continue.
func TestScenarioSolverHangs(t *testing.T) {
	solver := hangingSolver(t)
	f := files{
		// No square is 3 modulo 8, so no run finds a violation, and the solver is needed.
		"odd_harness.c": "#include <unitproof.h>\nint main(void) {\n\tunsigned x = nd_unsigned();\n\tassume(x > 3);\n" +
			"\tsassert(x * x != 51);\n}\n",
		"plain_harness.c": "#include <unitproof.h>\nint main(void) {\n\tint x = nd_int();\n\tassume(x > 3);\n\tsassert(x " +
			"!= 3);\n}\n",
		"unitproof.toml": "[[proof]]\nfile = \"odd_harness.c\"\ntimeout = \"2s\"\n[[proof]]\nfile = " +
			"\"plain_harness.c\"\n[check]\ntimeout = \"40s\"\n",
	}
	dir, fam := f.write(t), newFamily(t)
	e, _ := fam.server(t.TempDir(), lsptest.Options{Folders: []string{dir},
		Settings: map[string]any{"solver": "smtlib:" + solver}})
	e.Settle()
	// The worker reports the reason with its finding. On a busy machine its parent may be first, and reports no
	// findings.
	s := stateOf(t, e, "odd")
	byWorker := len(s.Findings) > 0 &&
		strings.Contains(s.Findings[0].Message, "the time limit was reached: "+solver+" gave no answer")
	byWatcher := len(s.Findings) == 0 && strings.Contains(s.Reason, "no progress for longer than the timeout of 2s")
	if s.Verdict != "unknown" || s.Stale || !byWorker && !byWatcher {
		t.Errorf("%+v", s)
	}
	if _, err := exec.LookPath("z3"); err != nil {
		t.Log("there is no z3 that would answer the other proof's questions")
	} else if s := stateOf(t, e, "plain"); s.Verdict != "proved" {
		t.Errorf("the other proof is %+v", s)
	}
	fam.gone("98765")
	fam.gone(solver)
	// Cancelled while it hangs. Its time must not be up before that, however slow the machine is.
	d := e.Open(filepath.Join(dir, "unitproof.toml"))
	e.Replace(d, "2s", "1h")
	e.Save(d)
	eventually(t, e, "the solver", func() bool { return fam.find("98765") != 0 })
	if err := e.Execute("cancel", nil, nil); err != nil {
		t.Fatal(err)
	}
	e.Settle()
	fam.gone("98765")
	fam.gone(solver)
	if s := stateOf(t, e, "odd"); !s.Stale || s.Phase != "idle" {
		t.Errorf("%+v", s)
	}
	fam.ended(e, false)
}

// greedy takes far more memory than its limit.
const greedy = `#include <unitproof.h>
#include <stdint.h>
int main(void) {
	uint64_t x = nd_uint64_t(), y = nd_uint64_t();
	for (int i = 0; i < 30000; i++) {
		x = x * y + (x >> 3) % (y | 1);
		y = y / (x | 1) ^ x;
	}
	sassert(x != 12345);
}
`

// TestScenarioMemoryLimit checks that a proof that takes too much memory ends with the reason. The reason is shown,
// depending on the machine,
//
//   - at the assertion, if the engine noticed and stopped by itself, and at checks that no execution was found to
//     reach;
//   - at the loop, if its iterations were executed afterwards;
//   - at the entry, if the worker was killed.
func TestScenarioMemoryLimit(t *testing.T) {
	dir, f := twoProofs(greedy).write(t), newFamily(t)
	e, _ := f.server(t.TempDir(), lsptest.Options{Folders: []string{dir}, Settings: map[string]any{"maxMemory": "400M"}})
	e.Settle()
	const (
		limit  = "memory limit of 400M reached"
		remedy = limit + "; --max-memory, in editors the setting maxMemory"
		odd    = "proofs/odd_harness.c:"
	)
	want := []string{odd + "3 information odd is unknown: " + remedy}
	var unreached []string
	for _, shown := range e.Shown() {
		switch noticed := odd + "9 information `x != 12345` could not be decided: " + remedy; {
		case strings.HasPrefix(shown, noticed):
			want = append(unreached, noticed)
		case strings.Contains(shown, "whether it is reached was not decided: "+limit):
			// The checks before it, in the order of the file: no execution that reaches them was found.
			unreached = append(unreached, shown)
		case strings.HasPrefix(shown, odd+"5 ") && strings.Contains(shown, limit):
			want = []string{odd + "5 information loop `main#1` was cut after ", odd + "9 information `x != 12345` "}
		}
	}
	expectShown(t, e, append([]string{"proofs/limit_harness.c:10 error `within(x)` is false: x = 100"}, want...)...)
	worksOn(t, e, dir)
	f.ended(e, false)
}

// TestScenarioKilled kills workers, as the system does when memory runs out. Then it kills the server; another one
// continues with the same cache.
func TestScenarioKilled(t *testing.T) {
	dir, cacheDir, f := twoProofs(slowProof).write(t), t.TempDir(), newFamily(t)
	e, cmd := f.server(cacheDir, lsptest.Options{Folders: []string{dir}})
	running := func() bool { return stateOf(t, e, "odd").Phase == "running" && stateOf(t, e, "limit").Phase == "idle" }
	eventually(t, e, "the slow proof alone", running)
	killed := map[int]bool{}
	for range 2 { // it is tried once more
		var pid int
		eventually(t, e, "a worker", func() bool {
			// The other worker is idle, and may have ended.
			for p, line := range f.members() {
				if strings.HasSuffix(strings.TrimSpace(line), " worker") && !killed[p] {
					pid = p
				}
			}
			return pid != 0
		})
		for p, line := range f.members() {
			if strings.HasSuffix(strings.TrimSpace(line), " worker") {
				killed[p] = true
				_ = syscall.Kill(p, syscall.SIGKILL) // it may have ended
			}
		}
	}
	eventually(t, e, "the end of the run", func() bool { return stateOf(t, e, "odd").Phase == "idle" })
	e.Settle() // diagnostics appear up to 50 ms after the state
	s := stateOf(t, e, "odd")
	expectShown(t, e, "proofs/limit_harness.c:10 error `within(x)` is false: x = 100",
		"proofs/odd_harness.c:10 information odd is unknown: the checking process was ended by signal 9 (killed)")
	worksOn(t, e, dir)

	// The server, in the middle of a run.
	e.Start(nil, "workspace/executeCommand", map[string]any{"command": "unitproof.server.verify",
		"arguments": []any{map[string]any{"proofs": []string{s.ID}, "force": true}}})
	eventually(t, e, "the slow proof", func() bool { return stateOf(t, e, "odd").Phase == "running" })
	e.Abandon()
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	f.ended(e, true)
	if remaining, err := os.ReadDir(f.temp); err != nil || len(remaining) == 0 {
		t.Errorf("a server that is killed in the middle of a run leaves temporary files: %v, %v", remaining, err)
	}
	again, _ := f.server(cacheDir, lsptest.Options{Folders: []string{dir}})
	eventually(t, again, "the quick proof", func() bool { return stateOf(t, again, "limit").Verdict == "failed" })
	if err := again.Execute("cancel", nil, nil); err != nil {
		t.Fatal(err)
	}
	again.Settle()
	expectShown(t, again, "proofs/limit_harness.c:10 error `within(x)` is false: x = 100")
	f.ended(again, false)
}
