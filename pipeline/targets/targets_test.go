package targets

import (
	"strings"
	"testing"
)

// TestOfCompiler checks the flags for the names of cross compilers.
func TestOfCompiler(t *testing.T) {
	for program, want := range map[string]string{
		"gcc": "", "/usr/bin/clang-14": "", "x86_64-linux-gnu-gcc-12": "",
		"/opt/arm/bin/arm-none-eabi-gcc":  "--target=arm-none-eabi -fshort-enums",
		"arm-none-eabi-gcc-12.2.1":        "--target=arm-none-eabi -fshort-enums",
		"arm-linux-gnueabihf-gcc":         "--target=arm-linux-gnueabihf",
		"arm-zephyr-eabi-gcc":             "--target=arm-zephyr-eabi -fshort-enums",
		"/opt/avr/bin/avr-gcc":            "--target=avr",
		"msp430-gcc-4.6":                  "--target=msp430",
		"xc8-cc":                          "--target=xc8",
		"armcc":                           "--target=arm-none-eabi -fshort-enums",
		"sdcc":                            "--target=sdcc",
		"aarch64-linux-android21-clang":   "--target=aarch64-linux-android21",
		"musl-gcc":                        "",
		"afl-clang-14":                    "",
		"c99-gcc":                         "",
		"riscv64-unknown-elf-gcc":         "--target=riscv64-unknown-elf",
		"powerpc-linux-gnu-gcc":           "--target=powerpc-linux-gnu",
		"x86_64-w64-mingw32-gcc.exe":      "--target=x86_64-w64-mingw32",
		"/usr/bin/i686-w64-mingw32-gcc-9": "--target=i686-w64-mingw32",
	} {
		if got := strings.Join(OfCompiler(program), " "); got != want {
			t.Errorf("%s: %q, want %q", program, got, want)
		}
	}
}

// TestTable checks the table of machines.
func TestTable(t *testing.T) {
	for _, m := range All {
		if found, ok := Named(m.Name); !ok || found.Triple != m.Triple {
			t.Errorf("%s is not found by its name", m.Name)
		}
		if _, ok := Named(m.Triple); !ok {
			t.Errorf("%s is not found by its triple", m.Name)
		}
	}
	for _, name := range Portable {
		if _, ok := Named(name); !ok {
			t.Errorf("no machine has the name %s", name)
		}
	}
}

func TestExecutable(t *testing.T) {
	for triple, want := range map[string]string{"armv7-unknown-linux-gnueabihf": "armhf-linux",
		"thumbv7-unknown-linux-gnueabihf": "armhf-linux", "arm-unknown-linux-gnueabi": "",
		"armebv7-unknown-linux-gnueabihf": "",
		"thumbv7m-unknown-none-eabi":      "", "aarch64-unknown-linux-musl": "aarch64-linux", "aarch64-linux-android": "",
		"i686-pc-linux-gnu": "i386-linux", "s390x-unknown-linux-gnu": "s390x-linux", "x86_64-w64-windows-gnu": "",
		"powerpc64le-unknown-linux-gnu": "", "mips64-unknown-linux-gnuabi64": "", "riscv32-unknown-linux-gnu": ""} {
		got, ok := Executable(triple, "amd64")
		if got.Name != want || ok != (want != "") {
			t.Errorf("%s is executed as %q, want %q", triple, got.Name, want)
		}
	}
	for _, m := range All {
		if m.Emulator != "" && (m.Linker == "" || m.Native == nil || len(m.Packages()) != 3) {
			t.Errorf("%s has an emulator, and cannot be built for it", m.Name)
		}
	}
}
