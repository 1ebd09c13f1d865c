package randproof

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/pipeline/targets"
)

// TestEveryFeature generates programs until each kind of statement has occurred, in each mode only the kinds of that
// mode.
func TestEveryFeature(t *testing.T) {
	for _, plain := range []bool{false, true} {
		written := map[string]int{}
		for seed := uint64(1); seed <= 400; seed++ {
			g := newGenerator(seed, plain)
			p := g.program(seed)
			if p.Checks == 0 || p.Checks > 100 {
				t.Errorf("seed %d has %d checks; the runtime has room for 100", seed, p.Checks)
			}
			for name, n := range g.written {
				written[name] += n
			}
		}
		names := map[string]bool{}
		for _, f := range features {
			if names[f.name] {
				t.Errorf("two features are called %q", f.name)
			}
			names[f.name] = true
			if want := !plain || !notPlain[f.name]; want != (written[f.name] > 0) {
				t.Errorf("plain %v: %q was written %d times", plain, f.name, written[f.name])
			}
		}
		for name := range notPlain {
			if !names[name] {
				t.Errorf("notPlain names %q, which is none", name)
			}
		}
	}
}

// TestProgramsCompile compiles some programs for native runs, and checks that the same seed gives the same program.
func TestProgramsCompile(t *testing.T) {
	clang, err := exec.LookPath("clang-14")
	if err != nil {
		t.Fatal("no clang-14: apt-get install clang-14")
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "unitproof.h"), header, 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{"-fsyntax-only", "-std=gnu11", "-w", "-I", dir}
	machine, _ := targets.Named(targets.Default)
	for seed := uint64(1); seed <= 40; seed++ {
		p := Generate(seed, machine)
		if seed%2 == 0 {
			p = Plain(seed)
			if p.Off != "" || p.Unwind != 0 {
				t.Errorf("the plain program of seed %d has a kind off or cuts loops", seed)
			}
		} else if p.Text != Generate(seed, machine).Text {
			t.Errorf("seed %d gives two programs", seed)
		}
		file := filepath.Join(dir, "proof"+strings.Repeat("i", int(seed))+".c")
		if err := os.WriteFile(file, []byte(p.native()), 0o600); err != nil {
			t.Fatal(err)
		}
		args = append(args, file)
	}
	if out, err := exec.Command(clang, args...).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
