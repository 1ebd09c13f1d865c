package pipeline

// The call of the function under proof in a proof's entry, and the values before and behind it.

import (
	"bytes"
	"context"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/diagnostics/csource"
	"github.com/unitproof/unitproof/pipeline/harness"
	"github.com/unitproof/unitproof/pipeline/precondition"
	"github.com/unitproof/unitproof/pipeline/regular"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/interp/inspect"
	"github.com/unitproof/unitproof/vcgen/interp/recording"
	"github.com/unitproof/unitproof/vcgen/language"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// callStatement is the statement of a proof's entry that calls the function under proof.
type callStatement struct {
	name     string
	function *llvmir.Func
	precondition.Statement
	at            int // of the call
	result        string
	bound         bool // the statement stores the result already
	resultType    *llvmir.DIType
	arguments     []string // of the call, as they are written
	argumentTypes []string // of those that are variables
	scalar        bool     // all parameters are numbers
	stored        []storedValue
	assert        string // the statement that asserts a fact, with %s
}

// storedValue is a value that is stored before the call.
type storedValue struct {
	name, of string
	typ      *llvmir.DIType
}

func (v storedValue) declaration() string {
	if strings.Contains(v.typ.Name, "(anonymous)") {
		return fmt.Sprintf("__typeof__(%s) %s = %s;", v.of, v.name, v.of)
	}
	return harness.Declare(v.typ, v.name) + " = " + v.of + ";"
}

// findCall finds the last call of the entry to a function of another file or, if there is none, of the same file.
func (e *ensurer) findCall(ctx context.Context) error {
	checker := NewChecker(e.job.Settings)
	defer checker.Close()
	p := e.job.Proof
	b, err := checker.build(ctx, &p, e.job.Define, &Live{Virtual: e.job.Virtual})
	if err != nil {
		return err
	}
	m, err := b.read()
	if err != nil {
		return err
	}
	entry := m.FuncByName[p.Start()]
	for _, f := range m.Funcs { // the module may call it through a function that makes its arguments
		if f.SourceName == p.Entry && len(f.Blocks) > 0 {
			entry = f
		}
	}
	if entry == nil {
		return noConditions("the entry has no code")
	}
	var call *llvmir.Instr
	elsewhere := false
	for _, block := range entry.Blocks {
		for _, in := range block.Instrs {
			f := in.Function()
			if f == nil || len(f.Blocks) == 0 || f.Loc == nil || !userFile(f.Loc.File) || in.Loc == nil ||
				language.Lookup(f.Name).Role != language.None {
				continue
			}
			other := !sameFile(f.Loc.File, p.File)
			if _, ok := e.offset(e.text, in.Loc); ok && (other || !elsewhere) {
				call, elsewhere = in, other || elsewhere
			}
		}
	}
	if call == nil {
		return noConditions("the entry calls no function whose body is known")
	}
	c := &callStatement{function: call.Function(), name: call.Function().SourceName}
	c.at, _ = e.offset(e.text, call.Loc)
	blocks := precondition.Blocks(e.text, e.entry.Body, c.at)
	for i := len(blocks) - 1; i >= 0 && c.End == 0; i-- {
		for _, s := range blocks[i] {
			if s.Start <= c.at && c.at < s.End {
				c.Statement = s
			}
		}
	}
	if c.End == 0 || !bytes.HasPrefix(e.text[c.at:], []byte(c.name)) {
		return noConditions("the call of " + c.name + " is not a statement of " + p.Entry)
	}
	c.assert = assertionIn(e.text)
	e.readCall(c)
	e.call, e.ensured.call, e.ensured.text, e.ensured.Function = c, c, e.text, c.name
	e.place = c.Start
	place := func(at int) (line, column int) {
		return bytes.Count(e.text[:at], []byte("\n")) + 1, at - bytes.LastIndexByte(e.text[:at], '\n')
	}
	e.ensured.Line, e.ensured.Column = place(c.Start)
	e.ensured.EndLine, e.ensured.EndColumn = place(c.End)
	line := e.text[:c.Start]
	line = line[bytes.LastIndexByte(line, '\n')+1:]
	e.indent = string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
	return nil
}

// assertionIn is the statement that asserts a fact in a file, with %s.
func assertionIn(text []byte) string {
	switch {
	case bytes.Contains(text, []byte("unitproof.h")):
		return "sassert(%s);"
	case bytes.Contains(text, []byte("__CPROVER_")):
		return "__CPROVER_assert(%s, \"postcondition\");"
	case bytes.Contains(text, []byte("__VERIFIER_assert")):
		return "__VERIFIER_assert(%s);"
	}
	return "assert(%s);"
}

// readCall reads the arguments of the call, and the variable that has its result.
func (e *ensurer) readCall(c *callStatement) {
	open := csource.SkipTrivia(e.text, c.at+len(c.name))
	end, ok := csource.Closing(e.text, open)
	if !ok || open >= len(e.text) || e.text[open] != '(' {
		return
	}
	for part := range strings.SplitSeq(string(e.text[open+1:end]), ",") {
		c.arguments = append(c.arguments, strings.TrimSpace(part))
	}
	if behind := csource.SkipTrivia(e.text, end+1); behind != c.End-1 || e.text[behind] != ';' {
		return // the call is a part of an expression
	}
	before := tokens(e.text[c.Start:c.at])
	switch n := len(before); {
	case n == 0:
		c.result = e.unused("result")
	case n >= 2 && before[n-1] == "=" && identifier.MatchString(before[n-2]):
		c.result, c.bound = before[n-2], true
	}
}

// unused returns a name that the proof's file does not have.
func (e *ensurer) unused(name string) string {
	taken := tokens(e.text)
	if e.call != nil {
		for _, v := range e.call.stored {
			taken = append(taken, v.name)
		}
	}
	for i := 2; ; i++ {
		if !slices.Contains(taken, name) {
			return name
		}
		name = strings.TrimRight(name, "0123456789") + fmt.Sprint(i)
	}
}

// nameStored names the values that are stored before the call: old_len for q->len.
func (e *ensurer) nameStored() {
	for i := range e.call.stored {
		e.call.stored[i].name = ""
	}
	for i := range e.call.stored {
		v := &e.call.stored[i]
		last := v.of[strings.LastIndexAny(v.of, ".>*&")+1:]
		v.name = e.unused("old_" + strings.Trim(strings.Map(wordByte, last), "_"))
	}
}

// values determines the values that facts may be about, from an execution that comes behind the call.
func (e *ensurer) values(ctx context.Context) error {
	c := e.call
	run, err := e.behind(ctx)
	if err != nil && c.result != "" && !c.bound { // it has no result, or one that no variable of this kind can have
		c.result = ""
		run, err = e.behind(ctx)
	}
	if err != nil {
		return err
	}
	frame, ok := e.entryFrame(run)
	if !ok {
		return noConditions("no execution comes behind the call")
	}
	o := precondition.Outcome{Result: -1, Old: map[int]int{}, Limit: e.limit}
	locals := run.Locals(frame)
	if i := slices.IndexFunc(locals, func(l inspect.Variable) bool { return l.Name == c.result }); i >= 0 {
		c.resultType = locals[i].Type()
		if v, ok := varOf(c.result, c.resultType); ok {
			o.Result = 0
			o.Vars = append(o.Vars, v)
		}
	}
	if o.Result < 0 {
		c.result = ""
	}
	var behind []member
	words := tokens([]byte(strings.Join(c.arguments, ",")))
	c.scalar = true
	for _, arg := range c.arguments {
		name := ""
		for _, l := range locals {
			if l.Name == arg && l.Type() != nil {
				name = l.Type().Name
				c.scalar = c.scalar && isNumber(l.Type())
			}
		}
		c.scalar = c.scalar && name != ""
		c.argumentTypes = append(c.argumentTypes, name)
	}
	for _, l := range locals {
		at := slices.Index(words, l.Name)
		if at < 0 || l.Name == c.result {
			continue
		}
		address := at > 0 && words[at-1] == "&"
		e.members(l.Name, l.Type(), 0, func(text string, t *llvmir.DIType) {
			if text != l.Name && t != nil && t.Const {
				return // not written, or by a cast: the checks of the code see it
			}
			if text == l.Name && !address {
				if v, ok := varOf(text, t); ok {
					v.Input = true
					o.Vars = append(o.Vars, v)
				}
			} else if _, ok := varOf(text, t); ok && len(behind) < maxBehind {
				behind = append(behind, member{text, t})
			}
		})
	}
	for _, l := range locals {
		if slices.Contains(words, l.Name) {
			for _, m := range shortArrays(l.Name, l.Type()) {
				if _, ok := varOf(m.text, m.typ); ok && len(behind) < maxBehind {
					behind = append(behind, m)
				}
			}
		}
	}
	for _, m := range behind {
		c.stored = append(c.stored, storedValue{of: m.text, typ: m.typ})
	}
	e.nameStored()
	if len(c.stored) > 0 {
		if run, err = e.readable(ctx); err != nil {
			return err
		}
	}
	for _, s := range c.stored {
		v, _ := varOf(s.of, s.typ)
		o.Vars = append(o.Vars, v)
		v.Text, v.Input = s.name, true
		o.Old[len(o.Vars)-1] = len(o.Vars)
		o.Vars = append(o.Vars, v)
	}
	if o.Result < 0 && len(o.Old) == 0 {
		return noConditions("the call has no result, and its arguments lead to no number or pointer")
	}
	o.Consts, o.Returned = e.constantsOf(c.function)
	e.outcome = o
	if err := run.GoTo(run.End()); err != nil {
		return err
	}
	if frame, ok = e.entryFrame(run); ok {
		s := make(precondition.State, len(o.Vars))
		for i := range o.Vars {
			s[i] = valueOf(run, frame, &o.Vars[i])
		}
		e.states = append(e.states, s)
	}
	return nil
}

// member is a part of a variable.
type member struct {
	text string
	typ  *llvmir.DIType
}

// maxShort is the largest number of elements of an array in a struct that facts are about.
const maxShort = 4

// shortArrays returns the elements of short arrays in a struct, or in the one that a variable points to.
func shortArrays(name string, t *llvmir.DIType) (list []member) {
	sep := "."
	if t != nil && t.Kind == llvmir.DIPointer {
		t, sep = t.Elem, "->"
	}
	if t == nil || t.Kind != llvmir.DIStruct || t.Const {
		return nil
	}
	for _, f := range t.Fields {
		if a := f.Type; a != nil && a.Kind == llvmir.DIArray && a.Count <= maxShort && a.Elem != nil {
			for i := range a.Count {
				list = append(list, member{fmt.Sprintf("%s%s%s[%d]", name, sep, f.Name, i), a.Elem})
			}
		}
	}
	return list
}

// wordByte keeps the bytes of an identifier.
func wordByte(r rune) rune {
	if r < 0x80 && csource.IsIdentByte(byte(r)) {
		return r
	}
	return '_'
}

// behind returns an execution up to the end of the call.
func (e *ensurer) behind(ctx context.Context) (*recording.Recording, error) {
	never := []Postcondition{{Condition: "0"}}
	text, line := e.call.checked(e.text, never)
	proof, virtual := e.check(ctx, text)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	for i := range proof.Obligations {
		f := &proof.Obligations[i]
		if f.Kind == found.Assertion && f.Line == line && f.Function == e.proof.Entry && f.Verdict == found.Failed &&
			len(f.Run.Tape) > 0 {
			run, err := e.record(ctx, virtual, f)
			if err != nil {
				return nil, err
			}
			return run, run.GoTo(run.End())
		}
	}
	return nil, noConditions("no execution comes behind the call of " + e.call.name + " in time")
}

// readable drops the values that not every execution can read before the call, and returns an execution up to the end
// of the call. A value is known to be readable only if those before it are: of several reads through one pointer, the
// first alone fails. So all of them are dropped, and the rest is checked again.
func (e *ensurer) readable(ctx context.Context) (*recording.Recording, error) {
	c := e.call
	for range maxUnreadable {
		text, _ := c.checked(e.text, []Postcondition{{Condition: "0"}})
		proof, _ := e.check(ctx, text)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		unreadable := e.unreadable(proof)
		if proof.Verdict == found.Error {
			break
		}
		if len(unreadable) == 0 {
			return e.behind(ctx)
		}
		c.stored = slices.DeleteFunc(c.stored, func(v storedValue) bool { return unreadable[pointerOf(v.of)] })
		e.nameStored()
	}
	c.stored = nil // some of them take too long, or do not compile
	return e.behind(ctx)
}

// maxUnreadable bounds the pointers whose targets are dropped.
const maxUnreadable = 6

// unreadable returns the pointers through which a stored value is read, if the read is not proved to be valid.
func (e *ensurer) unreadable(proof *diagnostics.Proof) map[string]bool {
	first := bytes.Count(e.text[:e.call.Start], []byte("\n")) + 1
	list := map[string]bool{}
	for i := range proof.Obligations {
		f := &proof.Obligations[i]
		if at := e.lineInEntry(f) - first; at >= 0 && at < len(e.call.stored) && f.Verdict != found.Proved &&
			f.Verdict != found.Unreached {
			list[pointerOf(e.call.stored[at].of)] = true
		}
	}
	return list
}

// pointerOf returns the pointer through which C reads a value: q->next of q->next->len.
func pointerOf(text string) string {
	if i := strings.LastIndex(text, "->"); i >= 0 {
		return text[:i]
	}
	return strings.TrimLeft(text, "*")
}

// constantsOf returns the constants of a function, and those that it returns.
func (e *ensurer) constantsOf(f *llvmir.Func) (all, returned []precondition.Const) {
	path := e.job.Root.Find(f.Loc.File)
	text, ok := e.job.Virtual[path]
	if !ok {
		var err error
		if text, err = regular.Source(path); err != nil {
			return nil, nil
		}
	}
	body, ok := csource.NewSource(text).Function(f.SourceName)
	if !ok {
		return nil, nil
	}
	code := text[body.Body:body.End]
	visible := e.visible(path, text)
	var consts, results constSet
	consts.add(new(big.Int), "", false, false)
	consts.add(big.NewInt(1), "", false, false)
	consts.literals(text, code, visible)
	for s := (csource.Scanner{Text: code}); ; {
		t := s.Code()
		if t.Kind == csource.End {
			return consts.list, results.list
		}
		if t.Of(code) == "return" {
			end := t.End
			for end < len(code) && code[end] != ';' {
				end++
			}
			results.literals(text, code[t.Start:end], visible)
		}
	}
}

// checked returns the proof with candidates behind the call, and the line of the first. An execution chooses one of
// them. Values are stored in lines of their own in front of it.
func (c *callStatement) checked(text []byte, candidates []Postcondition) (edited []byte, first int) {
	var b bytes.Buffer
	b.Write(text[:c.Start])
	for _, v := range c.stored {
		b.WriteString(v.declaration() + "\n")
	}
	if c.result != "" && !c.bound {
		b.WriteString("__auto_type " + c.result + " = ")
	}
	b.Write(text[c.Start:c.End])
	first = bytes.Count(b.Bytes(), []byte("\n")) + 2
	var conditions []string
	for _, f := range candidates {
		conditions = append(conditions, f.Condition)
	}
	b.Write(assertions(conditions))
	b.Write(text[c.End:])
	return b.Bytes(), first
}

// with returns the statement of the call with facts behind it, as the user would write it.
func (c *callStatement) with(text []byte, facts []string, indent string) string {
	var b strings.Builder
	mentions := func(name string) bool {
		return slices.ContainsFunc(facts, func(f string) bool { return slices.Contains(tokens([]byte(f)), name) })
	}
	for _, v := range c.stored {
		if mentions(v.name) {
			b.WriteString(v.declaration() + "\n" + indent)
		}
	}
	if c.result != "" && !c.bound && mentions(c.result) {
		b.WriteString(harness.Declare(c.resultType, c.result) + " = ")
	}
	b.Write(text[c.Start:c.End])
	for _, f := range facts {
		b.WriteString("\n" + indent + fmt.Sprintf(c.assert, f))
	}
	return b.String()
}

// With returns the statement of the call with some of the facts, by index.
func (e *Ensured) With(text []byte, indexes []int) []byte {
	var facts []string
	for _, i := range indexes {
		facts = append(facts, e.Facts[i].Condition)
	}
	line := text[:e.call.Start]
	line = line[bytes.LastIndexByte(line, '\n')+1:]
	indent := string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
	return slices.Concat(text[:e.call.Start], []byte(e.call.with(text, facts, indent)), text[e.call.End:])
}
