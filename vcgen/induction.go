package vcgen

import (
	"context"

	"github.com/unitproof/unitproof/vcgen/ask"
	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/induction"
	"github.com/unitproof/unitproof/vcgen/unfold"
)

// inductionPasses is how often a program is unfolded at most until it is known what its loops can change.
const inductionPasses = 24

// inducted is a program cut at its loops, with what was found to hold there written down in its log.
type inducted struct {
	*engine
	finder *induction.Finder
	told   []found.Loop
	// refuted: some of what was found is false in an execution. That is a defect of the engine where all is proved.
	refuted found.Reason
}

// report tells what holds, where other runs have shown that some findings are violated: what comes first is that the
// obligations of those hold, as where they are violated in the same run.
func (x *inducted) report(violated map[findingKey]bool) (*Report, error) {
	defer x.standing.Close() // the next question opens it again
	x.extent.violated = violated
	return x.settle()
}

// induct finds invariants of a program that is cut at its loops; nil: nothing came of it.
func induct(ctx context.Context, m *clangir.Module, entry string, opts Options, newSolver ask.NewSolver, loops []string,
	x extent) *inducted {
	x.induction = unfold.NewInduction(loops)
	opts.Found, opts.Coverage = nil, false
	memo := opts.Memo
	var e *engine
	for pass := 0; ; pass++ {
		if memo != nil {
			opts.Memo = memo.Beside()
		}
		var err error
		if e, err = generate(ctx, m, entry, opts, newSolver, x); err != nil {
			return nil
		}
		if !x.induction.Changed {
			break
		}
		e.standing.Close()
		if pass == inductionPasses || ctx.Err() != nil || x.induction.Refused != "" {
			return nil
		}
	}
	if x.induction.Refused != "" || len(x.induction.Heads) == 0 {
		e.standing.Close()
		return nil
	}
	in := induction.New(induction.Program{Module: m, Entry: entry, C: e.c, Unfolded: e.prog, Heads: x.induction.Heads,
		User: e.user}, e.Asker)
	in.Sample(ctx, e.interpOptions(false), e.opts.meter.executed)
	settled := in.Find(ctx)
	in.Close()
	if !settled {
		e.standing.Close()
		return nil
	}
	in.Conclude()
	e.prog.CutByContract = true
	_, refuted := in.Attack(ctx, e.interpOptions(false), e.opts.meter.executed)
	return &inducted{engine: e, finder: in, refuted: refuted}
}

// isInvariant tells whether an instance is one of the conditions that were found.
func isInvariant(i Instance) bool { return i.Kind == found.LoopInvariant }
