package pipeline

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/diagnostics/csource"
	"github.com/unitproof/unitproof/pipeline/precondition"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/interp/inspect"
	"github.com/unitproof/unitproof/vcgen/language"
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

// rank sorts the conditions: first by reaching the failing place, then the weaker ones, the ones with fewer variables,
// and the ones without constants. Of equivalent conditions one is left.
func (e *excluder) rank(ctx context.Context) {
	list := e.out.Conditions
	simpler := func(a, b *Precondition) int {
		relational := func(p *Precondition) int {
			if p.is.Relational() {
				return 0
			}
			return 1
		}
		if n := len(a.is.Variables()) - len(b.is.Variables()); n != 0 {
			return n
		}
		if n := a.is.Comparisons() - b.is.Comparisons(); n != 0 {
			return n
		}
		return relational(a) - relational(b)
	}
	implied := e.implications(ctx)
	dropped := make([]bool, len(list))
	weaker := make([]int, len(list))
	for i := range list {
		for k := range list {
			switch {
			case i == k || dropped[k]:
			case list[i].Reaches == list[k].Reaches && list[k].is.Comparisons() == 1 && list[i].is.Implies(list[k].is):
				dropped[i] = true
			case !implied[i][k]:
			case !implied[k][i]:
				weaker[i]++ // the k-th follows from it
			case !dropped[i] && (simpler(&list[k], &list[i]) < 0 || simpler(&list[k], &list[i]) == 0 && k < i):
				dropped[i] = true
			}
		}
	}
	order := make([]int, 0, len(list))
	for i := range list {
		if !dropped[i] {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		if list[a].Reaches != list[b].Reaches {
			if list[a].Reaches == ReachesPlace {
				return -1
			}
			return 1
		}
		if n := weaker[a] - weaker[b]; n != 0 {
			return n
		}
		return simpler(&list[a], &list[b])
	})
	sorted := make([]Precondition, 0, len(order))
	for _, i := range order {
		sorted = append(sorted, list[i])
	}
	e.out.Conditions = sorted
}

// implications reports which conditions imply which others at the place, in one check for all of them.
func (e *excluder) implications(ctx context.Context) [][]bool {
	list := e.out.Conditions
	implied := make([][]bool, len(list))
	for i := range implied {
		implied[i] = make([]bool, len(list))
	}
	if len(list) < 2 {
		return implied
	}
	at, indent := e.place, e.indent
	if e.clause != "" {
		at, indent = e.entry.Body+1, ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "{ extern _Bool %s(void); extern void %s(_Bool, const char *);\n", chooseName, assertName)
	assume := func(condition string) string { return e.assume + "(" + condition + ");" }
	line := bytes.Count(e.text[:at], []byte("\n")) + 2
	pairs := map[int][2]int{} // by line
	for i := range list {
		for k := range list {
			if i != k {
				pairs[line] = [2]int{i, k}
				line++
				fmt.Fprintf(&b, "if (%s()) { %s %s(%s, \"\"); %s }\n", chooseName,
					assume(list[i].Condition), assertName, list[k].Condition, assume("0"))
			}
		}
	}
	fmt.Fprintf(&b, "%s }\n%s", assume("0"), indent)
	proof, _ := e.check(ctx, slices.Concat(e.text[:at], []byte(b.String()), e.text[at:]))
	for i := range proof.Obligations {
		f := &proof.Obligations[i]
		if pair, ok := pairs[f.Line]; ok && f.File == e.proof.File && f.Kind == found.Assertion {
			implied[pair[0]][pair[1]] = f.Verdict == found.Proved
		}
	}
	return implied
}

// question asks the user for the missing fact.
func (e *excluder) question() string {
	if e.clause != "" {
		return fmt.Sprintf("do the callers of %s guarantee it?", e.job.Proof.Entry)
	}
	function := e.finding.Function
	if path := e.finding.CallPath; len(path) > 1 {
		function = path[1].Function
	}
	if function == "" || function == e.job.Proof.Entry {
		return "is it true of all inputs that matter?"
	}
	return fmt.Sprintf("do the callers of %s guarantee it?", function)
}

// tokens yields the texts of the tokens of a piece of code.
func tokens(text []byte) (list []string) {
	for s := (csource.Scanner{Text: text}); ; {
		t := s.Code()
		if t.Kind == csource.End {
			return list
		}
		list = append(list, t.Of(text))
	}
}

// declaredIn reports whether a name stands in a text.
func declaredIn(text []byte, name string) bool { return slices.Contains(tokens(text), name) }

// counts reports whether a text counts with a variable, as loops do.
func counts(text []byte, name string) bool {
	list := tokens(text)
	for i, t := range list {
		if t != name {
			continue
		}
		if i > 0 && (list[i-1] == "++" || list[i-1] == "--") {
			return true
		}
		if i+1 < len(list) {
			switch next := list[i+1]; next {
			case "++", "--", "+=", "-=", "*=", "/=", "<<=", ">>=":
				return true
			}
		}
	}
	return false
}

// assigned reports whether a text gives a variable a value.
func assigned(text []byte, name string) bool {
	list := tokens(text)
	for i, t := range list {
		if t == name && i+1 < len(list) && list[i+1] == "=" {
			return true
		}
	}
	return false
}

// made reports whether a text assigns to a variable once, and gives it a value computed from inputs and constants:
// (enum mode)(nd_uint() % 3).
func made(text []byte, name string, locals []inspect.Variable) bool {
	list := tokens(text)
	count, inputs := 0, 0
	for i, t := range list {
		if t != name || i+1 == len(list) || list[i+1] != "=" {
			continue
		}
		count++
		for k := i + 2; k+1 < len(list) && list[k] != ";" && list[k] != ","; k++ {
			if list[k+1] != "(" || !csource.IsIdentStart(list[k][0]) {
				continue
			}
			if language.Lookup(list[k]).Role != language.Nondet {
				return false
			}
			inputs++
		}
	}
	return count == 1 && inputs > 0 && !derived(text, name, locals)
}

// derived reports whether an assignment of a text gives a variable a value that is computed from other variables.
func derived(text []byte, name string, locals []inspect.Variable) bool {
	list := tokens(text)
	for i, t := range list {
		if t != name || i+1 == len(list) || list[i+1] != "=" {
			continue
		}
		for k, t := range list[i+2:] {
			if t == ";" {
				break
			}
			if before := list[i+1+k]; before == "enum" || before == "struct" || before == "union" {
				continue
			}
			if slices.ContainsFunc(locals, func(l inspect.Variable) bool { return l.Name == t }) {
				return true
			}
		}
	}
	return false
}

// settled reports whether the last assignment of a text to a member gives it a value that calls no function.
func settled(text []byte, member string) bool {
	list, want := tokens(text), tokens([]byte(member))
	if len(want) < 2 {
		return false
	}
	for i := len(list) - len(want) - 1; i >= 0; i-- {
		if list[i+len(want)] != "=" || !slices.Equal(list[i:i+len(want)], want) {
			continue
		}
		for _, t := range list[i+len(want):] {
			switch t {
			case "(":
				return false
			case ";":
				return true
			}
		}
	}
	return false
}

// varies reports whether a condition may have different values each time that an execution comes to the place: the
// place is in a loop that may write a variable of the condition. It was assumed at each of these times then, so that
// nothing is known about the one that fails.
func (e *excluder) varies(c *precondition.Condition) bool {
	if e.loop.End == 0 {
		return false
	}
	loop := tokens(e.text[e.loop.Start:e.loop.End])
	return slices.ContainsFunc(c.Variables(), func(text string) bool {
		// Memory and variables of the program may be written by calls, too.
		if !identifier.MatchString(text) || !declaredIn(e.text[e.entry.Start:e.entry.End], text) ||
			counts(e.text[e.loop.Start:e.loop.End], text) {
			return true
		}
		for i, t := range loop {
			if t != text {
				continue
			}
			declared := i > 0 && (csource.IsIdentStart(loop[i-1][0]) && loop[i-1] != "return" || loop[i-1] == "*")
			if declared || i > 0 && loop[i-1] == "&" || i+1 < len(loop) && assigns(loop[i+1]) {
				return true
			}
		}
		return false
	})
}

// assigns reports whether an operator is an assignment.
func assigns(op string) bool {
	return strings.HasSuffix(op, "=") && !slices.Contains([]string{"==", "!=", "<=", ">="}, op)
}

// computed reports whether code before the place may have changed a variable or its target.
func (e *excluder) computed(name string) bool {
	for _, s := range e.code {
		list := tokens(e.text[s.Start:s.End])
		for i, t := range list {
			if t != name {
				continue
			}
			if i+1 < len(list) && (list[i+1] == "=" || list[i+1] == "." || list[i+1] == "->" || list[i+1] == "[") ||
				i > 0 && list[i-1] == "&" {
				return true
			}
		}
	}
	return false
}
