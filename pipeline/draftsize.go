package pipeline

import (
	"bytes"
	"context"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/pipeline/harness"
	"github.com/unitproof/unitproof/vcgen/found"
)

// Sizes of a proof with sizes.
const (
	firstSize = 4
	lastSize  = 64
)

// draftTime is the CPU time that all checks of a first proof share, except for those that have FirstCheck.
const draftTime = 10 * time.Second

// growth is an estimate of how much longer a check takes with twice the size, or with reads of unwritten memory.
const growth = 4

// checkLast checks a proof that has no smaller size. It has FirstCheck only if the budget does not decide it: a failure
// needs no other result.
func (t *trial) checkLast(ctx context.Context) (*diagnostics.Proof, error) {
	result, err := t.check(ctx, t.budget.limit())
	if err != nil || t.optional || result.Verdict != found.Unknown && result.Verdict != found.Bounded {
		return result, err
	}
	return t.check(ctx, FirstCheck)
}

// affords reports whether the budget has room for a check that takes growth times as long as a past one.
func (t *trial) affords(past *diagnostics.Proof) bool {
	return growth*time.Duration(past.Stats.CPUMS)*time.Millisecond <= t.budget.limit()
}

// withAll checks a proof again that fails at a pointer to no object, with the objects that its text leaves out. If that
// decides the proof, the result counts: code that was not seen to touch the objects may need them.
func (t *trial) withAll(ctx context.Context, before *diagnostics.Proof, made *harness.Proof, out *Generated) (
	*diagnostics.Proof, *harness.Proof, error) {
	if !slices.ContainsFunc(before.Obligations, atNoObject) {
		return before, made, nil
	}
	t.request.Whole = true
	return t.again(ctx, before, made, out, func(after *diagnostics.Proof) bool {
		return after.Verdict == found.Proved || after.Verdict == found.Failed
	})
}

// withOperations checks a proof that holds once more, with objects that operations of the project have changed: its
// constructors make empty ones. The result counts if it is proved, or if the function itself fails. Failures of the
// operations have proofs of their own.
func (t *trial) withOperations(ctx context.Context, before *diagnostics.Proof, made *harness.Proof, out *Generated) (
	*diagnostics.Proof, *harness.Proof, error) {
	if before.Verdict != found.Proved || !made.Operable || !t.affords(before) {
		return before, made, nil
	}
	t.request.Operations = true
	after, all, err := t.again(ctx, before, made, out, func(after *diagnostics.Proof) bool {
		return after.Verdict == found.Proved || after.Verdict == found.Failed &&
			!slices.ContainsFunc(after.Obligations, t.isElsewhere)
	})
	t.request.Operations = after != before
	return after, all, err
}

// again writes and checks the proof anew, after its request has changed. If the result does not count, the earlier
// proof is restored.
func (t *trial) again(ctx context.Context, before *diagnostics.Proof, made *harness.Proof, out *Generated,
	counts func(after *diagnostics.Proof) bool) (*diagnostics.Proof, *harness.Proof, error) {
	text, err := os.ReadFile(t.path)
	if err != nil {
		return nil, nil, err
	}
	size := out.Size
	t.optional = true
	all, err := harness.Write(*t.request)
	if err != nil {
		return nil, nil, err
	}
	after, err := t.sizes(ctx, all, out)
	t.optional = false
	if err != nil || counts(after) {
		return after, all, err
	}
	out.Size = size
	return before, made, os.WriteFile(t.path, text, 0o666)
}

// isElsewhere reports whether a finding is a failure that the function under proof is not part of.
func (t *trial) isElsewhere(f diagnostics.Finding) bool {
	inside := f.Function == t.request.Function || slices.ContainsFunc(f.CallPath, func(c diagnostics.Frame) bool {
		return c.Function == t.request.Function
	})
	return f.Verdict == found.Failed && !inside && f.File != t.root.Show(t.path)
}

// atNoObject reports whether a finding is a failure that an arbitrary address causes.
func atNoObject(f diagnostics.Finding) bool {
	switch f.Kind {
	case found.InvalidPointer, found.InvalidFree, found.InvalidCall, found.AmbiguousPointer:
		return f.Verdict == found.Failed
	}
	return false
}

// readsUnwritten checks a decided proof once more, for reads of memory that was never written. Only harnesses by hand
// use such memory as inputs. If there is such a read, the result counts, and unitproof.toml enables the check.
// Otherwise the proof is as before, since the check costs several times as much.
func (t *trial) readsUnwritten(ctx context.Context, before *diagnostics.Proof) (*diagnostics.Proof, error) {
	if before.Verdict != found.Proved && before.Verdict != found.Failed || t.g.explicit() || !t.affords(before) {
		return before, nil
	}
	t.unwritten = true
	after, err := t.check(ctx, t.budget.limit())
	if err != nil {
		return nil, err
	}
	reads := func(f diagnostics.Finding) bool {
		return f.Kind == found.UninitializedRead && f.Verdict == found.Failed && !(t.request.Operations && t.isElsewhere(f))
	}
	if after.Verdict != found.Failed || !slices.ContainsFunc(after.Obligations, reads) {
		t.unwritten = false
		return before, nil
	}
	t.unregister()
	return after, t.register()
}

// explicit reports whether the user has chosen whether such reads are checked.
func (g *Generator) explicit() bool {
	_, ok := g.Flags.Checks[found.UninitializedRead]
	return ok
}

// sizes checks the proof at growing sizes as long as each is decided in a short time, and writes the text of the
// largest. It returns the result for that size.
func (t *trial) sizes(ctx context.Context, made *harness.Proof, out *Generated) (*diagnostics.Proof, error) {
	if !made.Sized {
		if err := t.put(made.Text); err != nil {
			return nil, err
		}
		return t.checkLast(ctx)
	}
	r := *t.request
	var best *diagnostics.Proof
	size, down := firstSize, false
	if made.Steep {
		size = 1
	}
	for ctx.Err() == nil {
		r.Size, r.Note = size, ""
		text, err := harness.Write(r)
		if err != nil {
			return nil, err
		}
		if err := t.put(text.Text); err != nil {
			return nil, err
		}
		var result *diagnostics.Proof
		if size > 1 {
			result, err = t.check(ctx, t.budget.limit())
		} else {
			result, err = t.checkLast(ctx)
		}
		if err != nil || result.Verdict == found.Error {
			return result, err
		}
		decided := result.Verdict != found.Unknown && result.Verdict != found.Bounded
		if best == nil || decided {
			best, out.Size = result, size
		}
		smaller := best == result && !decided
		switch {
		case smaller && hasFar(&r, text.Text): // lengths above the size may be what takes too long
			r.Near, best = true, nil
			continue
		case result.Verdict == found.Vacuous && size < lastSize && !r.Unasserted: // the code may assert a larger length
			size = lastSize
			continue
		case result.Verdict == found.Failed || result.Verdict == found.Vacuous:
		case decided && !down && size < lastSize && t.affords(result):
			size *= 2
			continue
		case smaller && size > 1:
			size, down = size/2, true
			best = nil
			continue
		}
		break
	}
	if best == nil {
		return nil, ctx.Err()
	}
	r.Size = out.Size
	if best.Verdict != found.Unknown && best.Verdict != found.Bounded {
		r.Note = "decided in " + strconv.Itoa(int(draftTime.Seconds())) + " s"
	}
	text, err := harness.Write(r)
	if err != nil {
		return nil, err
	}
	return best, t.put(text.Text)
}

// hasFar reports whether a proof has lengths above its size.
func hasFar(r *harness.Request, text []byte) bool {
	if r.Near {
		return false
	}
	near := *r
	near.Near = true
	made, err := harness.Write(near)
	return err == nil && !bytes.Equal(made.Text, text)
}
