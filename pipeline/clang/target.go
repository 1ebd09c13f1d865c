package clang

import (
	"embed"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
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
	// Emulator is the program that executes its programs; "" if this machine does, or if none does.
	Emulator string
}

// Targets lists the machines by name. A target that is not listed can be selected by its triple.
var Targets = []Target{
	{Name: "x86_64-linux", Triple: "x86_64-linux-gnu", Machine: "LP64", Package: "libc6-dev"},
	{Name: "i386-linux", Triple: "i386-linux-gnu", Flags: []string{"-m32"}, Machine: "ILP32", Package: "libc6-dev-i386"},
	{Name: "armv6m-none-eabi", Triple: "armv6m-none-eabi", Machine: "ILP32, unsigned char"},
	{Name: "armv7m-none-eabi", Triple: "armv7m-none-eabi", Machine: "ILP32, unsigned char"},
	{Name: "armv8m-none-eabi", Triple: "thumbv8m.main-none-eabi", Machine: "ILP32, unsigned char"},
	{Name: "armhf-linux", Triple: "arm-linux-gnueabihf", Machine: "ILP32, unsigned char",
		Headers: "/usr/arm-linux-gnueabihf/include", Package: "libc6-dev-armhf-cross", Emulator: "qemu-arm"},
	{Name: "aarch64-linux", Triple: "aarch64-linux-gnu", Machine: "LP64, unsigned char",
		Headers: "/usr/aarch64-linux-gnu/include", Package: "libc6-dev-arm64-cross", Emulator: "qemu-aarch64"},
	{Name: "riscv32-none", Triple: "riscv32-unknown-elf", Machine: "ILP32, unsigned char"},
	{Name: "riscv64-linux", Triple: "riscv64-linux-gnu", Machine: "LP64, unsigned char",
		Headers: "/usr/riscv64-linux-gnu/include", Package: "libc6-dev-riscv64-cross", Emulator: "qemu-riscv64"},
	{Name: "powerpc-linux", Triple: "powerpc-linux-gnu", Machine: "ILP32, big endian, unsigned char",
		Headers: "/usr/powerpc-linux-gnu/include", Package: "libc6-dev-powerpc-cross", Emulator: "qemu-ppc"},
	{Name: "powerpc64-linux", Triple: "powerpc64-linux-gnu", Machine: "LP64, big endian, unsigned char",
		Headers: "/usr/powerpc64-linux-gnu/include", Package: "libc6-dev-ppc64-cross", Emulator: "qemu-ppc64"},
	{Name: "s390x-linux", Triple: "s390x-linux-gnu", Machine: "LP64, big endian, unsigned char",
		Headers: "/usr/s390x-linux-gnu/include", Package: "libc6-dev-s390x-cross", Emulator: "qemu-s390x"},
	{Name: "mips-linux", Triple: "mips-linux-gnu", Machine: "ILP32, big endian",
		Headers: "/usr/mips-linux-gnu/include", Package: "libc6-dev-mips-cross", Emulator: "qemu-mips"},
	{Name: "mipsel-linux", Triple: "mipsel-linux-gnu", Machine: "ILP32",
		Headers: "/usr/mipsel-linux-gnu/include", Package: "libc6-dev-mipsel-cross", Emulator: "qemu-mipsel"},
	{Name: "x86_64-windows", Triple: "x86_64-w64-mingw32", Machine: "LLP64",
		Headers: "/usr/x86_64-w64-mingw32/include", Package: "mingw-w64-x86-64-dev"},
	{Name: "msp430-none", Triple: "msp430-none-elf", Machine: "16-bit int"},
}

// Portable are the names of targets that differ in what C leaves open: LP64, ILP32, LLP64, 16-bit int, big endian.
var Portable = []string{"x86_64-linux", "i386-linux", "x86_64-windows", "msp430-none", "powerpc-linux"}

// targetNamed returns the listed target with a name or triple.
func targetNamed(name string) (Target, bool) {
	for _, t := range Targets {
		if t.Name == name || t.Triple == name {
			return t, true
		}
	}
	return Target{}, false
}

// selected returns the value of the last --target in filtered flags, and whether the flags choose 32 bits of x86 or a
// root for headers.
func selected(flags []string) (triple string, narrow, rooted bool) {
	for _, f := range flags {
		if t, ok := strings.CutPrefix(f, "--target="); ok {
			triple = t
		}
		switch f {
		case "-m32":
			narrow = true
		case "-m64":
			narrow = false
		}
		rooted = rooted || strings.HasPrefix(f, "--sysroot") || strings.HasPrefix(f, "-isysroot") || f == "-nostdinc" ||
			f == "-nostdlibinc"
	}
	return triple, narrow, rooted
}

// targetFlags replaces the name of a target in filtered flags by clang's flags for it, and adds the headers that clang
// would not find: those of a cross C library, or ours if there is none. Clang itself would read the headers of this
// machine, which have other types.
func targetFlags(user []string, headers string) (flags, ours []string) {
	triple, narrow, rooted := selected(user)
	if triple == "" && !narrow {
		return user, nil
	}
	t, known := targetNamed(triple)
	if known {
		flags = slices.Clone(user)
		for i, f := range flags {
			if f == "--target="+triple {
				flags[i] = "--target=" + t.Triple
			}
		}
		for _, f := range t.Flags {
			if !slices.Contains(flags, f) {
				flags = append(flags, f)
			}
		}
		user = flags
	}
	own := []string{"-idirafter", filepath.Join(headers, freestandingName)}
	arch, _, _ := strings.Cut(triple, "-")
	switch x86 := arch == "" || arch == "x86_64" || arch == "i386" || arch == "i686"; {
	case rooted:
		return user, own
	case x86 && !strings.Contains(triple, "mingw") && !strings.Contains(triple, "windows") && !strings.Contains(triple, "none"):
		return user, x86Headers(narrow || arch == "i386" || arch == "i686", own)
	case known && t.Headers != "" && isFolder(t.Headers):
		return user, slices.Concat([]string{"-nostdlibinc", "-isystem", t.Headers}, own)
	}
	return user, append([]string{"-nostdlibinc"}, own...)
}

// x86Headers returns the flags for the headers of this machine's C library: if they lack those of 32 bits, ours are
// used instead.
func x86Headers(narrow bool, own []string) []string {
	if !narrow {
		return nil
	}
	for _, dir := range []string{"/usr/include/x86_64-linux-gnu", "/usr/include/i386-linux-gnu", "/usr/include"} {
		if _, err := os.Stat(filepath.Join(dir, "gnu", "stubs-32.h")); err == nil {
			return slices.Concat([]string{"-idirafter", dir}, own)
		}
	}
	return append([]string{"-nostdlibinc"}, own...)
}

// CrossHeader reports whether a file is a header of the C library of another machine, as Debian installs them, or one of
// ours for a target without a C library.
func CrossHeader(path string) bool {
	rest, ok := strings.CutPrefix(path, "/usr/")
	machine, file, inside := strings.Cut(rest, "/")
	return ok && inside && strings.Contains(machine, "-") && strings.HasPrefix(file, "include/") ||
		strings.Contains(path, "/include-"+headersSum()+"/"+freestandingName+"/")
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// freestandingName is the folder of the headers for targets without a C library, in that of unitproof.h.
const freestandingName = "freestanding"

//go:embed freestanding
var freestanding embed.FS

// eachFreestanding calls f for the headers for targets without a C library, in a fixed order.
func eachFreestanding(f func(name string, text []byte) error) error {
	return fs.WalkDir(freestanding, freestandingName, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := freestanding.ReadFile(name)
		if err != nil {
			return err
		}
		return f(name, text)
	})
}
