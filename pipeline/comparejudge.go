package pipeline

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/diagnostics/csource"
	"github.com/unitproof/unitproof/diagnostics/paths"
	"github.com/unitproof/unitproof/pipeline/equiv"
	"github.com/unitproof/unitproof/vcgen/found"
)

// functionTexts returns the functions of a C file by name: their tokens, without comments and layout.
func functionTexts(text []byte) map[string]string {
	var places, tokens []csource.Token
	scanner := csource.Scanner{Text: text}
	for t := scanner.Code(); t.Kind != csource.End; t = scanner.Code() {
		tokens = append(tokens, t)
		if t.Kind == csource.Ident {
			places = append(places, t)
		}
	}
	all := map[string]string{}
	for _, d := range csource.Definitions(text, places, true) {
		var words strings.Builder
		line, at := 1, 0
		for _, t := range tokens {
			line += bytes.Count(text[at:t.Start], []byte("\n"))
			if at = t.Start; line >= d.Line && line <= d.EndLine {
				words.Write(text[t.Start:t.End])
				words.WriteByte(' ')
			}
		}
		all[d.Name] = words.String()
	}
	return all
}

// judgement derives the answer of a comparison from the findings of its program.
//
// There are four kinds of findings. Violations in the version before exclude their inputs from the comparison. A
// violation in the version after is a difference, since the version before has run to its end on these inputs. The
// others are the assertions of the runtime, and its bounds.
type judgement struct {
	t         *twoVersions
	p         *diagnostics.Proof
	reached   bool // some execution reaches the comparison of the states
	unknown   string
	bounded   string
	different []diagnostics.Difference
	excluded  []string
}

// origin is the part of the program that a finding is in.
type origin int

const (
	inAfter origin = iota
	inBefore
	inRuntime
	inHarness
)

func (v *judgement) origin(file string) origin {
	path := v.t.root.Find(file)
	switch {
	case path == v.t.runtimeFile():
		return inRuntime
	case path == v.t.harnessFile():
		return inHarness
	case paths.Within(filepath.Join(v.t.dir, "before"), path):
		return inBefore
	}
	return inAfter
}

// shown returns a file of results as the user knows it.
func (v *judgement) shown(file string) string {
	path := v.t.root.Find(file)
	if rest, ok := strings.CutPrefix(path, filepath.Join(v.t.dir, "before")+"/"); ok {
		return v.t.root.Show("/"+rest) + " in " + v.t.Revision.Name
	}
	return file
}

func (v *judgement) place(f *diagnostics.Finding) string {
	return fmt.Sprintf("%s:%d", v.shown(f.File), f.Line)
}

// fail records the first reason why the comparison is not decided.
func (v *judgement) fail(format string, args ...any) {
	if v.unknown == "" {
		v.unknown = fmt.Sprintf(format, args...)
	}
}

// decide sets the answer.
func (v *judgement) decide() {
	out := v.t.out
	if v.p.Verdict == found.Error {
		out.Reason = errorOf(v.p)
		return
	}
	for i := range v.p.Obligations {
		f := &v.p.Obligations[i]
		if f.Verdict == found.Failed && v.origin(f.File) != inBefore && v.usesUnwritten(f) {
			what := f.Message
			if v.origin(f.File) == inRuntime {
				_, text, special := strings.Cut(v.assertionText(f), ": ")
				if !special {
					text = v.assertionText(f)
				}
				what = firstOf(differenceTexts[text], what)
			}
			v.fail("%s: it depends on memory that was never written, also in the version before", what)
			continue
		}
		if f.Verdict == found.Unknown && f.Why.Why == found.BehindViolation && v.origin(f.Why.At.File) == inBefore {
			continue // no execution that is compared reaches it
		}
		switch v.origin(f.File) {
		case inBefore:
			v.inBefore(f)
		case inRuntime:
			v.inRuntime(f)
		case inHarness:
			if f.Kind == found.Unreachable && f.Verdict == found.Failed { // a version returns no value
				if f.Function == "main" {
					v.inBefore(f)
				} else {
					v.inAfter(f)
				}
			} else if f.Verdict == found.Failed || f.Verdict == found.Unknown {
				v.fail("the arguments could not be built: %s", f.Message)
			} else if f.Verdict == found.Bounded {
				v.bound(f)
			}
		default:
			v.inAfter(f)
		}
	}
	out.Excluded = v.excluded
	if len(v.t.outside) > 0 {
		out.Assumed = append(out.Assumed, "each pointer of the arguments leads to the start of its object")
	}
	v.assumptions()
	for i := range v.p.Loops {
		if l := &v.p.Loops[i]; l.Method != found.Unrolled {
			out.Assumed = append(out.Assumed, fmt.Sprintf("the loop at %s:%d ends", v.shown(l.File), l.Line))
		}
	}
	switch {
	case len(v.different) > 0:
		out.Answer, out.Differences = diagnostics.OtherBehaviour, v.different
		out.Reason = v.different[0].What
	case len(out.NotCompared) > 0:
		out.Reason = out.NotCompared[0] + " is not compared"
	case v.unknown != "":
		out.Reason = v.unknown
	case !v.p.Why.None() && v.p.Verdict != found.Bounded:
		out.Reason = firstOf(v.p.Reason, "not everything was checked within the limits of time and memory")
	case !v.reached:
		out.Reason = "no execution of the version in " + v.t.Revision.Name + " ends without a violation"
	case v.hangs() != "":
		out.Reason = fmt.Sprintf("the loop at %s never ends", v.hangs())
	case v.bounded != "":
		out.Answer, out.Reason = diagnostics.SameWithinBounds, v.bounded
	case v.p.Verdict == found.Unknown || v.p.Verdict == found.Vacuous:
		if out.Reason = v.p.Reason; out.Reason == "" {
			out.Reason = "a check was not decided behind a violation of the version in " + v.t.Revision.Name
		}
	default:
		out.Answer = diagnostics.SameBehaviour
	}
}

// usesUnwritten reports whether a violation depends on memory that was never written, although the version after need
// not be at fault: the version before uses it, or a function without a body may have written it.
func (v *judgement) usesUnwritten(f *diagnostics.Finding) bool {
	return !v.t.varied && slices.ContainsFunc(f.Inputs, func(in found.Input) bool {
		return in.Kind == found.InputUninitialized && !in.Idle && (v.t.product.KeepsMemory || v.origin(in.File) == inBefore)
	})
}

// assumptions adds the assumptions of the check to the comparison. Some of them make it undecided: the assumed effect,
// such as that of inline assembly, may differ between the versions.
func (v *judgement) assumptions() {
	for i := range v.p.Assumptions {
		a := &v.p.Assumptions[i]
		switch a.Is.What {
		case found.CompiledElsewhere, found.UnusedBound:
		case found.MissingBody, found.InlineAssembly, found.AnyResult, found.SecondCounts, found.OtherFunction:
			v.t.out.NotCompared = append(v.t.out.NotCompared, a.Message)
		default:
			v.t.out.Assumed = append(v.t.out.Assumed, a.Message)
		}
	}
}

// inBefore handles a finding in the version before.
func (v *judgement) inBefore(f *diagnostics.Finding) {
	switch f.Verdict {
	case found.Failed:
		if f.Kind == found.NullDereference { // any pointer may be NULL here, unlike in a caller's program
			return
		}
		v.excluded = append(v.excluded, fmt.Sprintf("%s: [%s] %s", v.place(f), f.Kind, f.Message))
		if object, ok := v.leavesArgument(f); ok {
			v.t.outside[v.place(f)] = object
		}
		if f.Kind == found.InvalidPointer {
			v.fail("the harness has no object for a pointer at %s", v.place(f))
		}
	case found.Unknown:
		v.fail("%s: %s", v.place(f), f.Reason)
	case found.Bounded:
		v.bound(f)
	}
}

// hangs returns the place of a loop without an exit in the version after, if the version before has none; otherwise "".
// Executions of it never end, so they are not compared with those of the version before, which end.
func (v *judgement) hangs() string {
	place := ""
	for i := range v.p.Loops {
		switch l := &v.p.Loops[i]; {
		case !l.NoExit:
		case v.origin(l.File) == inBefore:
			return ""
		case place == "":
			place = fmt.Sprintf("%s:%d", v.shown(l.File), l.Line)
		}
	}
	return place
}

// bound records that a loop was cut.
func (v *judgement) bound(f *diagnostics.Finding) {
	if v.bounded == "" {
		v.bounded = f.Reason
		if v.bounded == "" {
			v.bounded = f.Message
		}
	}
}

// inAfter handles a finding in the version after. In functions that both versions execute, an instance may be of the
// first run.
func (v *judgement) inAfter(f *diagnostics.Finding) {
	switch f.Verdict {
	case found.Failed:
		if slices.ContainsFunc(f.CallPath, func(c diagnostics.Frame) bool { return v.origin(c.File) == inBefore }) {
			v.fail("%s: [%s] %s, in both versions", v.place(f), f.Kind, f.Message)
			return
		}
		second := func(c diagnostics.Frame) bool { return c.Function == "compare__second" }
		if len(f.CallPath) > 0 && !slices.ContainsFunc(f.CallPath, second) && f.Function != "compare__second" {
			if f.Instances > 1 {
				v.fail("%s: [%s] %s, while the arguments are built", v.place(f), f.Kind, f.Message)
			}
			v.excluded = append(v.excluded, fmt.Sprintf("%s: [%s] %s, while the arguments are built", v.place(f), f.Kind,
				f.Message))
			return
		}
		if f.Kind == found.UseAfterFree || f.Kind == found.DoubleFree {
			v.fail("%s: [%s] %s, perhaps in both versions", v.place(f), f.Kind, f.Message)
			return
		}
		calls := v.t.product.Calls
		access := f.Kind == found.NullDereference || f.Kind == found.OutOfBoundsRead || f.Kind == found.OutOfBoundsWrite
		if i := slices.IndexFunc(calls, func(c equiv.Call) bool { return c.Pointer }); access && i >= 0 {
			v.fail("%s: [%s] %s, perhaps in both versions: %s may have the same violation", v.place(f), f.Kind, f.Message,
				calls[i].Name)
			return
		}
		d := v.difference(f)
		d.What = fmt.Sprintf("a violation that the version before has not: [%s] %s", f.Kind, f.Message)
		d.File, d.Line = f.File, f.Line
		v.different = append(v.different, d)
	case found.Unknown:
		v.fail("%s: %s", v.place(f), f.Reason)
	case found.Bounded:
		v.bound(f)
	}
}

// differenceTexts are sentences for the assertions of the runtime.
var differenceTexts = map[string]string{
	"result":      "the results differ",
	"memory":      "memory that the caller can reach differs",
	"freed":       "only one version frees a block",
	"object":      "the content of the allocated result differs",
	"allocation":  "the content of allocated memory differs",
	"errno":       "errno differs",
	"end":         "only one version returns, or they end the program in another way",
	"fewer calls": "the version after calls fewer functions",
	"more calls":  "the version after calls one more function",
	"other call":  "another function is called",
	"argument":    "a function is called with another argument",
	"variable":    "a function is called while a variable has another content",
	"content":     "a function is called while its argument has another content",
}

// inRuntime handles a finding of the runtime.
func (v *judgement) inRuntime(f *diagnostics.Finding) {
	text := ""
	if f.Kind == found.Assertion {
		text = v.assertionText(f)
	}
	kind, what, special := strings.Cut(text, ": ")
	switch {
	case f.Verdict == found.Unknown:
		v.fail("%s: %s", firstOf(differenceTexts[text], differenceTexts[what], text, f.Message), f.Reason)
	case f.Verdict == found.Bounded:
		v.bound(f)
	case f.Verdict != found.Failed:
	case text == "":
		v.fail("the comparison failed: %s", f.Message)
	case special && kind == "capacity":
		if v.bounded == "" {
			v.bounded = "more " + what + " than the comparison records"
		}
	case special && (what == "content" || what == "argument") && v.writtenOnly(f):
		d := v.difference(f)
		d.What = differenceTexts[what]
		v.different = append(v.different, d)
	case text == "allocation" && !v.writtenOnly(f):
		v.fail("the content of allocated memory may differ only in padding, or where it was never written")
	case special && what == "object":
		v.fail("a function is called with a pointer to an object that only one version has, or that has another size")
	case special && what == "variable":
		v.fail("a static variable has another content when a function without a body is called, which may call back")
	case special:
		v.fail("%s may differ only in the order of allocations or in memory that was never written", what)
	default:
		d := v.difference(f)
		if name := v.quietCall(text, &d); name != "" {
			v.fail("the versions call %s differently, and its result is not modelled exactly", name)
			break
		}
		d.What = differenceTexts[text]
		v.different = append(v.different, d)
	}
	if text == "end" && (f.Verdict == found.Proved || f.Verdict == found.Failed || f.Verdict == found.Bounded) {
		v.reached = true
	}
}

// quietCall returns a function of the C library whose calls are different, if the outside does not notice that: other
// code can replace snprintf. It returns "" for all other differences, and gives the called functions their names.
func (v *judgement) quietCall(text string, d *diagnostics.Difference) string {
	calls := v.t.product.Calls
	switch text {
	case "other call":
		quiet := ""
		for _, value := range []*string{&d.Before, &d.After} {
			if n, err := strconv.Atoi(*value); err == nil && n >= 1 && n <= len(calls) {
				if *value = calls[n-1].Name; calls[n-1].Quiet {
					quiet = calls[n-1].Name
				}
			}
		}
		return quiet
	case "more calls", "fewer calls":
		if len(calls) > 0 && !slices.ContainsFunc(calls, func(c equiv.Call) bool { return !c.Quiet }) {
			return calls[0].Name
		}
	}
	return ""
}

// writtenOnly reports whether no memory that was never written takes part in a violation.
func (v *judgement) writtenOnly(f *diagnostics.Finding) bool {
	if v.t.varied {
		return true
	}
	return !slices.ContainsFunc(f.Inputs, func(in found.Input) bool {
		return !in.Idle && in.Kind != found.InputNondet && in.Kind != found.InputHavoc &&
			in.Kind != found.InputParameter && in.Kind != found.InputGlobal
	})
}

func firstOf(list ...string) string {
	for _, s := range list {
		if s != "" {
			return s
		}
	}
	return ""
}

// assertionText returns the text of an assertion of the runtime, the last string of its line.
func (v *judgement) assertionText(f *diagnostics.Finding) string {
	lines := strings.Split(string(v.t.product.Runtime), "\n")
	if f.Line < 1 || f.Line > len(lines) {
		return ""
	}
	parts := strings.Split(lines[f.Line-1], `"`)
	if len(parts) < 3 {
		return ""
	}
	return parts[len(parts)-2]
}

// difference returns the values and traces of a counterexample. The steps of the version before come first.
func (v *judgement) difference(f *diagnostics.Finding) diagnostics.Difference {
	d := diagnostics.Difference{}
	for _, in := range f.Inputs {
		if o := v.origin(in.File); o != inRuntime {
			d.Inputs = append(d.Inputs, in)
		}
	}
	second := false // whether the version after runs
	for _, s := range f.Trace {
		o := v.origin(s.File)
		s.File = v.shown(s.File)
		switch {
		case o == inRuntime && s.Event == found.StepAssign && (s.LValue == "before" || s.LValue == "before_end"):
			d.Before = s.Value
		case o == inRuntime && s.Event == found.StepAssign && (s.LValue == "after" || s.LValue == "after_end"):
			d.After = s.Value
		case o == inBefore:
			d.TraceBefore = append(d.TraceBefore, s)
		case o == inAfter && second:
			d.TraceAfter = append(d.TraceAfter, s)
		}
		second = second || o == inBefore || o == inHarness && s.Function == "compare__second"
	}
	if d.Before == d.After { // not the values that differ, as those of a further step of the runtime
		d.Before, d.After = "", ""
	}
	return d
}
