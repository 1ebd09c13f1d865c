package dap

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	protocol "github.com/google/go-dap"

	"github.com/unitproof/unitproof/vcgen/interp/inspect"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// breakpoints are the breakpoints of all kinds; IDs count from 1 over all of them.
type breakpoints struct {
	lines     map[string][]breakpoint // by path in the client's spelling
	functions []breakpoint
	data      []dataBreakpoint
	lastID    int
}

// breakpoint stops at the start of a line or of a function.
type breakpoint struct {
	id        int
	path      string // in the client's spelling
	line      int
	function  string
	condition string
	hits      hitCondition
	log       string
}

type dataBreakpoint struct {
	id     int
	name   string
	object int
	off, n uint64
}

// hitCondition restricts a breakpoint to some of its hits, counted from the beginning of the run: "3", "== 3", ">=
// 3", "> 3", "< 3", "<= 3", "% 3".
type hitCondition struct {
	op string
	n  int
}

func parseHits(s string) (hitCondition, error) {
	s = strings.TrimSpace(s)
	if s == "" {
		return hitCondition{}, nil
	}
	h := hitCondition{op: "=="}
	for _, op := range []string{"==", ">=", "<=", ">", "<", "%", "="} {
		if rest, ok := strings.CutPrefix(s, op); ok {
			h.op, s = op, strings.TrimSpace(rest)
			break
		}
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 {
		return h, fmt.Errorf("%q is not a number of visits: write 3, >= 3 or %% 3", s)
	}
	h.n = n
	return h, nil
}

func (h hitCondition) holds(visit int) bool {
	switch h.op {
	case "":
		return true
	case ">=":
		return visit >= h.n
	case "<=":
		return visit <= h.n
	case ">":
		return visit > h.n
	case "<":
		return visit < h.n
	case "%":
		return visit%h.n == 0
	}
	return visit == h.n
}

func (b *breakpoints) next() int {
	b.lastID++
	return b.lastID
}

// setLines replaces the breakpoints of a file.
func (s *session) setLines(a *protocol.SetBreakpointsArguments) []protocol.Breakpoint {
	out := []protocol.Breakpoint{}
	var set []breakpoint
	if a.Breakpoints == nil {
		for _, l := range a.Lines {
			a.Breakpoints = append(a.Breakpoints, protocol.SourceBreakpoint{Line: l})
		}
	}
	for _, w := range a.Breakpoints {
		b := breakpoint{id: s.breaks.next(), path: a.Source.Path, condition: w.Condition, log: w.LogMessage}
		answer := protocol.Breakpoint{Id: b.id, Line: w.Line, Source: &a.Source}
		line, visits := s.lineOfCode(a.Source.Path, s.fromClientLine(w.Line))
		hits, err := parseHits(w.HitCondition)
		switch {
		case err != nil:
			answer.Message = err.Error()
		case line == 0:
			answer.Message = "this proof has no code here or below"
		default:
			b.line, b.hits = line, hits
			answer.Verified, answer.Line = true, s.toClientLine(line)
			if !visits {
				answer.Message = "this execution never reaches this line"
			}
			set = append(set, b)
		}
		out = append(out, answer)
	}
	if s.breaks.lines == nil {
		s.breaks.lines = map[string][]breakpoint{}
	}
	s.breaks.lines[a.Source.Path] = set
	return out
}

// lineOfCode returns the first line from line on that has code, 0 if there is none, and whether the run visits it.
func (s *session) lineOfCode(path string, line int) (found int, visited bool) {
	run := s.run
	run.EachLine(func(l *llvmir.Loc) {
		if l.Line >= line && (found == 0 || l.Line < found) && s.files.same(l.File, path) {
			found = l.Line
		}
	})
	for t := run.First(); found > 0 && t <= run.End(); t++ {
		if run.Starts(t) {
			if l := run.Instr(t).Loc; l.Line == found && s.files.same(l.File, path) {
				return found, true
			}
		}
	}
	return found, false
}

// locations returns the lines of a range that have code.
func (s *session) locations(a *protocol.BreakpointLocationsArguments) []protocol.BreakpointLocation {
	out := []protocol.BreakpointLocation{}
	if a == nil {
		return out
	}
	from, to := s.fromClientLine(a.Line), s.fromClientLine(max(a.Line, a.EndLine))
	lines := map[int]bool{}
	s.run.EachLine(func(l *llvmir.Loc) {
		if from <= l.Line && l.Line <= to && s.files.same(l.File, a.Source.Path) {
			lines[l.Line] = true
		}
	})
	for l := range lines {
		out = append(out, protocol.BreakpointLocation{Line: s.toClientLine(l)})
	}
	slices.SortFunc(out, func(a, b protocol.BreakpointLocation) int { return cmp.Compare(a.Line, b.Line) })
	return out
}

func (s *session) setFunctions(wanted []protocol.FunctionBreakpoint) []protocol.Breakpoint {
	out := []protocol.Breakpoint{}
	s.breaks.functions = nil
	for _, w := range wanted {
		b := breakpoint{id: s.breaks.next(), function: strings.TrimSuffix(w.Name, "()"), condition: w.Condition}
		answer := protocol.Breakpoint{Id: b.id}
		hits, err := parseHits(w.HitCondition)
		known, called := s.run.HasFunction(b.function), false
		for i := range s.run.Frames() {
			called = called || s.run.FrameRecord(i).Func.SourceName == b.function
		}
		switch {
		case err != nil:
			answer.Message = err.Error()
		case !known:
			answer.Message = "the program has no function " + b.function
		default:
			b.hits = hits
			answer.Verified = true
			if !called {
				answer.Message = "this execution never calls it"
			}
			s.breaks.functions = append(s.breaks.functions, b)
		}
		out = append(out, answer)
	}
	return out
}

// dataInfo returns the ID of a data breakpoint for a variable of the views or for an expression.
func (s *session) dataInfo(a *protocol.DataBreakpointInfoArguments) protocol.DataBreakpointInfoResponseBody {
	v, expr, err := s.dataPlace(a)
	if err == nil {
		var object int
		var off, n uint64
		if object, off, n, err = v.Bytes(); err == nil {
			return protocol.DataBreakpointInfoResponseBody{
				DataId: fmt.Sprintf("%d:%d:%d:%s", object, off, n, expr),
				Description: fmt.Sprintf("%s (%d bytes of %s): Continue finds the next write, Reverse the last one", expr, n,
					s.objectName(object)),
				AccessTypes: []protocol.DataBreakpointAccessType{"write"},
			}
		}
	}
	return protocol.DataBreakpointInfoResponseBody{DataId: nil, Description: err.Error()}
}

func (s *session) dataPlace(a *protocol.DataBreakpointInfoArguments) (inspect.Value, string, error) {
	if a.VariablesReference > 0 {
		n, ok := s.shown.get(a.VariablesReference)
		if !ok {
			return inspect.Value{}, "", errors.New("the variable was shown at another moment: open it again")
		}
		for _, c := range s.children(n, 0, 0) {
			if c.name == a.Name && c.value != nil {
				return *c.value, cmp.Or(c.expr, c.name), nil
			}
		}
	}
	f, ok := s.frame(a.FrameId)
	if !ok {
		f = s.run.Stack()[0]
	}
	v, err := s.run.Evaluate(f, a.Name)
	return v, a.Name, err
}

func (s *session) setData(wanted []protocol.DataBreakpoint) []protocol.Breakpoint {
	out := []protocol.Breakpoint{}
	s.breaks.data = nil
	for _, w := range wanted {
		b := dataBreakpoint{id: s.breaks.next()}
		answer := protocol.Breakpoint{Id: b.id}
		parts := strings.SplitN(w.DataId, ":", 4)
		var err1, err2, err3 error
		if len(parts) == 4 {
			b.object, err1 = strconv.Atoi(parts[0])
			b.off, err2 = strconv.ParseUint(parts[1], 10, 64)
			b.n, err3 = strconv.ParseUint(parts[2], 10, 64)
			b.name = parts[3]
		}
		switch {
		case len(parts) != 4 || errors.Join(err1, err2, err3) != nil:
			answer.Message = "not understood: choose the variable again"
		default:
			answer.Verified = true
			if _, ok := s.run.NextWrite(b.object, b.off, b.n, s.run.First()); !ok {
				answer.Message = "this execution never writes it"
			}
			s.breaks.data = append(s.breaks.data, b)
		}
		out = append(out, answer)
	}
	return out
}
