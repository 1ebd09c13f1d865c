// Package seair is SEA-IR in its pure data-flow form, the result of unfolding a program.
//
// A program becomes a log: a list of events in execution order over hash-consed terms, which are the registers. The
// log has no branches, loops or calls. Each event has a guard, the condition on the program's branches under which it
// happens. For example, unfolding
//
//	unsigned x = nondet();   // an input of any value
//	assume(x < 9);
//	if (x == 5)
//		assert(x * 2 < 11);
//	assert(x < 20);
//
// produces the input x and three events, printed by Log.Dump as
//
//	input nondet x
//	  0      2:1  assume: x <u 9
//	where x == 5:
//	  1      4:3  obligation assertion: x * 2 <u 11
//	always:
//	  2      5:1  obligation assertion: x <u 20
//
// The log is the semantics of the program: a query about an event selects earlier events by their kinds, so that no
// later event can make the query weaker or stronger. Chain computes the selections that most queries need. Event 1 is
// violated in the executions with x < 9, x = 5 and not x * 2 < 11. Event 2 is checked under x < 9. If event 1 is
// assumed to hold, event 2 is also checked under the condition that x = 5 implies x * 2 < 11.
//
// Principal types: Log holds the events and inputs; Event is an assumption, an obligation or an end; Input is a
// choice of the environment; Site is a program position with its call path; Chain has the prefix conditions. The
// package is independent of LLVM.
//
// Reading order: log.go (the data), chain.go (prefix conditions), print.go (the text above).
package seair

import (
	"fmt"

	"github.com/unitproof/unitproof/vcgen/choice"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/smt"
)

// Site is a position in the program with the calls that lead to it.
type Site struct {
	ID     int // of the instruction, unique in the module; 0 if it belongs to no instruction
	Pos    found.Pos
	Caller *Site // the call, nil in the entry
	Depth  int   // number of callers
}

// EventKind is the kind of an Event.
type EventKind uint8

// Kinds of events.
const (
	Axiom       EventKind = iota // holds in each execution: restricts auxiliary symbols only
	Assume                       // executions continue only if Guard implies Cond
	Obligation                   // Cond must hold if Guard does; executions continue only if it holds
	Cut                          // a loop or recursion is cut off if Guard holds
	End                          // an execution ends here: return of the entry, exit, abort
	Unsupported                  // an unsupported construct: everything after it is unknown
)

func (k EventKind) String() string {
	return [...]string{"axiom", "assume", "obligation", "cut", "end", "unsupported"}[k]
}

// Event is an entry of the log.
//
// Guard consists of branch conditions only; assumptions and obligations that hold remain events.
type Event struct {
	Kind  EventKind
	Guard smt.Term
	Cond  smt.Term // axiom, assume, obligation
	Site  *Site

	Check      found.Kind // obligation: its kind
	ConstFalse bool       // obligation: the condition was written as the constant false
	Accepted   bool       // obligation: later events do not assume it
	Found      bool       // obligation: an invariant that is found for a loop, not one that is written
	// ObjectOpen: obligation: it is about a pointer that may point to an object which the log does not know. Cond is
	// false for it, though it may hold in an execution.
	// AlsoKnown: it may also point to an object that the log knows.
	ObjectOpen, AlsoKnown bool
	HasValue              bool // assume: a contract expression has a value; not assumed after a violation
	// Coincidence is the condition under which the violation depends on an accident that counterexamples avoid: an
	// arbitrary number equals an address. 0: never.
	Coincidence smt.Term
	// Loop and Bound of a cut; Text describes an unsupported construct, or the failure of an obligation.
	Loop  string
	Bound int
	Text  string
	// Region of a cut: the code that it can skip, the argument of unfold.Program.Region.
	Region int
}

// Input is a choice that an execution makes if Guard holds: a scalar (Value) or the bytes of a range (Content).
//
// Inputs are logged in execution order.
type Input struct {
	Kind    choice.Kind
	Site    int
	Name    string
	Guard   smt.Term
	Value   smt.Term // 0 until its value is needed: any value is possible
	Content smt.Func
	Bytes   bool // Content is valid
	Bits    int  // width of Value if it is created on demand
	Library bool // a result of the C library, or of rounding in another mode, that is not modelled
	Object  int  // Object, MissingBody: number of the object
}

// Log is the unfolded program.
type Log struct {
	C      *smt.Context
	Events []Event
	Inputs []*Input
}

// Verify checks the invariants of the log on which queries rely.
//
// Conditions and guards are Booleans, obligations have kinds, and guards of axioms are true.
func (l *Log) Verify() error {
	for i, e := range l.Events {
		switch {
		case !l.C.Sort(e.Guard).IsBool():
			return fmt.Errorf("event %d (%s): the guard is no Boolean", i, e.Kind)
		case e.Kind <= Obligation && (e.Cond == 0 || !l.C.Sort(e.Cond).IsBool()):
			return fmt.Errorf("event %d (%s): the condition is no Boolean", i, e.Kind)
		case e.Kind == Obligation && e.Check == "":
			return fmt.Errorf("event %d: an obligation without a kind", i)
		case e.Kind == Axiom && !l.C.IsTrue(e.Guard):
			return fmt.Errorf("event %d: an axiom under a guard", i)
		case e.Kind != Axiom && e.Site == nil:
			return fmt.Errorf("event %d (%s): no place", i, e.Kind)
		}
	}
	for i, in := range l.Inputs {
		if !l.C.Sort(in.Guard).IsBool() {
			return fmt.Errorf("input %d (%s): the guard is no Boolean", i, in.Kind)
		}
	}
	return nil
}
