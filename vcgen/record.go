package vcgen

import (
	"context"
	"fmt"

	"github.com/unitproof/unitproof/vcgen/choice"
	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/interp"
	"github.com/unitproof/unitproof/vcgen/interp/recording"
)

// Record repeats the execution of a counterexample and records it, so that every moment can be visited. It returns an
// error if the execution differs, because the module or the options are not the original run's.
func Record(ctx context.Context, m *clangir.Module, entry string, opts Options, run found.Run) (*recording.Recording,
	error) {
	tape, err := choice.Decode(run.Tape)
	if err != nil {
		return nil, err
	}
	o := runOptions(opts, run)
	r, err := recording.Of(ctx, m, entry, tape, o)
	if err != nil {
		return nil, err
	}
	out := r.Outcome
	if v := out.Violation; out.End != interp.EndViolation || v == nil || !o.Wanted(v.Kind, v.Stack) {
		where := ""
		if out.Where != nil {
			where = fmt.Sprintf(" at %s:%d", base(out.Where.File), out.Where.Line)
		}
		return nil, fmt.Errorf("the counterexample did not reach its violation when it was executed again (%s%s "+
			"%s)", out.End, where,
			out.Reason)
	}
	return r, nil
}
