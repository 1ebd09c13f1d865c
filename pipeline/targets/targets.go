// Package targets lists the machines that proofs can be checked for, with their names for users.
//
// A new machine is an entry of All. The engine reads the byte order, widths and alignments from the data layout of the
// module (llvmir.Layout). Packages space (addresses) and clangir (passing.go, varargs.go: arguments) have code for
// single machines.
package targets

import (
	"path"
	"slices"
	"strings"

	"github.com/unitproof/unitproof/pipeline/lazyregexp"
)

// Target is a machine that a proof can be checked for.
type Target struct {
	// Name is the name by which a user selects it, Triple clang's target.
	Name, Triple string
	// Flags are further flags for clang.
	Flags []string
	// Machine is a short description for people.
	Machine string
	// Headers is the folder of its C library's headers, "" if it has none; Package is the Debian package of them.
	Headers, Package string
	// Native are the flags with which clang compiles programs that are executed here; nil if none are.
	Native []string
	// Linker links these programs; "" for clang. It is a cross gcc, whose sanitizers clang's objects can use.
	Linker string
	// Emulator is the program that executes its programs; "" if this machine does, or if none does. EmulatorFlags are
	// options that it needs for programs with sanitizers.
	Emulator      string
	EmulatorFlags []string
}

// Default is the name of the machine that proofs are for unless they name another one.
const Default = "x86_64-linux"

// Run returns the command that executes a program of the target.
func (t Target) Run(program string) []string {
	if t.Emulator == "" {
		return []string{program}
	}
	return slices.Concat([]string{t.Emulator}, t.EmulatorFlags, []string{"-L", path.Dir(t.Headers), program})
}

// All lists the machines by name. A target that is not listed can be selected by its triple.
var All = []Target{
	{Name: Default, Triple: "x86_64-linux-gnu", Flags: []string{"-m64"}, Machine: "LP64", Package: "libc6-dev",
		Native: []string{"-m64"}},
	{Name: "i386-linux", Triple: "i386-linux-gnu", Flags: []string{"-m32"}, Machine: "ILP32", Package: "libc6-dev-i386",
		Native: []string{"-m32", "-idirafter", "/usr/include/x86_64-linux-gnu"}}, // the headers of Linux
	{Name: "armv6m-none-eabi", Triple: "armv6m-none-eabi", Machine: "ILP32, unsigned char"},
	{Name: "armv7m-none-eabi", Triple: "armv7m-none-eabi", Machine: "ILP32, unsigned char"},
	{Name: "armv8m-none-eabi", Triple: "thumbv8m.main-none-eabi", Machine: "ILP32, unsigned char"},
	{Name: "armhf-linux", Triple: "arm-linux-gnueabihf", Machine: "ILP32, unsigned char",
		Headers: "/usr/arm-linux-gnueabihf/include", Package: "libc6-dev-armhf-cross", Emulator: "qemu-arm",
		Native: cross("arm-linux-gnueabihf"), Linker: "arm-linux-gnueabihf-gcc"},
	{Name: "aarch64-linux", Triple: "aarch64-linux-gnu", Machine: "LP64, unsigned char",
		Headers: "/usr/aarch64-linux-gnu/include", Package: "libc6-dev-arm64-cross", Emulator: "qemu-aarch64",
		Native: cross("aarch64-linux-gnu"), Linker: "aarch64-linux-gnu-gcc"},
	{Name: "riscv32-none", Triple: "riscv32-unknown-elf", Machine: "ILP32, unsigned char"},
	{Name: "riscv64-linux", Triple: "riscv64-linux-gnu", Machine: "LP64, unsigned char",
		Headers: "/usr/riscv64-linux-gnu/include", Package: "libc6-dev-riscv64-cross", Emulator: "qemu-riscv64",
		EmulatorFlags: []string{"-R", "0x4000000000"}, // AddressSanitizer expects addresses of 38 bits
		Native:        cross("riscv64-linux-gnu"), Linker: "riscv64-linux-gnu-gcc"},
	{Name: "powerpc-linux", Triple: "powerpc-linux-gnu", Machine: "ILP32, big endian, unsigned char",
		Headers: "/usr/powerpc-linux-gnu/include", Package: "libc6-dev-powerpc-cross", Emulator: "qemu-ppc",
		Native: cross("powerpc-linux-gnu"), Linker: "powerpc-linux-gnu-gcc"},
	{Name: "powerpc64-linux", Triple: "powerpc64-linux-gnu", Machine: "LP64, big endian, unsigned char",
		Headers: "/usr/powerpc64-linux-gnu/include", Package: "libc6-dev-ppc64-cross", Emulator: "qemu-ppc64",
		Native: cross("powerpc64-linux-gnu"), Linker: "powerpc64-linux-gnu-gcc"},
	{Name: "s390x-linux", Triple: "s390x-linux-gnu", Machine: "LP64, big endian, unsigned char",
		Headers: "/usr/s390x-linux-gnu/include", Package: "libc6-dev-s390x-cross", Emulator: "qemu-s390x",
		Native: cross("s390x-linux-gnu"), Linker: "s390x-linux-gnu-gcc"},
	{Name: "mips-linux", Triple: "mips-linux-gnu", Machine: "ILP32, big endian",
		Headers: "/usr/mips-linux-gnu/include", Package: "libc6-dev-mips-cross", Emulator: "qemu-mips",
		Native: cross("mips-linux-gnu"), Linker: "mips-linux-gnu-gcc"},
	{Name: "mipsel-linux", Triple: "mipsel-linux-gnu", Machine: "ILP32",
		Headers: "/usr/mipsel-linux-gnu/include", Package: "libc6-dev-mipsel-cross", Emulator: "qemu-mipsel",
		Native: cross("mipsel-linux-gnu"), Linker: "mipsel-linux-gnu-gcc"},
	{Name: "x86_64-windows", Triple: "x86_64-w64-mingw32", Machine: "LLP64",
		Headers: "/usr/x86_64-w64-mingw32/include", Package: "mingw-w64-x86-64-dev"},
	{Name: "msp430-none", Triple: "msp430-none-elf", Machine: "16-bit int"},
}

// processors has the targets whose programs a processor executes itself, under its name in Go, its own first.
var processors = map[string][]string{"amd64": {Default, "i386-linux"}, "arm64": {"aarch64-linux"}}

// Own reports whether clang compiles programs of the target without further flags on a processor. Its name is that of
// runtime.GOARCH.
func (t Target) Own(processor string) bool {
	names := processors[processor]
	return len(names) > 0 && names[0] == t.Name
}

// executable reports whether programs of the target are executed on a processor, by itself or by an emulator.
func (t Target) executable(processor string) bool {
	return t.Native != nil && (t.Emulator != "" || slices.Contains(processors[processor], t.Name))
}

// Runnable returns the targets whose programs can be executed on a processor.
func Runnable(processor string) []Target {
	return slices.DeleteFunc(slices.Clone(All), func(t Target) bool { return !t.executable(processor) })
}

// Packages returns the packages of Debian that native runs of the target need.
func (t Target) Packages() []string {
	switch {
	case t.Emulator != "":
		return []string{"qemu-user", "gcc-" + strings.TrimSuffix(t.Linker, "-gcc"), t.Package}
	case t.Name == "i386-linux":
		return []string{t.Package, "lib32gcc-12-dev"}
	}
	return nil
}

// Executable returns the target that executes programs of a triple of clang on a processor. The triple may have another
// vendor or version of the machine: armv7-unknown-linux-gnueabihf is armhf-linux.
func Executable(triple, processor string) (Target, bool) {
	arch, hard, ok := linux(triple)
	for _, t := range Runnable(processor) {
		if a, h, _ := linux(t.Triple); ok && a == arch && h == hard {
			return t, true
		}
	}
	return Target{}, false
}

// linux returns the architecture of a triple, whether its ABI passes floats in registers, and whether it is Linux.
func linux(triple string) (arch string, hard, ok bool) {
	arch, rest, _ := strings.Cut(triple, "-")
	switch {
	case len(arch) == 4 && arch[0] == 'i' && arch[2:] == "86":
		arch = "i386"
	case strings.HasPrefix(arch, "armv"), strings.HasPrefix(arch, "thumbv"), arch == "thumb":
		arch = "arm" + map[bool]string{true: "eb"}[strings.HasSuffix(arch, "eb")]
	}
	return arch, strings.HasSuffix(rest, "hf"), strings.Contains(rest, "linux") && !strings.Contains(rest, "android")
}

// cross returns clang's flags for a machine with a C library of Debian.
func cross(triple string) []string {
	return []string{"--target=" + triple, "-nostdlibinc", "-isystem", "/usr/" + triple + "/include"}
}

// Portable are the names of targets that differ in what C leaves open: LP64, ILP32, LLP64, 16-bit int, big endian.
var Portable = []string{"x86_64-linux", "i386-linux", "x86_64-windows", "msp430-none", "powerpc-linux"}

// Named returns the listed target with a name or triple.
func Named(name string) (Target, bool) {
	for _, t := range All {
		if t.Name == name || t.Triple == name {
			return t, true
		}
	}
	return Target{}, false
}

// crossCompiler matches the name of a cross compiler: the machine, the compiler and its version.
var crossCompiler = lazyregexp.New(`^([a-z0-9_]+(?:-[a-z0-9_]+)*)-(?:gcc|cc|clang)(?:-[0-9.]+)?(?:\.exe)?$`)

// lone are machines that stand alone in the names of their compilers: avr-gcc. Other single words are no machines:
// musl-gcc, afl-clang.
var lone = map[string]bool{"arc": true, "arm": true, "avr": true, "avr32": true, "bfin": true, "c6x": true,
	"h8300": true, "ia16": true, "lm32": true, "m68k": true, "mb": true, "microblaze": true, "mips": true, "msp430": true,
	"nios2": true, "or1k": true, "pic30": true, "pru": true, "riscv32": true, "riscv64": true, "rl78": true, "rx": true,
	"sh": true, "tricore": true, "v850": true, "xc16": true, "xc32": true, "xc8": true, "xtensa": true}

// others are compilers of other machines that do not say so in the form of gcc.
var others = map[string]string{"armcc": "arm-none-eabi", "armcl": "arm-none-eabi", "iccarm": "arm-none-eabi",
	"iccavr": "avr", "cl430": "msp430", "icc430": "msp430", "iccriscv": "riscv32", "sdcc": "sdcc", "c51": "c51"}

// OfCompiler returns the flags with which clang compiles for the machine of a cross compiler, by its name:
// arm-none-eabi-gcc is --target=arm-none-eabi and short enums. It returns nil for a compiler of this machine. A machine
// that clang does not know is an error then.
func OfCompiler(program string) []string {
	name := path.Base(program)
	machine := others[strings.TrimSuffix(name, ".exe")]
	if m := crossCompiler.FindStringSubmatch(name); m != nil && (lone[m[1]] || strings.Contains(m[1], "-")) {
		machine = m[1]
	}
	if machine == "" || strings.HasPrefix(machine, "x86_64-") && !strings.Contains(machine, "mingw") {
		return nil
	}
	flags := []string{"--target=" + machine}
	bare := strings.HasSuffix(machine, "-eabi") || strings.HasSuffix(machine, "-eabihf")
	if strings.HasPrefix(machine, "arm") && bare && !strings.Contains(machine, "linux") {
		flags = append(flags, "-fshort-enums") // as the ABI of bare machines says, and clang does not
	}
	return flags
}
