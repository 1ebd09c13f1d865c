package pipeline

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"github.com/unitproof/unitproof/pipeline/clang"
	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// built is a proof compiled and linked into one LLVM module.
type built struct {
	module      *clang.Module
	assumptions []found.Assumption
}

func (b *built) read() (*clangir.Module, error) {
	return clangir.Read(b.module.Text, llvmir.ReadOptions{})
}

// build compiles and links a proof.
//
// As long as the module calls a missing function that a candidate file defines, build links that file, too, and adds it
// to p.Sources. live has the buffers that replace files, and determines whether the paths of files that could have been
// read instead are recorded.
func (c *Checker) build(ctx context.Context, p *project.Proof, define Define, live *Live) (*built, error) {
	t, err := c.toolchain(ctx, p.Clang)
	if err != nil {
		return nil, err
	}
	b := &built{}
	known := map[string][]project.Unit{} // by name: the files that may define it and are not linked
	for {
		r := c.buildRequest(p)
		r.Virtual, r.PassedOver = live.Virtual, live.Inputs != nil
		r.Stage, r.OnlyKept, r.Keep = live.stage, live.onlyKept, live.keep
		b.module, err = t.Build(ctx, r)
		if err != nil {
			return nil, err
		}
		missing := slices.Concat(b.module.Missing, b.module.MissingVariables)
		if define == nil || len(missing) == 0 {
			break
		}
		asked := slices.DeleteFunc(slices.Clone(missing), func(name string) bool { _, ok := known[name]; return ok })
		if len(asked) > 0 {
			units := define(asked)
			for _, name := range asked {
				known[name] = units[name]
			}
		}
		left := map[string][]project.Unit{}
		for _, name := range missing { // a linked file may have it as a static function only
			known[name] = slices.DeleteFunc(slices.Clone(known[name]), p.Links)
			left[name] = known[name]
		}
		if !b.add(p, left) {
			break
		}
	}
	b.assumptions = append(b.assumptions, b.module.Assumptions...)
	for _, u := range b.module.Unchecked {
		p.Accept([]project.Accept{{Kind: u.Kind, Lines: u.Lines, Reason: u.Why}})
	}
	if p.Options.MissingBody == found.MissingError && len(b.module.Missing) > 0 {
		return nil, missingBodies(p, b.module.Missing)
	}
	return b, nil
}

func (c *Checker) buildRequest(p *project.Proof) clang.Request {
	r := clang.Request{Entry: p.Start(), EntryUnit: unitOf(p.EntryUnit), Checks: p.Options.Checks,
		RemoveBodies: p.RemoveBodies, NondetStatic: p.NondetStatic, MaxLen: p.MaxLen, Store: c.store,
		InlineContracts: p.Contracts == "inline", UseContracts: p.UseContracts}
	if p.Input != nil {
		r.Input = &clang.Input{Name: p.Input.Name, Data: p.Input.Data}
	}
	for _, u := range p.Sources {
		r.Sources = append(r.Sources, unitOf(u))
	}
	for _, u := range p.Overrides {
		r.Overrides = append(r.Overrides, unitOf(u))
	}
	return r
}

func unitOf(u project.Unit) clang.Unit { return clang.Unit{File: u.File, Dir: u.Dir, Flags: u.Flags} }

// neighbours returns the number of files in the folder of a unit that the program was compiled from.
func (b *built) neighbours(u project.Unit) (n int) {
	for _, file := range b.module.Files {
		if filepath.Dir(file) == filepath.Dir(u.File) {
			n++
		}
	}
	return n
}

// add links a file that defines each missing name, and reports whether it added any. If several files define a name, it
// is one in the folder of most files that were read: elsewhere there may be a file with the text of all of them, which
// would define their functions again. The choice is recorded as an assumption.
func (b *built) add(p *project.Proof, definitions map[string][]project.Unit) bool {
	linked := map[string]bool{} // in this call
	added := false
	for _, name := range slices.Sorted(maps.Keys(definitions)) {
		units := definitions[name]
		if len(units) == 0 || slices.ContainsFunc(units, func(u project.Unit) bool { return linked[u.File] }) {
			continue
		}
		if len(units) > 1 {
			units = slices.Clone(units)
			slices.SortStableFunc(units, func(x, y project.Unit) int { return b.neighbours(y) - b.neighbours(x) })
			var others []string
			for _, u := range units[1:] {
				others = append(others, u.File)
			}
			b.assumptions = append(b.assumptions, found.Assumption{What: found.OneOfSeveral, Name: name, Names: others,
				At: found.Pos{File: units[0].File}})
		}
		linked[units[0].File] = true
		p.Sources = append(slices.Clip(p.Sources), units[0])
		added = true
	}
	return added
}

// missingBodies returns the error for calls of functions without a body under missing-body = "error".
func missingBodies(p *project.Proof, names []string) error {
	e := &clang.CompileError{Stage: "link"}
	for _, name := range names {
		e.Diagnostics = append(e.Diagnostics, clang.Diagnostic{File: p.File, Line: p.Line, Column: p.Column,
			Severity: "error", Lacks: found.Lack{What: found.LacksBody, Name: name},
			Message: fmt.Sprintf("no definition of %s, which %s can call (missing-body is %q)", name, p.Entry,
				found.MissingError)})
	}
	return e
}
