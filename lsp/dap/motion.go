package dap

import (
	"errors"

	protocol "github.com/google/go-dap"
)

// motion is a kind of step.
type motion int

const (
	over motion = iota
	into
	outOf
	back
)

// beginning returns the moment of the first executed line of the user's code.
func (s *session) beginning() int64 {
	for t := s.run.First(); t <= s.run.End(); t++ {
		if s.run.Starts(t) {
			return t
		}
	}
	return s.run.First()
}

// userFrame reports whether a frame has lines of the user's code.
func (s *session) userFrame(frame int) bool { return s.run.FrameRecord(frame).Start >= 0 }

func (s *session) depth(t int64) int { return s.run.FrameRecord(s.run.Frame(t)).Depth }

// target returns the moment to which a step from t leads. Only lines of the user's files count: library functions are
// stepped over. A step that leaves a function stops in the middle of the caller's line, behind the call.
func (s *session) target(t int64, how motion) int64 {
	run := s.run
	frame, depth := run.Frame(t), s.depth(t)
	if how == back {
		// In the middle of a line that has made no call yet, the line has no visible effect.
		u := t
		for u > run.First() && !run.Starts(u) && run.Frame(u-1) == frame {
			u--
		}
		if run.Starts(u) && run.Frame(u) == frame {
			t = u
		}
		// The latest line begun in this frame or in one of its callers.
		for u := t - 1; u >= run.First(); u-- {
			f := run.Frame(u)
			if d := run.FrameRecord(f).Depth; f != frame && d >= depth && depth > 0 {
				continue
			} else if d < depth {
				frame, depth = f, d
			} else if f != frame && d > 0 {
				continue
			}
			if run.Starts(u) {
				return u
			}
		}
		return run.First()
	}
	for u := t + 1; u <= run.End(); u++ {
		f := run.Frame(u)
		d := run.FrameRecord(f).Depth
		switch {
		case d < depth: // returned
			if s.userFrame(f) {
				return u
			}
			frame, depth = f, d
		case !run.Starts(u):
		case how == into, how == over && (f == frame || d == 0 && depth == 0):
			return u
		}
	}
	return run.End()
}

// step makes a step, or stops at a breakpoint before its end.
func (s *session) step(granularity protocol.SteppingGranularity, how motion) {
	t := s.run.At()
	to := s.target(t, how)
	if granularity == "instruction" {
		to = min(t+1, s.run.End())
		if how == back {
			to = max(t-1, s.run.First())
		}
	}
	if how != back && granularity != "instruction" && s.sameVisit(to, s.run.End()) {
		to = s.run.End() // the entered line is the violating one
	}
	s.proceed(t, to, "step")
}

// sameVisit reports whether only the rest of a line, without calls, is between two moments.
func (s *session) sameVisit(t, end int64) bool {
	frame := s.run.Frame(t)
	for u := t + 1; u <= end; u++ {
		if s.run.Starts(u) || s.run.Frame(u) != frame {
			return false
		}
	}
	return true
}

// proceed moves from moment t to another, and stops at the first breakpoint in between. reason is the reason of a
// stop at the end; "" stands for a reason that depends on the place.
func (s *session) proceed(t, to int64, reason string) {
	ctx, done := s.searching()
	defer done()
	if at, why, hit := s.search(ctx, t, to); hit {
		s.goTo(at, why)
		return
	}
	if ctx.Err() != nil {
		s.tell(stop{reason: "pause"}) // at the end, too: goTo would report the violation
		return
	}
	why := stop{reason: reason}
	if to <= s.run.First() {
		to = max(to, s.beginning())
		if t <= to {
			to = t
		}
		why = stop{reason: "entry", description: "The beginning of the execution", text: "there is nothing before"}
	}
	s.goTo(to, why)
}

// frameStart returns the moment at which a frame of the stack began its first line.
func (s *session) frameStart(id int) (int64, error) {
	f, ok := s.frame(id)
	if !ok {
		return 0, errFrame
	}
	start := s.run.FrameRecord(f.Number).Start
	if start < s.run.First() {
		return 0, errors.New("the beginning of this call is not recorded, or has no line")
	}
	return start, nil
}

// gotoTargets returns moments at which a line begins: the first, the last, and the nearest around the current one.
func (s *session) gotoTargets(a *protocol.GotoTargetsArguments) []protocol.GotoTarget {
	line := s.fromClientLine(a.Line)
	first, before, after, last := int64(-1), int64(-1), int64(-1), int64(-1)
	for t := s.run.First(); t <= s.run.End(); t++ {
		if !s.run.Starts(t) {
			continue
		}
		if l := s.run.Instr(t).Loc; l.Line != line || !s.files.same(l.File, a.Source.Path) {
			continue
		}
		if first < 0 {
			first = t
		}
		last = t
		if t < s.run.At() {
			before = t
		} else if t > s.run.At() && after < 0 {
			after = t
		}
	}
	s.targets = nil
	out := []protocol.GotoTarget{}
	for _, c := range []struct {
		label string
		t     int64
	}{{"the visit before now", before}, {"the next visit", after}, {"the first visit", first}, {"the last visit", last}} {
		if c.t < 0 {
			continue
		}
		s.targets = append(s.targets, c.t)
		out = append(out, protocol.GotoTarget{Id: len(s.targets), Label: c.label, Line: a.Line})
	}
	return out
}
