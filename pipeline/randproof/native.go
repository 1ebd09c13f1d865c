package randproof

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/unitproof/unitproof/pipeline/targets"
)

//go:embed native/runtime.c
var runtimeSource []byte

//go:embed native/ubsan.c
var ubsanSource []byte

//go:embed native/unitproof.h
var header []byte

// Tools are the programs for native runs, of the same version as the engine's front end: clang with its sanitizers, and
// llvm-symbolizer.
type Tools struct {
	Clang, Symbolizer string
	// Target is the machine of the programs.
	Target targets.Target
}

// Prepared is a folder with the files that all programs share.
type Prepared struct {
	tools Tools
	dir   string
	// ubsan is the object with the functions of UndefinedBehaviorSanitizer, "" if the linker's compiler has them.
	ubsan string
}

// sanitizers are the front end's.
const sanitizers = "shift-exponent,integer-divide-by-zero,array-bounds,builtin,float-cast-overflow,vla-bound,return," +
	"unreachable"

// Prepare compiles the runtime into dir.
func Prepare(ctx context.Context, tools Tools, dir string) (*Prepared, error) {
	for name, text := range map[string][]byte{"runtime.c": runtimeSource, "ubsan.c": ubsanSource, "unitproof.h": header} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			return nil, err
		}
	}
	n := &Prepared{tools: tools, dir: dir}
	compile := func(name string, flags ...string) error {
		args := append([]string{"-c", "-O1", name + ".c", "-o", name + ".o"}, tools.Target.Native...)
		cmd := exec.CommandContext(ctx, tools.Clang, append(args, flags...)...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("compiling the native runtime: %w\n%s", err, out)
		}
		return nil
	}
	if err := compile("runtime", "-fsanitize=address"); err != nil {
		return nil, err
	}
	if linker := tools.Target.Linker; linker != "" {
		out, err := exec.CommandContext(ctx, linker, "-print-file-name=libubsan.so").Output()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", linker, err)
		}
		if !bytes.ContainsRune(out, '/') { // gcc prints the name alone if there is no such file
			n.ubsan = filepath.Join(dir, "ubsan.o")
			return n, compile("ubsan")
		}
	}
	return n, nil
}

// Useless is the error of a program without results.
type Useless struct{ Why string }

func (u Useless) Error() string { return u.Why }

// Settle turns the checks of a program into assertions, most of them true. The program executes all inputs to observe
// the values of the checks, and once more to find the violations. limit bounds the executions. It returns the engine's
// text and the truth about it.
func (n *Prepared) Settle(ctx context.Context, p *Program, limit int) (text string, truth *Truth, err error) {
	dir, err := os.MkdirTemp(n.dir, "run")
	if err != nil {
		return "", nil, err
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "proof.c"), []byte(p.native()), 0o600); err != nil {
		return "", nil, err
	}
	checks := "-fsanitize=address,signed-integer-overflow," + sanitizers
	args := []string{"-std=gnu11", "-O0", "-g", "-w", "-I", n.dir, "-fno-strict-aliasing", "-ffp-contract=off", checks,
		"-fno-sanitize-recover=all"}
	if p.NoOverflow {
		args[len(args)-2] = "-fsanitize=address," + sanitizers
		args = append(args, "-fwrapv")
	}
	for _, f := range p.Flags {
		if !strings.HasPrefix(f, "-O") { // optimizations may exploit undefined behaviour
			args = append(args, f)
		}
	}
	args = append(args, n.tools.Target.Native...)
	cmd := exec.CommandContext(ctx, n.tools.Clang, append(args, "-Dmain=proof_main", "-c", "proof.c", "-o", "proof.o")...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err == nil {
		link := []string{cmp.Or(n.tools.Target.Linker, n.tools.Clang)}
		if n.tools.Target.Linker == "" {
			link = append(link, n.tools.Target.Native...)
		}
		if n.ubsan == "" {
			link = append(link, "-fsanitize=address,undefined")
		} else {
			link = append(link, "-fsanitize=address", n.ubsan)
		}
		cmd = exec.CommandContext(ctx, link[0], append(link[1:], "proof.o", filepath.Join(n.dir, "runtime.o"), "-lm",
			"-latomic", "-o", "program")...)
		cmd.Dir = dir
		out, err = cmd.CombinedOutput()
	}
	if err != nil {
		if bytes.Contains(out, []byte("ran out of registers")) { // clang for Arm, with AddressSanitizer
			return "", nil, Useless{"the compiler does not compile it"}
		}
		return "", nil, fmt.Errorf("seed %d does not compile natively: %w\n%s", p.Seed, err, out)
	}
	r, err := n.start(ctx, dir, p, limit)
	if err != nil {
		return "", nil, err
	}
	defer r.stop()
	first, err := r.results(p)
	if err != nil {
		return "", nil, err
	}
	as := chosen(p, first)
	second, err := r.second(ctx, n, p, as)
	if err != nil {
		return "", nil, err
	}
	text = p.proof(as)
	second.MayBeFalse = map[int]bool{}
	for i, line := range strings.Split(text, "\n") {
		if strings.Contains(line, "sassert(") && !strings.Contains(line, "v_ <=") {
			second.MayBeFalse[i+1] = true
		}
	}
	return text, &second.Truth, nil
}

// chosen returns assertions for the checks of a program, most of them true.
func chosen(p *Program, first *observed) []assertion {
	r := rand.New(rand.NewPCG(p.Seed, 77))
	as := make([]assertion, p.Checks)
	for k := range as {
		as[k] = assertion{1, -1 << 63, 1<<63 - 2} // not the constant false, which can be proved by being unreachable
		v := first.values[k]
		switch {
		case v == nil: // not reached
		case r.IntN(10) < 7 || !first.Complete:
			as[k] = assertion{1, v.min, v.max}
		case r.IntN(3) == 0 && v.max > v.min && v.max != 1<<63-1:
			as[k] = assertion{1, v.min, v.max - 1}
		default:
			as[k] = assertion{2, v.seen[r.IntN(len(v.seen))], 0}
		}
	}
	return as
}

type observed struct {
	Truth
	values map[int]*values
}

type values struct {
	min, max int64
	seen     []int64
}

var (
	offset  = regexp.MustCompile(`^\s+#\d+ 0x[0-9a-f]+ +\((?:\S+/program\+(0x[0-9a-f]+)|<unknown module>)\)`)
	ubsan   = regexp.MustCompile(`proof\.c:(\d+):\d+: runtime error: (.*)`)
	asan    = regexp.MustCompile(`ERROR: AddressSanitizer: (.*)`)
	address = regexp.MustCompile(`unknown address 0x([0-9a-f]+)`)
)

// running is a program that executes all inputs, prints what it observed, and executes them again.
type running struct {
	cmd    *exec.Cmd
	dir    string
	stdin  io.WriteCloser
	stdout *bufio.Reader
	stderr bytes.Buffer
	ended  bool
}

// start starts the program in dir.
func (n *Prepared) start(ctx context.Context, dir string, p *Program, limit int) (*running, error) {
	args := append([]string{"-R"}, append(n.tools.Target.Run("./program"), strconv.Itoa(limit))...)
	if p.MallocMayFail {
		args = append(args, "may-fail")
	}
	r := &running{cmd: exec.CommandContext(ctx, "setarch", args...), dir: dir}
	r.cmd.Dir, r.cmd.Stderr = dir, &r.stderr
	r.cmd.Env = append(os.Environ(), "ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1:symbolize=0:"+
		"redzone=128:detect_stack_use_after_return=1:print_legend=0", "UBSAN_OPTIONS=symbolize=0:print_stacktrace=0")
	var err error
	if r.stdin, err = r.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	stdout, err := r.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	r.stdout = bufio.NewReader(stdout)
	return r, r.cmd.Start()
}

// wait waits for the end of the program.
func (r *running) wait() error {
	r.ended = true
	return r.cmd.Wait()
}

// stop ends the program if it is still running.
func (r *running) stop() {
	if !r.ended {
		r.stdin.Close()
		r.cmd.Process.Kill()
		_ = r.wait() // it was killed
	}
}

// results reads the results of one pass.
func (r *running) results(p *Program) (*observed, error) {
	o := &observed{Truth: Truth{Complete: true, Violations: map[Place]string{}, Reached: map[int]bool{}},
		values: map[int]*values{}}
	for {
		line, readErr := r.stdout.ReadString('\n')
		f := strings.Fields(line)
		if len(f) > 0 && f[0] == "end" {
			return o, nil
		}
		if readErr != nil {
			if err := r.wait(); err != nil {
				return nil, fmt.Errorf("seed %d: the native program failed: %w\n%s", p.Seed, err, tail(r.stderr.String()))
			}
			return nil, Useless{"too many inputs on one execution"}
		}
		if len(f) == 0 {
			continue
		}
		num := func(i int) int64 { v, _ := strconv.ParseInt(f[i], 10, 64); return v }
		switch f[0] {
		case "slow":
			return nil, Useless{"an execution does not end"}
		case "partial":
			o.Complete = false
		case "runs":
			o.Runs = int(num(1))
		case "hit":
			o.Reached[int(num(1))] = true
		case "check":
			v := &values{min: num(2), max: num(3)}
			for i := 4; i < len(f); i++ {
				v.seen = append(v.seen, num(i))
			}
			o.values[int(num(1))] = v
		}
	}
}

// second runs the second pass, with these assertions.
func (r *running) second(ctx context.Context, n *Prepared, p *Program, as []assertion) (*observed, error) {
	var text strings.Builder
	for _, a := range as {
		fmt.Fprintf(&text, "%d %d %d\n", a.kind, a.a, a.b)
	}
	if _, err := io.WriteString(r.stdin, text.String()); err != nil {
		return nil, err
	}
	r.stdin.Close()
	o, err := r.results(p)
	if err != nil {
		return nil, err
	}
	if err := r.wait(); err != nil {
		return nil, fmt.Errorf("seed %d: the native program failed: %w\n%s", p.Seed, err, tail(r.stderr.String()))
	}
	_, said, found := bytes.Cut(r.stderr.Bytes(), []byte("@second\n"))
	if !found {
		return nil, fmt.Errorf("seed %d: no second pass\n%s", p.Seed, tail(r.stderr.String()))
	}
	if bytes.Contains(said, []byte("AddressSanitizer: nested bug")) { // of gcc for PowerPC, in a report
		return nil, Useless{"the sanitizer failed"}
	}
	return o, n.reports(ctx, r.dir, said, o)
}

// reports parses the sanitizers' reports of each run.
func (n *Prepared) reports(ctx context.Context, dir string, said []byte, o *observed) error {
	type pending struct {
		kind   string
		frames []string
		runs   string
	}
	var open []pending
	var kind string
	var place *Place
	var frames []string
	stack := false
	sc := bufio.NewScanner(bytes.NewReader(said))
	sc.Buffer(nil, 1<<20)
	for sc.Scan() {
		line := sc.Text()
		switch {
		case strings.HasPrefix(line, "@assertion "):
			l, _ := strconv.Atoi(line[len("@assertion "):])
			place = &Place{l, "assertion"}
		case strings.HasPrefix(line, "@run "):
			switch {
			case place != nil:
				o.Violations[*place] = line
			case kind != "":
				open = append(open, pending{kind, frames, line})
			default:
				return fmt.Errorf("a native run ended in an unexpected way: %s\n%s", line, tail(string(said)))
			}
			place, kind, frames, stack = nil, "", nil, false
		case place != nil || kind != "" && stack && len(frames) > 0 && !offset.MatchString(line):
			stack = false
		default:
			if m := ubsan.FindStringSubmatch(line); m != nil {
				l, _ := strconv.Atoi(m[1])
				place = &Place{l, undefinedKind(m[2])}
			} else if m := asan.FindStringSubmatch(line); m != nil && kind == "" {
				kind, stack = addressKind(m[1], line), true
			} else if m := offset.FindStringSubmatch(line); m != nil && stack {
				if m[1] != "" { // "": a call of NULL
					frames = append(frames, m[1])
				}
			} else if strings.HasPrefix(line, "READ of") && kind == "out-of-bounds" {
				kind = "out-of-bounds-read"
			} else if strings.HasPrefix(line, "WRITE of") && kind == "out-of-bounds" {
				kind = "out-of-bounds-write"
			}
		}
	}
	if len(open) == 0 {
		return nil
	}
	lines := map[string]int{}
	var offsets []string
	for _, p := range open {
		for _, f := range p.frames {
			if _, ok := lines[f]; !ok {
				lines[f] = 0
				offsets = append(offsets, f)
			}
		}
	}
	cmd := exec.CommandContext(ctx, n.tools.Symbolizer, append([]string{"-e", "program", "--output-style=GNU",
		"--no-inlines", "-s"}, offsets...)...)
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("llvm-symbolizer: %w", err)
	}
	said2 := strings.Split(strings.TrimSpace(string(out)), "\n")
	for i, f := range offsets {
		if 2*i+1 < len(said2) {
			if at, ok := strings.CutPrefix(said2[2*i+1], "proof.c:"); ok {
				lines[f], _ = strconv.Atoi(strings.SplitN(at, ":", 2)[0])
			}
		}
	}
	for _, p := range open {
		at := 0
		for _, f := range p.frames {
			if at == 0 {
				at = lines[f]
			}
		}
		if at == 0 && n.tools.Target.Emulator != "" { // the unwinder of gcc lost the program's frame
			return Useless{"a report without a place"}
		}
		if at == 0 {
			return fmt.Errorf("a report without a place in the program: %s\n%s", p.kind, tail(string(said)))
		}
		o.Violations[Place{at, p.kind}] = p.runs
	}
	return nil
}

func tail(s string) string {
	if len(s) > 4000 {
		s = s[len(s)-4000:]
	}
	return s
}

// undefinedKind returns the engine's name for a message of UBSan.
func undefinedKind(msg string) string {
	for _, k := range []struct{ part, kind string }{
		{"unsigned integer overflow", "unsigned-overflow"},
		{"signed integer overflow", "signed-overflow"}, {"negation of", "signed-overflow"},
		{"division by zero", "division-by-zero"}, {"division of", "signed-overflow"},
		{"shift exponent", "invalid-shift"}, {"left shift of", "shift-overflow"},
		{"out of bounds", "array-bounds"}, {"outside the range of representable", "float-to-int-overflow"},
		{"variable length array bound", "invalid-size"}, {"passing zero to", "invalid-builtin"},
		{"unreachable program point", "unreachable"},
	} {
		if strings.Contains(msg, k.part) {
			return k.kind
		}
	}
	return "? " + msg
}

// addressKind returns the engine's name for a report of AddressSanitizer.
func addressKind(msg, line string) string {
	word := strings.Fields(msg)[0]
	switch word {
	case "heap-use-after-free":
		return "use-after-free"
	case "stack-use-after-scope", "stack-use-after-return":
		return "use-after-scope"
	case "attempting":
		if strings.Contains(msg, "double-free") {
			return "double-free"
		}
		return "invalid-free"
	case "memcpy-param-overlap:", "memcpy-param-overlap":
		return "overlapping-copy"
	case "SEGV", "BUS":
		if m := address.FindStringSubmatch(line); m != nil {
			if at, _ := strconv.ParseUint(m[1], 16, 64); at < 4096 && strings.Contains(line, "unknown address 0x") {
				return "null-dereference"
			}
		}
		return "invalid-pointer"
	}
	if strings.Contains(word, "overflow") || strings.Contains(word, "underflow") || word == "use-after-poison" ||
		word == "unknown-crash" {
		return "out-of-bounds"
	}
	return "? " + msg
}
