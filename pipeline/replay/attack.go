// Package replay runs unit proofs natively. Attack runs one with random and boundary
// inputs under sanitizers: the processor shares no mistake with the engine, so a
// violation of a proof that is called proved is a defect of the engine.
package replay

import (
	"bufio"
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

//go:embed native/attack.c
var runtimeSource []byte

// Attack is a linked module to be run.
type Attack struct {
	Clang         string // clang of the version that wrote the module
	Module        []byte // LLVM assembly
	Entry         string
	Duration      time.Duration
	MallocMayFail bool
	Dir           string // for temporary files; "" for the system's
}

// Result is what an attack found.
type Result struct {
	Violated bool
	Report   string // what the sanitizer or the assertion said
	Seed     uint64
	// Runs counts executions, Rejected those that an assumption ended.
	Runs, Rejected int
	// Impossible is why the proof cannot be attacked ("" when it can).
	Impossible string
}

var (
	declaration = regexp.MustCompile(`^declare (.*?)@("?[\w.$]+"?)\((.*?)\)`)
	attributes  = regexp.MustCompile(`(?m)^attributes #\d+ = \{`)
	verdicts    = regexp.MustCompile(`violated seed (\d+)`)
	// hiddenNoReturn finds calls behind which clang expects nothing to run, though
	// -fsanitize=unreachable has taken the attribute away.
	hiddenNoReturn = regexp.MustCompile(`call [^@\n]*@([\w.$]+)\([^\n]*\n\s+br i1 false, `)
	counts         = regexp.MustCompile(`runs (\d+) rejected (\d+)`)
)

// Run builds and runs the attack.
func (a Attack) Run(ctx context.Context) (Result, error) {
	dir, err := os.MkdirTemp(a.Dir, "unitproof-attack-")
	if err != nil {
		return Result{}, err
	}
	defer os.RemoveAll(dir)
	ir, stubs, why := prepare(a.Module, a.Entry)
	if why != "" {
		return Result{Impossible: why}, nil
	}
	for name, text := range map[string][]byte{"proof.ll": ir, "runtime.c": runtimeSource, "stubs.c": stubs} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			return Result{}, err
		}
	}
	program := filepath.Join(dir, "attack")
	build := exec.CommandContext(ctx, a.Clang, "-O1", "-g", "-w", "-Wno-everything", "-fsanitize=address,undefined", "-fno-sanitize-recover=all",
		"-Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc", "proof.ll", "runtime.c", "stubs.c", "-lm", "-o", program)
	build.Dir = dir
	if out, err := build.CombinedOutput(); err != nil {
		return Result{}, fmt.Errorf("building the native program: %w\n%s", err, out)
	}
	cmd := exec.CommandContext(ctx, program, strconv.FormatFloat(a.Duration.Seconds(), 'f', 2, 64))
	// Leaks are no violation of a proof; addresses must not be randomised (clang-14's
	// AddressSanitizer fails now and then with a high-entropy layout).
	cmd.Args = append([]string{program}, cmd.Args[1:]...)
	cmd.Env = append(os.Environ(), "ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1:abort_on_error=0:exitcode=98", "UBSAN_OPTIONS=print_stacktrace=0:exitcode=97")
	if a.MallocMayFail {
		cmd.Env = append(cmd.Env, "UNITPROOF_MALLOC_MAY_FAIL=1")
	}
	if setarch, err := exec.LookPath("setarch"); err == nil {
		cmd.Path = setarch
		cmd.Args = append([]string{"setarch", "-R", program}, cmd.Args[1:]...)
	}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err = cmd.Run()
	var res Result
	if m := counts.FindSubmatch(stdout.Bytes()); m != nil {
		res.Runs, _ = strconv.Atoi(string(m[1]))
		res.Rejected, _ = strconv.Atoi(string(m[2]))
		return res, nil
	}
	if m := verdicts.FindSubmatch(stdout.Bytes()); m != nil {
		res.Violated = true
		res.Seed, _ = strconv.ParseUint(string(m[1]), 10, 64)
		res.Report = firstLines(stderr.String(), 12)
		return res, nil
	}
	return Result{}, fmt.Errorf("the native program ended in an unexpected way: %w\n%s%s", err, stdout.String(), firstLines(stderr.String(), 20))
}

// prepare turns the module into one that runs: instrumented, its entry renamed, and every
// function without a body defined in stubs.
func prepare(module []byte, entry string) (ir, stubs []byte, impossible string) {
	text := attributes.ReplaceAllString(string(module), "$0 sanitize_address")
	text = strings.ReplaceAll(text, "@"+entry+"(", "@unitproof_entry(")
	// Ending the execution with any status is no violation.
	for _, exit := range []string{"exit", "_exit", "_Exit", "quick_exit"} {
		text = strings.ReplaceAll(text, "@"+exit+"(", "@unitproof_exit(")
	}
	text = dropRepeatedDeclarations(text, "@unitproof_exit(")
	ends := map[string]bool{}
	for _, m := range hiddenNoReturn.FindAllStringSubmatch(text, -1) {
		ends[m[1]] = true
	}
	var c strings.Builder
	c.WriteString("#include <stdint.h>\n#include <stddef.h>\nuint64_t unitproof_random(unsigned);\nfloat unitproof_random_float(void);\ndouble unitproof_random_double(void);\nvoid *unitproof_random_pointer(void);\nvoid unitproof_assume(uint64_t);\nvoid unitproof_assert(uint64_t);\nvoid unitproof_end(void);\n")
	sc := bufio.NewScanner(strings.NewReader(text))
	sc.Buffer(nil, 1<<28)
	params := 0
	for sc.Scan() {
		line := sc.Text()
		if strings.HasPrefix(line, "define ") && strings.Contains(line, "@unitproof_entry(") {
			inner := line[strings.Index(line, "@unitproof_entry(")+len("@unitproof_entry("):]
			inner = inner[:strings.Index(inner, ")")]
			if strings.TrimSpace(inner) != "" {
				params = strings.Count(inner, ",") + 1
			}
		}
		m := declaration.FindStringSubmatch(strings.Replace(line, "declare !dbg", "declare ", 1))
		if m == nil {
			continue
		}
		name := strings.Trim(m[2], `"`)
		if strings.HasPrefix(name, "llvm.") || strings.HasPrefix(name, "__ubsan_") {
			continue
		}
		if ends[name] && !strings.HasPrefix(name, "__assert") && name != "reach_error" && name != "__VERIFIER_error" {
			fmt.Fprintf(&c, "void %s() { unitproof_end(); }\n", name)
			continue
		}
		switch stub, ok := stubOf(name, m[1]); {
		case stub == "?":
			return nil, nil, "it uses " + name
		case ok:
			c.WriteString(stub)
		}
	}
	if params > 0 {
		args := strings.TrimSuffix(strings.Repeat("unitproof_random(64),", params), ",")
		fmt.Fprintf(&c, "long unitproof_entry();\nvoid unitproof_entry_call(void) { unitproof_entry(%s); }\n", args)
	} else {
		c.WriteString("long unitproof_entry();\nvoid unitproof_entry_call(void) { unitproof_entry(); }\n")
	}
	return []byte(text), []byte(c.String()), ""
}

// dropRepeatedDeclarations leaves the first declaration of a name that stands for several.
func dropRepeatedDeclarations(text, name string) string {
	seen := false
	var out strings.Builder
	for _, line := range strings.SplitAfter(text, "\n") {
		if strings.HasPrefix(line, "declare ") && strings.Contains(line, name) {
			if seen {
				continue
			}
			seen = true
		}
		out.WriteString(line)
	}
	return out.String()
}

// stubOf defines a function without a body; ok is false when the C library has it, the
// stub is "?" when it cannot be run natively.
func stubOf(name, attrs string) (stub string, ok bool) {
	switch name {
	case "malloc", "calloc", "realloc", "free", "memcpy", "memmove", "memset", "aligned_alloc", "posix_memalign",
		"printf", "fprintf", "vprintf", "vfprintf", "puts", "putchar", "fputs", "fputc",
		"__assert_fail", "memhavoc", "klee_make_symbolic", "sea_is_dereferenceable", "snprintf", "fflush",
		"sqrt", "sqrtf", "fabs", "fabsf", "floor", "floorf", "ceil", "ceilf", "fmod", "fmodf", "fma", "fmaf", "trunc", "truncf", "round", "roundf":
		return "", false
	case "unitproof_exit":
		return "void unitproof_exit(int status) { unitproof_end(); }\n", true
	case "abort":
		// abort ends an execution and is no violation.
		return "void abort(void) { unitproof_end(); for (;;); }\n", true
	case "__CPROVER_OBJECT_SIZE", "__CPROVER_POINTER_OFFSET", "__CPROVER_POINTER_OBJECT", "sea_is_modified", "sea_reset_modified", "sea_tracking_on", "sea_tracking_off":
		return "?", true
	case "__CPROVER_r_ok", "__CPROVER_w_ok", "__CPROVER_rw_ok":
		return "_Bool sea_is_dereferenceable(const void *, long);\n_Bool " + name + "(const void *p, size_t n) { return sea_is_dereferenceable(p, (long)n); }\n", true
	case "assume", "__SEA_assume", "__VERIFIER_assume", "__CPROVER_assume", "klee_assume":
		return fmt.Sprintf("void %s(_Bool c) { unitproof_assume(c); }\n", name), true
	case "sassert", "__VERIFIER_assert", "__CPROVER_assert", "__CPROVER_precondition", "__CPROVER_postcondition", "__SEA_assert":
		return fmt.Sprintf("void %s(_Bool c) { unitproof_assert(c); }\n", name), true
	case "reach_error", "__VERIFIER_error":
		return fmt.Sprintf("void %s(void) { unitproof_assert(0); }\n", name), true
	}
	fields := strings.Fields(attrs)
	if len(fields) == 0 {
		return "", false
	}
	t := fields[len(fields)-1]
	pointer := strings.HasSuffix(t, "*")
	switch {
	case t == "void":
		return fmt.Sprintf("void %s() { }\n", name), true
	case pointer:
		return fmt.Sprintf("void *%s() { return unitproof_random_pointer(); }\n", name), true
	case t == "float":
		return fmt.Sprintf("float %s() { return unitproof_random_float(); }\n", name), true
	case t == "double":
		return fmt.Sprintf("double %s() { return unitproof_random_double(); }\n", name), true
	case strings.HasPrefix(t, "i"):
		bits, err := strconv.Atoi(t[1:])
		if err != nil || bits > 64 {
			return "?", true
		}
		return fmt.Sprintf("uint64_t %s() { return unitproof_random(%d); }\n", name, bits), true
	}
	return "?", true
}

func firstLines(s string, n int) string {
	lines := strings.SplitAfterN(s, "\n", n+1)
	if len(lines) > n {
		lines = lines[:n]
	}
	return strings.Join(lines, "")
}
