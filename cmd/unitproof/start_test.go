package main

import (
	"debug/elf"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

// A check of a small proof with all compilation cached takes 10 ms, most of it the start of the process. Small
// regressions of that are not visible in measurements, so these tests check the causes.

// TestLibraries checks that the program, represented by the test binary, loads no library but the C library. libz3
// and libstdc++ took a third of a start.
func TestLibraries(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("elsewhere the libraries are linked otherwise")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	f, err := elf.Open(self)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	list, err := f.ImportedLibraries()
	if err != nil || len(list) == 0 {
		t.Fatalf("%q, %v", list, err)
	}
	for _, library := range list {
		switch name, _, _ := strings.Cut(library, ".so"); name {
		case "libc", "libm", "libdl", "libpthread", "librt", "libresolv", "ld-linux-x86-64", "ld-linux-aarch64":
		default:
			t.Errorf("the program needs %s in order to start; what few runs want is to be loaded by these (see "+
				"pipeline/solver/z3_load_linux.go)", library)
		}
	}
}

// TestDependencies checks that packages with expensive initialization are only used in tests.
func TestDependencies(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range strings.Fields(string(out)) {
		switch name {
		case "github.com/xeipuuv/gojsonschema", "github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif", "testing":
			t.Errorf("the program contains %s", name)
		}
	}
}

// maxInitAllocations and maxInitBytes limit the heap that the package variables of one package of this module use
// before main begins.
const maxInitAllocations, maxInitBytes = 100, 20 << 10

// itabTable is the memory that the runtime's table of interface methods takes when it doubles its size (a size
// class). It is charged to the package whose conversion no longer fits, which is not its cause.
const itabTable = 40960

// TestInits checks that no package does much before main.
func TestInits(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	// The worker ends at once, as it gets no request. The name is not that of a test.
	cmd.Args = []string{"unitproof", "worker"}
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	var trace strings.Builder
	cmd.Stderr = &trace
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	seen := 0
	for line := range strings.Lines(trace.String()) {
		// init NAME @0.1 ms, 0.01 ms clock, 123 bytes, 4 allocs
		f := strings.Fields(line)
		if len(f) != 11 || f[0] != "init" {
			continue
		}
		seen++
		bytes, _ := strconv.Atoi(f[7])
		allocations, _ := strconv.Atoi(f[9])
		switch name, ours := strings.CutPrefix(f[1], "github.com/unitproof/unitproof/"); {
		case !ours, name == "cmd/unitproof", name == "pipeline/randproof": // added by tests
			continue
		}
		if bytes >= itabTable {
			bytes -= itabTable
		}
		if bytes > maxInitBytes || allocations > maxInitAllocations {
			t.Errorf("%s makes %d objects of %d bytes whenever the program starts, at most %d of %d are wanted: make them "+
				"when they are used first (sync.OnceValue, pipeline/lazyregexp)",
				f[1], allocations, bytes, maxInitAllocations, maxInitBytes)
		}
	}
	if seen < 50 {
		t.Errorf("the trace tells of %d packages:\n%s", seen, trace.String())
	}
}
