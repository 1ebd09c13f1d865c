package pipeline

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/diagnostics/csource"
	"github.com/unitproof/unitproof/pipeline/precondition"
	"github.com/unitproof/unitproof/vcgen/found"
)

// Further checks of a condition that excludes a failure: whether executions are left, whether it implies another one,
// and whether each execution that it excludes fails.

// learn takes the failing execution that a condition leaves into the search.
func (e *excluder) learn(ctx context.Context, virtual map[string][]byte, text []byte, f *diagnostics.Finding) {
	if state := e.stateOf(ctx, virtual, text, e.place, f); state != nil {
		e.search.Failing(state)
	}
}

// stateOf executes the counterexample of a text, and returns the values at the place of the text; nil if they are not
// known.
func (e *excluder) stateOf(ctx context.Context, virtual map[string][]byte, text []byte, place int,
	f *diagnostics.Finding) precondition.State {
	if len(f.Run.Tape) == 0 {
		return nil
	}
	run, err := e.record(ctx, virtual, f)
	if err != nil {
		return nil // the condition was tried, and others are with it: no more is lost
	}
	frame, ok := e.lastInEntry(run)
	if !ok {
		return nil
	}
	moment := e.moment(run, frame, text, place)
	if moment < 0 {
		return nil
	}
	state, err := e.state(run, moment)
	if err != nil {
		return nil
	}
	return state
}

// harmless reports whether a condition itself violates nothing, and makes nothing else vacuous.
func (e *excluder) harmless(proof *diagnostics.Proof) bool {
	vacuous := func(f diagnostics.Finding) bool { return f.Verdict == found.Vacuous }
	if proof.Verdict == found.Vacuous && !slices.ContainsFunc(proof.Obligations, vacuous) {
		return false // as a whole
	}
	line, column := bytes.Count(e.text[:e.place], []byte("\n"))+1, e.place-bytes.LastIndexByte(e.text[:e.place], '\n')
	for i := range proof.Obligations {
		f := &proof.Obligations[i]
		holds := f.Verdict == found.Proved || f.Verdict == found.Unreached
		if f.File == e.proof.File && f.Line == line && f.Column >= column && !holds {
			return false
		}
		if f.Verdict == found.Vacuous {
			if before := e.proof.Finding(f.ID); before == nil || before.Verdict != found.Vacuous && f.ID != e.finding.ID {
				return false
			}
		}
	}
	return true
}

// Names in texts that are checked and never written.
const (
	passedName = "unitproof_passed"
	endName    = "unitproof_end"
	chooseName = "nondet_unitproof_choice"
	assertName = "__ESBMC_assert"
)

// watched is a text of the proof in which an assertion is checked at each end of executions that reached the place.
type watched struct {
	text   []byte
	place  int // in text
	before int // lines that were added before the entry
}

// watch returns the proof's file with a statement at the place and an assertion at each end of the proof.
func (e *excluder) watch(condition, assertion string) watched {
	if e.clause != "" { // the assertion is the last postcondition
		return watched{text: e.edited(e.statement(condition) + " __CPROVER_ensures(" + assertion + ")"), place: e.place}
	}
	start := bytes.LastIndexByte(e.text[:e.entry.Start], '\n') + 1
	var b bytes.Buffer
	b.Write(e.text[:start])
	fmt.Fprintf(&b, "static int %s;\n", passedName)
	b.Write(e.text[start : e.entry.Body+1])
	fmt.Fprintf(&b, " %s = 0;", passedName)
	b.Write(e.text[e.entry.Body+1 : e.place])
	w := watched{place: b.Len(), before: 1}
	fmt.Fprintf(&b, "%s %s = 1;\n%s", e.statement(condition), passedName, e.indent)
	rest := e.place
	for _, end := range e.joins() { // other executions do not matter
		b.Write(e.text[rest:end])
		fmt.Fprintf(&b, " %s(%s);", e.assume, passedName)
		rest = end
	}
	b.Write(e.text[rest:])
	fmt.Fprintf(&b, "\nextern void %s(_Bool, const char *);\n__attribute__((destructor)) static void %s(void) {\n"+
		"  if (%s) %s(%s, \"\");\n}\n", assertName, endName, passedName, assertName, assertion)
	w.text = b.Bytes()
	return w
}

// joins returns offsets where an execution either has reached the place or never does: behind the statements around the
// place, and in the other branches of these. In a loop, an execution may reach the place later.
func (e *excluder) joins() (list []int) {
	if declaredIn(e.text[e.entry.Body:e.entry.End], "goto") {
		return nil
	}
	blocks := precondition.Blocks(e.text, e.entry.Body, e.place)
	loop := false
	for i := len(blocks) - 1; i >= 0; i-- {
		for _, s := range blocks[i] {
			if s.Start >= e.place || e.place >= s.End || s.End > e.entry.End {
				continue
			}
			switch (&csource.Scanner{Text: e.text, Next: s.Start}).Code().Of(e.text) {
			case "for", "while", "do":
				list, loop = nil, true
			}
			list = append(list, s.End)
		}
	}
	if !loop {
		list = append(list, e.branches()...)
	}
	slices.Sort(list)
	return list
}

// branches returns the begins of the blocks behind else that belong to statements around the place.
func (e *excluder) branches() (list []int) {
	s := csource.Scanner{Text: e.text, Next: e.place}
	for depth := 0; s.Next < e.entry.End; {
		t := s.Code()
		switch {
		case t.Kind == csource.End:
			return list
		case t.Is(e.text, "{"):
			depth++
		case t.Is(e.text, "}") && depth > 0:
			depth--
		case t.Is(e.text, "}"):
			for {
				start, end, ok := elseBlock(e.text, s.Next)
				if !ok {
					break
				}
				list, s.Next = append(list, start), end
			}
		}
	}
	return list
}

// elseBlock returns where the block in "else {" or "else if (...) {" at an offset begins, inside, and where it ends.
func elseBlock(text []byte, at int) (start, end int, ok bool) {
	s := csource.Scanner{Text: text, Next: at}
	if s.Code().Of(text) != "else" {
		return 0, 0, false
	}
	t := s.Code()
	if t.Of(text) == "if" {
		shut, ok := csource.Closing(text, s.Code().Start)
		if !ok {
			return 0, 0, false
		}
		s.Next = shut + 1
		t = s.Code()
	}
	if !t.Is(text, "{") {
		return 0, 0, false
	}
	shut, ok := csource.Closing(text, t.Start)
	return t.End, shut + 1, ok
}

// atEnd reports whether a finding is that of the assertion of a watched text.
func (e *excluder) atEnd(f *diagnostics.Finding) bool {
	if e.clause == "" {
		return f.Function == endName && f.Kind == found.Assertion
	}
	line, column := lineAndColumn(e.text, e.place)
	return f.Kind == found.Postcondition && f.File == e.proof.File && f.Line == line && f.Column >= column
}

// reachesPlace reports whether the place of a failure that is not possible any more is reached: a check for NULL is not
// if the pointer never is, but the other checks of the access are.
func (e *excluder) reachesPlace(proof *diagnostics.Proof, now *diagnostics.Finding) bool {
	if now != nil && now.Verdict != found.Unreached {
		return false
	}
	file, line, column := e.position(0)
	return slices.ContainsFunc(proof.Obligations, func(f diagnostics.Finding) bool {
		return f.File == file && f.Line == line && f.Column == column && f.Function == e.finding.Function &&
			f.Verdict == found.Proved && f.Kind != e.finding.Kind
	})
}

// position is the place of the failure in a text with one more line at the place, and some more before the entry.
func (e *excluder) position(before int) (file string, line, column int) {
	f := e.finding
	line, column = f.Line, f.Column
	if f.File != e.proof.File {
		return f.File, line, column
	}
	start := bytes.LastIndexByte(e.text[:e.place], '\n') + 1
	placeLine, placeColumn := bytes.Count(e.text[:e.place], []byte("\n"))+1, e.place-start+1
	switch {
	case line == placeLine && column >= placeColumn:
		line, column = line+1, column-placeColumn+len(e.indent)+1
	case line > placeLine:
		line++
	}
	if f.Line >= bytes.Count(e.text[:e.entry.Start], []byte("\n"))+1 {
		line += before
	}
	return f.File, line, column
}

// locate finds the failure in a check of such a text. Its ID need not be the same: a condition may say the same words.
func (e *excluder) locate(proof *diagnostics.Proof, before int) *diagnostics.Finding {
	file, line, column := e.position(before)
	for i := range proof.Obligations {
		f := &proof.Obligations[i]
		if f.Kind == e.finding.Kind && f.File == file && f.Line == line && f.Column == column {
			return f
		}
	}
	return nil
}

// reachesEnd reports whether an execution that satisfies a condition comes to an end of the proof.
func (e *excluder) reachesEnd(ctx context.Context, c *precondition.Condition) bool {
	proof, _ := e.check(ctx, e.watch(c.Text(), "1").text)
	for i := range proof.Obligations {
		if f := &proof.Obligations[i]; e.atEnd(f) {
			return f.Verdict == found.Proved
		}
	}
	return false
}

// exactness is the extent to which executions that satisfy a condition fail.
type exactness uint8

const (
	inexact   exactness = iota
	allocated           // all of them in which no allocation fails
	exact               // all of them
)

// exactly returns the exactness of a condition at the place, and takes executions that do not fail into the search.
func (e *excluder) exactly(ctx context.Context, condition string) exactness {
	all := e.failsFor(ctx, condition)
	if all.always {
		return exact
	}
	mayFail := &e.job.Proof.Options.MallocMayFail
	if !e.allocates || !*mayFail {
		e.passing(all)
		return inexact
	}
	*mayFail = false
	defer func() { *mayFail = true }()
	switch some := e.failsFor(ctx, condition); {
	case some.always:
		return allocated
	case some.sometimes:
		e.passing(some)
	default: // it fails only if an allocation does
		e.passing(all)
	}
	return inexact
}

func (e *excluder) passing(f failing) {
	for _, s := range f.passing {
		e.search.Passing(s)
	}
}

// failing is the outcome of a check of the executions that satisfy a condition at the place.
type failing struct {
	always, sometimes bool                 // all of them fail, some do
	passing           []precondition.State // of some that come to the place, and end or fail elsewhere
}

// failsFor checks whether the executions that satisfy a condition at the place fail. A failure before the place does
// not count: such executions do not come to it.
func (e *excluder) failsFor(ctx context.Context, condition string) (out failing) {
	if ctx.Err() != nil {
		return failing{}
	}
	w := e.watch(condition, "0")
	proof, virtual := e.check(ctx, w.text)
	place := bytes.Count(e.text[:e.place], []byte("\n")) + 1 + w.before
	failure := e.locate(proof, w.before)
	out.sometimes = failure != nil && failure.Verdict == found.Failed
	out.always = out.sometimes
	for i := range proof.Obligations {
		f := &proof.Obligations[i]
		behind := f.Verdict == found.Unknown && f.Why.Why == found.BehindViolation
		harmless := behind || f.Verdict == found.Proved || f.Verdict == found.Unreached || f.Verdict == found.Vacuous
		switch {
		case f == failure, harmless:
		case e.clause == "" && f.Function != endName && e.lineInEntry(f) < place && f.Verdict == found.Failed:
		default:
			out.always = false
			if f.Verdict == found.Failed {
				if state := e.stateOf(ctx, virtual, w.text, w.place, f); state != nil {
					out.passing = append(out.passing, state)
				}
			}
		}
	}
	return out
}

// lineInEntry is the line of the entry that leads to a finding, or a very large one if that is not known.
func (e *excluder) lineInEntry(f *diagnostics.Finding) int {
	switch {
	case len(f.CallPath) > 0 && f.CallPath[0].Function == e.job.Proof.Entry:
		return f.CallPath[0].Line
	case len(f.CallPath) == 0 && f.Function == e.job.Proof.Entry:
		return f.Line
	}
	return math.MaxInt
}
