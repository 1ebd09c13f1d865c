package interp

import (
	"slices"

	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/interp/explain"
	"github.com/unitproof/unitproof/vcgen/interp/state"
	"github.com/unitproof/unitproof/vcgen/language"
)

// violated reports that a check failed here.
//
// It returns only if the kind is switched off or accepted; then the caller continues as the contract specifies.
func (m *Machine) violated(kind found.Kind, message func() string) {
	if !m.opts.Checks[kind] {
		return
	}
	if n := len(m.Assumes); n > 0 && m.Assumes[n-1] != language.AssumesRequired && kind.Evaluated() {
		m.stop(EndAssume, "a condition of a contract has no defined value in this state")
	}
	stack := m.StackNow()
	if m.accepted(kind, stack) && !m.wanted(kind, stack) {
		return
	}
	m.expression = ""
	if m.opts.Brief {
		m.fail(kind, stack, "")
	}
	m.View.Mentions, m.View.Said = nil, nil
	text := message()
	// Inside the library: name the function that the user called.
	for i := len(stack) - 1; i > 0 && !m.opts.UserFile(stack[i].Loc.File); i-- {
		if m.opts.UserFile(stack[i-1].Loc.File) {
			text = "in `" + stack[i].Func.SourceName + "`: " + text
		}
	}
	m.fail(kind, stack, text)
}

// required is violated for checks that an execution cannot continue without.
//
// If the kind is switched off or accepted, only executions that pass the check are considered.
func (m *Machine) required(kind found.Kind, message func() string) {
	m.violated(kind, message)
	m.stop(EndAssume, "the check "+string(kind)+" is off or accepted here and does not hold")
}

// wanted reports whether this violation is the target of the run.
func (m *Machine) wanted(kind found.Kind, stack []state.Site) bool {
	return m.opts.Wanted != nil && m.opts.Wanted(kind, stack)
}

// accepted reports whether a finding of this kind is accepted for any frame of the stack.
func (m *Machine) accepted(kind found.Kind, stack []state.Site) bool {
	if m.opts.Accepted == nil {
		return false
	}
	for i, f := range stack {
		if m.opts.Accepted(kind, explain.PosOf(f.Loc, f.Func.SourceName), i == len(stack)-1) {
			return true
		}
	}
	return false
}

// fail ends the execution with a violation at the last frame of stack.
func (m *Machine) fail(kind found.Kind, stack []state.Site, message string) {
	loc := stack[len(stack)-1].Loc
	if m.opts.Brief {
		m.Out.Violation, m.Out.Where = &Violation{Kind: kind, Loc: loc, Stack: stack}, loc
		m.stop(EndViolation, "")
	}
	v := &Violation{Kind: kind, Loc: loc, Stack: stack, Message: message, Mentions: slices.Clone(m.View.Mentions),
		Said: slices.Clone(m.View.Said), Expression: m.expression, Vars: m.View.Variables()}
	if m.Leaked == nil {
		v.Reasons = m.View.Reasons(kind)
	}
	m.Out.Violation = v
	m.Out.Where = loc
	if m.trace != nil {
		v.Memory = m.View.MemoryNow(m.aboutAccess())
		m.trace.Violated(stack[len(stack)-1], len(stack)-1, message)
	}
	m.stop(EndViolation, "")
}

// aboutAccess returns the access that the current violation is about; nil if it is about none.
func (m *Machine) aboutAccess() *explain.Accused {
	switch {
	case m.Leaked != nil:
		return &explain.Accused{Obj: m.Leaked}
	case m.accusedAt == m.Executed:
		return &m.accused
	}
	return nil
}

// SameStack reports whether two call stacks have the same functions and positions.
func SameStack(a, b []state.Site) bool {
	return slices.EqualFunc(a, b, func(a, b state.Site) bool { return a.Func == b.Func && a.Loc == b.Loc })
}
