package pipeline

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/unitproof/unitproof/pipeline/clang"
	"github.com/unitproof/unitproof/pipeline/solver"
	"github.com/unitproof/unitproof/vcgen/smt"
)

// Part is something a check needs, or that is good to know when it does not work.
type Part struct {
	Name     string `json:"name"`
	OK       bool   `json:"ok"`
	Required bool   `json:"required"` // without it no proof can be checked
	Version  string `json:"version,omitempty"`
	Path     string `json:"path,omitempty"`
	Advice   string `json:"advice,omitempty"` // what to do when it is not OK
}

// Doctor looks at every part of the tool chain. The name is clang's in the configuration.
func Doctor(ctx context.Context, name string) []Part {
	var parts []Part
	t, err := clang.Find(ctx, name)
	compiler := Part{Name: "clang", Required: true}
	link := Part{Name: "llvm-link", Required: true, Advice: "install the package llvm-14"}
	if err != nil {
		compiler.Advice = err.Error()
		return append(parts, compiler, link, solverPart(ctx, solver.Default, true), solverPart(ctx, "z3", false))
	}
	compiler.OK, compiler.Version, compiler.Path = true, t.Version, t.Clang
	link.OK, link.Path, link.Advice = true, t.Link, ""
	parts = append(parts, compiler, link, sanitizers(ctx, t), headerPart(), compilePart(ctx, t))
	return append(parts, solverPart(ctx, solver.Default, true), solverPart(ctx, "z3", false), workerPart())
}

// sanitizers are needed to run counterexamples natively.
func sanitizers(ctx context.Context, t *clang.Toolchain) Part {
	p := Part{Name: "sanitizer runtime", Advice: "install the package libclang-rt-14-dev; only native runs need it"}
	out, err := exec.CommandContext(ctx, t.Clang, "-print-file-name=libclang_rt.asan-x86_64.a").Output()
	if path := strings.TrimSpace(string(out)); err == nil && filepath.IsAbs(path) {
		if _, err := os.Stat(path); err == nil {
			p.OK, p.Path, p.Advice = true, path, ""
		}
	}
	return p
}

func headerPart() Part {
	p := Part{Name: "unitproof.h", Required: true}
	dir, err := clang.HeaderDir()
	if err != nil {
		p.Advice = err.Error()
		return p
	}
	p.OK, p.Path = true, filepath.Join(dir, "unitproof.h")
	return p
}

// compilePart compiles and links the smallest proof, with a system header.
func compilePart(ctx context.Context, t *clang.Toolchain) Part {
	p := Part{Name: "a small proof", Required: true}
	dir, err := os.MkdirTemp("", "unitproof-doctor-")
	if err != nil {
		p.Advice = "temporary files cannot be written: " + err.Error()
		return p
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "doctor_harness.c")
	text := "#include <unitproof.h>\n#include <string.h>\nint main(void) { sassert(nd_int() != 0); }\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		p.Advice = "temporary files cannot be written: " + err.Error()
		return p
	}
	if _, err := t.Build(ctx, clang.Request{Entry: "main", EntryUnit: clang.Unit{File: file, Dir: dir}}); err != nil {
		p.Advice = "it does not compile (is the package libc6-dev there?): " + err.Error()
		return p
	}
	p.OK, p.Version = true, "compiles and links"
	return p
}

// solverPart asks a solver something it has to know.
func solverPart(ctx context.Context, kind string, required bool) Part {
	p := Part{Name: "solver " + kind, Required: required}
	c := smt.NewContext()
	s, err := solver.New(kind, c, solver.Options{})
	if err != nil {
		p.Advice = err.Error()
		return p
	}
	defer s.Close()
	x := c.Var("x", smt.BV(8))
	s.Assert(c.Not(c.Eq(c.Mul(x, x), c.Int(8, 49))))
	sat := s.Check(ctx, nil, 0)
	s.Assert(c.Eq(x, c.Int(8, 7)))
	unsat := s.Check(ctx, nil, 0)
	if sat.Answer != smt.Sat || unsat.Answer != smt.Unsat {
		p.Advice = fmt.Sprintf("answers %s and %s to questions whose answers are sat and unsat", sat.Answer, unsat.Answer)
		return p
	}
	p.OK, p.Version = true, "built in"
	return p
}

// workerPart says whether the memory of workers can be watched.
func workerPart() Part {
	p := Part{Name: "memory limits", Advice: "/proc cannot be read: --max-memory has no effect"}
	if residentSize(os.Getpid()) > 0 {
		p.OK, p.Advice = true, ""
	}
	return p
}
