package replay

import (
	"os"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// TestMachines checks which programs a processor executes itself, and which by an emulator.
func TestMachines(t *testing.T) {
	for _, c := range []struct{ processor, triple, want string }{
		{"amd64", "x86_64-pc-linux-gnu", "here"},
		{"amd64", "i386-pc-linux-gnu", "i386-linux "},
		{"amd64", "aarch64-unknown-linux-gnu", "aarch64-linux qemu-aarch64"},
		{"arm64", "aarch64-unknown-linux-gnu", "here"},
		{"arm64", "aarch64-alpine-linux-musl", "here"},
		{"arm64", "x86_64-pc-linux-gnu", "no"},
		{"arm64", "i386-pc-linux-gnu", "no"},
		{"arm64", "riscv64-unknown-linux-gnu", "riscv64-linux qemu-riscv64"},
		{"arm64", "aarch64-none-elf", "no"},
		{"riscv64", "x86_64-pc-linux-gnu", "no"},
	} {
		pointer := 64
		if strings.HasPrefix(c.triple, "i386") {
			pointer = 32
		}
		machine, err := machineOn(c.processor, &llvmir.Layout{Triple: c.triple, Pointer: pointer})
		got := "here"
		if err != nil {
			got = "no"
		} else if machine != nil {
			got = machine.Name + " " + machine.Emulator
		}
		if got != c.want {
			t.Errorf("%s on %s: %s, want %s", c.triple, c.processor, got, c.want)
		}
	}
}

// TestNoRoom checks that a run whose AddressSanitizer could not start says nothing about the counterexample.
func TestNoRoom(t *testing.T) {
	program, err := os.Executable() // any program with symbols
	if err != nil {
		t.Fatal(err)
	}
	const said = "==28==Error: heap size 40000002000 exceeds max user virtual address 7fffffffff\n"
	if got := (Job{}).judge(&execution{stderr: said, tooMuch: true}, program); got.Result != NotRun {
		t.Errorf("%+v", got)
	}
}
