package equiv

import (
	"bytes"
	"context"
	"fmt"

	"github.com/unitproof/unitproof/pipeline/lazyregexp"
	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/llvmir"
	"github.com/unitproof/unitproof/vcgen/lockstep"
	"github.com/unitproof/unitproof/vcgen/smt"
)

// Lockstep shows that the versions of a function behave equally, step by step. The texts are the linked modules,
// without a program of a comparison. An error gives the first reason why that was not shown; it does not mean that they
// differ.
func Lockstep(ctx context.Context, after, before []byte, function string, checks map[found.Kind]bool,
	newSolver func(c *smt.Context) (smt.Solver, error)) (*lockstep.Proof, error) {
	now, old, err := identities(after, before, function)
	if err != nil {
		return nil, err
	}
	r := lockstep.Request{Checks: checks, NewSolver: newSolver}
	for _, v := range []struct {
		text     []byte
		identity func(string) string
		to       *lockstep.Version
	}{{before, old, &r.Before}, {after, now, &r.After}} {
		m, err := clangir.Read(v.text, llvmir.ReadOptions{})
		if err != nil {
			return nil, err
		}
		*v.to = lockstep.Version{Module: m, Identity: v.identity}
		for _, f := range m.Funcs {
			if f.SourceName == function && len(f.Blocks) > 0 {
				if v.to.Function != nil {
					return nil, fmt.Errorf("several functions are called %s", function)
				}
				v.to.Function = f
			}
		}
		if v.to.Function == nil {
			return nil, fmt.Errorf("one version does not define %s", function)
		}
	}
	if header(before, r.Before.Function.Name) != header(after, r.After.Function.Name) {
		return nil, fmt.Errorf("the declaration of %s changed", function)
	}
	if assembly(before) != assembly(after) {
		return nil, fmt.Errorf("assembly outside of functions changed")
	}
	return lockstep.Prove(ctx, r)
}

// assembly returns the assembly outside of functions.
func assembly(text []byte) string {
	var out []byte
	for line := range bytes.SplitSeq(text, []byte("\n")) {
		if bytes.HasPrefix(line, []byte("module asm ")) {
			out = append(append(out, line...), '\n')
		}
	}
	return string(out)
}

// header returns the first line of a definition without the names of its parameters: linkage, calling convention,
// types, and attributes of the result and the parameters.
func header(text []byte, name string) string {
	for line := range bytes.SplitSeq(text, []byte("\n")) {
		if bytes.HasPrefix(line, []byte("define ")) &&
			(bytes.Contains(line, []byte("@"+name+"(")) || bytes.Contains(line, []byte(`@"`+name+`"(`))) {
			return string(parameterName.ReplaceAll(withoutNumbers(line), []byte("$1")))
		}
	}
	return ""
}

// parameterName finds the name of a parameter, at its end.
var parameterName = lazyregexp.New(` %[-\w.$]+([,)])`)
