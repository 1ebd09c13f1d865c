package vcgen

import (
	"context"
	"fmt"

	"github.com/unitproof/unitproof/vcgen/interp"
	"github.com/unitproof/unitproof/vcgen/llvmir"
	"github.com/unitproof/unitproof/vcgen/seair"
)

// Record executes a counterexample again and records it, for those who want to visit its
// moments. The module and the options must be those that the run comes from; where they are
// not the execution takes another way, which is an error.
func Record(ctx context.Context, m *llvmir.Module, entry string, opts Options, run Run) (*interp.Recording, error) {
	tape, err := interp.PlayTape(run.Tape)
	if err != nil {
		return nil, err
	}
	at := func(l *llvmir.Loc) bool {
		return l != nil && l.Line == run.At.Line && l.Col == run.At.Column && l.File == run.At.File
	}
	e := &engine{opts: opts}
	o := e.interpOptions(false)
	o.Wanted = func(k seair.Kind, l *llvmir.Loc) bool { return k == run.Kind && at(l) }
	r, err := interp.Record(ctx, m, entry, tape, o)
	if err != nil {
		return nil, err
	}
	out := r.Outcome
	if v := out.Violation; out.End != interp.EndViolation || v == nil || v.Kind != run.Kind || !at(v.Loc) {
		where := ""
		if out.Where != nil {
			where = fmt.Sprintf(" at %s:%d", base(out.Where.File), out.Where.Line)
		}
		return nil, fmt.Errorf("executing the counterexample again did not end in its violation (%s%s %s)", out.End, where, out.Reason)
	}
	return r, nil
}
