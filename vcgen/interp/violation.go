package interp

import (
	"github.com/unitproof/unitproof/vcgen/found"
)

// violated reports that a check failed here. It returns only where the kind is switched
// off or accepted; then the caller goes on as the contract says.
func (m *machine) violated(kind found.Kind, message func() string) {
	if !m.opts.Checks[kind] {
		return
	}
	stack := m.stackNow()
	if m.accepted(kind) && !m.wanted(kind, stack) {
		return
	}
	m.expression = ""
	if m.opts.brief {
		m.fail(kind, stack, "")
	}
	text := message()
	// Inside the library: which of its functions the user called.
	for i := len(stack) - 1; i > 0 && !m.opts.UserFile(stack[i].Loc.File); i-- {
		if m.opts.UserFile(stack[i-1].Loc.File) {
			text = "in `" + stack[i].Func.SourceName + "`: " + text
		}
	}
	m.fail(kind, stack, text)
}

// required is violated for checks without which the execution cannot go on: where the kind
// is switched off or accepted only executions that pass are considered.
func (m *machine) required(kind found.Kind, message func() string) {
	m.violated(kind, message)
	m.stop(EndAssume, "the check "+string(kind)+" is off or accepted here and does not hold")
}

// wanted reports whether this violation is the one that the run is about.
func (m *machine) wanted(kind found.Kind, stack []Frame) bool {
	return m.opts.Wanted != nil && m.opts.Wanted(kind, stack[len(stack)-1].Loc)
}

// accepted reports whether a finding of this kind is accepted in any function of the stack.
func (m *machine) accepted(kind found.Kind) bool {
	if m.opts.Accepted == nil {
		return false
	}
	for _, fr := range m.frames {
		if m.opts.Accepted(kind, fr.fn.SourceName) {
			return true
		}
	}
	return false
}

// fail ends the execution with a violation at the last frame of stack.
func (m *machine) fail(kind found.Kind, stack []Frame, message string) {
	loc := stack[len(stack)-1].Loc
	if m.opts.brief {
		m.out.Violation, m.out.Where = &Violation{Kind: kind, Loc: loc, Stack: stack}, loc
		m.stop(EndViolation, "")
	}
	m.out.Violation = &Violation{Kind: kind, Loc: loc, Stack: stack, Message: message, Expression: m.expression, Vars: m.variables()}
	if m.leaked == nil {
		m.violating(m.out.Violation)
	}
	m.out.Where = loc
	if m.opts.Trace {
		m.step(Step{Event: "violation", Loc: loc, Function: stack[len(stack)-1].Func.SourceName, Depth: len(stack) - 1, Text: message})
	}
	m.stop(EndViolation, "")
}
