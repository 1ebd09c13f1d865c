package pipeline

// The place of conditions in the proof of a recorded execution, and the variables that they can compare there.

import (
	"bytes"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/unitproof/unitproof/diagnostics/csource"
	"github.com/unitproof/unitproof/pipeline/precondition"
	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/interp/inspect"
	"github.com/unitproof/unitproof/vcgen/interp/recording"
	"github.com/unitproof/unitproof/vcgen/language"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// entryFrame is the frame of the proof's entry at the present moment of a run.
func (e *excluder) entryFrame(run *recording.Recording) (inspect.FrameView, bool) {
	stack := run.Stack()
	for i := len(stack) - 1; i >= 0; i-- {
		if e.isEntry(stack[i].Func) {
			return stack[i], stack[i].Loc != nil
		}
	}
	return inspect.FrameView{}, false
}

// isEntry reports whether a function is the entry: of the proof of a contract, the function that has it.
func (e *excluder) isEntry(f *llvmir.Func) bool {
	return f.SourceName == e.job.Proof.Entry || e.clause == "" && f.Name == e.job.Proof.Start()
}

// lastInEntry moves a run to its last moment in the entry, and returns the frame there. It is the end of the run,
// unless the entry returned before.
func (e *excluder) lastInEntry(run *recording.Recording) (inspect.FrameView, bool) {
	last := run.End()
	for i := range run.Frames() {
		if r := run.FrameRecord(i); e.isEntry(r.Func) {
			if r.Left > 0 {
				last = r.Left - 1
			}
			break
		}
	}
	if last < run.First() || run.GoTo(last) != nil {
		return inspect.FrameView{}, false
	}
	return e.entryFrame(run)
}

// offset is the offset of a place of the entry's body; false if it is elsewhere.
func (e *excluder) offset(text []byte, loc *llvmir.Loc) (int, bool) {
	if loc == nil || loc.Line <= 0 || !sameFile(loc.File, e.job.Proof.File) {
		return 0, false
	}
	at, ok := offsetOf(text, loc.Line, loc.Col)
	if !ok {
		return 0, false
	}
	return at, at > e.entry.Body && at < e.entry.End+len(text)-len(e.text)
}

// offsetOf returns the offset of a line and column of a text.
func offsetOf(text []byte, line, column int) (at int, ok bool) {
	for range line - 1 {
		n := bytes.IndexByte(text[at:], '\n')
		if n < 0 {
			return 0, false
		}
		at += n + 1
	}
	return at + max(column-1, 0), true
}

func sameFile(a, b string) bool {
	return a == b || a[strings.LastIndexByte(a, '/')+1:] == b[strings.LastIndexByte(b, '/')+1:]
}

// makesInput reports whether a call of a function without a body gives an arbitrary value or content.
func makesInput(in *llvmir.Instr) bool {
	f := in.Function()
	if f == nil || len(f.Blocks) > 0 {
		return false
	}
	switch language.Lookup(f.Name).Role {
	case language.Nondet, language.Havoc, language.Symbolic, language.Malloc:
		return true
	}
	return false
}

// mayBeInput reports whether a function without a body may give the program a value or content from outside.
func mayBeInput(f *llvmir.Func) bool {
	if strings.HasPrefix(f.Name, "llvm.") || clangir.SanitizerCheck(f) != "" {
		return false
	}
	switch language.Function(f.Name, f.Arity()).Role {
	case language.None, language.Unknown, language.Impossible, language.Nondet, language.Uninterpreted, language.Havoc,
		language.Symbolic, language.Print, language.OtherConversion, language.Lend, language.Part:
		return true
	}
	return false
}

// findPlace chooses the place of conditions, and reports whether there is one: behind the last input before the failing
// statement, and in front of the first statement that executes code under proof.
func (e *excluder) findPlace(run *recording.Recording, frame inspect.FrameView, at int) bool {
	if e.clause != "" { // the last clause
		e.place, e.failing = e.entry.Body, precondition.Statement{Start: e.entry.Body, End: e.entry.End}
		return true
	}
	blocks := precondition.Blocks(e.text, e.entry.Body, at)
	around := func(offset int) (precondition.Statement, bool) {
		for i := len(blocks) - 1; i >= 0; i-- {
			for _, s := range blocks[i] {
				if s.Start <= offset && offset < s.End {
					return s, true
				}
			}
		}
		return precondition.Statement{}, false
	}
	failing, ok := around(at)
	if !ok {
		return false
	}
	inputs, calls := map[int]bool{}, map[int]int64{} // by the start of the entry's statement; when first
	current, known := 0, false
	for t := run.First(); t <= run.End(); t++ {
		in := run.Instr(t)
		if run.Frame(t) == frame.Number {
			offset, ok := e.offset(e.text, in.Loc)
			if ok {
				var s precondition.Statement
				if s, known = around(offset); known {
					current = s.Start
				}
			}
		} else if known && run.FrameRecord(run.Frame(t)).Depth > run.FrameRecord(frame.Number).Depth {
			if _, ok := calls[current]; !ok {
				calls[current] = t
			}
		}
		if known && makesInput(in) {
			inputs[current] = true
		}
	}
	last := -1
	for start := range inputs {
		if start < failing.Start {
			last = max(last, start)
		}
	}
	e.place, e.failing = failing.Start, failing
	for start := range calls {
		if start > last && start < e.place && !inputs[start] && !e.assumes(start) && !contains(blocks, start, failing) {
			e.place = start
		}
	}
	e.loop = precondition.Statement{}
	for i := len(blocks) - 1; i >= 0; i-- { // the outermost one is the last
		for _, s := range blocks[i] {
			switch (&csource.Scanner{Text: e.text, Next: s.Start}).Code().Of(e.text) {
			case "for", "while", "do":
				if contains(blocks, s.Start, failing) {
					e.loop = s
				}
			}
		}
	}
	if from, to, ok := e.jumpBack(); ok && e.loop.End == 0 {
		e.loop = precondition.Statement{Start: from, End: to}
	}
	moment := e.moment(run, frame, e.text, e.place)
	for start, when := range calls {
		if s, ok := around(start); ok && (when < moment || e.loop.End > 0) && !inputs[start] && !e.assumes(start) {
			e.code = append(e.code, s)
		}
	}
	line := e.text[:e.place]
	line = line[bytes.LastIndexByte(line, '\n')+1:]
	e.indent = string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
	return true
}

// jumpBack returns the part of the entry around the place that a goto repeats.
func (e *excluder) jumpBack() (from, to int, ok bool) {
	labels := map[string]int{}
	s := csource.Scanner{Text: e.text, Next: e.entry.Body}
	for last := (csource.Token{}); s.Next < e.entry.End; {
		t := s.Code()
		word := last.Of(e.text)
		switch {
		case t.Kind == csource.End:
			return from, to, ok
		case t.Is(e.text, ":") && last.Kind == csource.Ident:
			labels[word] = last.Start
		case word == "goto":
			if label, known := labels[t.Of(e.text)]; known && label <= e.place && e.place < t.Start {
				if !ok || label < from {
					from = label
				}
				to, ok = t.End, true
			}
		}
		last = t
	}
	return from, to, ok
}

// contains reports whether the statement that begins at an offset has another one in it.
func contains(blocks [][]precondition.Statement, start int, inner precondition.Statement) bool {
	for _, list := range blocks {
		for _, s := range list {
			if s.Start == start && s.Start < inner.Start && inner.End <= s.End {
				return true
			}
		}
	}
	return false
}

// assumes reports whether the statement at an offset begins with the name of an assumption.
func (e *excluder) assumes(start int) bool {
	t := (&csource.Scanner{Text: e.text, Next: start}).Code()
	return t.Kind == csource.Ident && language.Lookup(t.Of(e.text)).Role == language.Assume
}

// moment is when the last execution of the failing statement's block came to a place; -1: that is not known.
func (e *excluder) moment(run *recording.Recording, frame inspect.FrameView, text []byte, place int) int64 {
	moment := int64(-1)
	for t := run.End(); t >= run.First(); t-- {
		if run.Frame(t) != frame.Number {
			continue
		}
		offset, ok := e.offset(text, run.Instr(t).Loc)
		if !ok {
			continue
		}
		if offset < place {
			break
		}
		moment = t
	}
	return moment
}

// variables lists the variables and members that conditions can compare: those in scope of the entry at the present
// moment of a run.
func (e *excluder) variables(run *recording.Recording, frame inspect.FrameView) {
	body := e.text[e.entry.Body:e.entry.End]
	before := e.text[e.entry.Body:e.place]
	mentioned := map[string]bool{}
	note := func(text string) {
		for s := (csource.Scanner{Text: []byte(text)}); ; {
			t := s.Code()
			if t.Kind == csource.End {
				return
			}
			if t.Kind == csource.Ident {
				mentioned[t.Of(s.Text)] = true
			}
		}
	}
	note(e.finding.Message)
	for i := range e.finding.Trace {
		if s := &e.finding.Trace[i]; s.Function != e.job.Proof.Entry || s.Event == found.StepViolation ||
			s.Event == found.StepBranch || s.Event == found.StepCall {
			note(s.Text)
		}
	}
	inputs, used := map[string]bool{}, map[string]bool{}
	for i := range e.finding.Inputs {
		if in := &e.finding.Inputs[i]; in.Variable != "" {
			name := strings.TrimLeft(in.Variable, "*&(")
			inputs[name[:csource.WordEnd([]byte(name), 0)]] = true
			if !in.Idle {
				used[name[:csource.WordEnd([]byte(name), 0)]] = true
				note(name)
			}
		}
	}
	var list []precondition.Var
	add := func(text string, t *llvmir.DIType, input bool) {
		v, ok := varOf(text, t)
		if t != nil && t.Kind == llvmir.DIFloat {
			v, ok = precondition.Var{Text: text, Float: true, Bits: int(t.Bits)}, t.Bits == 32 || t.Bits == 64
		}
		if !ok || len(list) == 3*maxVars {
			return
		}
		last := text[strings.LastIndexAny(text, ".>*")+1:]
		if i := strings.IndexByte(last, '['); i > 0 {
			if last = last[:i]; !used[text[:csource.WordEnd([]byte(text), 0)]] {
				return // of the elements of arrays, only those that decide are of interest
			}
		}
		v.Input, v.Relevant = input, mentioned[last]
		list = append(list, v)
	}
	locals := run.Locals(frame)
	for _, l := range locals {
		if !l.Arg && !declaredIn(before, l.Name) || counts(body, l.Name) && e.clause == "" {
			continue
		}
		if e.computed(l.Name) {
			continue
		}
		number := l.Type() == nil || isNumber(l.Type()) || l.Type().Kind == llvmir.DIFloat
		input := l.Arg || inputs[l.Name] || !number || !assigned(before, l.Name) || made(before, l.Name, locals)
		if !input && derived(before, l.Name, locals) {
			continue
		}
		member := func(text string, t *llvmir.DIType) { add(text, t, input && !settled(before, text)) }
		e.members(l.Name, l.Type(), 0, member)
		if t := l.Type(); t != nil && t.Kind == llvmir.DIArray && t.Elem != nil && !isNumber(t.Elem) &&
			t.Count <= maxElements && used[l.Name] {
			for i := range t.Count {
				e.members(fmt.Sprintf("%s[%d]", l.Name, i), t.Elem, 1, member)
			}
		}
	}
	for _, g := range run.Globals() {
		if inputs[g.Name] {
			e.members(g.Name, g.Type(), 0, func(text string, t *llvmir.DIType) { add(text, t, true) })
		}
	}
	slices.SortStableFunc(list, func(a, b precondition.Var) int {
		rank := func(v *precondition.Var) int {
			n := 0
			if !v.Relevant {
				n += 2
			}
			if !v.Input {
				n++
			}
			return n
		}
		return rank(&a) - rank(&b)
	})
	e.vars = list[:min(len(list), maxVars)]
}

// members calls f for the scalars that a variable holds or points to.
func (e *excluder) members(text string, t *llvmir.DIType, depth int, f func(text string, t *llvmir.DIType)) {
	if t == nil || depth > 2 {
		return
	}
	switch t.Kind {
	case llvmir.DIStruct:
		sep := "."
		if strings.HasPrefix(text, "*") {
			text, sep = text[1:], "->"
		}
		for i := range t.Fields {
			if m := &t.Fields[i]; m.Name != "" {
				e.members(text+sep+m.Name, m.Type, depth+1, f)
			}
		}
	case llvmir.DIPointer:
		f(text, t)
		if t.Elem != nil && (t.Elem.Kind == llvmir.DIStruct && len(t.Elem.Fields) > 0 || depth == 0 &&
			(t.Elem.Kind == llvmir.DIInt || t.Elem.Kind == llvmir.DIEnum || t.Elem.Kind == llvmir.DIBool)) {
			e.members("*"+text, t.Elem, depth, f)
		}
	case llvmir.DIArray:
		if t.Elem == nil || !isNumber(t.Elem) || t.Count > maxElements || depth > 0 && !e.shows(text+"[") {
			return // members are rarely what decides
		}
		for i := range t.Count {
			f(fmt.Sprintf("%s[%d]", text, i), t.Elem)
		}
	default:
		f(text, t)
	}
}

// shows reports whether the message of the failure, or the name of one of its inputs, contains a text.
func (e *excluder) shows(text string) bool {
	return strings.Contains(e.finding.Message, text) || slices.ContainsFunc(e.finding.Inputs,
		func(in found.Input) bool { return strings.HasPrefix(in.Variable, text) })
}

// maxElements bounds the length of the arrays whose elements are compared.
const maxElements = 8

func isNumber(t *llvmir.DIType) bool {
	return t.Kind == llvmir.DIInt || t.Kind == llvmir.DIChar || t.Kind == llvmir.DIEnum || t.Kind == llvmir.DIBool
}

// varOf is a variable for conditions; false for types that they do not speak of.
func varOf(text string, t *llvmir.DIType) (precondition.Var, bool) {
	v := precondition.Var{Text: text, Bits: int(t.Bits), Signed: t.Signed}
	switch t.Kind {
	case llvmir.DIPointer:
		v.Pointer = true
		if t.Elem != nil {
			v.To = t.Elem.Name
		}
	case llvmir.DIBool:
		v.Bool = true
	case llvmir.DIEnum:
		v.Enum = map[string]string{}
		for _, n := range t.Enums {
			v.Enum[strconv.FormatInt(n.Value, 10)] = n.Name
		}
	case llvmir.DIInt, llvmir.DIChar:
	default:
		return v, false
	}
	return v, t.Bits > 0 && t.Bits <= 64
}

// state is the values of the variables at a moment of a run. Memory that is looked at later has its value from the end.
func (e *excluder) state(run *recording.Recording, moment int64) (precondition.State, error) {
	s := make(precondition.State, len(e.vars))
	read := func(frame inspect.FrameView, ok bool) {
		for i := range e.vars {
			if ok && s[i] == nil {
				s[i] = valueOf(run, frame, &e.vars[i])
			}
		}
	}
	if err := run.GoTo(moment); err != nil {
		return nil, err
	}
	read(e.entryFrame(run))
	read(e.lastInEntry(run))
	return s, nil
}

func valueOf(run *recording.Recording, frame inspect.FrameView, v *precondition.Var) *big.Int {
	value, err := run.Evaluate(frame, v.Text)
	if err != nil {
		return nil
	}
	if v.Pointer {
		if null, ok := value.Null(); ok && null {
			return new(big.Int)
		}
		object, off, ok := value.Target()
		if !ok {
			return nil
		}
		n := new(big.Int).Lsh(big.NewInt(int64(object)), 64)
		return n.Add(n, big.NewInt(off))
	}
	if v.Float {
		if f, ok := value.Float(); ok {
			return precondition.FloatKey(f)
		}
		return nil
	}
	n, ok := value.Number()
	switch {
	case !ok:
		return nil
	case v.Signed:
		return big.NewInt(int64(n))
	}
	return new(big.Int).SetUint64(n)
}

// limit writes the bound of a type with a name that the proof's file has for it.
func (e *excluder) limit(bits int, signed, max bool) string {
	has := func(header string) bool { return bytes.Contains(e.text, []byte(header)) }
	u, bound := "U", "MAX"
	if signed {
		u = ""
	}
	if !max {
		bound = "MIN"
	}
	switch {
	case has("<limits.h>") && bits == 32:
		return u + "INT_" + bound
	case has("<limits.h>") && bits == 64:
		return u + "LONG_" + bound
	case has("<stdint.h>") || has("unitproof.h"):
		return fmt.Sprintf("%sINT%d_%s", u, bits, bound)
	case bits == 32 && signed && max:
		return "2147483647"
	case bits == 32 && signed:
		return "(-2147483647 - 1)"
	case bits == 64 && signed && max:
		return "9223372036854775807"
	case bits == 64 && signed:
		return "(-9223372036854775807 - 1)"
	case bits == 64:
		return "18446744073709551615u"
	}
	return strconv.FormatUint(1<<bits-1, 10)
}
