package pipeline

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/unitproof/unitproof/pipeline/clang"
	"github.com/unitproof/unitproof/pipeline/replay"
	"github.com/unitproof/unitproof/pipeline/sandbox"
	"github.com/unitproof/unitproof/pipeline/scratch"
	"github.com/unitproof/unitproof/pipeline/solver"
	"github.com/unitproof/unitproof/pipeline/targets"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/smt"
)

// Part is a part of the tool chain that a check needs, or that explains why something does not work.
type Part struct {
	Name     string `json:"name"`
	OK       bool   `json:"ok"`
	Required bool   `json:"required"`         // without it no proof can be checked
	Detail   string `json:"detail,omitempty"` // result of the test, or the error
	Advice   string `json:"advice,omitempty"` // remedy if it is not OK
	// Package is the package of this system to install, if that is the advice.
	Package string `json:"package,omitempty"`
}

// Doctor tests every part of the tool chain. The name is that of clang in the configuration; "" is the default.
func Doctor(ctx context.Context, name string) []Part {
	var parts []Part
	for _, c := range clang.Doctor(ctx, name) {
		p := Part{Name: c.Name, OK: c.OK, Detail: c.Detail}
		p.Required = c.Name == clang.CompilerCheck || c.Name == clang.LinkCheck
		if !c.OK {
			p.Advice, p.Package = c.Remedy, c.Package
		}
		parts = append(parts, p)
	}
	parts = append(parts, compilePart(ctx, name), solverPart(ctx, solver.Default, true))
	if solver.WithZ3 {
		parts = append(parts, solverPart(ctx, "z3", false))
	}
	return append(parts, workerPart(), sandboxPart(ctx), targetsPart(), runsPart())
}

// targetsPart lists the machines of --target, and the packages with the headers of their C libraries. Without them, a
// proof for a machine uses headers that come with this program.
func targetsPart() Part {
	var names, lacking []string
	for _, t := range targets.All {
		names = append(names, t.Name)
		if _, err := os.Stat(t.Headers); t.Headers != "" && err != nil {
			lacking = append(lacking, t.Package+" ("+t.Name+")")
		}
	}
	p := Part{Name: "targets of --target", OK: true, Detail: strings.Join(names, ", ")}
	if len(lacking) > 0 {
		p.Detail += "; without headers of a C library, which are in " + strings.Join(lacking, ", ")
	}
	return p
}

// runsPart lists the machines whose programs replay and run execute, and the packages that the others need.
func runsPart() Part {
	var names, lacking []string
	for _, t := range targets.Runnable(runtime.GOARCH) {
		if what, remedy := replay.Lacking(&t); what != "" {
			lacking = append(lacking, fmt.Sprintf("%s needs %s (%s)", t.Name, what, remedy))
			continue
		}
		names = append(names, t.Name)
	}
	p := Part{Name: "native runs", OK: true, Detail: strings.Join(names, ", ")}
	if len(lacking) > 0 {
		p.Detail += "; " + strings.Join(lacking, "; ")
	}
	return p
}

// CompilePart is the name of the part that compiles a small proof.
const CompilePart = "compiling a proof"

// compilePart compiles and links the smallest proof, with a system header.
func compilePart(ctx context.Context, name string) Part {
	p := Part{Name: CompilePart, Required: true}
	t, err := clang.Find(ctx, name)
	if err != nil {
		p.Detail = err.Error()
		p.Advice = "without clang there is nothing to check"
		return p
	}
	dir, err := scratch.Mkdir("doctor-*")
	if err != nil {
		p.Detail, p.Advice = err.Error(), "make the folder of temporary files writable, or set TMPDIR"
		return p
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "doctor_harness.c")
	text := "#include <unitproof.h>\n#include <string.h>\nint main(void) { sassert(nd_int() != 0); }\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		p.Detail, p.Advice = err.Error(), "make the folder of temporary files writable, or set TMPDIR"
		return p
	}
	_, err = t.Build(ctx, clang.Request{Entry: "main", EntryUnit: clang.Unit{File: file, Dir: dir}})
	switch {
	case err == nil:
		p.OK, p.Detail = true, t.Clang
		return p
	case diskFull(err):
		p.Advice = "free some space in the folder of temporary files, " + scratch.System() + ", or set TMPDIR"
	case lacksHeader(err):
		p.Package, p.Advice = clang.Advise(clang.NeedHeaders, 0)
	}
	p.Detail = err.Error()
	return p
}

// lacksHeader reports whether a header was not found.
func lacksHeader(err error) bool {
	var wrong *clang.CompileError
	return errors.As(err, &wrong) && slices.ContainsFunc(wrong.Diagnostics, func(d clang.Diagnostic) bool {
		return d.Lacks.What == found.LacksHeader
	})
}

// solverPart checks that a solver answers two simple queries.
func solverPart(ctx context.Context, kind string, required bool) Part {
	p := Part{Name: "solver " + kind, Required: required}
	c := smt.NewContext()
	s, err := solver.New(kind, c, solver.Options{})
	if err != nil {
		p.Detail = err.Error()
		return p
	}
	defer s.Close()
	x := c.Var("x", smt.BV(8))
	s.Assert(c.Not(c.Eq(c.Mul(x, x), c.Int(8, 49))))
	sat := s.Check(ctx, nil, 0)
	s.Assert(c.Eq(x, c.Int(8, 7)))
	unsat := s.Check(ctx, nil, 0)
	if sat.Answer != smt.Sat || unsat.Answer != smt.Unsat {
		p.Detail = fmt.Sprintf("answers %s and %s to questions whose answers are sat and unsat", sat.Answer, unsat.Answer)
		return p
	}
	p.OK, p.Detail = true, "built in"
	if kind == "z3" {
		p.Detail = "libz3, loaded on demand"
	}
	return p
}

// sandboxPart tests the confinement of native programs.
func sandboxPart(ctx context.Context) Part {
	p := Part{Name: "sandbox", Detail: "replay and run reach no network, no files and no processes of the user"}
	r, err := emptyRun(ctx)
	switch {
	case err != nil:
		p.Detail = err.Error()
	case len(r.Missing) > 0:
		p.Detail = r.Words()
	default:
		p.OK = true
		return p
	}
	p.Advice = "replay and run only proofs that you trust, or allow user namespaces"
	return p
}

// emptyRun runs a program that does nothing in the sandbox, to learn what the sandbox guarantees.
func emptyRun(ctx context.Context) (*sandbox.Result, error) {
	program, err := exec.LookPath("true")
	if err != nil {
		return nil, err
	}
	return sandbox.Run(ctx, sandbox.Command{Path: program, CPU: time.Minute, Memory: 1 << 30})
}

// workerPart tests whether the memory of workers can be measured.
func workerPart() Part {
	p := Part{Name: "memory limits", OK: residentSize(os.Getpid()) > 0, Detail: "watched through /proc"}
	if !p.OK {
		p.Detail, p.Advice = "/proc cannot be read", "mount /proc; without it --max-memory has no effect"
		if runtime.GOOS != "linux" {
			p.Detail, p.Advice = "this system has no /proc", "without it --max-memory has no effect"
		}
	}
	return p
}
