package sandbox

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// build compiles a program of testdata.
func build(t *testing.T, compiler, source string, flags ...string) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "program")
	compile(t, compiler, source, program, flags...)
	return program
}

func compile(t *testing.T, compiler, source, program string, flags ...string) {
	t.Helper()
	out, err := exec.Command(compiler, append(flags, "-w", filepath.Join("testdata", source),
		"-o", program)...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// TestMain creates the folder that all tests share.
func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "sandbox-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	shared.dir = dir
	status := m.Run()
	os.RemoveAll(dir)
	os.Exit(status)
}

var shared struct {
	dir     string
	hostile sync.Once
}

// hostile returns the program that tries forbidden operations.
func hostile(t *testing.T) string {
	t.Helper()
	program := filepath.Join(shared.dir, "hostile")
	shared.hostile.Do(func() { compile(t, "cc", "hostile.c", program) })
	return program
}

// command returns a command with generous limits.
func command(program string, args ...string) (Command, *bytes.Buffer, *bytes.Buffer) {
	var out, errs bytes.Buffer
	return Command{Path: program, Args: args, Env: []string{"PATH=/usr/bin:/bin"}, Stdout: &out, Stderr: &errs,
		CPU: time.Minute, FileSize: 1 << 20, Memory: 4 << 30}, &out, &errs
}

// allWays are the layers of a run, as kernels allow them.
var allWays = []means{{true, true, true}, {true, false, true}, {true, false, false}, {false, true, true},
	{false, false, true}, {}}

func each(t *testing.T, test func(t *testing.T, use means)) { eachOf(t, allWays, test) }

// eachOf runs a test with the given ways, if this kernel allows them.
func eachOf(t *testing.T, list []means, test func(t *testing.T, use means)) {
	for _, use := range list {
		t.Run(fmt.Sprintf("%+v", use), func(t *testing.T) {
			if why := lacks(use); why != "" {
				t.Skip(why)
			}
			test(t, use)
		})
	}
}

// those returns the ways with a property.
func those(holds func(use means) bool) []means {
	return slices.DeleteFunc(slices.Clone(allWays), func(use means) bool { return !holds(use) })
}

// lacks returns the layer that the kernel lacks, without use of the package; "" if there is none.
func lacks(use means) string {
	kernel.Do(func() {
		if out, err := exec.Command("unshare", "-rmpniuf", "--mount-proc", "true").CombinedOutput(); err != nil {
			kernel.namespaces = fmt.Sprintf("no namespaces here: %v: %s", err, out)
		}
		if _, err := os.Stat("/proc/sys/kernel/seccomp/actions_avail"); err != nil {
			kernel.filter = fmt.Sprintf("no filters of system calls here: %v", err)
		}
		const version = 1 // the flag that asks for it
		if _, _, errno := syscall.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, version); errno != 0 {
			kernel.landlock = fmt.Sprintf("no Landlock here: %v", errno)
		}
	})
	for _, layer := range []struct {
		used bool
		why  string
	}{{use.Namespaces, kernel.namespaces}, {use.Landlock, kernel.landlock}, {use.Filter, kernel.filter}} {
		if layer.used && layer.why != "" {
			return layer.why
		}
	}
	return ""
}

var kernel struct {
	sync.Once
	namespaces, landlock, filter string
}

// runs executes a command in one way.
func runs(t *testing.T, c Command, use means) *outcome {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	r, failed, err := runWith(ctx, c, use)
	if err != nil || failed != nil || r.TimedOut {
		t.Fatalf("%+v, %+v, %v", r, failed, err)
	}
	return r
}

// attempts runs the hostile program and checks that each of its attempts, with exceptions, is refused, or succeeds.
func attempts(t *testing.T, c Command, out *bytes.Buffer, use means, refused bool, except ...string) {
	t.Helper()
	runs(t, c, use)
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	reports := 0
	for _, line := range lines {
		name, rest, _ := strings.Cut(line, " ")
		done, is := strings.HasPrefix(rest, "done"), strings.HasPrefix(rest, "done") || strings.HasPrefix(rest, "refused")
		if !is || slices.Contains(except, name) {
			continue
		}
		reports++
		if done == refused {
			t.Errorf("%s", line)
		}
	}
	if reports == 0 {
		t.Errorf("nothing was told: %s", out)
	}
}

func TestNoNetwork(t *testing.T) {
	program := hostile(t)
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer tcp.Close()
	dir, err := os.MkdirTemp("", "s") // the path of a socket is short
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	local, err := net.Listen("unix", filepath.Join(dir, "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer local.Close()
	_, port, _ := net.SplitHostPort(tcp.Addr().String())
	each(t, func(t *testing.T, use means) {
		c, out, _ := command(program, "network", port, local.Addr().String())
		switch {
		case use.Filter:
			attempts(t, c, out, use, true)
		case use.Namespaces:
			attempts(t, c, out, use, true, "io_uring")
		default: // else the test would have no meaning
			attempts(t, c, out, use, false, "packet", "io_uring")
		}
	})
}

func TestNoFiles(t *testing.T) {
	each(t, func(t *testing.T, use means) {
		program := hostile(t)
		dir := t.TempDir()
		secret := filepath.Join(dir, "secret")
		if err := os.WriteFile(secret, []byte("of the user"), 0o600); err != nil {
			t.Fatal(err)
		}
		then := time.Unix(1e9, 0)
		if err := os.Chtimes(secret, then, then); err != nil {
			t.Fatal(err)
		}
		c, out, _ := command(program, "files", dir)
		if !use.Namespaces && !use.Landlock {
			c.Args = []string{"own"}
			runs(t, c, use)
			return
		}
		if use.Namespaces && !use.Filter {
			attempts(t, c, out, use, true, "unshare", "chroot") // nested namespaces, in which it has no more rights
		} else {
			attempts(t, c, out, use, true)
		}
		info, err := os.Stat(secret)
		if err != nil || info.Mode().Perm() != 0o600 || !info.ModTime().Equal(then) || info.Size() != 11 {
			t.Errorf("%v, %v", info, err)
		}
		if list, _ := os.ReadDir(dir); len(list) != 1 {
			t.Errorf("%v", list)
		}
	})
}

// TestFreshFolder checks that the program writes to its own folder with namespaces, and nowhere without.
func TestFreshFolder(t *testing.T) {
	program := hostile(t)
	eachOf(t, those(func(use means) bool { return use.Namespaces }), func(t *testing.T, use means) {
		c, out, _ := command(program, "fresh")
		attempts(t, c, out, use, false)
		_, text, _ := strings.Cut(out.String(), "bytes ")
		if n, err := strconv.Atoi(strings.TrimSpace(text)); err != nil || n < 1<<20 || n > freshBytes {
			t.Errorf("%s", out)
		}
	})
}

// victim returns another process of the user.
func victim(t *testing.T) *exec.Cmd {
	t.Helper()
	cmd := exec.Command("/bin/sleep", "1000")
	cmd.Env = []string{"UNITPROOF_SECRET=1"}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return cmd
}

func TestOtherProcesses(t *testing.T) {
	program := hostile(t)
	eachOf(t, those(func(use means) bool { return use.Namespaces || use.Landlock }), func(t *testing.T, use means) {
		cmd := victim(t)
		c, out, _ := command(program, "processes", strconv.Itoa(cmd.Process.Pid))
		except := []string{}
		if !use.Filter {
			except = append(except, "shm") // its own memory
		}
		attempts(t, c, out, use, true, except...)
		if use.Namespaces && !strings.Contains(out.String(), "seen 2\n") {
			t.Errorf("%s", out)
		}
		if err := cmd.Process.Signal(syscall.Signal(0)); err != nil {
			t.Errorf("it has ended: %v", err)
		}
	})
}

// TestSignalsByTheFilter checks that the filter denies signals to other processes if Landlock does not control them.
func TestSignalsByTheFilter(t *testing.T) {
	p := filterOf{self: os.Getpid()}.program()
	if q := (filterOf{}).program(); len(p) != len(q)+5*len(signals)*(1+len(others)) {
		t.Errorf("%d and %d instructions", len(p), len(q))
	}
	program := hostile(t)
	c, out, _ := command(program, "own")
	attempts(t, c, out, means{Filter: true}, false)
	cmd := victim(t)
	c, out, _ = command(program, "processes", strconv.Itoa(cmd.Process.Pid))
	runs(t, c, means{Filter: true})
	for _, want := range []string{"signal refused", "kill refused", "trace refused", "limit refused", "parent refused"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%s: %s", want, out)
		}
	}
	if err := cmd.Process.Signal(syscall.Signal(0)); err != nil {
		t.Errorf("it has ended: %v", err)
	}
}

// named reports whether a process has a word among its arguments.
func named(word string) bool {
	list, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, path := range list {
		if data, err := os.ReadFile(path); err == nil && slices.Contains(strings.Split(string(data), "\x00"), word) {
			return true
		}
	}
	return false
}

// gone waits until no process has a word among its arguments: a killed one exists until it is reaped.
func gone(t *testing.T, word string) {
	t.Helper()
	for range 600 {
		if !named(word) {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Errorf("a process %s is left", word)
}

func TestNoDaemon(t *testing.T) {
	program := hostile(t)
	eachOf(t, those(func(use means) bool { return use.Namespaces || use.Filter }), func(t *testing.T, use means) {
		word := fmt.Sprintf("unitproof-daemon-%d-%d", os.Getpid(), time.Now().UnixNano())
		c, out, _ := command(program, "daemon", word)
		runs(t, c, use)
		if !strings.Contains(out.String(), "started") {
			t.Errorf("%s", out)
		}
		gone(t, word)
	})
}

// TestContextEndsAll checks that the context ends all processes of a run, also while they spin and fork.
func TestContextEndsAll(t *testing.T) {
	program := hostile(t)
	each(t, func(t *testing.T, use means) {
		word := fmt.Sprintf("unitproof-end-%d-%d", os.Getpid(), time.Now().UnixNano())
		c, _, _ := command("/bin/sh", "-c", program+" sleep "+word+" & "+program+" spin "+word)
		c.Reads = []string{program}
		ctx, cancel := context.WithCancel(context.Background())
		go func() {
			for !named(word) {
				time.Sleep(10 * time.Millisecond)
			}
			cancel()
		}()
		r, failed, err := runWith(ctx, c, use)
		if err != nil || failed != nil || !r.TimedOut || r.Status.Signal() != syscall.SIGKILL {
			t.Errorf("%+v, %+v, %v", r, failed, err)
		}
		gone(t, word)
	})
}

func TestLimits(t *testing.T) {
	program := hostile(t)
	each(t, func(t *testing.T, use means) {
		if use == (means{}) || use.Namespaces && use.Landlock { // the others are covered by these
			c, _, _ := command(program, "memory")
			c.Memory = 100 << 20
			if r := runs(t, c, use); !r.TooMuch {
				t.Errorf("memory: %+v", r)
			}
			c, _, _ = command(program, "spin")
			c.CPU = time.Second
			if r := runs(t, c, use); r.Status.Signal() != syscall.SIGXCPU && r.Status.Signal() != syscall.SIGKILL {
				t.Errorf("processor time: %+v", r)
			}
		}
		c, out, _ := command(program, "bomb")
		r := runs(t, c, use)
		var n int
		if _, err := fmt.Sscanf(out.String(), "forked %d", &n); !r.TooMuch && (err != nil || n > maxProcesses) {
			t.Errorf("%q, %v, %+v", out, err, r)
		}
	})
}

// TestOrdinaryPrograms checks that a program in the sandbox ends as outside, and has the rights that it needs.
func TestOrdinaryPrograms(t *testing.T) {
	program := hostile(t)
	given := filepath.Join(t.TempDir(), "given")
	if err := os.WriteFile(given, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	each(t, func(t *testing.T, use means) {
		c, out, _ := command(program, "own", given)
		c.Reads = []string{given}
		attempts(t, c, out, use, false)
		for name, want := range map[string]func(s syscall.WaitStatus) bool{
			"exit":     func(s syscall.WaitStatus) bool { return s.Exited() && s.ExitStatus() == 42 },
			"abort":    func(s syscall.WaitStatus) bool { return s.Signaled() && s.Signal() == syscall.SIGABRT },
			"segfault": func(s syscall.WaitStatus) bool { return s.Signaled() && s.Signal() == syscall.SIGSEGV },
		} {
			c, _, _ := command(program, name)
			if r := runs(t, c, use); !want(r.Status) {
				t.Errorf("%s: %#x", name, r.Status)
			}
		}
		c, out, _ = command(program, "personality")
		runs(t, c, use)
		if got, err := strconv.ParseUint(strings.TrimSpace(out.String()), 16, 32); err != nil || got&noRandomize == 0 {
			t.Errorf("personality %s, %v", out, err)
		}
	})
}

// TestFolderOfAnotherUser checks programs and Reads below another user's folder, which only root can read (sudo keeps
// HOME).
func TestFolderOfAnotherUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root gets there")
	}
	if why := lacks(means{Namespaces: true}); why != "" {
		t.Skip(why)
	}
	home := filepath.Join(t.TempDir(), "home")
	inner := filepath.Join(home, "cache")
	if err := os.MkdirAll(inner, 0o700); err != nil {
		t.Fatal(err)
	}
	given, program := filepath.Join(inner, "given"), filepath.Join(inner, "program")
	text, err := os.ReadFile(hostile(t))
	if err != nil {
		t.Fatal(err)
	}
	for path, data := range map[string][]byte{given: nil, program: text} {
		if err := os.WriteFile(path, data, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chown(home, 4711, 4711); err != nil {
		t.Fatal(err)
	}
	c, out, _ := command(program, "own", given)
	c.Reads = []string{given}
	r, err := Run(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	if !r.Status.Exited() || out.Len() == 0 || strings.Contains(out.String(), "refused") {
		t.Errorf("%+v, %s", r, out)
	}
	if len(r.Missing) > 0 && lacks(allWays[0]) == "" {
		t.Errorf("it is not held: %+v", r.Confinement)
	}
}

// TestPersonalityIsRestored checks that address randomization of this process is restored.
func TestPersonalityIsRestored(t *testing.T) {
	runtime.LockOSThread() // it belongs to the thread
	defer runtime.UnlockOSThread()
	own := func() uintptr {
		p, _, errno := syscall.RawSyscall(syscall.SYS_PERSONALITY, 0xffffffff, 0, 0)
		if errno != 0 {
			t.Fatal(errno)
		}
		return p
	}
	before := own()
	c, _, _ := command("/bin/true")
	if _, err := Run(context.Background(), c); err != nil {
		t.Fatal(err)
	}
	if after := own(); after != before {
		t.Errorf("the personality became %x", after)
	}
}

// TestSanitizers checks sanitizers, which read /proc; LeakSanitizer traces its own process from a thread.
func TestSanitizers(t *testing.T) {
	for _, compiler := range []string{"clang-14", "clang-15", "clang-16", "clang-17", "clang-18", "clang-19"} {
		t.Run(compiler, func(t *testing.T) {
			list := allWays
			if compiler != "clang-14" && compiler != "clang-19" { // installed by make setup
				if _, err := exec.LookPath(compiler); err != nil {
					t.Skip(err)
				}
				list = allWays[:1]
			}
			program := build(t, compiler, "sanitized.c", "-g", "-O0", "-fsanitize=address,undefined", "-no-pie", "-fno-pie")
			eachOf(t, list, func(t *testing.T, use means) {
				for arg, want := range map[string]string{"overflow": "heap-buffer-overflow", "leak": "detected memory leaks",
					"signed": "signed integer overflow", "nothing": ""} {
					if arg == "leak" && !use.Namespaces && !use.Landlock && use.Filter {
						continue // it could trace others
					}
					c, _, errs := command(program, arg)
					c.Env = append(c.Env, fmt.Sprintf("ASAN_OPTIONS=detect_leaks=%d:symbolize=0:exitcode=98",
						map[bool]int{true: 1}[arg == "leak"]))
					r := runs(t, c, use)
					if !strings.Contains(errs.String(), want) || want == "" && errs.Len() > 0 {
						t.Errorf("%s: %#x, %s", arg, r.Status, errs)
					}
				}
			})
		})
	}
}

// TestWhatIsMissingIsTold checks that a refused way is not tried again, and is reported.
func TestWhatIsMissingIsTold(t *testing.T) {
	known.Lock()
	before, why := allowed, refused
	known.Unlock()
	defer func() { known.Lock(); allowed, refused = before, why; known.Unlock() }()
	for _, c := range []struct {
		allowed means
		want    string
	}{
		{means{true, true, true}, ""},
		{means{true, false, false}, ""},
		{means{false, true, true}, "the sandbox does not hold processes: for the test; other processes are seen, but not " +
			"touched"},
		{means{false, false, true}, "the sandbox does not hold files, processes: for the test"},
		{means{false, true, false}, "the sandbox does not hold network, files, processes: for the test"},
		{means{}, "the sandbox does not hold network, files, processes: for the test"},
	} {
		known.Lock()
		allowed, refused = c.allowed, []string{"for the test"}
		known.Unlock()
		command, _, _ := command("/bin/true")
		r, err := Run(context.Background(), command)
		if err != nil {
			t.Fatal(err)
		}
		known.Lock()
		same := allowed == c.allowed
		known.Unlock()
		if !same {
			t.Logf("not here: %v", refused)
			continue
		}
		if got := r.Words(); got != c.want || len(r.Held)+len(r.Missing) != len(Guarantees) {
			t.Errorf("%+v: %q, want %q; %+v", c.allowed, got, c.want, r.Confinement)
		}
	}
	c, _, _ := command("/nowhere")
	if r, err := Run(context.Background(), c); err == nil || !strings.Contains(err.Error(), "start the native program") {
		t.Errorf("%+v, %v", r, err)
	}
}
