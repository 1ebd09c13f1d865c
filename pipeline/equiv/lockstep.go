package equiv

import (
	"context"
	"fmt"

	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/llvmir"
	"github.com/unitproof/unitproof/vcgen/lockstep"
	"github.com/unitproof/unitproof/vcgen/smt"
)

// Lockstep shows that the versions of a function behave equally, step by step. The texts are the linked modules,
// without a program of a comparison. An error gives the first reason why that was not shown; it does not mean that they
// differ.
func Lockstep(ctx context.Context, after, before []byte, function, file string, checks map[found.Kind]bool,
	newSolver func(c *smt.Context) (smt.Solver, error)) (*lockstep.Proof, error) {
	b := &builder{Request: Request{Function: function, File: file}}
	var err error
	if b.after, err = newSide("the version after", after, false); err != nil {
		return nil, err
	}
	if b.before, err = newSide("the version before", before, true); err != nil {
		return nil, err
	}
	if err := b.sameType(); err != nil {
		return nil, err
	}
	if changed := b.around(); len(changed) > 0 {
		return nil, fmt.Errorf("%s is not compared", changed[0])
	}
	now, old := b.identities()
	r := lockstep.Request{Checks: checks, NewSolver: newSolver}
	for _, v := range []struct {
		text     []byte
		identity func(string) string
		to       *lockstep.Version
	}{{b.before.text, old, &r.Before}, {b.after.text, now, &r.After}} {
		m, err := clangir.Read(v.text, llvmir.ReadOptions{})
		if err != nil {
			return nil, err
		}
		*v.to = lockstep.Version{Module: m, Identity: v.identity}
		if v.to.Function, err = b.named(m.Module); err != nil {
			return nil, err
		}
	}
	return lockstep.Prove(ctx, r)
}
