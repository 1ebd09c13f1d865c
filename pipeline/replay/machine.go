package replay

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"

	"github.com/unitproof/unitproof/pipeline/targets"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// Programs for other machines than this one are compiled by clang, linked by the cross gcc of the machine with its C
// library, and executed by qemu-user. Clang instruments them for its sanitizers; the runtime of the sanitizers is
// unitproof_sanitizers.c of package clang.

// MachineOf returns the target whose programs execute a module's, nil for this machine. The error is why none does.
func MachineOf(l *llvmir.Layout) (*targets.Target, error) { return machineOn(runtime.GOARCH, l) }

// machineOn is MachineOf on a processor, by its name in Go.
func machineOn(processor string, l *llvmir.Layout) (*targets.Target, error) {
	if l.SystemV() && processor == "amd64" {
		return nil, nil
	}
	if t, ok := targets.Executable(l.Triple, processor); ok && t.Own(processor) {
		return nil, nil
	} else if ok {
		return &t, nil
	}
	why := "a program without Linux cannot be executed"
	if strings.Contains(l.Triple, "linux") {
		why = "no emulator is known for this machine"
	}
	return nil, fmt.Errorf("the program is for %s, and %s: only the interpreter has executed it", l.Triple, why)
}

// Lacking returns what this system lacks for native runs of a target, and the command that installs it on Debian; "" if
// it lacks nothing.
func Lacking(t *targets.Target) (what, remedy string) {
	if t.Own(runtime.GOARCH) {
		return "", ""
	}
	var lacking []string
	for _, program := range []string{t.Emulator, t.Linker} {
		if program == "" {
			continue
		}
		if _, err := exec.LookPath(program); err != nil {
			lacking = append(lacking, program)
		}
	}
	if _, err := os.Stat(t.Headers); t.Headers != "" && err != nil {
		lacking = append(lacking, t.Headers)
	}
	if lacking == nil {
		return "", ""
	}
	return strings.Join(lacking, ", "), "apt-get install " + strings.Join(t.Packages(), " ")
}

// lacks returns why no program can be built for the machine; nil if one can.
func lacks(machine *targets.Target) *Outcome {
	if machine == nil {
		return nil
	}
	if what, remedy := Lacking(machine); what != "" {
		return notRun("native runs for %s need %s: %s", machine.Name, what, remedy)
	}
	return nil
}

// emulated reports whether an emulator executes programs of the machine.
func emulated(machine *targets.Target) bool { return machine != nil && machine.Emulator != "" }

// isNarrow reports whether addresses of the machine have 32 bits.
func isNarrow(machine *targets.Target) bool {
	return machine != nil && strings.Contains(machine.Machine, "ILP32")
}

// machineFlags returns clang's flags for programs of the machine.
func machineFlags(machine *targets.Target) []string {
	if machine == nil {
		return nil
	}
	return machine.Native
}

// emulatedAddresses are the checks of addresses of emulated programs. The offset of the shadow memory is SHADOW_OFFSET
// of unitproof_sanitizers.c; with one that is no power of two, clang adds it for all addresses.
func emulatedAddresses(machine *targets.Target) sanitizer {
	offset := "0x1100000000"
	if isNarrow(machine) {
		offset = "0x20000000"
	}
	return sanitizer{calls: true, compile: slices.Concat([]string{"-fsanitize-address-use-after-return=always", "-mllvm",
		"-asan-instrumentation-with-call-threshold=0", "-mllvm", "-asan-max-inline-poisoning-size=0", "-mllvm",
		"-asan-opt-globals=0", // writes to constant variables
		"-mllvm", "-asan-mapping-offset=" + offset}, addresses.compile)}
}

// watchAddresses returns the checks of addresses for programs of the machine.
func watchAddresses(machine *targets.Target) sanitizer {
	if emulated(machine) {
		return emulatedAddresses(machine)
	}
	return addresses
}

// sanitizersSource is the file of clang.SanitizersSource in the folder of a run.
const sanitizersSource = "unitproof_sanitizers.c"

// link links the objects of a program. Emulated programs are static, so that the sandbox needs no libraries of the
// machine.
func (b *builder) link(ctx context.Context, module *instrumented, objects []string) error {
	if !emulated(b.machine) {
		return runCompiler(ctx, b.dir, b.compiler, slices.Concat(linkFlags, machineFlags(b.machine), module.watch.link,
			module.link, objects, []string{"-lm", "-o", "program"}))
	}
	args := slices.Concat([]string{"-static"}, linkFlags, module.link, objects,
		[]string{"-lm", "-Wl,--as-needed", "-latomic", "-o", "program"})
	return runTool(ctx, b.dir, b.compiler, b.machine.Linker, args)
}

// command returns the program that the sandbox starts for a program of the machine, with its first arguments.
func command(machine *targets.Target, program string) (path string, args []string, err error) {
	if !emulated(machine) {
		return program, nil, nil
	}
	if path, err = exec.LookPath(machine.Emulator); err != nil {
		return "", nil, err
	}
	return path, []string{program}, nil
}

// patience is how much longer a program of the machine may take than a native one.
func patience(machine *targets.Target) int {
	if emulated(machine) {
		return 5
	}
	return 1
}

// where returns the words for a run of the machine behind its result: " under qemu-arm".
func where(machine *targets.Target) string {
	if !emulated(machine) {
		return ""
	}
	return " under " + machine.Emulator
}

// hashOf returns what a program depends on besides its module.
func hashOf(machine *targets.Target) string {
	if machine == nil {
		return ""
	}
	return cmp.Or(machine.Linker, "clang") + fmt.Sprint(machine.Native)
}
