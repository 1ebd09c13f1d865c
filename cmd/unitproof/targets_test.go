package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/cmd/internal/clitest"
	"github.com/unitproof/unitproof/pipeline/replay"
	machines "github.com/unitproof/unitproof/pipeline/targets"
	"github.com/unitproof/unitproof/vcgen/found"
)

// targetPrograms is the folder of programs whose verdicts depend on the machine.
const targetPrograms = "../../testdata/targets"

// TestTargets checks each program for each of its machines, and compares the findings with its markers.
func TestTargets(t *testing.T) {
	program, cache := buildProgram(t), t.TempDir()
	programs := testPrograms(t, targetPrograms)
	differ := 0
	for _, p := range programs {
		if len(p.expect.Targets) < 2 {
			t.Errorf("%s is not for several machines", p.title())
		}
		if slices.ContainsFunc(p.expect.Targets, func(x string) bool {
			return !reflect.DeepEqual(p.expect.On(x).Wants, p.expect.On(p.expect.Targets[0]).Wants)
		}) {
			differ++
		}
		for _, name := range p.expect.Targets {
			if _, known := machines.Named(name); !known {
				t.Errorf("%s: no machine has the name %s", p.title(), name)
			}
			q := p
			q.expect = p.expect.On(name)
			if !sampled(t, p.title()+name, 6) {
				continue
			}
			t.Run(p.title()+"/"+name, func(t *testing.T) {
				t.Parallel()
				doc, said, _ := runCheck(t, program, cache, q.args()...)
				for _, problem := range compare(q.file, q.expect, doc, false) {
					t.Errorf("%s:\n%s", problem, said)
				}
			})
		}
	}
	if differ < 80 {
		t.Errorf("the verdicts of only %d programs depend on the machine", differ)
	}
}

// similar has, for each other machine of the table, candidates: one of them has the same findings in a program.
var similar = map[string][]string{
	"aarch64-linux":    {"x86_64-linux", "s390x-linux"},
	"riscv64-linux":    {"x86_64-linux", "s390x-linux"},
	"powerpc64-linux":  {"s390x-linux"},
	"mips-linux":       {"powerpc-linux", "i386-linux", "armhf-linux"},
	"mipsel-linux":     {"i386-linux", "armhf-linux", "powerpc-linux"},
	"armv6m-none-eabi": {"armhf-linux"},
	"armv7m-none-eabi": {"armhf-linux"},
	"armv8m-none-eabi": {"armhf-linux"},
	"riscv32-none":     {"armhf-linux"},
}

// TestSimilarTargets checks the programs for machines that they do not name: the findings are those of a similar one.
// TestTargets takes the same sample of the other machines; "make targets" takes all.
func TestSimilarTargets(t *testing.T) {
	program, cache := buildProgram(t), t.TempDir()
	for _, p := range testPrograms(t, targetPrograms) {
		text, err := os.ReadFile(p.file)
		if err != nil {
			t.Fatal(err)
		}
		for name, likes := range similar {
			machine, _ := machines.Named(name)
			if slices.Contains(p.expect.Targets, name) || !sampled(t, p.title()+name, 30) ||
				machine.Headers == "" && strings.Contains(string(text), "<fenv.h>") {
				continue
			}
			if _, err := os.Stat(machine.Headers); machine.Headers != "" && err != nil {
				t.Logf("NOT RUN for %s: needs %s", name, machine.Package)
				continue
			}
			t.Run(p.title()+"/"+name, func(t *testing.T) {
				t.Parallel()
				q := p
				q.expect = p.expect.On(name)
				doc, said, _ := runCheck(t, program, cache, q.args()...)
				var all []string
				for _, like := range likes {
					expect := p.expect.On(like)
					problems := compare(q.file, expect, doc, false)
					if slices.Contains(p.expect.Targets, like) && len(problems) == 0 {
						return
					}
					all = append(all, problems...)
				}
				t.Errorf("the findings are of none of %v: %s\n%s", likes, strings.Join(all, "\n"), said)
			})
		}
	}
}

// TestPrecisionOfTargets checks that a proof with floats states the assumption about precision on machines that may
// compute with more: x87 makes the comparison false, which the verdict does not show.
func TestPrecisionOfTargets(t *testing.T) {
	program, cache, dir := buildProgram(t), t.TempDir(), t.TempDir()
	for name, body := range map[string]string{"sum": "a + b == a", "product": "a * b + b == a + b",
		"quotient": "a / b == a", "comparison": "a > b", "scale": "a * b == a"} {
		text := "#include <unitproof.h>\nint main(void) {\n  volatile float a = 16777216, b = 1;\n" +
			"  sassert(" + body + ");\n}\n"
		if err := os.WriteFile(filepath.Join(dir, name+".c"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const extended, fused = found.ExtendedPrecision, found.FusedMultiplyAdd
	for _, tt := range []struct {
		program, flags string
		want           found.Assumed
	}{
		{"sum", "--target i386-linux", extended},
		{"quotient", "--target i386-linux", extended},
		{"comparison", "--target i386-linux", ""},
		{"sum", "--target i386-linux --cflag=-msse2", ""},
		{"product", "--target x86_64-linux", ""},
		{"product", "--target x86_64-linux --cflag=-mfma", fused},
		{"product", "--target aarch64-linux", fused},
		{"product", "--target powerpc-linux", fused},
		{"product", "--target armv7m-none-eabi", ""},
		{"product", "--target thumbv7em-none-eabihf --cflag=-mcpu=cortex-m4", fused},
		{"sum", "--target aarch64-linux", ""},
		{"scale", "--target aarch64-linux", ""},
	} {
		t.Run(tt.program+tt.flags, func(t *testing.T) {
			args := append(strings.Fields(tt.flags), filepath.Join(dir, tt.program+".c"))
			doc, said, _ := runCheck(t, program, cache, args...)
			got := found.Assumed("")
			for _, a := range doc.Proofs[0].Assumptions {
				if strings.Contains(a.Message, "their own precision") {
					got = extended
				} else if strings.Contains(a.Message, "products are") {
					got = fused
				}
			}
			if got != tt.want || doc.Proofs[0].Verdict != found.Proved {
				t.Errorf("%s with assumption %q, want %q\n%s", doc.Proofs[0].Verdict, got, tt.want, said)
			}
		})
	}
}

// nativeCompilers are the compilers of the machines whose programs can be executed here.
var nativeCompilers = map[string][]string{
	"x86_64-linux":    {"gcc"},
	"i386-linux":      {"gcc", "-m32", "-idirafter", "/usr/include/x86_64-linux-gnu"},
	"armhf-linux":     {"arm-linux-gnueabihf-gcc", "-static"},
	"powerpc-linux":   {"powerpc-linux-gnu-gcc", "-static"},
	"s390x-linux":     {"s390x-linux-gnu-gcc", "-static"},
	"aarch64-linux":   {"aarch64-linux-gnu-gcc", "-static"},
	"riscv64-linux":   {"riscv64-linux-gnu-gcc", "-static"},
	"powerpc64-linux": {"powerpc64-linux-gnu-gcc", "-static"},
	"mips-linux":      {"mips-linux-gnu-gcc", "-static"},
	"mipsel-linux":    {"mipsel-linux-gnu-gcc", "-static"},
}

// TestTargetTwins runs the same programs natively, or by qemu, with many random inputs: the assertions that fail are
// those of the markers. A machine without a compiler or an emulator is left out.
func TestTargetTwins(t *testing.T) {
	twin, err := filepath.Abs("testdata/twin")
	if err != nil {
		t.Fatal(err)
	}
	missing := map[string]bool{}
	for _, p := range testPrograms(t, targetPrograms) {
		for _, name := range p.expect.Targets {
			compiler := nativeCompilers[name]
			machine, _ := machines.Named(name)
			if compiler == nil || !sampled(t, p.title()+name, 6) {
				continue
			}
			if !canRun(t, compiler, machine.Emulator) {
				missing[name] = true
				continue
			}
			var want []string
			natural := true // every violation is a failed assertion
			for _, w := range p.expect.On(name).Wants {
				natural = natural && w.Kind == found.Assertion && w.Verdict == found.Failed
				want = append(want, strconv.Itoa(w.Line))
			}
			text, err := os.ReadFile(p.file)
			if err != nil {
				t.Fatal(err)
			}
			if !natural || strings.Contains(string(text), "__CPROVER_") {
				continue // functions of CBMC have no native form
			}
			t.Run(p.title()+"/"+name, func(t *testing.T) {
				t.Parallel()
				if got := runTwin(t, twin, p.file, compiler, machine.Emulator); !slices.Equal(got, want) {
					t.Errorf("assertions fail on lines %v, the markers want %v", got, want)
				}
			})
		}
	}
	for name := range missing {
		machine, _ := machines.Named(name)
		t.Logf("NOT RUN for %s: needs %s, its gcc %s", name, machine.Package,
			strings.TrimSpace("("+nativeCompilers[name][0]+") "+machine.Emulator))
	}
}

var runnable = map[string]bool{}

// canRun reports whether a compiler and an emulator are there and can link programs.
func canRun(t *testing.T, compiler []string, emulator string) bool {
	t.Helper()
	key := strings.Join(compiler, " ")
	if can, known := runnable[key]; known {
		return can
	}
	file := filepath.Join(t.TempDir(), "empty.c")
	if err := os.WriteFile(file, []byte("#include <stdio.h>\nint main(void) { return 0; }\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := exec.LookPath(emulator)
	can := (emulator == "" || err == nil) &&
		exec.Command(compiler[0], append(compiler[1:len(compiler):len(compiler)], "-o", file+".out", file)...).Run() == nil
	runnable[key] = can
	return can
}

// runTwin compiles a program with the runtime of the twins, and returns the lines that it prints.
func runTwin(t *testing.T, twin, file string, compiler []string, emulator string) []string {
	t.Helper()
	dir := t.TempDir()
	build := func(args ...string) {
		if out, err := exec.Command(compiler[0], append(compiler[1:len(compiler):len(compiler)], args...)...).
			CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
	}
	object, exe := filepath.Join(dir, "program.o"), filepath.Join(dir, "program")
	build("-w", "-O0", "-fno-strict-aliasing", "-I", twin, "-Dmain=program", "-c", "-o", object, file)
	build("-w", "-O0", "-o", exe, filepath.Join(twin, "run.c"), object, "-lm")
	cmd := exec.Command(exe)
	if emulator != "" {
		cmd = exec.Command(emulator, exe)
	}
	out, err := cmd.CombinedOutput()
	if emulator != "" && strings.Contains(string(out), "Illegal instruction") {
		t.Skip("the C library uses an instruction that the emulator does not have")
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return strings.Fields(string(out))
}

// executed are the machines whose programs the tests replay. The first ones differ in width and byte order.
var executed = []string{"armhf-linux", "s390x-linux", "powerpc-linux", "i386-linux", "aarch64-linux", "riscv64-linux",
	"powerpc64-linux", "mips-linux", "mipsel-linux"}

// canReplay reports whether native runs for a machine are possible, and logs the missing packages.
func canReplay(t *testing.T, name string) bool {
	t.Helper()
	machine, _ := machines.Named(name)
	if what, remedy := replay.Lacking(&machine); what != "" {
		t.Logf("NOT RUN for %s: needs %s: %s", name, what, remedy)
		return false
	}
	if name == "i386-linux" && !canRun(t, append([]string{"clang-14"}, machine.Native...), "") {
		t.Logf("NOT RUN for %s: needs %s", name, strings.Join(machine.Packages(), " "))
		return false
	}
	return true
}

// TestReplayOnTargets runs counterexamples for other machines in the sandbox, natively or by qemu: each kind of memory,
// and values of each width in the byte order of the machine.
func TestReplayOnTargets(t *testing.T) {
	program := buildProgram(t)
	for i, name := range executed {
		if i > 2 && !sampled(t, name, 3) || !canReplay(t, name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command(program, "replay", "--target", name, "testdata/replay/kinds.c")
			cmd.Env = append(os.Environ(), "XDG_CACHE_HOME="+t.TempDir())
			out, err := cmd.CombinedOutput()
			failed := strings.Count(string(out), ": [")
			if n := strings.Count(string(out), "= reproduced"); err != nil || n != failed || n != 24 {
				t.Errorf("%v: %d of %d counterexamples are reproduced, 24 expected:\n%s", err, n, failed, out)
			}
			if !strings.Contains(string(out), "] 3000000000.0 does not fit int") { // passed by address
				t.Errorf("the message has no value of d:\n%s", out)
			}
			machine, _ := machines.Named(name)
			if machine.Emulator != "" && strings.Count(string(out), "reproduced under "+machine.Emulator) != failed {
				t.Errorf("the outcomes do not name the emulator:\n%s", out)
			}
		})
	}
}

// notReplayed are parts of reasons that a counterexample is not reproduced, as on x86-64. The last ones are programs:
// two with indices that wrap, one that havocs what a variable without a value points to, and one whose arguments clang
// passes wrongly on PowerPC (compiled by gcc, it fails as found).
var notReplayed = []string{"MemorySanitizer", "it uses __CPROVER", "wants objects at certain addresses",
	"wide_index.c", "index_of_variable_rows.c", "havoc_of_no_object.c", "aligned_variable_structs.c"}

// TestReplayTargetPrograms replays the failing programs for machines of other widths and byte orders: each finding is
// reproduced, or has a reason that does not depend on the machine.
func TestReplayTargetPrograms(t *testing.T) {
	program, cache := buildProgram(t), t.TempDir()
	for _, p := range testPrograms(t, targetPrograms) {
		for _, name := range executed[:3] {
			if !slices.Contains(p.expect.Targets, name) || !sampled(t, p.title()+name+"replay", 20) ||
				!canReplay(t, name) {
				continue
			}
			wants := p.expect.On(name).Wants
			failing := slices.ContainsFunc(wants, func(w clitest.Want) bool { return w.Verdict == found.Failed })
			if !failing {
				continue
			}
			t.Run(p.title()+"/"+name, func(t *testing.T) {
				t.Parallel()
				cmd := exec.Command(program, "replay", "--target", name, p.file)
				cmd.Env = append(os.Environ(), "XDG_CACHE_HOME="+cache)
				out, _ := cmd.CombinedOutput()
				lines := strings.Split(string(out), "\n")
				for i, line := range lines {
					outcome, ok := strings.CutPrefix(strings.TrimSpace(line), "= ")
					if ok && !strings.HasPrefix(outcome, "reproduced") && !slices.ContainsFunc(notReplayed,
						func(why string) bool { return strings.Contains(lines[i-1]+outcome, why) }) {
						t.Errorf("%s\n%s", lines[i-1], line)
					}
				}
				if !strings.Contains(string(out), "= ") {
					t.Errorf("no outcome:\n%s", out)
				}
			})
		}
	}
}
