package pipeline

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/diagnostics/paths"
	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/vcgen"
	"github.com/unitproof/unitproof/vcgen/found"
)

// TestMain lets the test binary serve as a worker, and as workers with faults.
func TestMain(m *testing.M) {
	if len(os.Args) < 2 || os.Args[1] != "worker" {
		os.Exit(m.Run())
	}
	var err error
	switch fault := strings.Join(os.Args[2:], " "); fault {
	case "":
		err = ServeWorker(os.Stdin, os.Stdout)
	case "crash":
		var req request
		if err = readFrame(os.Stdin, &req); err == nil {
			var none *request
			none.CanDefine = true
		}
	case "killed":
		err = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	case "hungry":
		var eaten [][]byte
		where := "after 64 instructions, in iteration 2 of main#1"
		for err = writeFrame(os.Stdout, reply{Where: &where}); err == nil; {
			block := make([]byte, 16<<20)
			for i := range block {
				block[i] = 1
			}
			eaten = append(eaten, block)
			time.Sleep(time.Duration(len(eaten)) * time.Millisecond)
		}
	case "asleep":
		// The child stands for a compiler; both must end.
		child := exec.Command("sleep", "1000")
		if err = child.Start(); err == nil {
			fmt.Fprintln(os.Stderr, "child", child.Process.Pid)
			if file := os.Getenv("TEST_CHILD_FILE"); file != "" {
				err = os.WriteFile(file, []byte(strconv.Itoa(child.Process.Pid)), 0o600)
			}
			time.Sleep(time.Hour)
		}
	case "late":
		tell := findingToWire(diagnostics.Finding{Kind: found.NullDereference, Verdict: found.Failed, Line: 3})
		if err = writeFrame(os.Stdout, reply{Found: &tell}); err == nil {
			time.Sleep(time.Hour)
		}
	case "babbling":
		_, err = os.Stdout.WriteString("this is no frame at all")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "unitproof:", err)
		os.Exit(3)
	}
}

func faulty(t *testing.T, fault string) PoolOptions {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return PoolOptions{Jobs: 1, Command: append([]string{self, "worker"}, strings.Fields(fault)...)}
}

// program writes a C file and returns its proof with default settings.
func program(t testing.TB, text string) project.Proof {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "p_harness.c")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	w, err := project.Open(dir, project.Flags{})
	if err != nil {
		t.Fatal(err)
	}
	proofs, problems := w.Proofs([]string{file})
	if len(problems) > 0 || len(proofs) != 1 {
		t.Fatalf("%d proofs, %v", len(proofs), problems)
	}
	return proofs[0]
}

const simple = `#include <unitproof.h>
int main(void) {
  int x = nd_int();
  assume(x > 0);
  sassert(x >= 1);
}
`

func TestWorkerFaults(t *testing.T) {
	for _, c := range []struct {
		fault, reason string
		timeout       time.Duration
	}{
		{"crash", "the checking process ended with status 2: panic: runtime error: invalid memory address or nil pointer " +
			"dereference", time.Minute},
		{"killed", "the checking process was ended by signal 9 (killed)", time.Minute},
		{"hungry", "memory limit of 200M reached while the program was unrolled, after 64 instructions, in iteration 2 of " +
			"main#1",
			time.Minute},
		{"asleep", "no progress for longer than the timeout of 10ms", 10 * time.Millisecond},
		{"babbling", "the checking process was ended by signal 9 (killed)", time.Minute},
	} {
		t.Run(c.fault, func(t *testing.T) {
			t.Parallel()
			p := program(t, simple)
			p.Timeout, p.MaxMemory = c.timeout, 200<<20
			// The second proof gets a new worker.
			results := Run(t.Context(), Batch{Proofs: []project.Proof{p, p}}, faulty(t, c.fault), nil)
			for _, r := range results {
				if r.Proof.Verdict != found.Unknown || !strings.HasPrefix(r.Proof.Reason, c.reason) {
					if c.fault == "babbling" && strings.HasPrefix(r.Proof.Reason, "the checking process") {
						continue // it may have ended before it was killed
					}
					t.Errorf("%s: %s, want unknown: %s", r.Proof.Verdict, r.Proof.Reason, c.reason)
				}
			}
		})
	}
}

func TestMissingWorker(t *testing.T) {
	p := program(t, simple)
	r := Run(t.Context(), Batch{Proofs: []project.Proof{p}}, PoolOptions{Command: []string{"/nowhere/unitproof",
		"worker"}}, nil)
	if r[0].Proof.Verdict != found.Unknown || !strings.Contains(r[0].Proof.Reason, "start a worker") {
		t.Errorf("%s: %s", r[0].Proof.Verdict, r[0].Proof.Reason)
	}
}

// TestCancel checks that no process survives a cancelled run, not even a worker's children.
func TestCancel(t *testing.T) {
	temp := t.TempDir()
	file := filepath.Join(t.TempDir(), "child")
	t.Setenv("TEST_CHILD_FILE", file)
	t.Setenv("TMPDIR", temp)
	ctx, cancel := context.WithCancel(t.Context())
	var child int
	go func() {
		defer cancel()
		for range 500 {
			if data, err := os.ReadFile(file); err == nil && len(data) > 0 {
				child, _ = strconv.Atoi(string(data))
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
	}()
	p := program(t, simple)
	results := Run(ctx, Batch{Proofs: []project.Proof{p, p, p}}, faulty(t, "asleep"), nil)
	for _, r := range results {
		if r.Proof.Verdict != found.Unknown || !Interrupted(&r.Proof) {
			t.Errorf("%s: %s", r.Proof.Verdict, r.Proof.Reason)
		}
	}
	if remaining, err := filepath.Glob(filepath.Join(temp, "*", "*", "*")); err != nil || len(remaining) > 0 {
		t.Errorf("temporary files are left: %v, %v", remaining, err)
	}
	if child == 0 {
		t.Fatal("the worker has not started its child")
	}
	if !ends(child) {
		t.Errorf("the worker's child %d is still there", child)
	}
}

// TestKilledPool checks that the proofs that a killed pool was doing are not retried, and that no worker is started.
func TestKilledPool(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	pool := NewPool(faulty(t, "asleep"))
	p := program(t, simple)
	done := make(chan Result)
	check := func() {
		done <- pool.Check(t.Context(), Job{Settings: Settings{Root: paths.Root(filepath.Dir(p.File))}, Proof: p})
	}
	workers := func() (n int) {
		pool.mu.Lock()
		defer pool.mu.Unlock()
		return len(pool.busy) + len(pool.idle)
	}
	go check()
	for deadline := time.Now().Add(time.Minute); workers() != 1; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("no worker was started")
		}
	}
	for range 2 {
		pool.Kill()
		r := <-done
		if r.Proof.Verdict != found.Unknown || r.Proof.Reason != errKilled.Error() {
			t.Errorf("%s: %s", r.Proof.Verdict, r.Proof.Reason)
		}
		if n := workers(); n != 0 {
			t.Errorf("%d workers are there", n)
		}
		go check()
	}
	<-done
	pool.Close()
}

// TestViolationsOfUnfinishedProofs checks that a proof which ends at its timeout has the violations known by then.
func TestViolationsOfUnfinishedProofs(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	pool := NewPool(faulty(t, "late"))
	defer pool.Close()
	p := program(t, simple)
	p.Timeout = 100 * time.Millisecond
	r := pool.Check(t.Context(), Job{Settings: Settings{Root: paths.Root(filepath.Dir(p.File))}, Proof: p})
	if r.Proof.Verdict != found.Failed || len(r.Proof.Obligations) != 1 || r.Proof.Obligations[0].Line != 3 {
		t.Errorf("%s with %v", r.Proof.Verdict, r.Proof.Obligations)
	}
}

// ends reports whether a process that is not our child ends in time; zombies have ended.
func ends(pid int) bool {
	for range 300 {
		data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil || strings.Contains(string(data), ") Z ") {
			return true
		}
		time.Sleep(10 * time.Millisecond)
	}
	return false
}

// TestWorkerEndsWithParent checks that a worker ends when its parent does.
func TestWorkerEndsWithParent(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, busy := range []bool{false, true} {
		t.Run(fmt.Sprintf("busy=%v", busy), func(t *testing.T) {
			w, err := startProcess([]string{self, "worker"}, 0)
			if err != nil {
				t.Fatal(err)
			}
			if busy {
				p := program(t, "#include <unitproof.h>\nint main(void) { for (volatile unsigned i = 0; i < 1u << 30; i++) "+
					"sassert(nd_int() != 7); }")
				if err := writeFrame(w.stdin, request{Settings: &Settings{}, Proof: proofToWire(p)}); err != nil {
					t.Fatal(err)
				}
				time.Sleep(200 * time.Millisecond)
			}
			w.stdin.Close()
			done := make(chan error, 1)
			go func() { done <- w.cmd.Wait() }()
			defer w.close()
			select {
			case err := <-done:
				w.waited = true
				if (err != nil) != busy {
					t.Errorf("it ended with %v", err)
				}
			case <-time.After(10 * time.Second):
				w.kill()
				t.Error("it does not end")
			}
		})
	}
}

// TestWire checks that a worker receives all data of the parent.
func TestWire(t *testing.T) {
	var p project.Proof
	fill(reflect.ValueOf(&p).Elem())
	p.SourceCandidates = nil // stays with the parent
	p.Options.UserFile, p.Options.Found, p.Options.Memo = nil, nil, nil
	p.Options.Limits = vcgen.Limits{}
	var buf bytes.Buffer
	if err := writeFrame(&buf, request{Proof: proofToWire(p)}); err != nil {
		t.Fatal(err)
	}
	var got request
	if err := readFrame(&buf, &got); err != nil {
		t.Fatal(err)
	}
	if back := proofFromWire(got.Proof); !reflect.DeepEqual(back, p) {
		t.Errorf("sent    %+v\nreceived %+v", p, back)
	}

	var r Result
	fill(reflect.ValueOf(&r).Elem())
	for i := range r.Proof.Obligations { // the data that sentences are written from stay with the worker
		f := &r.Proof.Obligations[i]
		for k := range f.Inputs {
			f.Inputs[k].Pos.Function = ""
		}
		for _, operands := range [][]found.Operand{f.Operands, f.InTheWay.Operands} {
			for k := range operands {
				operands[k].Pos, operands[k].Call = found.Pos{}, ""
			}
		}
		for _, trace := range [][]found.Step{f.Trace, f.InTheWay.Trace} {
			for k := range trace {
				trace[k].Operands = nil
			}
		}
	}
	if err := writeFrame(&buf, reply{Result: resultToWire(r)}); err != nil {
		t.Fatal(err)
	}
	var answer reply
	if err := readFrame(&buf, &answer); err != nil {
		t.Fatal(err)
	}
	if back := resultFromWire(answer.Result); !reflect.DeepEqual(back, r) {
		t.Errorf("sent    %+v\nreceived %+v", r, back)
	}
}

// fill sets everything reachable to a value that is not zero.
func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Field(i)
			switch {
			case !f.CanSet():
			case f.Type() == reflect.PointerTo(v.Type()): // one level of recursion is enough
				f.Set(reflect.New(v.Type()))
			default:
				fill(f)
			}
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0))
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(key)
		fill(value)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.String:
		v.SetString("text")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(7)
	}
}

func TestBrokenFrames(t *testing.T) {
	for _, c := range []struct {
		text string
		want error
	}{
		{"", io.EOF},
		{"\x00\x00", io.ErrUnexpectedEOF},
		{"\x00\x00\x00\x05{}", io.ErrUnexpectedEOF},
		{"\xff\xff\xff\xff", nil},
		{"\x00\x00\x00\x02[]", nil},
	} {
		var req request
		err := readFrame(strings.NewReader(c.text), &req)
		if err == nil || c.want != nil && !errors.Is(err, c.want) {
			t.Errorf("%q: %v, want %v", c.text, err, c.want)
		}
	}
}

// TestWaysAgree checks that a proof has the same result in this process and in a worker.
func TestWaysAgree(t *testing.T) {
	p := program(t, strings.Replace(simple, "x >= 1", "x > 1", 1))
	settings := Settings{Root: paths.Root(filepath.Dir(p.File))}
	var proofs []diagnostics.Proof
	for _, opts := range []PoolOptions{{InProcess: true}, faulty(t, "")} {
		r := Run(t.Context(), Batch{Settings: settings, Proofs: []project.Proof{p}}, opts, nil)
		got := r[0].Proof
		if got.Verdict != found.Failed {
			t.Fatalf("%s: %s", got.Verdict, got.Reason)
		}
		got.Stats, got.Engine = diagnostics.Stats{}, nil
		for i := range got.Obligations {
			got.Obligations[i].Share = 0
		}
		proofs = append(proofs, got)
	}
	if !reflect.DeepEqual(proofs[0], proofs[1]) {
		t.Errorf("in process %+v\nin a worker %+v", proofs[0], proofs[1])
	}
}

// TestEvents checks that each proof has one start and one end, one event at a time. The results are in the order of the
// proofs.
func TestEvents(t *testing.T) {
	var proofs []project.Proof
	for i := range 5 {
		p := program(t, strings.Replace(simple, "x >= 1", fmt.Sprintf("x != %d", i), 1))
		p.Name = strconv.Itoa(i)
		proofs = append(proofs, p)
	}
	opts := faulty(t, "")
	opts.Jobs = 3
	var started, done []int
	results := Run(t.Context(), Batch{Proofs: proofs}, opts, func(e Event) {
		if e.Found != nil {
			return
		}
		if e.Result == nil {
			started = append(started, e.Index)
			return
		}
		if !slices.Contains(started, e.Index) {
			t.Errorf("%d is done and was not started", e.Index)
		}
		done = append(done, e.Index)
	})
	slices.Sort(started)
	slices.Sort(done)
	all := []int{0, 1, 2, 3, 4}
	if !slices.Equal(started, all) || !slices.Equal(done, all) {
		t.Errorf("started %v, done %v", started, done)
	}
	for i, r := range results {
		want := found.Failed
		if i == 0 {
			want = found.Proved
		}
		if r.Proof.Name != strconv.Itoa(i) || r.Proof.Verdict != want {
			t.Errorf("result %d: %s is %s (%s)", i, r.Proof.Name, r.Proof.Verdict, r.Proof.Reason)
		}
	}
}
