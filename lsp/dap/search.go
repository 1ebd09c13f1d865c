package dap

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/unitproof/unitproof/vcgen/interp/inspect"
	"github.com/unitproof/unitproof/vcgen/interp/recording"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// search returns the first breakpoint after moment t, up to the moment to; hit is false if there is none. Moment t
// itself is excluded.
func (s *session) search(ctx context.Context, t, to int64) (at int64, why stop, hit bool) {
	forward := to >= t
	// The nearest write limits the search for lines and calls.
	limit := to
	for _, d := range s.breaks.data {
		if forward {
			w, ok := s.run.NextWrite(d.object, d.off, d.n, t)
			if !ok {
				continue
			}
			// It stops behind the write, so that the new value is visible.
			if u := min(w.At+1, s.run.End()); u <= limit && u > t {
				limit, at, hit = u, u, true
				why = s.written(d, w)
			}
			continue
		}
		w, ok := s.run.LastWrite(d.object, d.off, d.n, t)
		if ok && w.At >= limit {
			limit, at, hit = w.At, w.At, true
			why = s.written(d, w)
		}
	}
	if u, b, ok := s.searchLines(ctx, t, limit); ok {
		reason := "breakpoint"
		if b.function != "" {
			reason = "function breakpoint"
		}
		return u, stop{reason: reason, hit: []int{b.id}}, true
	}
	return at, why, hit && ctx.Err() == nil
}

func (s *session) written(d dataBreakpoint, w recording.Access) stop {
	where := ""
	if l := s.placeOf(w.At); l != nil {
		where = fmt.Sprintf(" at %s:%d", s.files.short(l.File), l.Line)
	}
	return stop{reason: "data breakpoint", description: "Write of " + d.name, text: d.name + " is written" + where,
		hit: []int{d.id}}
}

// placeOf returns the position of the last line of the user's code that began at or before moment t.
func (s *session) placeOf(t int64) *llvmir.Loc {
	for u := t; u >= s.run.First(); u-- {
		if s.run.Starts(u) {
			return s.run.Instr(u).Loc
		}
	}
	return nil
}

// searchLines returns the first line or function breakpoint between t and to. Conditions have to be evaluated at each
// moment: forward in execution order; backward in intervals, each of them forward.
func (s *session) searchLines(ctx context.Context, t, to int64) (int64, *breakpoint, bool) {
	if len(s.breaks.functions) == 0 && len(s.breaks.lines) == 0 {
		return 0, nil, false
	}
	m := s.matcher()
	if to >= t {
		for u := t + 1; u <= to; u++ {
			if b := m.at(u); b != nil && s.holds(b, u, true) {
				return u, b, true
			}
			if u&0xfff == 0 && ctx.Err() != nil {
				break
			}
		}
		return 0, nil, false
	}
	if !m.conditions {
		for u := t - 1; u >= to; u-- {
			if b := m.at(u); b != nil && s.holds(b, u, true) {
				return u, b, true
			}
			if u&0xfff == 0 && ctx.Err() != nil {
				break
			}
		}
		return 0, nil, false
	}
	const stretch = 1 << 14
	for end := t; end > to && ctx.Err() == nil; {
		start := max(to, (end-1)/stretch*stretch)
		best, found := int64(-1), (*breakpoint)(nil)
		for u := start; u < end && ctx.Err() == nil; u++ {
			if b := m.at(u); b != nil && s.holds(b, u, false) {
				best, found = u, b
			}
		}
		if found != nil {
			return best, found, true
		}
		end = start
	}
	return 0, nil, false
}

// holds reports whether the condition of a breakpoint is true at a moment that it matches. It prints the message of a
// log point, which never stops.
func (s *session) holds(b *breakpoint, t int64, log bool) bool {
	if b.condition == "" && b.log == "" {
		return true
	}
	if err := s.run.GoTo(t); err != nil {
		s.output("stderr", err.Error()+"\n")
		return false
	}
	top := s.run.Stack()[0]
	if b.condition != "" {
		v, err := s.run.Evaluate(top, b.condition)
		holds := false
		if err == nil {
			holds, err = v.True()
		}
		if err != nil {
			s.output("stderr", fmt.Sprintf("the condition `%s` at line %d: %v\n", b.condition, b.line, err))
			return true // an additional stop shows the user the error
		}
		if !holds {
			return false
		}
	}
	if b.log == "" {
		return true
	}
	if log {
		s.output("console", s.expand(top, b.log)+"\n")
	}
	return false
}

// expand replaces the {expressions} of a log message.
func (s *session) expand(f inspect.FrameView, text string) string {
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(text, "{")
		b.WriteString(before)
		expr, after, closed := strings.Cut(rest, "}")
		if !ok || !closed {
			if ok {
				b.WriteString("{" + rest)
			}
			return b.String()
		}
		if v, err := s.run.Evaluate(f, expr); err != nil {
			b.WriteString("<" + err.Error() + ">")
		} else {
			b.WriteString(v.Text())
		}
		text = after
	}
}

// matcher finds the breakpoint that a moment matches, regardless of conditions.
type matcher struct {
	s          *session
	lines      map[string]map[int][]*breakpoint // by file in the program's spelling
	functions  map[string][]*breakpoint
	conditions bool
	visits     map[*breakpoint][]int64 // moments of the hits, for breakpoints with hit conditions
}

func (s *session) matcher() *matcher {
	m := &matcher{s: s, lines: map[string]map[int][]*breakpoint{}, functions: map[string][]*breakpoint{},
		visits: map[*breakpoint][]int64{}}
	counted := false
	note := func(b *breakpoint) {
		m.conditions = m.conditions || b.condition != "" || b.log != ""
		counted = counted || b.hits.op != ""
	}
	files := map[string]bool{}
	s.run.EachLine(func(l *llvmir.Loc) { files[l.File] = true })
	for path, list := range s.breaks.lines {
		for file := range files {
			if len(list) == 0 || !s.files.same(file, path) {
				continue
			}
			m.lines[file] = map[int][]*breakpoint{}
			for i := range list {
				m.lines[file][list[i].line] = append(m.lines[file][list[i].line], &list[i])
				note(&list[i])
			}
		}
	}
	for i := range s.breaks.functions {
		b := &s.breaks.functions[i]
		m.functions[b.function] = append(m.functions[b.function], b)
		note(b)
	}
	if !counted {
		return m
	}
	for t := s.run.First(); t <= s.run.End(); t++ {
		m.each(t, func(b *breakpoint) bool {
			if b.hits.op != "" {
				m.visits[b] = append(m.visits[b], t)
			}
			return false
		})
	}
	return m
}

// each calls f for the breakpoints that begin at a moment until it returns true.
func (m *matcher) each(t int64, f func(*breakpoint) bool) *breakpoint {
	run := m.s.run
	if !run.Starts(t) {
		return nil
	}
	if len(m.lines) > 0 {
		l := run.Instr(t).Loc
		for _, b := range m.lines[l.File][l.Line] {
			if f(b) {
				return b
			}
		}
	}
	if len(m.functions) > 0 {
		if fr := run.FrameRecord(run.Frame(t)); fr.Start == t {
			for _, b := range m.functions[fr.Func.SourceName] {
				if f(b) {
					return b
				}
			}
		}
	}
	return nil
}

func (m *matcher) at(t int64) *breakpoint {
	return m.each(t, func(b *breakpoint) bool {
		if b.hits.op == "" {
			return true
		}
		i, ok := slices.BinarySearch(m.visits[b], t)
		return ok && b.hits.holds(i+1)
	})
}
